"""The two ways in: Python as a call of its own, and Python that a shell command runs."""

from __future__ import annotations

import _ast

from interlock.effects.context import CallContext
from interlock.effects.python.parse import magic, parse
from interlock.effects.python.printing import flow
from interlock.effects.python.values import MARK
from interlock.effects.python.walk import PythonProgram
from interlock.effects.rows import ProgramRow
from interlock.effects.run import Run
from interlock.effects.shell import ShellReader
from interlock.model.effect import Connects, Opaque, RunsCode
from interlock.shell.execution import Execution, NestedText
from interlock.shell.state import ShellState
from interlock.shell.value import HOLE, Flow, Value
from interlock.shell.walk import Walker

_PYTHON = ProgramRow(operands="data*")


def read_program(context: CallContext, text: str) -> list[NestedText]:
    """Read a program that a tool call holds; return all texts met, the program first."""
    reader = ShellReader(context)
    walker = Walker(
        reader,
        ShellState(context.call.cwd or None, context.home, lambda name: _variable(context, name)),
    )
    walker.texts.append(NestedText(text, 0, 0, len(text), "input"))
    run = Run(
        reader, walker, Execution([], 0, len(text), 0, context.call.cwd or None), _PYTHON, "python"
    )
    for command in magic(text):
        run.code(Value(command, 0, len(text)))
    _read(run, text, None)
    return walker.texts


def read_code(run: Run, text: str, value: Value | None, name: str) -> Flow | None:
    """Read Python that a command runs (``python -c TEXT``, a heredoc, a script file); return what
    it prints, where that is known.
    """
    run.effect(RunsCode, name, name, "inline", value=value, detail="python code")
    own = Run(run.reader, run.walker, run.execution.inner(run.execution.argv), _PYTHON, "python")
    own.cwd, own.given, own.called = run.cwd, run.given, run.called
    for command in magic(text) if run.name == "ipython" else ():
        own.code(Value(command, run.execution.start, run.execution.end))
    return _read(
        own,
        text,
        value
        if value is not None and value.end
        else Value("", run.execution.start, run.execution.end, value.why if value else ""),
    )


def _variable(context: CallContext, name: str) -> str | None:
    found = context.facts.variable(name)
    return found if isinstance(found, str) else None


def _read(run: Run, text: str, at: Value | None) -> Flow | None:
    source = text.replace(HOLE, MARK)
    tree = parse(source)
    if tree is None:
        _judge_unread(run, text, at)
        return None
    program = PythonProgram(run, source, at)
    if not program.charge(text if at is not None else ""):
        return None
    read = run.context.gather(lambda: _follow(run, program, tree, at))
    run.context.take(read)
    return flow(program, tree.body, read.effects)


def _follow(run: Run, program: PythonProgram, tree: _ast.Module, at: Value | None) -> None:
    try:
        program.follow(tree)
    except RecursionError:
        run.context.misses()
        run.context.add(
            Opaque,
            "python",
            traits=frozenset({"syntax"}),
            span=run.span(at),
            by="python",
            detail="Python nested too deeply to be followed",
        )
    _add_socket_shell(run, program)


def _add_socket_shell(run: Run, program: PythonProgram) -> None:
    """A shell whose input and output are a socket: seen only when everything else was."""
    marks = program.marks
    if "socket" in marks and ("joined" in marks or "pty" in marks or {"dup2", "shell"} <= marks):
        run.effect(
            Connects,
            program.peer,
            "socket",
            "shell",
            host="unknown",
            detail="a shell is joined to a socket",
        )


def _judge_unread(run: Run, text: str, at: Value | None) -> None:
    """Text that is no Python we know: said so, and searched for what is dangerous in any language.

    What no Python compiles does nothing. It may be of a newer or older one, so that only text which
    names nothing that reaches out is let be.
    """
    from interlock.effects.foreign.search import read_code as search_code

    if HOLE not in text and not any(word in text for word in _REACHING):
        run.context.misses()
        return
    run.unknown_code("", "python", "syntax", value=at)
    search_code(run, text, at, "python")


_REACHING = (
    "os", "sys", "process", "shutil", "socket", "url", "request", "http", "ftp", "smtp", "ctypes",
    "eval", "exec", "compile", "import_", "importlib",
    "open", "ath", "pty", "builtins", "attr", "pickle", "marshal", "codec", "b64", "64", "\\x",
    "chr", "db", "sql", "remove", "delete", "kill", "run",
    "write", "boto", "docker", "paramiko", "git", "pip", "sh", "cmd", "__",
)  # fmt: skip
"""Pieces of the names by which a program reaches files, programs, the network or other code."""
