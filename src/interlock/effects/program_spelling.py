"""Programs that are named in another way than by their name: by a pattern, as a part of git, or by
one of the same name that stands first in the path.
"""

from __future__ import annotations

from interlock.effects import amongfiles
from interlock.effects.api import ShellReading
from interlock.effects.programs import table as programs
from interlock.effects.rows import ProgramRow
from interlock.effects.run import Run
from interlock.model.effect import RunsCode, Span
from interlock.shell.execution import Execution
from interlock.shell.value import HOLE, UNREAD, Flow, Value
from interlock.shell.walk import Walker

_BIN = (
    "/bin /usr/bin /usr/local/bin /sbin /usr/sbin /usr/local/sbin /opt/homebrew/bin /snap/bin"
    " /usr/games /opt/local/bin /busybox /usr/lib/git-core /usr/libexec/git-core"
)
BIN_FOLDERS = frozenset(_BIN.split())


def by_pattern(
    reader: ShellReading[Run], execution: Execution, walker: Walker, word: Value
) -> Flow:
    """``/bin/r?``: every known program that the pattern fits."""
    run = Run(reader, walker, execution, ProgramRow(), word.text)
    if amongfiles.within(run, word):
        return _own_files(run, word)
    folder, _, mark = word.text.rpartition("/")
    wide = folder in BIN_FOLDERS or "*" in folder or "?" in folder
    reader.context.add(
        RunsCode,
        traits=frozenset({"unknown-program", "unread", "from-pattern"}),
        span=Span(execution.text, execution.start, execution.end),
        by=word.text,
        detail="a program named by a pattern",
    )
    for name in programs.matching(mark)[:8] if wide else []:
        row = programs.find(name)
        if row is not None:
            reader.apply(execution, walker, row, name)
    return UNREAD


def _own_files(run: Run, word: Value) -> Flow:
    """``for t in build/tests/*; do $t; done``: whichever programs of the workspace."""
    found = amongfiles.files(run, word)
    for path in found:
        first = Value(path, word.start, word.end)
        run.walker.run(run.execution.inner([first, *run.arguments]), functions=False)
    if not found:
        amongfiles.somewhere(run, word, "by-path")
    return UNREAD


def as_git(execution: Execution, walker: Walker, name: str) -> Flow:
    """``git-stash``, as git's own folder of programs has it: ``git stash``."""
    first = execution.argv[0]
    words = [Value("git"), Value(name, first.start, first.end), *execution.argv[1:]]
    return walker.run(execution.inner(words), functions=False)


MAX_FOLDERS = 64
"""Folders of a path that are looked into."""


def resolve_word(
    reader: ShellReading[Run], execution: Execution, walker: Walker, word: Value
) -> Value:
    """Return what a word names that starts a command: in zsh ``=ls`` is ``ls``; a program that this
    call wrote into a folder which it put into the path is that file (``PATH=$PWD/bin:$PATH ls``).
    """
    text = word.text
    if text[:1] == "=" and programs.find(text[1:]) is not None:
        return Value(text[1:], word.start, word.end, word.why)
    if "/" in text or not reader.written:
        return word
    given = [value for name, value in execution.prefix if name == "PATH"]
    path = given[-1] if given else walker.state.variables.get("PATH")
    folders = path.text.split(":") if path is not None else []
    for folder in reader.context.limit(folders, MAX_FOLDERS, "folders of a path"):
        found = reader.context.normal(f"{folder}/{text}", execution.cwd)
        if folder and HOLE not in folder and found in reader.written:
            return Value(found or text, word.start, word.end, word.why)
    return word
