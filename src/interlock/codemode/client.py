"""Runs an agent client whole behind the walls (``codemode.clients`` has what each needs). It has
our terminal; what its hook asks is answered by the person's own guard, outside.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Iterator

from interlock.codemode import clients
from interlock.codemode.commands import ProgramFiles, program, search
from interlock.codemode.program import (
    LAUNCHER,
    Refusal,
    RunCommand,
    RunContext,
    RunResult,
    refuse_run,
)
from interlock.codemode.roots import within
from interlock.codemode.run import ahead, record_result
from interlock.codemode.running import run_prepared
from interlock.codemode.sensitive_paths import sweep
from interlock.sandbox.bounds import BUBBLEWRAP
from interlock.sandbox.probe import ENOUGH, kernel

WITHOUT = (
    "A client runs behind walls with a home folder of its own and single hosts, which takes"
    " bubblewrap and Landlock, and one of them does not work here"
)
LATER = "it would start programs or instruct a session that has no walls"
HOOKS = {"claude": "claude-code"}
"""Names of clients to a hook, where that is another one."""


def run_client(name: str, words: list[str], scene: RunContext) -> RunResult:
    """Run it until it ends; nothing of its streams is kept."""
    scene.commands = True
    before = ahead(scene)
    if before is not None:
        return before
    row, home = clients.CLIENTS[name], os.path.realpath(scene.guard.facts.home())
    try:
        prepared = _prepare_client(name, words, scene, home)
    except (OSError, ValueError) as error:
        return record_result(
            refuse_run(Refusal("start", name, "code.client", LAUNCHER, str(error))), scene
        )
    missing, keys = clients.find_fixed_paths(row, home)[1], clients.JsonProgramKeys(row, home)
    with _ignore_interrupts():
        result = run_prepared(prepared, scene)
    told = (*sweep(missing, LATER), *keys.restore())
    return record_result(result.replace(notices=(*result.notices, *told)), scene)


def _prepare_client(name: str, words: list[str], scene: RunContext, home: str) -> RunCommand:
    """Return how it is started; raises ``OSError`` or ``ValueError`` where it cannot be."""
    row, found = clients.CLIENTS[name], kernel(scene.state)
    if found.best != BUBBLEWRAP or found.landlock < ENOUGH:
        raise ValueError(f"{WITHOUT}: {'; '.join(found.notes)}")
    if not scene.call.roots:
        raise ValueError(f"{scene.call.cwd} is no workspace for an agent: start it in a project")
    path = search((), scene.call.roots)
    started = shutil.which(words[0], path=path)
    if not started:
        raise ValueError(f"{words[0]} is nowhere on the search path outside of the workspace")
    made, (there, _) = clients.make_state(row, home), clients.find_fixed_paths(row, home)
    outside = [one for one in there if not within(one, made)]  # it is read, and not lent
    # its hook is Python, and this package
    above = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    python = (os.path.realpath(sys.base_prefix), sys.prefix, above)
    parts = (*_parts(program(words[0], path, home)), *python)
    return RunCommand(
        (started, *words[1:]), scene.call.cwd, clients.pick_variables(row, os.environ),
        (*parts, *outside), made, parts, name=name, commands=True, empty=(home,), fixed=there,
        attached=True, hooks=HOOKS.get(name, name),
    )  # fmt: skip


def _parts(found: ProgramFiles) -> tuple[str, ...]:
    """Return the folders of a program; of a package of npm all that was installed with it."""
    return tuple(
        [
            path[: path.index("/node_modules/")] + "/node_modules"
            if "/node_modules/" in f"{path}/"
            else path
            for path in (*found.parts, *found.paths)
        ]
    )


@contextlib.contextmanager
def _ignore_interrupts() -> Iterator[None]:
    """What is pressed at the terminal is the client's; a handler, other than ignoring, is not
    inherited by it.
    """
    before = {
        number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGQUIT)
    }
    try:
        yield
    finally:
        for number, was in before.items():
            signal.signal(number, was)
