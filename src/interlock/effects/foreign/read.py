"""The way in: a text of a language other than shell and Python, and what of it is judged."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.effects.foreign.languages import find_language
from interlock.effects.foreign.program import ForeignProgram
from interlock.effects.foreign.search import read_code as search_code
from interlock.effects.foreign.search import strings, word_at
from interlock.effects.foreign.unknown_calls import read_names
from interlock.effects.python.printing import flow
from interlock.effects.rows import ProgramRow
from interlock.effects.run import Run
from interlock.effects.secret_variables import PRELOADED
from interlock.model.effect import (
    PROJECT_SECRET,
    SECRET,
    Connects,
    Effect,
    Executes,
    Opaque,
    Reads,
    RunsCode,
)
from interlock.shell.value import Flow, Value

MAX_SOURCE = 65_536
"""Characters of a program that is followed; a longer one is only searched."""
MAX_SHORT = 8_192
"""Characters of a text whose strings are taken for what it does where it cannot be followed."""
TEXTUAL = frozenset({"tcl", "applescript", "robot"})
"""Languages of words rather than calls: each has a module of its own that reads it."""
_PLAIN = ProgramRow(operands="data*")


def read_code(run: Run, text: str, value: Value | None, name: str) -> Flow | None:
    """Add what a text of a language would do, and return what it prints, where that is known."""
    if name in TEXTUAL and len(text) <= MAX_SOURCE:
        run.effect(RunsCode, name, name, "inline", value=value, detail=f"{name} code")
        __import__(f"interlock.effects.foreign.{name}", None, None, ["read_code"]).read_code(
            run, text, value
        )
        secrets(run, text, value)
        read_names(run, text, value, followed=True)
        return None
    found = find_language(name) if len(text) <= MAX_SOURCE else None
    if found is None:
        if len(text) > MAX_SOURCE:
            run.context.opaque("a longer program than can be followed", run.span(value), "too-much")
        _search(run, text, value, name)
        read_names(run, text, value, followed=False)
        return None
    run.effect(RunsCode, name, name, "inline", value=value, detail=f"{name} code")
    own = Run(run.reader, run.walker, run.execution.inner(run.execution.argv), _PLAIN, name)
    own.cwd = run.cwd
    at = (
        value
        if value is not None and value.end
        else Value("", run.execution.start, run.execution.end, value.why if value else "")
    )
    program = ForeignProgram(own, text, at, found)
    if not program.charge(text):
        return None
    read = run.context.gather(lambda: _follow(run, program, text, value))
    run.context.take(read)
    return flow(program, program.tree, read.effects)


def _follow(run: Run, program: ForeignProgram, text: str, value: Value | None) -> None:
    name = program.language
    read = run.context.gather(lambda: _run(run, program, text, value))
    run.context.take(read)
    if program.truncated:
        run.context.opaque("a longer program than can be followed", run.span(value), "too-much")
        _search(run, text, value, name)
    _add_socket_shell(run, program, text, value, read.effects)
    secrets(run, text, value)
    read_names(run, text, value, followed=True)


def _run(run: Run, program: ForeignProgram, text: str, value: Value | None) -> None:
    name = program.language
    if PRELOADED in text:
        run.context.secrets.unnamed = True
    try:
        program.run_text(text)
    except RecursionError:
        run.context.misses()
        run.context.add(
            Opaque,
            name,
            traits=frozenset({"syntax"}),
            span=run.span(value),
            by=name,
            detail="code nested too deeply to be followed",
        )


def _add_socket_shell(
    run: Run, program: ForeignProgram, text: str, value: Value | None, mine: Sequence[Effect]
) -> None:
    """A shell at a socket: joined before our eyes, or started by a program that holds a socket and
    has nothing else to say to either.
    """
    marks = program.marks
    joined = "socket" in marks and not marks.isdisjoint({"joined", "pty", "shell", "dup2"})
    open_socket = any(effect.kind is Connects and "socket" in effect.traits for effect in mine)
    bare = open_socket and any(
        effect.kind is Executes and {"interactive", "nested"} <= effect.traits for effect in mine
    )
    named = open_socket and any(literal.strip() in _SHELLS for literal in strings(text))
    if joined or bare or named:
        run.effect(
            Connects,
            program.peer,
            "socket",
            "shell",
            value=value,
            host="unknown",
            detail="a shell is joined to a socket",
            certain=joined or bare,
        )


_SHELLS = frozenset(
    "/bin/sh /bin/bash /bin/zsh sh bash cmd.exe powershell powershell.exe".split()
) | {
    "sh -i",
    "bash -i",
    "/bin/sh -i",
    "/bin/bash -i",
}


def _search(run: Run, text: str, value: Value | None, name: str) -> None:
    """Search a text that is not followed; of a long one nobody can say that a find is ever run."""
    if len(text) > MAX_SHORT:
        run.context.possibly(lambda: search_code(run, text, value, name))
    else:
        search_code(run, text, value, name)


def secrets(run: Run, text: str, value: Value | None) -> None:
    """Secrets that the text names, wherever they stand in it, may be read."""
    for literal in strings(text):
        path = (
            run.context.normal(literal, run.cwd)
            if "/" in literal and " " not in literal and "://" not in literal
            else None
        )
        if path is not None and not run.context.place(path).natures.isdisjoint(
            {SECRET, PROJECT_SECRET}
        ):
            run.possible(Reads, word_at(literal, value))
