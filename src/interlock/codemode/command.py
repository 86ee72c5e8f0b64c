"""Runs a shell command behind the walls: it is read and judged like a tool call, and the kernel
holds what it starts.
"""

from __future__ import annotations

import sys

from interlock.codemode.program import (
    LAUNCHER,
    Refusal,
    RunCommand,
    RunContext,
    RunResult,
    refuse_run,
)
from interlock.codemode.run import ahead, record_result

if sys.platform == "win32":
    from interlock.codemode.jobs import reader, run_prepared
else:
    from interlock.codemode.running import reader, run_prepared


ANOTHER = (
    "On Windows cmd.exe reads and runs a command (interlock run); this one was judged as a line for"
    " another shell."
)


def run_command(text: str, scene: RunContext, stdin: bytes = b"") -> RunResult:
    """Run a line of shell. Nothing inside it asks, so what would be asked about is asked
    beforehand, or does not run.
    """
    scene.commands = True
    before = ahead(scene)
    if before is not None:
        return before
    name, front = text.partition("\n")[0][:60], reader(scene.call.shell)
    if not front:
        return record_result(
            refuse_run(Refusal("start", name, "code.shell", LAUNCHER, ANOTHER)), scene
        )
    prepared = RunCommand((*front, text), scene.call.cwd, {}, name=name, stdin=stdin, commands=True)
    return record_result(run_prepared(prepared, scene), scene)
