"""Runs a Python program: the interpreter of the workspace's environment or the one asked for, the
guard in it, the walls around it.
"""

from __future__ import annotations

import os
import subprocess

from interlock.codemode.program import (
    LAUNCHER,
    Refusal,
    RunCommand,
    RunContext,
    RunResult,
    refuse_run,
)
from interlock.codemode.python.installation import INSIDE, interpreter
from interlock.codemode.python.interpreter import choose_interpreter
from interlock.codemode.python.script import environment_of, needs, uv
from interlock.codemode.running import run_prepared
from interlock.sandbox.process import ENTRANCE, SANDBOX
from interlock.shell.quoting import quote

HERE = os.path.dirname(os.path.abspath(__file__))
BOOT = (
    "import sys; sys.path[:0] = sys.argv[1:3]; from entrance.walls import put_up; from inside.start"
    " import main; main(put_up)"
)
"""All that an interpreter is told on its command line: the rest is loaded from compiled files."""
NAMED = 3
"""Packages that a message names."""


def run(
    source: str, scene: RunContext, arguments: tuple[str, ...] = (), name: str = ""
) -> RunResult:
    """Run a program. ``name``: its file, where it has one, or what messages call it."""
    try:
        barred = (*scene.call.roots, *map(os.path.realpath, scene.guard.facts.temps()))
        file = name if name.startswith("/") else ""
        asked = scene.python or _of_script(source, file, scene, barred)
        found = interpreter(
            asked or choose_interpreter(source, file, scene.call.cwd, barred, os.environ),
            scene.state,
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return refuse_run(Refusal("start", scene.python, "code.interpreter", LAUNCHER, str(error)))
    path = name if name.startswith("/") else ""
    text = source.encode("utf-8", "surrogateescape")
    prepared = RunCommand(
        (found.path, "-I", "-S", "-c", BOOT, HERE, SANDBOX, PRIVATE, path or PRIVATE,
            os.path.basename(name) or "program.py", *arguments),
        scene.call.cwd, {}, (INSIDE, ENTRANCE, *found.folders), guard="python",
        name=os.path.basename(name) or "program.py", inside=True,
        files={"program.py": text},
    )  # fmt: skip
    return run_prepared(prepared, scene)


PRIVATE = "{private}/program.py"


def _of_script(source: str, file: str, scene: RunContext, barred: tuple[str, ...]) -> str:
    """Return the interpreter of the environment that was made for what a program says it needs;
    ``""`` where it says nothing, or none was made, which is told.
    """
    wanted = needs(source) if file else ()
    found = environment_of(file, barred) if wanted else ""
    if wanted and not found:
        more = f" and {len(wanted) - NAMED} more" if len(wanted) > NAMED else ""
        scene.report(
            f"{os.path.basename(file)} needs packages ({', '.join(wanted[:NAMED])}{more}), and no"
            " environment is made for it yet. "
            + (
                f"To make it: uv sync --script {quote(file)}"
                if uv(barred)
                else "Name the interpreter of one that has them: --python PATH"
            )
        )
    return found
