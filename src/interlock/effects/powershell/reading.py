"""The ways in: PowerShell as code that a program is given, or that a call consists of."""

from __future__ import annotations

from interlock.effects.powershell.parse import parse
from interlock.effects.powershell.session import Session
from interlock.model.effect import RunsCode
from interlock.shell.value import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run
    from interlock.effects.shell import ShellReader
    from interlock.shell.value import Value
    from interlock.shell.walk import Walker


def read_code(run: Run, text: str, value: Value | None, name: str) -> None:
    """Read a text that an interpreter is given, in a new session in the same folder."""
    run.effect(RunsCode, name, name, "inline", value=value, detail=f"{name} code")
    walker, context = run.walker, run.context
    start, end = (value.start, value.end) if value is not None and value.end else (run.execution.start, run.execution.end)
    outer, call = walker.state, context.call
    walker.state = outer.child()
    walker.state.cwd = run.cwd
    if run.name != "pwsh" or ":\\" in text:
        context.call = call.replace(platform="windows")  # powershell.exe is on no other platform
    if run.stdin is not None and text.strip(HOLE) == "":
        run.unknown_code(run.stdin.why)
    try:
        Session(run.reader, walker).read(text, start, end, name)
    finally:
        walker.state, context.call = outer, call


def read_input(reader: ShellReader, walker: Walker, text: str, *, both: bool = False) -> None:
    """Read the text of a call, which is text number 0 already; ``both``: the other shell of Windows reads it as well."""
    del both
    context = reader.context
    call = context.call
    if call.platform != "windows" and ":\\" in text:
        context.call = call.replace(platform="windows")
    try:
        Session(reader, walker).statements(parse(text))
    finally:
        context.call = call
