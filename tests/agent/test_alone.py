"""``interlock agent -p`` against scripted models over real HTTP: what runs, what does not, what the
model is told, how it ends.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.agent.models import WIRES, say, use
from tests.terminal import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.agent.conftest import Place
    from tests.agent.models import Scripted

    Play = Callable[..., Scripted]


@pytest.mark.parametrize("provider", WIRES)
def test_what_would_ask_is_denied_and_explained(
    place: Place, play: Play, capsys: pytest.CaptureFixture[str], provider: str
) -> None:
    """With every provider: nobody can be asked, so the file stays, the model is told why and what
    else to do, and what it may do runs.
    """
    outside = place.home / "foo"
    outside.write_text("kept", encoding="utf-8")
    wire = play(
        use("Bash", f"I delete {outside} now.", command=f"rm {outside}"),
        use("Bash", command="rm gone.txt && echo deleted"),
        say("The guard blocked the first, so I left it. Remove it yourself with rm."),
        provider=provider,
    )
    (place.project / "gone.txt").write_text("", encoding="utf-8")
    assert place.run(wire, "-p", f"delete {outside}", provider=provider) == 4
    assert outside.exists()
    assert not (place.project / "gone.txt").exists()
    said = capsys.readouterr()
    assert (
        said.out
        == f"I delete {outside} now.\nThe guard blocked the first, so I left it. Remove it yourself with rm.\n"
    )
    assert "fs.delete-outside-workspace" in said.err
    blocked, ran = wire.results()
    assert "deletes files outside the workspace" in blocked
    assert "Instead: Delete inside the workspace" in blocked
    assert "nobody can be asked" in blocked
    assert "deleted" in ran
    assert place.check_decision() == [("Bash", "deny"), ("Bash", "allow")]
    assert "Nobody can be asked while you work" in wire.heard()


def test_a_blocked_call_is_an_error_to_the_model(place: Place, play: Play) -> None:
    """In a protocol that marks errors of tools, a blocked call is marked as one, and one that ran
    is not.
    """
    wire = play(
        use("Bash", command="rm -rf /"),
        use("Bash", command="true"),
        say("So be it."),
        provider="anthropic",
    )
    place.run(wire, "-p", "clean up", provider="anthropic")
    results = [
        part
        for turn in wire.requests[-1]["messages"]
        for part in turn["content"]
        if part["type"] == "tool_result"
    ]
    assert [part["is_error"] for part in results] == [True, False]


def test_a_model_that_ignores_a_block_is_stopped(
    place: Place, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    """The third time that the same blocked call comes, the turn ends; the model was told the second
    time.
    """
    wire = play(*[use("Bash", command="rm -rf /")] * 9, say("never said"))
    assert place.run(wire, "-p", "delete everything") == 5
    assert len(wire.requests) == 3
    assert "This very call was blocked 2 times now" in wire.results()[1]
    assert "3 times for the same call" in capsys.readouterr().err


def test_a_model_that_tries_other_ways_is_stopped(place: Place, play: Play) -> None:
    """Nothing but blocked calls ends a turn too, however they differ."""
    wire = play(
        *[use("Bash", command=f"rm -rf /usr/{number}") for number in range(20)], say("never said")
    )
    assert place.run(wire, "-p", "delete much") == 5
    assert len(wire.requests) == 8


def test_a_model_that_heeds_a_block_is_not_stopped(place: Place, play: Play) -> None:
    """Blocked calls between calls that run end nothing."""
    wire = play(
        *[
            use("Bash", command=command)
            for number in range(6)
            for command in (f"rm -rf /usr/{number}", f"echo {number}")
        ],
        say("done"),
    )
    assert place.run(wire, "-p", "look around") == 4
    assert len(wire.requests) == 13


def test_turns_are_bounded(place: Place, play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    """A model that never ends is ended."""
    wire = play(*[use("Bash", command=f"echo {number}") for number in range(9)])
    assert place.run(wire, "-p", "count", "--turns", "4") == 5
    assert len(wire.requests) == 4
    assert "4 times" in capsys.readouterr().err


class Shown(io.StringIO):
    """Standard output of which another thread sees what was written, piece by piece."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []

    def write(self, text: str) -> int:
        """Keep it."""
        self.pieces += [text] if text else []
        return len(text)


def test_the_answer_streams(place: Place, play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words stand on standard output while the rest of them has not been sent yet."""
    wire = play(say("first second"))
    shown = Shown()
    early: list[str] = []

    def written() -> None:
        end = time.monotonic() + PATIENCE
        while not shown.pieces and time.monotonic() < end:
            time.sleep(0.01)
        early[:] = early or shown.pieces

    wire.meanwhile = written
    monkeypatch.setattr(sys, "stdout", shown)
    assert place.run(wire, "-p", "speak") == 0
    assert "".join(early) == "first "
    assert "".join(shown.pieces) == "first second\n"


def test_who_ends_it_from_outside_ends_it(
    place: Place, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    """SIGTERM in the middle of an answer: an ending in words, its exit code, and a conversation to
    go on with.
    """
    wire = play(say("first second"), say("Again."))
    wire.gate.clear()
    wire.meanwhile = lambda: os.kill(os.getpid(), signal.SIGTERM)
    assert place.run(wire, "-p", "speak") == 130
    assert "ended from outside" in capsys.readouterr().err
    wire.meanwhile = lambda: None
    wire.gate.set()
    assert place.run(wire, "-p", "again", "--continue") == 0
    assert "speak" in wire.heard()


def test_the_validator_decides_a_review(place: Place, play: Play) -> None:
    """A rule that wants a review: the model named in the environment says ALLOW and it runs, DENY
    and it does not, and is told why.
    """
    place.policy("profile: careful")
    for answer, verdict, file in (("ALLOW", "allow", True), ("DENY: no such thing", "deny", False)):
        judge = play(say(answer))
        wire = play(use("Bash", command="python3 -c \"open('made.txt', 'w')\""), say("done"))
        guarded = {
            "INTERLOCK_GUARD_LLM": "true",
            "INTERLOCK_GUARD_LLM_BASE_URL": f"{judge.url}/v1",
            "INTERLOCK_GUARD_LLM_API_KEY": "other",
        }
        place.run(wire, "-p", "make it", **guarded)
        assert (place.project / "made.txt").exists() == file
        assert place.check_decision()[-1] == ("Bash", verdict)
        assert len(judge.requests) == 1
        (place.project / "made.txt").unlink(missing_ok=True)
    assert "no such thing" in wire.results()[0]


def test_without_a_validator_a_review_is_a_question(place: Place, play: Play) -> None:
    """The twin: the same call and nobody who looks at it."""
    place.policy("profile: careful")
    wire = play(use("Bash", command="python3 -c \"open('made.txt', 'w')\""), say("done"))
    assert place.run(wire, "-p", "make it") == 4
    assert not (place.project / "made.txt").exists()


def test_the_validator_is_the_agents_own_model_unless_another_is_named(
    place: Place, play: Play
) -> None:
    """Only ``INTERLOCK_GUARD_LLM`` is set: the same endpoint, model and key are asked."""
    place.policy("profile: careful")
    wire = play(use("Bash", command="python3 -c 'print(6*7)'"), say("ALLOW"), say("done"))
    assert place.run(wire, "-p", "compute", INTERLOCK_GUARD_LLM="true") == 0
    assert [request["model"] for request in wire.requests] == ["made-up-1"] * 3
    assert "security reviewer" in json.dumps(wire.requests[1])


def test_events_as_json(place: Place, play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    """``--json`` prints a line an event; the last one says how it ended."""
    wire = play(use("Bash", "Now.", command="rm -rf /"), say("No."))
    assert place.run(wire, "-p", "x", "--json") == 4
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["event"] for row in rows] == [
        "asked",
        "said",
        "used",
        "called",
        "blocked",
        "asked",
        "said",
        "used",
        "ending",
    ]
    assert rows[4]["rules"] == ["fs.delete-system"]
    assert rows[-1] == {"event": "ending", "how": "done", "text": "No.", "blocked": 1}


@pytest.mark.parametrize("provider", ["openai-chat", "openai-responses"])
def test_an_endpoint_that_sends_nonsense_is_one_sentence(
    place: Place,
    play: Play,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    provider: str,
) -> None:
    """A stream in which something else than its protocol comes: one sentence, exit code 1, and the
    words that came can be gone on with.
    """
    wire = play(say("half an answer"), provider=provider)
    whole = wire.events
    monkeypatch.setattr(
        wire,
        "events",
        lambda answer: [*whole(answer)[: -2 if provider == "openai-chat" else -4], [1, 2]],
    )
    assert place.run(wire, "-p", "x", provider=provider) == 1
    error = capsys.readouterr().err
    assert "failed: what the model's endpoint sent is no answer" in error
    assert error.count("\n") == 1
    again = play(say("On we go."), provider=provider)
    assert place.run(again, "-p", "go on", "--continue", provider=provider) == 0
    assert "\nhalf " in again.heard()


def test_an_answer_that_was_cut_off_is_told_of(
    place: Place, play: Play, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half an answer does not pass for a whole one: why it ended is a warning; one that ended by
    itself has none.
    """
    wire = play(say("half of it"), say("all of it"))
    whole = wire.events
    monkeypatch.setattr(
        wire,
        "events",
        lambda answer: json.loads(json.dumps(whole(answer)).replace('"stop"', '"length"')),
    )
    assert place.run(wire, "-p", "x") == 0
    assert "the model's answer was cut off: it reached the length" in capsys.readouterr().err
    monkeypatch.setattr(wire, "events", whole)
    assert place.run(wire, "-p", "x") == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("provider", WIRES)
def test_halves_of_characters_stop_nothing(
    place: Place, play: Play, capsys: pytest.CaptureFixture[str], provider: str
) -> None:
    """What no endpoint can be sent and no terminal shown, in words, arguments and the names of
    files, is written as what it is: no character.
    """
    (place.project / os.fsdecode(b"caf\xe9.txt")).write_text("", encoding="utf-8")
    wire = play(
        use("Glob", "Half \ud83d of it.", pattern="*.txt"),
        use("Todo", items=[{"text": "\ud83d", "state": "done"}]),
        say("So \ude00."),
        provider=provider,
    )
    assert place.run(wire, "-p", "look", provider=provider) == 0
    assert capsys.readouterr().out == "Half \ufffd of it.\nSo \ufffd.\n"
    assert "caf\ufffd.txt" in wire.results()[0]
    again = play(say("On we go."), provider=provider)
    assert place.run(again, "-p", "go on", "--continue", provider=provider) == 0
    assert "So \ufffd." in again.heard()


@pytest.mark.parametrize("provider", WIRES)
def test_an_endpoint_that_refuses_is_one_sentence(
    place: Place, play: Play, capsys: pytest.CaptureFixture[str], provider: str
) -> None:
    """A wrong key, or no server at all: what was asked and what it said; exit code 1."""
    wire = play(provider=provider)
    wire.status = 401
    assert place.run(wire, "-p", "x", provider=provider) == 1
    error = capsys.readouterr().err
    assert "status 401" in error
    assert "no such key" in error
    assert error.count("\n") == 1


def test_a_program_runs_under_guard(place: Place, play: Play) -> None:
    """Code mode: a program is judged as a call, once, and asked about at its operations; what is
    refused there is told with its rule.
    """
    outside = place.home / "foo"
    outside.write_text("kept", encoding="utf-8")
    (place.project / "name.txt").write_text(str(outside), encoding="utf-8")
    wire = play(
        use("execute_python", code="open('made.txt', 'w').write('x')\nprint(6 * 7)"),
        use("execute_python", code="open(open('name.txt').read(), 'w').write('x')"),
        use("execute_python", code="import shutil\nshutil.rmtree('/')"),
        say("The first ran."),
    )
    assert place.run(wire, "-p", "compute") == 4
    assert outside.read_text(encoding="utf-8") == "kept"
    assert (place.project / "made.txt").read_text(encoding="utf-8") == "x"
    ran, refused, blocked = wire.results()
    assert ran == "42"
    assert "workspace-write.change-outside" in refused
    assert str(outside) in refused
    assert "Blocked by interlock" in blocked
    # the third is the operation
    assert [verdict for _, verdict in place.check_decision()] == ["allow", "allow", "deny", "deny"]


def test_long_output_of_a_program_keeps_its_end(place: Place, play: Play) -> None:
    """Both streams, the exit code, and for each in one line how much is missing in the middle and
    where all of it is.
    """
    program = "import sys\nprint('x' * 100_000)\nprint('OUT')\nprint('y' * 100_000, file=sys.stderr)\nprint('ERR', file=sys.stderr)\nsys.exit(3)"
    wire = play(use("execute_python", code=program), say("It failed."))
    assert place.run(wire, "-p", "compute") == 0
    told = json.loads(wire.results()[0])["error"]
    assert told.endswith("ERR\n[failed, exit code 3]")
    assert "OUT\n" in told
    lines = [line for line in told.split("\n") if "left out" in line]
    # of 100,001 and 4 to 10,000
    assert [line.partition("; ")[0] for line in lines] == ["[... 90005 bytes left out"] * 2
    for line in lines:
        shutil.rmtree(
            os.path.dirname(line.rpartition("all of it is in ")[2].removesuffix(" ...]")),
            ignore_errors=True,
        )


def test_a_warning_is_told(place: Place, play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    """What runs with a warning runs; the person sees the warning, and so does the model."""
    (place.project / ".env").write_text("A=1\n", encoding="utf-8")
    wire = play(use("Read", file_path=".env"), say("It holds A."))
    assert place.run(wire, "-p", "what is in .env?") == 0
    assert "Allowed by interlock, with a warning" in capsys.readouterr().err
    assert "A=1" in wire.results()[0]
    assert "Allowed by interlock, with a warning" in wire.results()[0]


def test_what_the_model_is_told_first(place: Place, play: Play) -> None:
    """Where it works, that a guard stands before its tools, the project's skills and words; and
    nothing of a guard's key.
    """
    (place.project / "AGENTS.md").write_text("Indent with tabs.", encoding="utf-8")
    skill = place.project / ".agents/skills/release/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(
        "---\nname: release\ndescription: how to release\n---\nTag it.\n", encoding="utf-8"
    )
    wire = play(use("Skill", name="release"), say("Done."))
    assert place.run(wire, "-p", "release it") == 0
    first = wire.requests[0]["messages"][0]
    assert first["role"] == "system"
    for words in (
        str(place.project),
        "# Safety guards",
        "Do not retry a blocked call",
        "- release: how to release",
        "Indent with tabs.",
    ):
        assert words in first["content"]
    names = {tool["function"]["name"] for tool in wire.requests[0]["tools"]}
    assert names == {
        "Read",
        "Write",
        "Edit",
        "Glob",
        "Grep",
        "Bash",
        "Todo",
        "Skill",
        "execute_python",
        "execute_go_code",
    }
    assert "Tag it." in wire.results()[0]
