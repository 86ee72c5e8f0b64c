"""What is written to a terminal, and in which colours."""

from __future__ import annotations

import asyncio

import pytest

from interlock.agent.fold import Fold
from interlock.agent.screen import CLEAR, FRAMES, LINES, Screen, clean


class Paper:
    """Keeps what a screen writes."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        """Write on."""
        self.text += text


def screen(*, colour: bool = False) -> tuple[Screen, Paper]:
    """Return a screen and what it is written on."""
    paper = Paper()
    return Screen(paper.write, colour=colour), paper


def test_nothing_that_is_said_commands_the_terminal() -> None:
    """What moves, paints, hides or turns round is written out, wherever a piece of the text ends;
    lines and tabs stay.
    """
    shown, paper = screen()
    for piece in ("\x1b", "[2Jgone\u202e\x9b", "\r\nline\ttab ü 漢"):
        shown.piece(piece)
    shown.show_result("\x1b]0;owned\x07 hidden", failed=False)
    shown.called("Bash\x1b[1m", {"command": "echo \x1b[31m"})
    shown.still()
    assert "\\x1b[2Jgone\\u202e\\x9b\nline\ttab ü 漢\n" in paper.text
    assert "\\x1b]0;owned\\x07 hidden" in paper.text
    assert "\x1b" not in paper.text
    assert clean("plain\n") == "plain\n"


def test_the_guard_speaks_in_amber() -> None:
    """Its lead and its reasons are amber; where no colour is wanted there is none."""
    shown, paper = screen(colour=True)
    answer = (
        "Blocked by interlock: deletes\nInstead: keep\nThe call did not run.\nFor the agent: no"
    )
    shown.guard("Bash did not run", answer + "\nrule: fs.x")
    assert paper.text.split("\n")[:2] == [
        "\x1b[33;1m⚠ Guard: Bash did not run\x1b[0m",
        "\x1b[33m  deletes\x1b[0m",
    ]
    assert "did not run." not in paper.text
    assert "For the agent" not in paper.text
    shown, paper = screen()
    shown.guard("Bash did not run", "Blocked by interlock: deletes")
    assert paper.text == "⚠ Guard: Bash did not run\n  deletes\n"


def test_a_long_result_is_cut() -> None:
    """Its beginning is shown, and how much more there is."""
    shown, paper = screen()
    shown.show_result("\n".join(str(number) for number in range(LINES + 3)), failed=False)
    assert paper.text.split("\n")[-3:] == [f"  | {LINES - 1}", "  | and 3 lines more", ""]


def test_the_spinner_gives_way() -> None:
    """It turns while something is waited for, is gone before anything else is written, and stays
    away once it is taken away.
    """
    shown, paper = screen()

    async def scene() -> None:
        turning = asyncio.create_task(shown.turning())
        shown.spin("thinking")
        while not all(frame in paper.text for frame in FRAMES[:3]):  # noqa: ASYNC110 - nothing tells when it is drawn
            await asyncio.sleep(0.01)
        shown.line("a line")
        assert paper.text.endswith(f"{CLEAR}a line\n")
        assert shown.still() == "thinking"
        before = paper.text
        await asyncio.sleep(0.3)
        assert paper.text == before
        turning.cancel()

    asyncio.run(scene())


def test_words_end_before_a_line_begins() -> None:
    """A line of its own never stands behind words that were not ended, and the end of a turn leaves
    an empty line.
    """
    shown, paper = screen()
    shown.piece("words")
    shown.line("line")
    shown.piece("more")
    shown.end()
    assert paper.text == "words\nline\nmore\n\n"


@pytest.mark.parametrize(
    ("pieces", "written"),
    [
        (("one two th", "ree four"), "one two\nthree four\n"),
        (("one two", " three"), "one two\nthree\n"),
        (("exactly te", "n"), "exactly\nten\n"),
        (("exactly 10\nnext",), "exactly 10\nnext\n"),
        (("  indented\n\n  code here",), "  indented\n\n  code\nhere\n"),
        (("漢字 漢字漢",), "漢字\n漢字漢\n"),
        (("a " + "x" * 60,), "a\n" + "x" * 60 + "\n"),
        (("ends\n",), "ends\n"),
        (("",), ""),
    ],
)
def test_no_word_stands_on_two_lines(pieces: tuple[str, ...], written: str) -> None:
    """Words that come in pieces are broken at blanks, ten columns here; what is no longer than a
    line stays on one.
    """
    fold = Fold(lambda: 10)
    assert "".join([fold.take(piece) for piece in pieces]) + fold.rest() == written


def test_words_are_written_before_the_next_one_is_whole() -> None:
    """Only the last word is held back, and not for ever: a text without blanks streams too."""
    fold = Fold(lambda: 80)
    assert fold.take("one two thr") == "one two"
    assert len(fold.take("x" * 100)) > 100
