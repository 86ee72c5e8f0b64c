"""A policy stops a session by itself: each trigger at its number and not before it, with a reason
and the way back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.cli import alarm, build
from interlock.model.call import SHELL, ToolCall
from interlock.model.decision import Obligation
from interlock.model.limits import Limits, TokenBudget
from interlock.model.policy import Duty, Stopping
from interlock.model.usage import Usage
from interlock.stop.flags import Flag, engage, read_flags
from tests.limits.counting import World

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.model.decision import Decision

DENIED, ASKED, ALLOWED = "rm -rf /", "rm -rf ~/photos", "ls"


class Told:
    """An alarm that sets the flag and remembers what it was told."""

    def __init__(self, state: str) -> None:
        self.state = state
        self.halted: list[tuple[str, str, bool]] = []
        self.said: list[tuple[str, str]] = []

    def tell(self, title: str, text: str) -> tuple[str, ...]:
        """Be told."""
        self.said.append((title, text))
        return ()

    def halt(self, session: str, why: str, *, kill: bool) -> tuple[str, ...]:
        """Stop."""
        engage(self.state, Flag(f"session:{session}", why, "test", 1.0))
        self.halted.append((session, why, kill))
        return ()


class Post:
    """A guard with triggers, over a store of its own."""

    def __init__(self, folder: Path, triggers: Stopping | None, **policy: object) -> None:
        self.project = folder / "home" / "project"
        self.project.mkdir(parents=True)
        self.guard = build.guard(
            {"HOME": str(folder / "home"), "PATH": "/usr/bin:/bin"}, "native", str(self.project)
        )
        self.guard.policy = self.guard.policy.replace(stopping=triggers, **policy)
        assert self.guard.store is not None
        self.told = Told(self.guard.store.folder)
        self.guard.alarm = lambda: self.told
        self.number = 0

    def check(self, command: str, session: str = "s1") -> Decision:
        """Judge a call."""
        self.number += 1
        call = ToolCall(
            SHELL,
            "Bash",
            {"command": command},
            str(self.project),
            (str(self.project),),
            session=session,
            call_id=f"t{self.number}",
        )
        return self.guard.check(call)

    def trips(self, *commands: str) -> list[bool]:
        """Tell for each call whether it tripped a trigger."""
        return [
            any(finding.rule == "stop.tripped" for finding in self.check(command).findings)
            for command in commands
        ]


ROWS: tuple[tuple[str, Stopping, tuple[str, ...], str], ...] = (
    ("repeats", Stopping(repeats=3), ("ls", "ls", "pwd", "ls", "ls", "ls"), "3 times in a row"),
    ("denials", Stopping(denials=((3, 3600),)), ("rm -rf /", "ls", "rm -rf /etc", "ls", "rm -rf /usr"), "3 calls were denied within 3600 seconds"),
    ("calls", Stopping(calls=((4, 3600),)), ("ls", "pwd", "date", "id"), "4 calls were made within 3600 seconds"),
    ("rule", Stopping(rules=frozenset({"git.force-push"})), ("ls", "git push origin topic", "git push -f origin topic"), "git.force-push"),
    ("family", Stopping(rules=frozenset({"git.*"})), ("ls", "git push origin topic"), "git.push"),
    ("tag", Stopping(tags=frozenset({"GR-003"})), ("git push -f origin topic", "git push -f origin main"), "git.force-push-main"),
    (
        "refused goals", Stopping(refused_goals=2),
        ("rm -rf /etc", "find /etc -delete", "ls", "python3 -c \"import shutil; shutil.rmtree('/etc')\""),
        "it reached 2 times for what it was refused",
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("triggers", "commands", "why"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_a_trigger_trips_at_its_number(
    tmp_path: Path, triggers: Stopping, commands: tuple[str, ...], why: str
) -> None:
    """The last call of the row trips it and none before; from then on the session is denied, with
    the reason, and another session is not.
    """
    post = Post(tmp_path, triggers)
    assert post.trips(*commands) == [False] * (len(commands) - 1) + [True]
    assert [(session, kill) for session, _, kill in post.told.halted] == [("s1", False)]
    assert why in post.told.halted[0][1]
    decision = post.check(ALLOWED)
    assert (str(decision.verdict), decision.findings[0].rule) == ("deny", "stop.engaged")
    assert why in decision.findings[0].message
    assert "interlock resume --session s1" in decision.findings[0].message
    assert str(post.check(ALLOWED, "s2").verdict) == "allow"


@pytest.mark.parametrize("triggers", [None, Stopping()], ids=["no triggers", "none of them on"])
def test_nothing_trips_where_the_policy_says_nothing(
    tmp_path: Path, triggers: Stopping | None
) -> None:
    """The built-in policy stops nobody."""
    post = Post(tmp_path, triggers)
    assert post.trips(*[ALLOWED] * 12, *[DENIED] * 6, ASKED) == [False] * 19


def test_the_call_that_trips_is_denied_and_its_reason_said(tmp_path: Path) -> None:
    """Though it would have been allowed."""
    post = Post(tmp_path, Stopping(repeats=2, kill=True))
    post.check(ALLOWED)
    decision = post.check(ALLOWED)
    assert str(decision.verdict) == "deny"
    assert post.told.halted[0][2] is True


def test_a_stop_that_fails_is_said_and_the_call_denied(tmp_path: Path) -> None:
    """Where nothing can set the flag, at least this call does not run."""
    post = Post(tmp_path, Stopping(repeats=2))
    post.guard.alarm = None
    post.check(ALLOWED)
    decision = post.check(ALLOWED)
    assert str(decision.verdict) == "deny"
    assert "Not all of it could be done" in decision.deciding[0].message


def test_the_pause_of_a_budget_trips_and_the_warning_before_it_does_not(tmp_path: Path) -> None:
    """GR-006: at 0.8 of the tokens the session goes on, at 0.95 it is paused, and with the trigger
    stopped.
    """
    world = World(
        tmp_path, Limits(tokens=(TokenBudget(1000),)), stopping=Stopping(tags=frozenset({"GR-006"}))
    )
    for tokens, expected in ((800, ["limits.tokens"]), (160, ["limits.tokens", "stop.tripped"])):
        assert world.guard().spent(world.call(), Usage("claude-opus-5", tokens)) == ()
        assert [finding.rule for finding in world.check().findings] == expected


def test_a_trigger_of_the_policy_file_is_the_same(tmp_path: Path) -> None:
    """The keys of a policy file, with the real alarm: the flag stands at once, and another process
    does the rest.
    """
    folder = tmp_path / "home/.config/interlock"
    folder.mkdir(parents=True)
    (folder / "policy.yaml").write_text(
        "version: 1\nstop: {repeats: 2, denials: 5/minute, rule: git.push, tag: [GR-003, GR-006], kill: true}\n",
        encoding="ascii",
    )
    guard = build.guard({"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}, "native")
    expected = Stopping(
        repeats=2,
        denials=((5, 60),),
        rules=frozenset({"git.push"}),
        tags=frozenset({"GR-003", "GR-006"}),
        kill=True,
    )
    assert guard.policy.stopping == expected
    assert guard.store is not None
    guard.check(ToolCall(SHELL, "Bash", {"command": "git push"}, "/", session="s9"))
    assert [flag.scope for flag in read_flags(guard.store.folder)] == ["session:s9"]
    while alarm._started:
        alarm._started.pop().wait()
    assert guard.store.query("SELECT subject FROM audit_event WHERE kind = 'stop'") == [
        ("session:s9",)
    ]


def test_people_are_told_what_a_policy_wants_told(tmp_path: Path) -> None:
    """An obligation to notify is carried out after the call was judged, and stops nothing; without
    a way nobody is told.
    """
    duty = Duty(frozenset({"git.push"}), frozenset(), ("notify",))
    post = Post(tmp_path, None, duties=(duty,), notify=("terminal",))
    decision = post.check("git push origin topic")
    assert str(decision.verdict) == "allow"
    assert len(post.told.said) == 1
    post.check("ls")
    post.guard.policy = post.guard.policy.replace(notify=())
    post.check("git push origin topic")
    assert len(post.told.said) == 1
    assert Obligation("notify") in decision.obligations
