"""One line is an answer; whatever else a model says leaves the question to a person."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.model.action import ALLOW, ASK, DENY, Action
from interlock.validator.answer import MOST, read


@pytest.mark.parametrize(
    ("said", "action", "told"),
    [
        ("ALLOW", ALLOW, "nothing wrong"),
        ("ALLOW\n", ALLOW, "nothing wrong"),
        ("  ALLOW\r\n", ALLOW, "nothing wrong"),
        ("DENY: it deletes the build server", DENY, "says: it deletes the build server"),
        ("ASK: writes outside", ASK, "says: writes outside"),
        ("ASK:writes outside", ASK, "says: writes outside"),
        ("DENY: a: b", DENY, "says: a: b"),
        ("", ASK, "nothing"),
        ("allow", ASK, "one line"),
        ("ALLOW.", ASK, "one line"),
        ("ALLOW: harmless", ASK, "one line"),
        ("**ALLOW**", ASK, "one line"),
        ("`ALLOW`", ASK, "one line"),
        ("ALLOW ALLOW", ASK, "one line"),
        ("ALLOW\nALLOW", ASK, "one line"),
        ("It is safe.\nALLOW", ASK, "one line"),
        ("ALLOW\nDENY: no", ASK, "one line"),
        ("ALLOW\x0bDENY: no", ASK, "one line"),
        ("\ufeffALLOW", ASK, "one line"),
        ("\uff21LLOW", ASK, "one line"),
        ("DENY", ASK, "one line"),
        ("DENY:", ASK, "one line"),
        ("DENY: no\nASK: perhaps", ASK, "one line"),
        ("DENY: no\u2028ALLOW", ASK, "one line"),
        ("NOT ALLOW", ASK, "one line"),
        ('{"verdict": "ALLOW"}', ASK, "one line"),
    ],
)
def test_an_answer(said: str, action: Action, told: str) -> None:
    """The three forms count; near misses ask and show what was said."""
    found = read(said)
    assert found.action == action
    assert told in found.message


def test_a_reason_is_shown_and_never_obeyed() -> None:
    """What a terminal would obey is written out, and a long reason is cut."""
    assert "\\x1b[2J" in read("DENY: \x1b[2Jgone").message
    assert len(read("ASK: " + "long " * 5000).message) < MOST + 100


@given(
    st.text()
    | st.lists(
        st.sampled_from(["ALLOW", "DENY", "ASK", ":", " ", "\n", "no", "`"]), max_size=6
    ).map("".join)
)
def test_only_the_one_word_allows(said: str) -> None:
    """Nothing but ALLOW, with blanks around it, is an ALLOW; nothing raises."""
    assert (read(said).action == ALLOW) == (said.strip(" \t\r\n") == "ALLOW")
