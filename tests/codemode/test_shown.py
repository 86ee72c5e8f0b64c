"""What a program prints, and what is told of it, has no power over a person's terminal."""

from __future__ import annotations

import io
import sys

import pytest

from interlock.cli.run_options import sanitize_output, show
from interlock.codemode.program import Refusal, RunResult

UP = "\x1b[1A\x1b[2K"


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_nothing_that_a_program_says_overwrites_a_line(
    monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO]
) -> None:
    """A refusal is clean wherever it goes; output is as it was where no terminal reads it."""
    out, err = stream(), stream()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    refusal = Refusal("write", f"/x{UP}", "rule", "guard", f"no{UP}", instead=f"else{UP}")
    show(RunResult("ran", stdout=f"a{UP}b\n", refused=(refusal,), notices=(f"n{UP}",)), plain=False)
    assert "\x1b" not in err.getvalue()
    assert "/x\\x1b[1A" in err.getvalue()
    assert out.getvalue() == ("a\\x1b[1A\\x1b[2Kb\n" if stream is Terminal else f"a{UP}b\n")


def test_colours_and_ends_of_lines_stay() -> None:
    """What programs ordinarily print is shown as it is."""
    text = "\x1b[1;31mred\x1b[0m\ttext ü 漢\r50 %\r100 %\n"
    assert sanitize_output(text) == text
    assert sanitize_output("\x1b]0;title\x07\x9b2J") == "\\x1b]0;title\\x07\\x9b2J"
