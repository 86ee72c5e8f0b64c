"""Orders to the Go command: each in a walled process of its own that reads its toolchain, writes
its folders, and reaches no network.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from interlock.codemode.golang.toolchain import Toolchain
from interlock.codemode.permissions import RunPermissions
from interlock.codemode.program import RunCommand, RunContext, RunResult
from interlock.codemode.running import run_prepared
from interlock.sandbox.bounds import Bounds

BOUNDS = Bounds(seconds=900, memory=1 << 40, processes=4096, file_size=1 << 32, output=1 << 25)
"""What a build may use. A first build of the library takes about a minute on two cores; it never
counts as the program's own time.
"""


class Builder(NamedTuple):
    """Runs the Go command in the folder ``work``. ``modules``: a cache of modules, or ""."""

    toolchain: Toolchain
    scene: RunContext
    work: str
    modules: str = ""

    def go(self, *arguments: str, cwd: str = "") -> RunResult:
        """Run ``go ARGUMENTS`` in ``cwd`` (by default ``work``); return what came of it."""
        return self.tool(self.toolchain.go, *arguments, cwd=cwd)

    def tool(self, command: str, *arguments: str, cwd: str = "") -> RunResult:
        """Run another tool of the build as ``go`` is run: the toolchain's, or one that lies in the
        folder ``work``.
        """
        toolchain = self.toolchain
        os.makedirs(toolchain.cache, mode=0o700, exist_ok=True)
        prepared = RunCommand(
            (command, *arguments),
            cwd or self.work,
            toolchain.environment(self.work, self.modules),
            reads=(toolchain.root, *([self.modules] if self.modules else ())),
            writes=(self.work, toolchain.cache),
            executes=(toolchain.root, self.work),
            apart=True,
            name=f"{os.path.basename(command)} {arguments[0]}",
        )
        return run_prepared(prepared, self._scene())

    def _scene(self) -> RunContext:
        """Return where a build takes place: no workspace, no hosts, no commands but Go's own."""
        scene = self.scene
        call = scene.call.replace(roots=(), cwd=self.work)
        require = "kernel" if scene.require in {"kernel", "both"} else ""
        made = RunContext(scene.guard, call, RunPermissions(), BOUNDS, require, scene.state)
        made.keep = self.work  # what the Go command prints at length goes when the folder goes
        return made
