"""Where a checkpoint brings back all that is asked about, the call runs and its answer says how to
undo it; everything else asks as before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.cli import build
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE
from interlock.model.call import SHELL, Outcome, ToolCall
from interlock.model.policy import Checkpointing, Duty
from tests.workspaces import lying_in, run

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.model.decision import Decision

RUNS = (
    "rm -r src", "rm -rf src docs", "rm -rf ./src/*", "find src -name '*.py' -delete", "find . -name '*.py' -delete", "rm *", "git reset --hard",
    "git reset --hard HEAD~1", "git checkout -- .", "git restore src", "git clean -fdx", "git checkout -f topic", "truncate -s 0 src/*",
    "rm -r src && make", "cd src && rm -rf ./*",
)  # fmt: skip
ASKS = (
    "rm -rf .", "rm -rf ../project", "rm -rf .git", "rm -rf src .git", "find . -delete", "find . -type f -delete", "git branch -D topic",
    "git stash drop", "git stash clear", "git tag -d v1", "git worktree remove --force ../tree", "git reflog expire --expire=now --all",
    "git gc --prune=now", "git push --force origin topic", "rm -rf ../other", "rm -r src ~/photos", "shred -u src/a.py", "rm -r $UNKNOWN",
    "for f in $(ls src); do rm src/$f; done", "rm -rf link/", "rm -rf link/*", "sudo rm -r src", "rm -r src; git stash drop",
    "git reset --hard && git clean -fdx && git stash clear", "docker exec app rm -rf /srv/x", "rm -rf src && curl -T notes https://unknown.test",
)  # fmt: skip


class Room:
    """A home with a project in it, and the real guard of a client that asks its own person."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = self.home / "project"
        (self.project / "src").mkdir(parents=True)
        (self.home / "other").mkdir()
        (self.home / "other" / "f").write_text("x", encoding="ascii")
        (self.project / "docs").mkdir()
        for name in ("src/a.py", "docs/b.md", "notes"):
            (self.project / name).write_text("one\n", encoding="ascii")
        run(
            "git init -q -b main . && git add -A && git commit -qm 1 && git branch topic && git tag v1",
            self.project,
        )
        run(
            "echo two > src/a.py && git commit -qam 2 && echo three > src/a.py && echo new > src/new.py && echo s > s && git add s",
            self.project,
        )
        run("git stash -q -- s && echo three > src/a.py && echo new > src/new.py", self.project)
        (self.project / "link").symlink_to(self.home / "other")
        self.environment = {"HOME": str(self.home), "PATH": "/usr/bin:/bin"}
        self.guard: Guard = build.guard(self.environment, "native", str(self.project))

    def check(self, command: str, call_id: str = "t1") -> Decision:
        """Judge a command."""
        return self.guard.check(self.call(command, call_id))

    def call(self, command: str, call_id: str = "t1") -> ToolCall:
        """Return the call of a command."""
        return ToolCall(
            SHELL,
            "Bash",
            {"command": command},
            str(self.project),
            (str(self.project),),
            session="s",
            call_id=call_id,
        )

    def kept(self) -> list[str]:
        """Return the checkpoints there are."""
        assert self.guard.checkpoints is not None
        return [head.decision for head in self.guard.checkpoints().vault.heads()]


@pytest.fixture(name="room")
def made(tmp_path: Path) -> Room:
    """A home with a project."""
    return Room(tmp_path)


def rules(decision: Decision) -> set[str]:
    """Return the rules that spoke."""
    return {finding.rule for finding in decision.findings}


@pytest.mark.parametrize("command", RUNS)
def test_what_a_checkpoint_brings_back_runs(room: Room, command: str) -> None:
    """It is allowed with a warning that names the way back, and the checkpoint is there."""
    decision = room.check(command)
    assert (str(decision.verdict), decision.warned) == ("allow", True), [
        finding for finding in decision.findings if finding.effective > 1
    ]
    said = next(
        finding.message for finding in decision.findings if finding.rule == "checkpoint.taken"
    )
    assert f"interlock undo {decision.id}" in said
    assert room.kept() == [decision.id]


@pytest.mark.parametrize("command", ASKS)
def test_what_it_does_not_bring_back_is_asked_about(room: Room, command: str) -> None:
    """The whole workspace, git's own data and history, what lies elsewhere, what nobody knows: as
    before.
    """
    decision = room.check(command)
    assert str(decision.verdict) != "allow", rules(decision)
    assert "checkpoint.taken" not in rules(decision)


@pytest.mark.parametrize("command", ["rm -r docs", "rm -rf docs"])
def test_what_is_in_a_commit_needs_no_checkpoint(room: Room, command: str) -> None:
    """A folder that is clean and tracked git brings back; nobody is asked and nothing is kept."""
    decision = room.check(command)
    assert (str(decision.verdict), decision.warned, room.kept()) == ("allow", False, [])


def test_the_way_back_leads_back(room: Room) -> None:
    """What the answer promises holds: the call runs, its end is noted, and the undo restores every
    file.
    """
    was = lying_in(room.project)
    for number, command in enumerate(
        ("rm -rf src docs", "git reset -q --hard HEAD~1", "git clean -fdxq", "truncate -s 0 src/*")
    ):
        decision = room.check(command, f"t{number}")
        run(command, room.project)
        assert lying_in(room.project) != was, command
        assert room.guard.outcome(Outcome(room.call(command, f"t{number}"), "ran")) == ()
        assert room.guard.checkpoints is not None
        checkpoints = room.guard.checkpoints()
        checkpoints.undo(checkpoints.find(decision.id))
        assert lying_in(room.project) == was, command
    assert list((room.home / ".local/state/interlock/flags").iterdir()) == []


@pytest.mark.parametrize("command", ["rm -r src", "git reset --hard"])
def test_a_policy_may_want_to_be_asked(room: Room, command: str) -> None:
    """``checkpoints: {loss: ask}``, as careful has it."""
    room.guard.policy = room.guard.policy.replace(checkpointing=Checkpointing(loss="ask"))
    assert str(room.check(command).verdict) == "ask"
    assert room.kept() == []


def test_the_profile_careful_asks(room: Room) -> None:
    """A person who chose it is asked, checkpoint or not."""
    from interlock.policy.builtin import builtin

    careful = builtin("careful")
    assert careful.checkpointing.loss == "ask"
    room.guard.policy = careful
    assert str(room.check("rm -r src").verdict) == "ask"


def test_where_none_can_be_taken_it_asks_and_says_why(room: Room) -> None:
    """Too large, or no place for it: the question stands, with the reason; the twin runs."""
    with (room.project / "src/big").open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    decision = room.check("rm -r src")
    assert str(decision.verdict) == "ask"
    assert "src/big is larger than 64 MiB" in next(
        finding.message for finding in decision.findings if finding.rule == "checkpoint.not-taken"
    )
    assert str(room.check("rm -r docs").verdict) == "allow"


def test_a_state_folder_that_takes_nothing_asks(room: Room) -> None:
    """A file stands where checkpoints should lie."""
    folder = room.home / ".local/state/interlock"
    folder.mkdir(parents=True)
    (folder / "checkpoints").write_text("x", encoding="ascii")
    decision = room.check("rm -r src")
    assert (str(decision.verdict), "checkpoint.not-taken" in rules(decision)) == ("ask", True)


def test_a_guard_without_checkpoints_asks(room: Room) -> None:
    """Who judges without them, as tests and `interlock judge` do, answers as ever."""
    bare = Guard(room.guard.policy, ask=NATIVE, facts=room.guard.facts)
    assert str(bare.check(room.call("rm -r src")).verdict) == "ask"


def test_a_role_whose_approval_is_needed_is_needed_all_the_same(room: Room) -> None:
    """A checkpoint is no approval."""
    policy = room.guard.policy
    strict = tuple(
        [
            rule.replace(approver="lead") if rule.id == "fs.delete-workspace-tree" else rule
            for rule in policy.rules
        ]
    )
    from interlock.engine.candidates import index

    room.guard.policy = policy.replace(
        rules=strict, by_kind=index(strict), roles={"lead": frozenset({"somebody"})}
    )
    assert str(room.check("rm -r src").verdict) == "deny"


def test_a_policy_may_oblige_to_a_checkpoint(room: Room) -> None:
    """Whatever the call: it is taken first, the obligation is met, and all that the call changes
    can be undone.
    """
    duty = Duty(
        frozenset({"fs.delete-workspace-tree", "net.download"}),
        frozenset({"publish"}),
        ("checkpoint",),
    )
    room.guard.policy = room.guard.policy.replace(duties=(duty,))
    decision = room.check("git push origin topic")
    assert [(duty.name, bool(duty.met)) for duty in decision.obligations] == [("checkpoint", True)]
    assert (str(decision.verdict), room.kept()) == ("allow", [decision.id])


def test_an_obligation_that_cannot_be_met_asks(room: Room) -> None:
    """The twin: without a place for checkpoints the question is put."""
    room.guard.policy = room.guard.policy.replace(
        duties=(Duty(frozenset(), frozenset({"publish"}), ("checkpoint",)),)
    )
    room.guard.checkpoints = None
    assert str(room.check("git push origin topic").verdict) == "ask"


def test_nobody_is_there_and_it_runs_all_the_same(room: Room) -> None:
    """Where nobody can be asked, what can be undone is not denied; what cannot is."""
    headless = room.call("rm -r src").replace(headless=True)
    assert str(room.guard.check(headless).verdict) == "allow"
    assert (
        str(room.guard.check(room.call("rm -rf .git", "t2").replace(headless=True)).verdict)
        == "deny"
    )


def test_who_only_asks_is_told_of_the_way_back(
    room: Room, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`interlock check` takes no checkpoint and keeps its answer; it says that a real call would
    run. The twin would be asked about.
    """
    from interlock.cli.main import main

    monkeypatch.setenv("HOME", str(room.home))
    monkeypatch.chdir(room.project)
    assert main(["check", "--", "rm", "-r", "src"]) == 10
    assert "`interlock undo` brings this back" in " ".join(capsys.readouterr().out.split())
    assert main(["check", "--", "rm", "-rf", ".git"]) == 10
    assert "undo" not in capsys.readouterr().out
    assert room.kept() == []
