"""The ways in: commands for cmd.exe as text that a program is given, or that a call consists of."""

from __future__ import annotations

from interlock.effects.api import ShellReading
from interlock.effects.cmd.session import CmdSession
from interlock.effects.run import Run
from interlock.model.effect import RunsCode
from interlock.shell.execution import NestedText
from interlock.shell.value import HOLE, Value
from interlock.shell.walk import Walker


def read_code(run: Run, text: str, value: Value | None, name: str) -> None:
    """Read a text that cmd.exe is given; it is on no platform but Windows."""
    run.effect(RunsCode, name, name, "inline", value=value, detail="a command line for cmd.exe")
    walker, context = run.walker, run.context
    start, end = (
        (value.start, value.end)
        if value is not None and value.end
        else (run.execution.start, run.execution.end)
    )
    call, state = context.call, walker.state.child()
    state.cwd = run.cwd
    walker.texts.append(NestedText(text, walker.at.text, start, end, name))
    context.call = call.replace(platform="windows")
    try:
        with walker.within(state, text=len(walker.texts) - 1):
            if run.stdin is not None and text.strip(HOLE) == "":
                run.unknown_code(run.stdin.why)
            CmdSession(run.reader, walker).read(text)
    finally:
        context.call = call


def read_input(reader: ShellReading[Run], walker: Walker, text: str, *, both: bool = False) -> None:
    """Read the text of a call, which is text number 0 already; ``both``: the other shell of Windows
    reads it as well.
    """
    context = reader.context
    call = context.call
    context.call = call.replace(platform="windows")
    try:
        session = CmdSession(reader, walker)
        session.both = both
        session.read(text)
    finally:
        context.call = call
