"""``interlock agent`` on a real terminal: what a person sees, is asked, and stops."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
from typing import TYPE_CHECKING

import pytest

from tests.agent.models import environment, say, use
from tests.agent.processes import gone, started
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.agent.conftest import Place
    from tests.agent.models import Scripted

    Play = Callable[..., Scripted]

READY = "is a no)"
"""The last words of a question."""
LINE = "> "
"""What stands before a line to type on."""
CODES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[=>])|\r")
AMBER = "\x1b[33;1m⚠ Guard:"


class Person:
    """Somebody at a terminal with the agent."""

    def __init__(self, place: Place, wire: Scripted, **variables: str) -> None:
        path = os.pathsep.join(path for path in sys.path if path)
        given = environment("openai-chat", wire, place.home) | {
            "PYTHONPATH": path,
            "PROMPT_TOOLKIT_NO_CPR": "1",
            **variables,
        }
        self.terminal = Terminal([sys.executable, "-m", "interlock", "agent"], given, place.project)
        self.terminal.until("interlock agent")
        self.wait(LINE)

    def wait(self, words: str) -> str:
        """Wait for words to come up after what was waited for before; return all that was seen
        since.
        """
        text = self.terminal.until(words)
        before, _, after = text.partition(words)
        self.terminal.text = after
        return before + words

    def says(self, words: str) -> None:
        """Type a line."""
        self.terminal.type(words)
        self.wait(words.rpartition(" ")[2])
        self.terminal.type("\r")

    def presses(self, key: str, ready: str = READY) -> str:
        """Answer a question; return what was seen until it was whole."""
        seen = self.wait(ready)
        self.terminal.type(key)
        return seen

    def leaves(self) -> int:
        """Leave."""
        self.says("/exit")
        return self.terminal.end()


@pytest.fixture
def sits(place: Place) -> Iterator[Callable[..., Person]]:
    """Sit somebody down at a terminal, and end what is left with the test."""
    there: list[Person] = []

    def sat(wire: Scripted, **variables: str) -> Person:
        there.append(Person(place, wire, **variables))
        return there[-1]

    yield sat
    for person in there:
        person.terminal.kill()


def read(text: str) -> str:
    """Return what was written without what moves and paints."""
    return CODES.sub("", text)


def test_a_person_and_an_agent(place: Place, play: Play, sits: Callable[..., Person]) -> None:
    """One conversation: what prompts, what runs without a prompt, what is denied without one, and
    that "always" is remembered narrowly.
    """
    outside, other, env = place.home / "old.txt", place.home / "other.txt", place.project / ".env"
    for path in (outside, other, env):
        path.write_text("A=1\n", encoding="utf-8")
    (place.project / "test_it.py").write_text("import unittest\n", encoding="utf-8")
    notes = {path: {"file_path": str(path), "content": "B=2\n"} for path in (outside, other, env)}
    wire = play(
        use("Bash", "I remove it.", command=f"rm {outside}"), say("Removed."),
        use("Bash", command="rm -rf /"), say("The guard does not allow that."),
        use("Bash", command=f"{shlex.quote(sys.executable)} -m unittest -q"), say("Tests ran."),
        use("Write", **notes[env]), say("You said no."),
        use("Write", **notes[outside]), use("Write", **notes[outside]), use("Write", **notes[other]), say("One of two."),
    )  # fmt: skip
    person = sits(wire)
    # an rm outside the workspace prompts, and runs after a yes
    person.says("remove old.txt")
    seen = read(person.presses("y"))
    assert "I remove it." in seen
    assert "deletes files outside the workspace" in seen
    assert "thinking" not in person.wait("approved once")
    person.wait("Removed.")
    person.wait(LINE)
    assert not outside.exists()
    # rm -rf / is denied without a prompt, in amber
    person.says("remove everything")
    seen = person.wait("The guard does not allow that.")
    assert AMBER in seen
    assert READY not in seen
    person.wait(LINE)
    # the test command runs without one
    person.says("run the tests")
    seen = person.wait("Tests ran.")
    assert "Ran 0 tests" in read(seen) or "NO TESTS RAN" in read(seen)
    assert READY not in seen
    assert "Guard" not in seen
    person.wait(LINE)
    # editing .env prompts; n leaves it
    person.says("edit .env")
    assert ".env" in read(person.presses("n"))
    assert "Guard: Write did not run" in person.wait("You said no.")
    assert env.read_text(encoding="utf-8") == "A=1\n"
    person.wait(LINE)
    # "always" covers that file in this session, and no other file
    person.says("write both")
    person.presses("a")
    assert str(outside) in read(person.presses("s", "only once  "))
    seen = person.presses("n")
    assert "approved for this session" in seen
    # the second write of the same file asked nothing
    assert read(seen).count("? interlock asks") == 1
    person.wait("One of two.")
    assert (outside.read_text(encoding="utf-8"), other.read_text(encoding="utf-8")) == (
        "B=2\n",
        "A=1\n",
    )
    person.wait(LINE)
    assert person.leaves() == 0
    assert [verdict for _, verdict in place.check_decision()] == [
        "allow",
        "deny",
        "allow",
        "deny",
        "allow",
        "allow",
        "deny",
    ]


def test_escape_stops_a_turn(place: Place, play: Play, sits: Callable[..., Person]) -> None:
    """Escape ends the answer that streams, and the command that runs with all it started; the
    conversation goes on. SIGTERM ends all of it.
    """
    marker = place.project / "started"
    long = use("Bash", command=f"sleep 1000 & echo $! > {marker}; sleep 1000")
    wire = play(say("first second third"), long, say("Here I am."), long)
    wire.gate.clear()
    person = sits(wire)
    person.says("tell me a lot")
    person.wait("first")
    person.terminal.type("\x1b")
    person.wait("stopped")
    wire.gate.set()
    person.wait(LINE)
    person.says("run it long")
    person.wait("Esc stops")
    child = started(marker)
    person.terminal.type("\x1b")
    person.wait("stopped")
    gone(child)
    person.wait(LINE)
    person.says("still there?")
    person.wait("Here I am.")
    person.wait(LINE)
    marker.unlink()
    person.says("again")
    child = started(marker)
    os.kill(person.terminal.pid, signal.SIGTERM)
    assert person.terminal.end() == 130
    gone(child)
    assert "Traceback" not in person.terminal.text
    assert "first" in wire.heard()
    assert "This was stopped before it ended" in wire.results()[0]
