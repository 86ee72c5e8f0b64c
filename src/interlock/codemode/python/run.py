"""Runs a Python program: the interpreter of the workspace's environment or the one asked for, the
guard in it, the walls around it.
"""

from __future__ import annotations

import os
import subprocess
import sys

from interlock.codemode.program import (
    LAUNCHER,
    Refusal,
    RunCommand,
    RunContext,
    RunResult,
    refuse_run,
)
from interlock.codemode.python.interpreter import choose_interpreter
from interlock.codemode.python.script import environment_of, needs, uv
from interlock.codemode.running import run_prepared
from interlock.sandbox.process import ENTRANCE, SANDBOX
from interlock.shell.quoting import quote

HERE = os.path.dirname(os.path.abspath(__file__))
INSIDE = os.path.join(HERE, "inside")
BOOT = (
    "import sys; sys.path[:0] = sys.argv[1:3]; from entrance.walls import put_up; from inside.start"
    " import main; main(put_up)"
)
"""All that an interpreter is told on its command line: the rest is loaded from compiled files."""
PREFIXES = (
    "import"
    " sys,sysconfig;print('\\n'.join([sys.executable,sys.prefix,sys.base_prefix,sysconfig.get_path('stdlib')]+[str(n)"
    " for n in sys.version_info[:2]]))"
)
OLDEST = (3, 10)
"""The Python from which on the guard works in programs."""
NAMED = 3
"""Packages that a message names."""


class Interpreter:
    """An interpreter: the path it is started by, which tells a virtual environment, and the folders
    that it is made of.
    """

    __slots__ = ("folders", "path")

    def __init__(self, path: str, folders: tuple[str, ...]) -> None:
        self.path = path
        self.folders = folders


_known: dict[str, Interpreter] = {}


def interpreter(path: str = "") -> Interpreter:
    """Return an interpreter by its path, this one where it is empty; raises ``OSError`` or
    ``ValueError`` where it cannot be asked.
    """
    if not path or path == sys.executable:
        return Interpreter(
            sys.executable,
            _folders(sys.executable, sys.prefix, sys.base_prefix, os.path.dirname(os.__file__)),
        )
    found = _known.get(path)
    if found is None:
        real = os.path.realpath(path)  # of an environment nothing is run before the walls stand
        done = subprocess.run(  # noqa: S603 - the person's own
            [real, "-I", "-c", PREFIXES], capture_output=True, text=True, timeout=20, check=False
        )
        lines = done.stdout.split("\n")
        if done.returncode or len(lines) < 6:
            raise ValueError(f"{path} is no Python that works: {done.stderr.strip()[-200:]}")
        version = int(lines[4]), int(lines[5])
        if version < OLDEST:
            raise ValueError(
                f"{path} is Python {version[0]}.{version[1]}; programs run under"
                f" {OLDEST[0]}.{OLDEST[1]} or later"
            )
        own = os.path.dirname(os.path.dirname(path))
        environment = [own] if os.path.isfile(f"{own}/pyvenv.cfg") else []
        started = os.path.abspath(path) if environment else lines[0]
        found = _known[path] = Interpreter(started, _folders(started, *environment, *lines[1:4]))
    return found


def _folders(executable: str, *prefixes: str) -> tuple[str, ...]:
    """Return the folders and links by which an interpreter is found, and its own."""
    steps, at = [], executable
    for _ in range(8):
        steps.append(at)
        if not os.path.islink(at):
            break
        leads = os.readlink(at)
        at = (
            leads
            if leads.startswith("/")
            else os.path.normpath(os.path.join(os.path.dirname(at), leads))
        )
    own = [folder for folder in prefixes if folder not in ("/", "/usr", "")]
    return tuple(
        dict.fromkeys([*steps, os.path.realpath(executable), *own, *map(os.path.realpath, own)])
    )


def run(
    source: str, scene: RunContext, arguments: tuple[str, ...] = (), name: str = ""
) -> RunResult:
    """Run a program. ``name``: its file, where it has one, or what messages call it."""
    try:
        barred = (*scene.call.roots, *map(os.path.realpath, scene.guard.facts.temps()))
        file = name if name.startswith("/") else ""
        asked = scene.python or _of_script(source, file, scene, barred)
        found = interpreter(
            asked or choose_interpreter(source, file, scene.call.cwd, barred, os.environ)
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
