"""Runs a shell command behind the walls: it is read and judged like a tool call, and the kernel holds what it starts."""

from __future__ import annotations

import os

from interlock.codemode.program import Prepared
from interlock.codemode.run import ahead, recorded
from interlock.codemode.running import run_prepared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.codemode.program import Result, Scene

SHELLS = ("/bin/bash", "/usr/bin/bash", "/bin/sh")


def run_command(text: str, scene: Scene, stdin: bytes = b"") -> Result:
    """Run a line of shell. Nothing inside it asks, so what would be asked about is asked beforehand, or does not run."""
    scene.commands = True
    before = ahead(scene)
    if before is not None:
        return before
    shell = next((path for path in SHELLS if os.path.exists(path)), SHELLS[-1])
    prepared = Prepared((shell, "-c", text), scene.call.cwd, {}, name=text.partition("\n")[0][:60], stdin=stdin, commands=True)
    return recorded(run_prepared(prepared, scene), scene)
