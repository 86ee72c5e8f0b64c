"""What tests of code mode share: the ground they run on, and runs of programs under one tier or
another.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from interlock.codemode import running
from interlock.codemode.permissions import RunPermissions, apply_permits
from interlock.codemode.program import RunContext, RunResult
from interlock.codemode.run import run
from interlock.facts.live import Live
from interlock.guard.check import Guard
from interlock.model.call import PYTHON, ToolCall
from interlock.policy.builtin import builtin
from interlock.sandbox.bounds import BUBBLEWRAP, LANDLOCK, Bounds
from interlock.sandbox.probe import ENOUGH, Kernel, kernel

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.guard.services import Ask

FOUND = kernel()
NONE = "guard only"
TIERS = {
    BUBBLEWRAP: FOUND,
    LANDLOCK: FOUND.replace(bwrap=""),
    NONE: Kernel(notes=("switched off for a test",)),
}
HELD = (BUBBLEWRAP, LANDLOCK)


def without(tier: str) -> str:
    """Return why a tier cannot be tested here, or ``""``."""
    if tier == BUBBLEWRAP and not FOUND.bwrap:
        return f"bubblewrap does not work on this machine: {'; '.join(FOUND.notes)}"
    if tier == LANDLOCK and FOUND.landlock < ENOUGH:
        return f"Landlock does not work on this machine: {'; '.join(FOUND.notes) or f'its version is {FOUND.landlock}'}"
    return ""


def needs(tier: str) -> None:
    """Skip a test whose tier this machine does not have."""
    why = without(tier)
    if why:
        pytest.skip(why)


class Ground:
    """``work``: the workspace. ``home``: with a private key. ``outside``: in nobody's workspace."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.home, self.work, self.outside = top / "home", top / "work", top / "outside"
        self.secret = self.home / ".ssh" / "id_rsa"

    def lay_out(self) -> None:
        """Make the folders and files."""
        for folder in (self.secret.parent, self.work / "src", self.outside):
            folder.mkdir(parents=True)
        self.secret.write_text("TOP SECRET", encoding="utf-8")
        (self.outside / "note.txt").write_text("a note", encoding="utf-8")
        (self.work / "data.txt").write_text("some data", encoding="utf-8")
        (self.work / "link").symlink_to(self.secret)
        (self.work / "way").symlink_to(self.outside)

    def scene(
        self,
        source: str = "",
        permits: RunPermissions | None = None,
        bounds: Bounds | None = None,
        require: str = "",
    ) -> RunContext:
        """Return a scene whose policy is the built-in one and what is permitted besides; nobody can
        be asked.
        """
        allowed = permits or RunPermissions()
        facts = Live(str(self.home), ("/tmp",))
        guard = Guard(apply_permits(builtin(), allowed, str(self.home)), facts=facts)
        call = ToolCall(
            PYTHON,
            "execute_python",
            {"code": source},
            cwd=str(self.work),
            roots=(str(self.work), *allowed.allow_paths),
            session="test",
        )
        return RunContext(guard, call, allowed, bounds or Bounds(seconds=30), require)

    def run(
        self,
        source: str,
        tier: str,
        permits: RunPermissions | None = None,
        bounds: Bounds | None = None,
        arguments: tuple[str, ...] = (),
        ask: Ask | None = None,
    ) -> RunResult:
        """Run a Python program under a tier. What it would do is not read beforehand: every layer
        below has to hold alone.
        """
        from interlock.codemode.python.run import run as run_python

        needs(tier)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(running, "kernel", lambda _: TIERS[tier])
            scene = self.scene(source, permits, bounds)
            scene.guard.ask = ask
            return run_python(source, scene, arguments)

    def command(self, text: str, permits: RunPermissions) -> RunResult:
        """Run a line of shell behind bubblewrap. It is not read beforehand: the walls have to hold
        alone.
        """
        from interlock.codemode.program import RunCommand

        prepared = RunCommand(
            (*running.reader(""), text), str(self.work), {}, name="a command", commands=True
        )
        return running.run_prepared(prepared, self.scene(text, permits))

    def run_whole(
        self, source: str, tier: str, permits: RunPermissions | None = None, name: str = ""
    ) -> RunResult:
        """Run a Python program as the command does, read beforehand."""
        needs(tier)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(running, "kernel", lambda _: TIERS[tier])
            return run(source, "python", self.scene(source, permits), (), name)


def is_root() -> bool:
    """Tell whether these tests run as root."""
    return os.getuid() == 0
