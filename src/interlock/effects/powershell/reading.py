"""The ways in: PowerShell as code that a program is given, or that a call consists of."""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.api import ShellReading
from interlock.effects.powershell.parse import parse
from interlock.effects.powershell.session import PowerShellSession
from interlock.effects.run import Run
from interlock.model.effect import Effect, RunsCode
from interlock.shell.value import HOLE, Value
from interlock.shell.walk import Walker


def read_code(run: Run, text: str, value: Value | None, name: str) -> None:
    """Read a text that an interpreter is given, in a new session in the same folder."""
    run.effect(RunsCode, name, name, "inline", value=value, detail=f"{name} code")
    walker, context = run.walker, run.context
    start, end = (
        (value.start, value.end)
        if value is not None and value.end
        else (run.execution.start, run.execution.end)
    )
    outer, call = walker.state, context.call
    walker.state = outer.child()
    walker.state.cwd = run.cwd
    if run.name != "pwsh" or ":\\" in text:
        context.call = call.replace(platform="windows")  # powershell.exe is on no other platform
    if run.stdin is not None and text.strip(HOLE) == "":
        run.unknown_code(run.stdin.why)
    try:
        session = PowerShellSession(run.reader, walker)
        _add_whole(session, lambda: session.read(text, start, end, name))
    finally:
        walker.state, context.call = outer, call


def read_input(reader: ShellReading[Run], walker: Walker, text: str, *, both: bool = False) -> None:
    """Read the text of a call, which is text number 0 already; ``both``: the other shell of Windows
    reads it as well.
    """
    del both
    context = reader.context
    call = context.call
    if call.platform != "windows" and ":\\" in text:
        context.call = call.replace(platform="windows")
    try:
        session = PowerShellSession(reader, walker)
        _add_whole(session, lambda: session.statements(parse(text)))
    finally:
        context.call = call


def _add_whole(session: PowerShellSession, work: Callable[[], object]) -> None:
    """Add what a session's text does; a shell in it is joined to each socket."""
    read = session.context.gather(work)
    if session.shells:
        own = session.sockets
        read = read.each(
            lambda effect: _mark_shell(effect) if any(effect is one for one in own) else effect
        )
    session.context.take(read)


def _mark_shell(socket: Effect) -> Effect:
    return socket.replace(traits=socket.traits | {"shell"})
