"""What is stopped runs nothing in any process of interlock, until a person resumes it; what is not
stopped runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.approvals import token
from interlock.cli import build
from interlock.cli.main import main
from interlock.model.call import SHELL, ToolCall
from interlock.stop.flags import ALL, Flag, covers, engage, findings, lift, read_flags
from tests.disks import full_disk

if TYPE_CHECKING:
    from interlock.model.decision import Decision

SOURCE = Path(__file__).parent.parent.parent / "src"
CALL = ToolCall(
    SHELL,
    "Bash",
    {"command": "ls"},
    "/home/u/work/sub",
    ("/home/u/work",),
    session="s1",
    agent="claude-code",
    agent_id="a7",
    user="ann",
    tenant="acme",
)
COVERS = (
    ("all", True), ("session:s1", True), ("session:s2", False), ("session:", False), ("agent:claude-code", True), ("agent:codex", False),
    ("agent:s1/a7", True), ("agent:s1/a8", False), ("agent:s2/a7", False), ("project:/home/u/work", True), ("project:/home/u", True),
    ("project:/home/u/wor", False), ("project:/home/u/work/sub", True), ("project:/srv", False), ("tenant:acme", True), ("tenant:other", False),
    ("user:ann", True), ("user:bob", False), ("nonsense:x", False),
)  # fmt: skip


@pytest.mark.parametrize(("scope", "meant"), COVERS)
def test_a_scope_covers_its_own_and_nobody_else(scope: str, meant: bool) -> None:
    """Each kind of scope, with near misses."""
    assert covers(scope, CALL) == meant


def test_a_flag_stands_until_it_is_lifted(tmp_path: Path) -> None:
    """The first reason stands; where the last flag is gone the folder is gone too, so that nothing
    has to be looked at.
    """
    state = str(tmp_path)
    engage(state, Flag("session:s1", "first", "ann", 1.0))
    engage(state, Flag("session:s1", "second", "bob", 2.0))
    engage(state, Flag(ALL, "all of it", "ann", 3.0))
    assert [(flag.scope, flag.why) for flag in read_flags(state)] == [
        ("session:s1", "first"),
        (ALL, "all of it"),
    ]
    assert len(findings(state, CALL)) == 2
    assert lift(state, ALL)
    assert len(findings(state, CALL)) == 1
    assert lift(state, "session:s1")
    assert not lift(state, "session:s1")
    assert list((tmp_path / "flags").iterdir()) == []
    assert findings(state, CALL) == ()


@pytest.mark.parametrize("content", [b"", b"{", b'{"scope": 3}', b"\xff", b"[]"])
def test_a_flag_that_cannot_be_read_stops_everything(tmp_path: Path, content: bytes) -> None:
    """Half a file is no permission."""
    engage(str(tmp_path), Flag("session:elsewhere", "x", "y", 0.0))
    assert findings(str(tmp_path), CALL) == ()
    next((tmp_path / "flags").iterdir()).write_bytes(content)
    assert len(findings(str(tmp_path), CALL)) == 1


def test_a_full_disk_stops_everything_rather_than_nothing(tmp_path: Path) -> None:
    """There is room for a name: whoever stops something is told that it is everything. Where the
    disk has room only that is stopped.
    """
    state, elsewhere = str(tmp_path), Flag("session:elsewhere", "x", "y", 1.0)
    with full_disk(10):
        assert "every agent is stopped until `interlock resume --all`" in engage(state, elsewhere)
    assert len(findings(state, CALL)) == 1
    assert lift(state, ALL)
    assert engage(state, elsewhere) == ""
    assert findings(state, CALL) == ()
    assert not lift(state, ALL)
    assert lift(state, "session:elsewhere")


class Home:
    """A home with a project, and interlock's commands in it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = self.home / "project"
        self.project.mkdir(parents=True)
        self.state = str(self.home / ".local/state/interlock")
        self.environment = {"HOME": str(self.home), "PATH": os.defpath}

    def check(self, session: str = "s1", command: str = "ls") -> Decision:
        """Judge a call in a process of interlock that knows nothing yet."""
        call = ToolCall(
            SHELL,
            "Bash",
            {"command": command},
            str(self.project),
            (str(self.project),),
            session=session,
        )
        return build.guard(self.environment, "native", str(self.project)).check(call)

    def hook(self, session: str) -> int:
        """Ask the hook as a client does, and return its exit code."""
        event = {
            "session_id": session, "cwd": str(self.project), "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"},
            "tool_use_id": "t",
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(SOURCE / "interlock/hook.py"), "claude-code"], input=json.dumps(event).encode(), env=self.environment,
            capture_output=True, check=False,
        )  # fmt: skip
        return done.returncode


@pytest.fixture(name="home")
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home of its own."""
    home = Home(tmp_path)
    monkeypatch.setenv("HOME", str(home.home))
    monkeypatch.chdir(home.project)
    return home


def test_a_stopped_session_is_denied_everywhere_and_others_are_not(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    """The hook, a guard in a program, a guard that was open before: each denies at once; a session
    beside it goes on.
    """
    open_before = build.guard(home.environment, "native", str(home.project))
    call = ToolCall(
        SHELL, "Bash", {"command": "ls"}, str(home.project), (str(home.project),), session="s1"
    )
    assert str(open_before.check(call).verdict) == "allow"
    assert (home.hook("s1"), home.hook("s2")) == (0, 0)
    assert main(["stop", "--session", "s1", "--reason", "it runs away", "--no-kill"]) == 0
    assert "interlock resume --session s1" in capsys.readouterr().out
    decision = open_before.check(call)
    assert [(finding.rule, str(finding.action)) for finding in decision.findings] == [
        ("stop.engaged", "deny")
    ]
    assert "it runs away" in decision.findings[0].message
    assert (home.hook("s1"), home.hook("s2")) == (2, 0)
    assert str(home.check("s2").verdict) == "allow"


def test_a_stop_holds_where_a_policy_only_observes(home: Home) -> None:
    """Observing loosens no emergency stop."""
    guard = build.guard(home.environment, "native", str(home.project))
    guard.policy = guard.policy.replace(observe=True)
    call = ToolCall(
        SHELL,
        "Bash",
        {"command": "rm -rf ~/photos"},
        str(home.project),
        (str(home.project),),
        session="s1",
    )
    assert str(guard.check(call).verdict) == "allow"
    engage(home.state, Flag(ALL, "x", "y", 0.0))
    assert str(guard.check(call).verdict) == "deny"


def test_a_damaged_database_stops_no_stop(home: Home) -> None:
    """No database is asked."""
    assert str(home.check().verdict) == "allow"
    engage(home.state, Flag("project:" + str(home.project), "x", "y", 0.0))
    Path(home.state, "interlock.db").write_bytes(b"x" * 10000)
    assert str(home.check().verdict) == "deny"


def test_flags_that_cannot_be_looked_at_deny(home: Home) -> None:
    """Whether a session is stopped is not guessed."""
    guard = build.guard(home.environment, "native", str(home.project))

    def broken(_: object) -> tuple[()]:
        raise PermissionError(13, "no")

    guard.flags = broken
    call = ToolCall(
        SHELL, "Bash", {"command": "ls"}, str(home.project), (str(home.project),), session="s1"
    )
    decision = guard.check(call)
    assert (str(decision.verdict), decision.findings[0].rule) == ("deny", "stop.not-read")


def test_a_stop_needs_no_reason(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """In an emergency nobody has to think of one: who stopped is said instead, to whoever is
    stopped and to whoever resumes.
    """
    assert main(["stop", "--all", "--by", "sam", "--no-kill"]) == 0
    assert capsys.readouterr().err == ""
    assert [(flag.scope, flag.why) for flag in read_flags(home.state)] == [
        ("all", "stopped by sam")
    ]


def test_resuming_takes_a_person(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An agent that resumes itself is refused; a person's token resumes, and that is recorded."""
    assert main(["stop", "--all", "--reason", "enough", "--no-kill"]) == 0
    assert main(["stop", "--session", "s1", "--reason", "and this", "--no-kill"]) == 0
    with open(os.devnull, encoding="ascii") as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        assert main(["resume", "--all"]) == 1
    assert len(read_flags(home.state)) == 2
    words = token.make(build.store(home.environment))
    read, write = os.pipe()
    os.write(write, f"{words}\n".encode())
    os.close(write)
    with os.fdopen(read, encoding="ascii") as given:
        monkeypatch.setattr(sys, "stdin", given)
        code = main(["resume", "--all", "--token"])
    assert (code, read_flags(home.state)) == (0, []), capsys.readouterr().err
    assert str(home.check().verdict) == "allow"
    rows = build.store(home.environment).query(
        "SELECT kind, subject FROM audit_event WHERE kind IN ('stop', 'resume') ORDER BY seq"
    )
    assert rows == [("stop", "all"), ("stop", "session:s1"), ("resume", "all")]


def test_what_is_not_stopped_is_not_resumed(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said, and the exit code says it too."""
    words = token.make(build.store(home.environment))
    read, write = os.pipe()
    os.write(write, f"{words}\n".encode())
    os.close(write)
    with os.fdopen(read, encoding="ascii") as given:
        monkeypatch.setattr(sys, "stdin", given)
        assert main(["resume", "--session", "nobody", "--token"]) == 1
    assert "is not stopped" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("session", "tagged"), [("0b1c-4d_e", True), ("a b", False), ("$(id)", False), ("a\nb", False)]
)
def test_what_claude_code_starts_bears_the_sessions_tag(
    home: Home, session: str, *, tagged: bool
) -> None:
    """At a session's start the hook writes it where that client reads variables for its commands;
    an id that a shell would run is not written.
    """
    file = home.home / "session-env"
    event = {
        "session_id": session,
        "cwd": str(home.project),
        "hook_event_name": "SessionStart",
        "source": "startup",
    }
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(SOURCE / "interlock/hook.py"), "claude-code", "note"], input=json.dumps(event).encode(),
        env={**home.environment, "CLAUDE_ENV_FILE": str(file)}, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert (
        file.exists()
        and file.read_text(encoding="ascii") == f"export INTERLOCK_SESSION={session}\n"
    ) == tagged
