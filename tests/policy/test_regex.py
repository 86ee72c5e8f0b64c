"""Patterns of text: found where Python's own ``re`` finds them, in time that grows with the text
alone.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from interlock.engine.automaton import MAX_TEXT, matches_text
from interlock.policy.regex import PatternError, compile_pattern

PATTERNS = (
    "docker", "rm\\s+-rf", "(curl|wget).*\\|\\s*(ba)?sh", "^git push", "push$", "\\bmain\\b", "a{2,3}b", "[^a-c]x", "[\\w.-]+@", "a?b*c+",
    "(?i)Drop Table",
    "x|",
    "", "(a|b|)*c", "\\d{4}-\\d\\d", ".env", "(a*)*b", "(a|a)*b", "a.c", "\\Aab\\Z", "\\Bb", "[\\S]b", "(?:ab)+c", "a+?b", "[a-]", "\\.\\*",
)  # fmt: skip


@given(
    st.sampled_from(PATTERNS),
    st.text(alphabet="abcx .-|\nDRop dtable sh-curlmain@1290git push", max_size=30),
)
@example("(?i)Drop Table", "please drOP taBLE x")
@example("push$", "git push\nx")
def test_what_is_found_is_what_re_finds(pattern: str, text: str) -> None:
    """The reference is Python's ``re``, with ``^`` and ``$`` at lines."""
    program, fold = compile_pattern(pattern)
    assert matches_text(program, text, fold=fold) == bool(re.search(pattern, text, re.MULTILINE))


@pytest.mark.parametrize(
    "pattern", ["(a*)*b", "(a|a)*b", "(a+)+$x", "(.*)*(.*)*x", "a{0,50}a{50}b"]
)
def test_no_pattern_blows_up(pattern: str) -> None:
    """What takes ``re`` for ever is answered: the work is text times pattern."""
    program, fold = compile_pattern(pattern)
    assert not matches_text(program, "a" * 2000, fold=fold)


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        ("(a", "no pattern"),
        ("*", "no pattern"),
        ("(a)\\1", "a reference back"),
        ("(?=a)b", "looking ahead"),
        ("(?<!a)b", "looking ahead"),
        ("(?>a*)b", "bounded time"),
        ("(a{1000}){3}", "too large"),
        ("(a{100}){100}", "too large"),
        ("x" * 501, "at most 500"),
        ("(?i:a)b", "flags"),
    ],
)
def test_what_could_take_for_ever_is_refused(pattern: str, part: str) -> None:
    """Refused when the file is loaded, with the reason."""
    with pytest.raises(PatternError, match=re.escape(part)):
        compile_pattern(pattern)


def test_of_a_text_that_is_too_long_nothing_is_known() -> None:
    """It counts as one the pattern is in: unknown never loosens."""
    program, fold = compile_pattern("docker")
    assert matches_text(program, "x" * (MAX_TEXT + 1), fold=fold)
    assert not matches_text(program, "x" * MAX_TEXT, fold=fold)
