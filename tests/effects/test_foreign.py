"""Programs of other languages to effects: each dangerous one-liner beside ordinary ones that stay
quiet.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.effects.foreign.languages import DIALECTS
from interlock.effects.foreign.read import TEXTUAL
from tests.judging import judged

ROWS = Path(__file__).parent / "languages"


def rows(name: str) -> list[str]:
    """Return the commands of a file, one a line; ``##`` begins a comment."""
    return [
        line
        for line in (ROWS / f"{name}.txt").read_text(encoding="utf-8").split("\n")
        if line and not line.startswith("##")
    ]


@pytest.mark.parametrize("command", rows("denied"))
def test_what_no_task_needs_is_denied(command: str) -> None:
    """A program that destroys the system, hands out secrets or a shell is denied in every
    language.
    """
    assert str(judged(command).verdict) == "deny"


@pytest.mark.parametrize("command", rows("asked"))
def test_what_a_person_should_see_is_asked(command: str) -> None:
    """A program whose effects may be wanted, or cannot be read, is asked about in every
    language.
    """
    assert str(judged(command).verdict) in {"ask", "deny"}


@pytest.mark.parametrize("command", rows("allowed"))
def test_ordinary_programs_stay_quiet(command: str) -> None:
    """Versions, sums, JSON, text work and the project's own files are no question in any
    language.
    """
    assert str(judged(command).verdict) == "allow"


PROGRAMS = dict(
    line.split("=", 1)
    for line in """javascript=node -e;perl=perl -e;ruby=ruby -e;php=php -r;lua=lua -e;r=Rscript -e;julia=julia -e
matlab=octave --eval;groovy=groovy -e;scala=scala -e;haskell=ghc -e;ocaml=ocaml -e;elixir=elixir -e;erlang=erl -eval
lisp=sbcl --eval;tcl=expect -c;applescript=osascript -e;java=jshell -e""".replace("\n", ";").split(
        ";"
    )
)
PIECES = st.sampled_from(
    """{ } ( ) [ ] " ' ` $ @ % # // /* <<X ; , => -> :: . | do end if x 1 def function( = + \\ %w[ q{ qw( s/ ${ #{ ~ < > && ? : sub class
    for while (a)=> "text" system("ls") tell set return try catch let in""".split()
)


def quoted(text: str) -> str:
    """Return a text as one word of a shell."""
    return "'" + text.replace("\0", "").replace("'", "'\\''") + "'"


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(sorted(PROGRAMS)),
    st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=40).map(" ".join)),
)
def test_any_text_of_any_language_is_read(language: str, text: str) -> None:
    """Reading never fails, whatever a program looks like."""
    assert str(judged(f"{PROGRAMS[language]} {quoted(text)}").verdict) in {"allow", "ask", "deny"}


@pytest.mark.parametrize(
    "unit",
    [
        "(",
        "[",
        "{",
        '"',
        "a.",
        "f(",
        "x=>",
        "if ",
        "do ",
        "a+",
        "$a->",
        "%w[",
        "q{",
        "function(){",
        "-",
        "!",
        '${"',
        "#{",
    ],
)
@pytest.mark.parametrize("language", ["javascript", "perl", "ruby", "php", "lua", "lisp", "tcl"])
def test_no_text_makes_reading_deep_or_endless(language: str, unit: str) -> None:
    """Ten thousand characters of anything are read in bounded depth."""
    assert str(judged(f"{PROGRAMS[language]} {quoted(unit * (10_000 // len(unit)))}").verdict) in {
        "allow",
        "ask",
        "deny",
    }


def test_every_language_is_met_by_a_program() -> None:
    """Each language that a table describes is spoken by some interpreter of these tests, or
    compiled.
    """
    compiled = {"typescript", "kotlin", "c", "go", "rust", "swift", "csharp", "scheme", "clojure"}
    in_files = {"robot"}
    assert {*DIALECTS, *TEXTUAL} - compiled - in_files == set(PROGRAMS)
