"""`interlock agent -p` goes on with conversations: of another provider, after a kill, on a full disk."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from pydantic_ai.messages import ModelRequest, UserPromptPart

from interlock.agent.conversation import heads, new_conversation, resume_conversation
from tests.agent.models import environment, say, use
from tests.agent.processes import gone, started
from tests.disks import full_disk

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.agent.conftest import Place
    from tests.agent.models import Scripted

    Play = Callable[..., Scripted]


def test_a_conversation_is_gone_on_with(
    place: Place, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    """``--continue``, and ``--resume ID`` with another provider: the model hears what was said
    before, under the same session.
    """
    assert (
        place.run(
            play(use("Read", file_path="a.txt"), say("It says forty-two.")), "-p", "read a.txt"
        )
        == 0
    )
    capsys.readouterr()
    again = play(say("Again: forty-two."))
    assert place.run(again, "-p", "once more", "--continue") == 0
    assert "It says forty-two." in again.heard()
    place.run(again, "--sessions")
    listed = capsys.readouterr().out.split("\n")
    assert any(line.endswith("/project  read a.txt") for line in listed)
    assert len([line for line in listed if line.startswith("agent-")]) == 1
    name = next(line.split()[0] for line in listed if line.startswith("agent-"))
    other = play(say("And again."), provider="gemini")
    assert place.run(other, "-p", "and again", "--resume", name, provider="gemini") == 0
    assert "Again: forty-two." in other.heard()
    assert {
        row[0]
        for row in place.store.query("SELECT DISTINCT session_id FROM guardrail_audit_log", ())
    } == {name}
    assert (
        place.home / f".local/state/interlock/agent/{name}.jsonl"
    ).stat().st_mode & 0o777 == 0o600


def test_what_was_broken_off_can_be_gone_on_with(place: Place, play: Play) -> None:
    """A conversation whose last call has no result, as a crash leaves it: it gets one that says so,
    and a torn line is left out.
    """
    place.run(play(use("Bash", command="echo 1"), say("One.")), "-p", "count")
    [path] = (place.home / ".local/state/interlock/agent").glob("*.jsonl")
    head, *rows = path.read_text(encoding="utf-8").splitlines()
    assert [message["kind"] for row in rows for message in json.loads(row)] == [
        "request",
        "response",
        "request",
        "response",
    ]
    path.write_text("\n".join([head, *rows[:2], '[{"parts": [']), encoding="utf-8")
    wire = play(say("Go on."))
    assert place.run(wire, "-p", "and on", "--continue") == 0
    assert "This was stopped before it ended" in wire.results()[0]
    wire = play(say("And on."))
    assert place.run(wire, "-p", "and on", "--continue") == 0
    assert "Go on." in wire.heard()
    assert "This was stopped before it ended" in wire.results()[0]


def test_a_full_disk_ends_no_conversation(
    place: Place, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is said while the conversation cannot be written is told once as a warning, and the task
    is done; what was written before is whole.
    """
    place.run(play(say("Twelve.")), "-p", "count")
    [path] = (place.home / ".local/state/interlock/agent").glob("*.jsonl")
    capsys.readouterr()
    with full_disk(path.stat().st_size + 200):
        assert (
            place.run(
                play(use("Glob", "Thirteen.", pattern="*"), say("x" * 2000)),
                "-p",
                "go on",
                "--continue",
            )
            == 0
        )
    said = capsys.readouterr().err
    assert (
        said.count(
            f"{path} cannot be written: File too large; what is said from here on cannot be gone on with later"
        )
        == 1
    )
    wire = play(say("On we go."))
    assert place.run(wire, "-p", "and on", "--continue") == 0
    assert ["Twelve." in wire.heard(), "Thirteen." in wire.heard()] == [True, False]


def test_a_conversation_is_gone_on_with_by_one_at_a_time(
    place: Place, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two that write into one conversation would tear calls from their results: the second is told
    so, and when the first is gone it may.
    """
    place.run(play(say("Twelve.")), "-p", "count")
    state = str(place.home / ".local/state/interlock")
    [head] = heads(state)
    kept, _ = resume_conversation(state, head.id)
    capsys.readouterr()
    assert place.run(play(), "-p", "go on", "--continue") == 2
    assert (
        capsys.readouterr().err
        == f"interlock agent: {head.id} is gone on with by another program at this moment: end that one first\n"
    )
    kept.close()
    assert place.run(play(say("On we go.")), "-p", "go on", "--continue") == 0


def test_a_first_line_that_was_not_written_is_written_next(place: Place) -> None:
    """A conversation whose file is there and empty, as a kill or a full disk at its very beginning
    leaves it, gets its head with the next words.
    """
    kept = new_conversation(str(place.home), "/work")
    (place.home / "agent").mkdir()
    path = place.home / f"agent/{kept.head.id}.jsonl"
    path.touch()
    assert heads(str(place.home)) == []
    kept.append([ModelRequest(parts=[UserPromptPart("count")])])
    kept.close()
    assert [head.words for head in heads(str(place.home), "/work")] == ["count"]
    assert len(resume_conversation(str(place.home), kept.head.id)[1]) == 1


def test_a_kill_loses_no_message_that_was_whole(place: Place, play: Play) -> None:
    """SIGKILL while a command runs: what was said and what earlier calls did is there to go on
    with, and of the command that it was stopped.
    """
    marker = place.project / "started"
    wire = play(
        use("Bash", "First one.", command="echo forty-two"),
        use("Bash", "Then two.", command=f"echo $$ > {marker}; sleep 1000"),
    )
    given = environment("openai-chat", wire, place.home) | {
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)
    }
    argv = [sys.executable, "-m", "interlock", "agent", "-p", "count to two"]
    with subprocess.Popen(
        argv, env=given, cwd=place.project, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        group = started(marker)
        process.kill()
    os.killpg(group, signal.SIGKILL)  # what it started is left behind by a kill
    wire = play(say("On we go."))
    assert place.run(wire, "-p", "go on", "--continue") == 0
    for words in ("count to two", "First one.", "Then two."):
        assert words in wire.heard()
    assert [
        "forty-two" in wire.results()[0],
        "This was stopped before it ended" in wire.results()[1],
    ] == [True, True]


def test_what_was_left_running_lives_as_long_as_the_session(
    place: Place, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    """A server that one command started is there for a later one, and ends with the agent, which
    says so; of another session nothing is ended.
    """
    marker = place.project / "started"
    server = "setsid sh -c 'echo $$ > started; exec sleep 777' > /dev/null 2>&1 &"
    wire = play(
        use("Bash", command=server),
        use("Bash", command="kill -0 $(cat started) && echo still there"),
        say("It serves."),
    )
    other = subprocess.Popen(
        ["/bin/sleep", "777"],
        env={"INTERLOCK_SESSION": "agent-000000000000"},
        start_new_session=True,
    )
    try:
        assert place.run(wire, "-p", "serve") == 0
        assert "still there" in wire.results()[1]
        gone(started(marker))
        assert (
            "interlock agent: ended 1 process that commands had left running"
            in capsys.readouterr().err
        )
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            ("--resume", "agent-000000000000"),
            "the conversation agent-000000000000 cannot be read: No such file",
        ),
        (("--resume", "../../x"), "names no conversation"),
        (("--continue",), "there is no conversation of"),
    ],
    ids=["none", "no name", "nothing yet"],
)
def test_what_cannot_be_gone_on_with(
    place: Place, play: Play, capsys: pytest.CaptureFixture[str], given: tuple[str, ...], said: str
) -> None:
    """One sentence, and exit code 2."""
    assert place.run(play(), "-p", "x", *given) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
