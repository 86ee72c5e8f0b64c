"""The prompt on a real terminal: one key, shown what it is about, and a no whenever it is not
plainly a yes.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import termios
from typing import TYPE_CHECKING, Any

import pytest

from tests.terminal import ROOT, Terminal

if TYPE_CHECKING:
    from pathlib import Path

ASKED = "rm -rf ~/photos"
READY = "is a no)"
"""The last words of the question."""


class Asked:
    """A loop on a terminal that asks about commands."""

    def __init__(
        self, folder: Path, *commands: str, redirect: dict[int, int] | None = None, **spec: Any
    ) -> None:
        self.report = folder / "report"
        (folder / "project").mkdir(exist_ok=True)
        given = {
            "home": str(folder),
            "report": str(self.report),
            "commands": commands or (ASKED,),
            **spec,
        }
        argv = [sys.executable, "-m", "tests.approvals.prompted", json.dumps(given)]
        self.terminal = Terminal(
            argv, {"HOME": str(folder), "PATH": "/usr/bin:/bin", "TERM": "xterm"}, ROOT, redirect
        )
        self.modes = termios.tcgetattr(self.terminal.descriptor)

    def answer(self, *keys: str) -> Asked:
        """Wait for the question, whole, and press keys."""
        for key in keys:
            self.terminal.until(READY)
            self.terminal.type(key)
        return self

    def refuse(self) -> None:
        """Press n until it counts: a key that comes too soon after another is a part of a paste."""
        while "not approved" not in self.terminal.text:
            self.terminal.type("n")
            self.terminal._more(0.5)

    def said(self) -> dict[str, Any]:
        """Return the report."""
        code = self.terminal.end()
        assert code == 0, self.terminal.text
        found: dict[str, Any] = json.loads(self.report.read_text(encoding="utf-8"))
        return found

    def verdicts(self) -> list[str]:
        """Return the verdicts."""
        return [verdict for verdict, _ in self.said()["verdicts"]]


@pytest.mark.parametrize(
    ("key", "verdict"),
    [
        ("y", "allow"),
        ("Y", "allow"),
        ("n", "deny"),
        ("\x03", "deny"),
        ("\x04", "deny"),
        ("\x1b", "deny"),
        ("xy", "deny"),
    ],
)
def test_one_key(tmp_path: Path, key: str, verdict: str) -> None:
    """Y is a yes; n, Ctrl-C, Ctrl-D and Escape are a no; what is pasted is no key, and n after it
    still counts.
    """
    asked = Asked(tmp_path).answer(key)
    if len(key) > 1:
        asked.refuse()
    assert asked.verdicts() == [verdict]


def test_what_is_shown(tmp_path: Path) -> None:
    """Effect, words with what matters marked, the rule's sentence, a safer way."""
    text = Asked(tmp_path, "ls; rm -rf ~/photos").answer("n").terminal.until(READY)
    lines = text.replace("\r", "").split("\n")
    at = next(number for number, line in enumerate(lines) if line.strip() == "ls; rm -rf ~/photos")
    marked = lines[at + 1]
    assert lines[at][marked.index("^") : marked.rindex("^") + 1] == "~/photos"
    for words in (
        "deletes files outside the workspace",
        f"deletes {tmp_path}/photos",
        "safer: Delete inside the workspace",
        "fs.delete-outside-workspace",
    ):
        assert words in " ".join(text.split())


def test_it_is_painted(tmp_path: Path) -> None:
    """With colour the words that matter are underlined."""
    assert "\x1b[31;4m~/photos\x1b[0m" in Asked(tmp_path, colour=True).answer("n").terminal.until(
        READY
    )


HOSTILE = "rm -rf ~/photos # \x1b[2J\x1b]0;title\x07 \u202egnp.exe\u202c \r forged \x9b31m \u200b\u3164 \U000e0041"


def test_shown_text_has_no_power(tmp_path: Path) -> None:
    """Escape sequences, carriage returns, bidirectional marks and invisible letters of a call are
    written out.
    """
    text = Asked(tmp_path, HOSTILE).answer("n").terminal.until(READY)
    for char in (
        "\x1b",
        "\x07",
        "\u202e",
        "\u202c",
        "\x9b",
        "\u200b",
        "\u3164",
        "\U000e0041",
        "\r forged",
    ):
        assert char not in text
    assert "\\x1b[2J" in text
    assert "\\u202egnp.exe" in text


def test_longer_for_the_session(tmp_path: Path) -> None:
    """A shows exactly what would be granted; s grants it: the same effect runs without a question,
    another one is asked about.
    """
    asked = Asked(tmp_path, ASKED, "rm -rf $HOME/photos", "rm -rf ~/music").answer("a")
    shown = asked.terminal.until("times at most")
    assert (
        f"deletes {tmp_path}/photos, by force, with everything in it [fs.delete-outside-workspace]"
        in shown
    )
    asked.terminal.type("s")
    asked.terminal.until("approved for this session")
    asked.terminal.until("music")
    asked.terminal.text = asked.terminal.text.rpartition("music")[2]
    asked.answer("n")
    report = asked.said()
    assert [verdict for verdict, _ in report["verdicts"]] == ["allow", "allow", "deny"]
    assert report["grants"] == [
        f"deletes {tmp_path}/photos, by force, with everything in it [fs.delete-outside-workspace]"
    ]


@pytest.mark.parametrize(("key", "verdict"), [("y", "allow"), ("n", "deny"), ("\x03", "deny")])
def test_longer_may_be_thought_better_of(tmp_path: Path, key: str, verdict: str) -> None:
    """After a, y is still only once, and n a no."""
    asked = Asked(tmp_path).answer("a")
    asked.terminal.until("times at most")
    asked.terminal.type(key)
    report = asked.said()
    assert (report["verdicts"][0][0], report["grants"]) == (verdict, [])


def test_longer_is_not_offered_for_what_has_no_bounds(tmp_path: Path) -> None:
    """For a program that may be another one tomorrow there is no a, and pressing it does nothing;
    for a plain target and for plain words there is.
    """
    asked = Asked(tmp_path, "sudo ./x")
    assert "[a]" not in asked.answer("a").terminal.until(READY)
    asked.refuse()
    assert asked.verdicts() == ["deny"]
    assert "[a]" in Asked(tmp_path, report=str(tmp_path / "other")).answer("n").terminal.until(
        READY
    )
    assert "[a]" in Asked(tmp_path, "sudo ls", report=str(tmp_path / "third")).answer(
        "n"
    ).terminal.until(READY)


def test_no_answer_is_a_no(tmp_path: Path) -> None:
    """When the time is over, it did not run."""
    asked = Asked(tmp_path, seconds=1)
    assert asked.verdicts() == ["deny"]
    assert "no answer in time" in asked.terminal.text


def test_what_was_typed_before_is_no_answer(tmp_path: Path) -> None:
    """Keys that were on their way when the question came up do not count."""
    asked = Asked(tmp_path)
    asked.terminal.type("yyyy")
    asked.answer("n")
    assert asked.verdicts() == ["deny"]


def test_the_terminal_is_left_as_it_was(tmp_path: Path) -> None:
    """After a yes, a no, and a signal from elsewhere, keys are echoed and lines are edited as
    before.
    """
    for end in ("y", "n", signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        (tmp_path / str(end)).mkdir()
        asked = Asked(tmp_path / str(end))
        asked.terminal.until(READY)
        assert (
            termios.tcgetattr(asked.terminal.descriptor)[3] & (termios.ICANON | termios.ECHO) == 0
        )
        if isinstance(end, str):
            asked.terminal.type(end)
            asked.terminal.until("approved")
        else:
            os.kill(asked.terminal.pid, end)
        while termios.tcgetattr(asked.terminal.descriptor) != asked.modes:
            if not asked.terminal._more(0.05) and asked.terminal.code is not None:
                raise AssertionError("the terminal was left raw")
        code = asked.terminal.end()
        assert code == (-int(end) if end in (signal.SIGTERM, signal.SIGHUP) else 0)


def test_standard_input_may_be_a_pipe(tmp_path: Path) -> None:
    """The key comes from the terminal, whatever standard input is and says; standard output may be
    a file.
    """
    reading, writing = os.pipe()
    os.write(writing, b"n\nn\nn\n")
    with (tmp_path / "out").open("w") as out:
        asked = Asked(tmp_path, redirect={0: reading, 1: out.fileno()}).answer("y")
        assert asked.verdicts() == ["allow"]
    assert (tmp_path / "out").read_text() == ""


def test_words_go_where_they_are_seen(tmp_path: Path) -> None:
    """With standard error in a file, the question comes up on the terminal all the same."""
    with (tmp_path / "err").open("w") as err:
        asked = Asked(tmp_path, redirect={2: err.fileno()}).answer("y")
        assert asked.verdicts() == ["allow"]


def test_a_spinner_pauses(tmp_path: Path) -> None:
    """It is paused before the question and goes on after the answer; nothing of it is in
    between.
    """
    asked = Asked(tmp_path, spinner=True).answer("y")
    report = asked.said()
    assert report["events"] == ["paused", "resumed"]
    question = asked.terminal.text.partition("interlock asks")[2].partition("approved once")[0]
    assert question
    assert "thinking" not in question


def test_a_terminal_that_goes_away_is_a_no(tmp_path: Path) -> None:
    """When the terminal is closed the loop goes on, and the call did not run."""
    asked = Asked(tmp_path)
    asked.terminal.until(READY)
    os.kill(asked.terminal.pid, signal.SIGSTOP)
    os.close(asked.terminal.descriptor)
    os.kill(asked.terminal.pid, signal.SIGCONT)
    _, status = os.waitpid(asked.terminal.pid, 0)
    if os.waitstatus_to_exitcode(status) == 0:
        verdicts = json.loads(asked.report.read_text())["verdicts"]
        assert verdicts[0][0] == "deny"
    else:
        assert os.waitstatus_to_exitcode(status) == -signal.SIGHUP


def test_without_a_terminal_it_is_a_no(tmp_path: Path) -> None:
    """In a session without a terminal nobody can be asked."""
    given = {"home": str(tmp_path), "report": str(tmp_path / "report"), "commands": [ASKED, "ls"]}
    (tmp_path / "project").mkdir()
    argv = [sys.executable, "-m", "tests.approvals.prompted", json.dumps(given)]
    subprocess.run(
        argv,
        cwd=ROOT,
        env={"HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        check=True,
        timeout=240,
        start_new_session=True,
    )
    verdicts = json.loads((tmp_path / "report").read_text())["verdicts"]
    assert [verdict for verdict, _ in verdicts] == ["deny", "allow"]
