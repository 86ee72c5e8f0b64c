"""Against bash itself, with ``-n``: it reads the text and runs nothing."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings

from interlock.shell.parse import parse
from tests.shell.made import PIECES, scripts
from tests.shell.names import unread
from tests.shell.rows import ROWS, WRONG

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="bash is not installed")

# bash 5.3; before, it takes it for a bad substitution when it comes to it
NEWER = {"echo ${ ls; } ${| id; }"}


def accepted(text: str, *options: str) -> bool:
    """Whether bash reads the text without complaint (it warns of here-documents that do not
    end).
    """
    command = [BASH or "bash", *options, "-n", "-c", "--", text]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False
    )
    errors = done.stderr.decode("utf-8", "replace").splitlines()
    return not [line for line in errors if "warning:" not in line]


@pytest.mark.parametrize("text", [text for text, _, _ in ROWS if text not in NEWER])
def test_accepts_what_bash_accepts(text: str) -> None:
    """Every row is accepted by both."""
    assert accepted(text) or accepted(text, "-O", "extglob")
    assert not unread(parse(text))


@pytest.mark.parametrize("text", WRONG)
def test_rejects_what_bash_rejects(text: str) -> None:
    """Every wrong text is rejected by both."""
    # bash -n says nothing of "[[ ]]" and its like, but does not run what follows
    assert not accepted(text) or text.startswith("[[")
    assert unread(parse(text))


@given(scripts)
@settings(max_examples=150, deadline=None)
def test_agrees_on_scripts(text: str) -> None:
    """Made-up scripts are complete for us exactly when they are for bash."""
    complete = not unread(parse(text))
    # after a name, coproc takes arrays for arguments; and a here-document that a substitution never
    # ends is refused by us, more strictly than by bash
    known = "coproc" in text or ("<<" in text and not complete)
    if complete != accepted(text) and not known:
        assert complete == accepted(text, "-O", "extglob")


@pytest.mark.parametrize(
    "piece",
    [
        piece
        for piece in PIECES
        if "\0" not in piece and not any("\ud800" <= c <= "\udfff" for c in piece)
    ],
)
def test_agrees_on_pieces(piece: str) -> None:
    """Each piece of syntax alone, in a word, in quotes, in a substitution...: what bash rejects is
    never complete.
    """
    for text in (
        piece,
        f"a{piece}",
        f"a {piece} b",
        f"{piece}a\n",
        f'"{piece}"',
        f"$({piece})",
        f"a={piece}",
        f"a >{piece}",
        f"a\n{piece}\nb",
    ):
        if not unread(parse(text)):
            assert accepted(text) or accepted(text, "-O", "extglob"), text
        elif accepted(text):
            # there bash 5.2 takes time for a command
            assert "${" in text or text == "$(time )", text
