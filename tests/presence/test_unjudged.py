"""What ran while the guard was gone is shown, from the client's own transcript: all of it that no
record tells of, and nothing else.
"""

from __future__ import annotations

import json
import time
from functools import partial
from typing import TYPE_CHECKING

import pytest

from interlock.cli import build
from interlock.presence import transcripts, unjudged_calls
from tests.losing import Home

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"  # noqa: S105 - made up


@pytest.fixture
def lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Home:
    """Return a home in which the hooks went after one judged call, ``t1``."""
    home = Home(tmp_path, monkeypatch, capsys)
    home.init()
    home.at_work()
    home.settings.unlink()
    return home


def noted(number: str, command: str, shift: float = 0.0) -> str:
    """Return a line of Claude Code's transcript: the model calls a tool."""
    at = transcripts.iso(time.time() + shift)
    call = {"type": "tool_use", "id": number, "name": "Bash", "input": {"command": command}}
    return (
        json.dumps(
            {
                "type": "assistant",
                "sessionId": "s",
                "timestamp": at,
                "message": {"content": [{"type": "text", "text": "so"}, call]},
            }
        )
        + "\n"
    )


def test_what_nobody_judged_is_shown(lost: Home) -> None:
    """In its place in the log and as a number in the status; not the call that was judged, and no
    byte of a secret.
    """
    lost.transcript.write_text(
        noted("t1", "ls") + noted("t2", f"{SECRET} rm -rf ~/precious") + "{torn", encoding="utf-8"
    )
    assert "it was put back" in lost.told(number="t3")
    lost.transcript.write_text(
        lost.transcript.read_text(encoding="utf-8") + "\n" + noted("t4", "make", 3600),
        encoding="utf-8",
    )
    code, said = lost.run("log")
    lines = [line for line in said.splitlines() if "not judged" in line]
    assert (code, len(lines)) == (0, 1), said
    assert "rm -rf ~/precious" in lines[0]
    assert "wJalr" not in said
    assert said.index("not judged") < said.index("presence.gone")
    assert "1 call was made while the guard was gone" in lost.run("status")[1]
    rows = [json.loads(line) for line in lost.run("log", "--json")[1].splitlines()]
    assert [row["call_id"] for row in rows if row["verdict"] == "not judged"] == ["t2"]
    assert "not judged" not in lost.run("log", "--verdict", "allow")[1]
    assert "not judged" not in lost.run("log", "--session", "other")[1]


def test_other_sessions_and_sub_agents_beside_it_are_read(lost: Home) -> None:
    """A session that began without hooks is in no record; its transcript lies beside those that
    are.
    """
    lost.transcript.write_text("", encoding="utf-8")
    other, below = (
        lost.transcript.with_name("other.jsonl"),
        lost.transcript.with_suffix("") / "subagents/agent-a.jsonl",
    )
    below.parent.mkdir(parents=True)
    other.write_text(noted("t5", "touch one"), encoding="utf-8")
    below.write_text(noted("t6", "touch two"), encoding="utf-8")
    lost.told()
    said = lost.run("log")[1]
    assert ("touch one" in said, "touch two" in said) == (True, True)


def test_without_a_loss_nothing_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A call in the transcript that no record tells of is nobody's business as long as the guard
    was there; so it is where a person took it out.
    """
    home = Home(tmp_path, monkeypatch, capsys)
    home.init()
    home.at_work()
    home.transcript.write_text(noted("t7", "make"), encoding="utf-8")
    assert "not judged" not in home.run("log")[1]
    home.run("uninstall", "claude-code")
    home.told()
    assert "not judged" not in home.run("log")[1]
    assert "unjudged" not in home.run("status")[1]


def test_a_loss_that_lasts_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nothing is put back calls are shown until a person installs it again, and none that
    come later.
    """
    home = Home(tmp_path, monkeypatch, capsys)
    home.init("--no-self-repair")
    home.at_work()
    home.settings.unlink()
    home.told()
    during = noted("t8", "make one")
    home.transcript.write_text(during, encoding="utf-8")
    assert "make one" in home.run("log")[1]
    home.init()
    home.transcript.write_text(during + noted("t9", "make two"), encoding="utf-8")
    said = home.run("log")[1]
    assert ("make one" in said, "make two" in said) == (True, False)


NONSENSE = [
    '{"message": {"content": [{"type": "tool_use"}]}}',
    '{"message": "\\"tool_use\\""}',
    '"tool_use"',
    '["tool_use"]',
    "\0",
    "[" * 500 + '"tool_use"',
]


@pytest.mark.parametrize("line", NONSENSE)
def test_nonsense_in_a_transcript_is_passed_over(lost: Home, line: str) -> None:
    """What is no call is none, whatever it is, and those around it are shown."""
    lost.transcript.write_text(f"{line}\n{noted('t2', 'touch x')}{line}\n", encoding="utf-8")
    lost.told()
    assert "touch x" in lost.run("log")[1]


def test_of_a_long_transcript_the_end_is_read(lost: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound is in bytes: what stands before it is not shown, what stands behind it is."""
    monkeypatch.setattr(transcripts, "MOST_BYTES", 5000)
    lost.transcript.write_text(
        noted("t2", "touch early") + "x" * 10_000 + "\n" + noted("t4", "touch late"),
        encoding="utf-8",
    )
    lost.told()
    said = lost.run("log")[1]
    assert ("touch early" in said, "touch late" in said) == (False, True)
    store = build.store({"HOME": str(lost.home)})
    assert [one.id for one in unjudged_calls.calls(store, unjudged_calls.gaps(store), str)] == [
        "t4"
    ]


def rollout(home: Home, day: str, session: str) -> Path:
    """Return where Codex notes a session, its folder made."""
    path = (
        home.home
        / ".codex/sessions"
        / day
        / f"rollout-{day.replace('/', '-')}T00-00-00-{session}.jsonl"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def item(kind: str, number: str, shift: float = 0.0, **more: object) -> str:
    """Return a line of Codex's transcript: an item of the model's answer."""
    payload = {"type": kind, "call_id": number, **more}
    return (
        json.dumps(
            {
                "timestamp": transcripts.iso(time.time() + shift),
                "type": "response_item",
                "payload": payload,
            }
        )
        + "\n"
    )


OWN, OTHER = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"
CODEX = [
    (
        partial(item, "function_call", "c2", name="exec_command", arguments='{"cmd": "touch two"}'),
        "touch two",
    ),
    (
        partial(item, "function_call", "c2", name="demo__touch", arguments="no json: touch two"),
        "touch two",
    ),
    (
        partial(
            item,
            "custom_tool_call",
            "c2",
            name="apply_patch",
            input="*** Add File: two",
            status="completed",
        ),
        "Add File: two",
    ),
    (
        partial(
            item,
            "local_shell_call",
            "c2",
            action={"type": "exec", "command": ["touch", "two"]},
            status="completed",
        ),
        "two",
    ),
    (
        partial(item, "function_call", "c1", name="exec_command", arguments='{"cmd": "touch two"}'),
        "",
    ),
    (
        partial(
            item, "function_call", "c2", 3600, name="exec_command", arguments='{"cmd": "touch two"}'
        ),
        "",
    ),
    (
        partial(
            item,
            "function_call",
            "c2",
            -3600,
            name="exec_command",
            arguments='{"cmd": "touch two"}',
        ),
        "",
    ),
    (partial(item, "function_call", "c2", name="update_plan", arguments='{"plan": "two"}'), ""),
    (partial(item, "function_call_output", "c2", output='touch two _call"'), ""),
    (
        partial(item, "message", "c2", content=[{"type": "output_text", "text": 'function_call"'}]),
        "",
    ),
    ('{"type": "response_item", "payload": "function_call"}\n', ""),
    ('{"type": "response_item", "payload": {"type": "function_call"}}\n', ""),
    ("[" * 500 + '"function_call"\n', ""),
]


@pytest.mark.parametrize(("line", "shown"), CODEX)
def test_what_codex_ran_meanwhile_is_shown(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    line: str | partial[str],
    shown: str,
) -> None:
    """Whatever form a call has; not one that was judged, one of another time, one that no hook is
    told of, or what is none.
    """
    home = Home(tmp_path, monkeypatch, capsys)
    home.init()
    day = time.strftime("%Y/%m/%d")
    home.transcript = rollout(home, day, OWN)
    home.transcript.write_text("", encoding="utf-8")
    home.event("codex", number="c1")
    home.codex.unlink()
    text = line if isinstance(line, str) else line()
    home.transcript.write_text(text, encoding="utf-8")
    rollout(home, time.strftime("%Y/%m/%d", time.localtime(time.time() - 86400)), OTHER).write_text(
        text.replace("c2", "c3"), encoding="utf-8"
    )
    assert "it was put back" in home.told("claude-code", number="t3")
    rows = [json.loads(row) for row in home.run("log", "--json")[1].splitlines()]
    found = sorted(
        [
            (row["call_id"], row["session_id"], row["agent"])
            for row in rows
            if row["verdict"] == "not judged"
        ]
    )
    assert found == ([("c2", OWN, "codex"), ("c3", OTHER, "codex")] if shown else [])
    assert shown in home.run("log")[1]
