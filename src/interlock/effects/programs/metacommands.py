r"""Commands of clients of databases themselves, told from the SQL around them: ``\copy``,
``.import``, ``system``.

A client runs these on this machine: they start shells, read statements from files, write files and
settle what the client starts later. How each is read is a row; which of them a client has is said
by its mark (a backslash, a dot, a word that begins a line).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from interlock.effects.environment import judge_prefix, use
from interlock.effects.programs.sqlfiles import (
    copy,
    first,
    output,
    pipe,
    touch_files,
)
from interlock.effects.programs.unreadsql import is_grave
from interlock.effects.run import Run
from interlock.effects.sql import read_text, word_at
from interlock.effects.sql_text import MYSQL, POSTGRES, SqlDialect, piece
from interlock.model.effect import ChangesDatabase, Executes, Reads, Writes
from interlock.model.record import Record
from interlock.shell.value import HOLE, NETWORK, Value

MAX_FILES = 16
"""Files of statements that are read for those that one of them names."""


class MetaCommand(Record):
    """A command as it was typed to a client: its name with its mark, the rest of its line, and the
    word it stands in. ``seen``: the files of statements that were read for it so far.
    """

    run: Run
    name: str
    rest: str
    value: Value
    seen: set[str]


# -- what they do ----------------------------------------------------------------------------------


def _shell(typed: MetaCommand) -> None:
    pipe(typed.run, typed.rest, typed.value)


def _output(typed: MetaCommand) -> None:
    output(typed.run, typed.rest, typed.value)


def _script(typed: MetaCommand) -> None:
    path = typed.rest.strip("'\"; ")
    if path[:1] == "|":
        pipe(typed.run, path[1:], typed.value)
    elif path:
        read_file(typed.run, _at_home(typed, path), typed.seen)


def _import(typed: MetaCommand) -> None:
    path = first(typed.rest)
    if path[:1] == "|":
        pipe(typed.run, path[1:], typed.value)
    elif path:
        typed.run.path(Reads, _at_home(typed, path))


def _copy(typed: MetaCommand) -> None:
    copy(typed.run, typed.rest, typed.value)


def _writes(typed: MetaCommand) -> None:
    words = typed.rest.rstrip("; ").split()
    if words:
        output(typed.run, words[-1], typed.value)


def _restore(typed: MetaCommand) -> None:
    """A file whose content replaces the database."""
    words = typed.rest.split()
    if words:
        typed.run.path(Reads, _at_home(typed, words[-1].strip("'\"")))
        typed.run.effect(ChangesDatabase, words[-1], "restore", value=typed.value)


def _load(typed: MetaCommand) -> None:
    path = first(typed.rest)
    if path:
        typed.run.path(Reads, _at_home(typed, path))
        use(typed.run.reader, typed.run.execution, typed.name, path)


def _variable(typed: MetaCommand) -> None:
    """A variable of what the client starts later: its pager, its editor, what they load."""
    name, _, text = typed.rest.partition(" ")
    inner = typed.run.execution.inner([word_at(typed.run.name, typed.value)])
    inner.prefix = [(name, word_at(text.strip(" '\""), typed.value))]
    judge_prefix(typed.run.reader, inner, typed.run.walker)


def _folder(typed: MetaCommand) -> Run:
    """Another folder: the client goes on there."""
    run, path = typed.run, typed.rest.strip("'\"; ") or "~"
    inner = run.execution.inner(run.execution.argv)
    inner.cwd = None if HOLE in path else run.context.normal(run.context.at_home(path), run.cwd)
    return Run(run.reader, run.walker, inner, run.row, run.name)


def _archive(typed: MetaCommand) -> None:
    archive(typed.run, typed.rest.split(), typed.value)


def archive(run: Run, words: list[str], value: Value) -> None:
    """An archive in a database of SQLite: files come out of it, or go into it."""
    folders = [after for word, after in itertools.pairwise(words) if word == "-C"]
    verbs = words[0].lstrip("-") if words else ""
    if "--extract" in words or "x" in verbs or "-x" in words:
        folder = run.context.at_home((folders or ["."])[-1])
        run.path(Writes, word_at(folder, value), "extracted")
    else:
        for word in words[1:]:
            run.path(Reads, word_at(run.context.at_home(word), value))


def _expression(typed: MetaCommand) -> None:
    _statements(typed.run, f"select {typed.rest}", typed.value)


def _rows(typed: MetaCommand) -> None:
    typed.run.effect(ChangesDatabase, "what a query gives", "unread", value=typed.value)


def _editor(typed: MetaCommand) -> None:
    typed.run.context.doubt(f"{typed.name} opens a program, and takes what it leaves")


def _once(typed: MetaCommand) -> None:
    if typed.rest.split()[:1] in (["-e"], ["-x"], ["-w"]):
        _editor(typed)
    else:
        _output(typed)


def _at_home(typed: MetaCommand, path: str) -> Value:
    return word_at(typed.run.context.at_home(path), typed.value)


Act = Callable[[MetaCommand], Run | None]
"""What reads a command; it returns the client where that goes on elsewhere."""
_SHARED: dict[str, Act] = {
    "\\!": _shell, "\\|": _shell, "\\system": _shell, "\\e": _editor, "\\edit": _editor,
    "!": _shell, "!!": _shell, "!sh": _shell, "!shell": _shell, "!system": _shell,
    "!source": _script, "!load": _script, "!run": _script, "!script": _output, "!spool": _output,
    "!record": _output, "!edit": _editor,
    ":!!": _shell, ":r": _script, ":out": _output, ":error": _output, ":ed": _editor,
    "system": _shell, "host": _shell, "sh": _shell, "source": _script, "tee": _output,
    "capture": _output, "spool": _output, "pager": _shell,
}  # fmt: skip
"""Commands that mean the same in every client that has them."""
_OF_POSTGRES: dict[str, Act] = {
    "\\copy": _copy, "\\o": _output, "\\out": _output, "\\w": _output, "\\write": _output,
    "\\g": _output, "\\gx": _output, "\\gexec": _rows, "\\i": _script, "\\ir": _script,
    "\\include": _script, "\\include_relative": _script, "\\lo_import": _import,
    "\\lo_export": _writes, "\\s": _output, "\\setenv": _variable, "\\cd": _folder,
    "\\ef": _editor, "\\ev": _editor,
}  # fmt: skip
_OF_MYSQL: dict[str, Act] = {
    "\\.": _script, "\\source": _script, "\\T": _output, "\\P": _shell, "\\once": _output,
    "\\o": _output, "\\pipe_once": _shell,
}  # fmt: skip
_OF_SQLITE: dict[str, Act] = {
    ".shell": _shell, ".system": _shell, ".read": _script, ".load": _load, ".import": _import,
    ".output": _output, ".once": _once, ".excel": _editor, ".www": _editor, ".edit": _editor,
    ".save": _writes, ".backup": _writes, ".clone": _writes, ".restore": _restore,
    ".trace": _writes, ".log": _output, ".open": _writes, ".cd": _folder, ".archive": _archive,
    ".parameter": _expression,
}  # fmt: skip
_HARMLESS = frozenset(
    "auth bail binary changes check columns connection databases dbinfo dump echo eqp exit expert"
    " explain fullschema header headers help indexes indices limit lint maxrows maxwidth mode nonce"
    " nullvalue print progress prompt quit recover rows scanstats schema selftest separator sha3sum"
    " show stats tables timeout timer version vfsinfo vfslist vfsname width".split()
)
"""Commands of SQLite's and DuckDB's shells that only show, or say how something is shown."""
_ENDING = ("\\g", "\\G", "\\watch", "\\crosstabview", "\\;", "\\c", "\\p")
"""What the names of commands begin with behind which another statement begins."""


def _acts(run: Run, name: str) -> list[Act]:
    """Return what a command of a client does; one of SQLite may be cut short to what begins it."""
    if name[:1] == ".":
        own = [act for long, act in _OF_SQLITE.items() if long.startswith(name)]
        if name[1:] in _HARMLESS:
            return []
        if not own:
            run.context.doubt(f"the command {name} of {run.name} is not known")
        return list(dict.fromkeys([_OF_SQLITE[name]] if name in _OF_SQLITE else own))
    table = _OF_MYSQL if run.name in MYSQL else _OF_POSTGRES
    act = table.get(name) or _SHARED.get(name)
    return [act] if act is not None else []


# -- telling them from SQL -------------------------------------------------------------------------


def read_statements(run: Run, value: Value, seen: set[str] | None = None) -> Run:
    """Read a text that a client is given: statements, and commands of its own between them. Return
    the client as it goes on.
    """
    sql, seen = [], set() if seen is None else seen
    variables: dict[str, str] = {}
    for given in run.parsed.values("-v", "--set", "--variable"):
        variables.update([(given.text.partition("=")[0], given.text.partition("=")[2])])
    whole = _with_semicolons(run, value.text) if run.name in MYSQL else value.text
    for text, name in _split_commands(whole, run.name):
        if not name:
            sql.append(text)
            continue
        sql.append(";" if name.startswith(_ENDING) else " ")
        rest = text.strip()
        if name[:1] == "\\" and run.name in POSTGRES and name not in _WHOLE:
            rest = _fill_variables(rest, variables)
            if name == "\\set":
                variable, _, said = rest.partition(" ")
                variables[variable] = said.strip(" '")
        typed = MetaCommand(run, name, rest, value, seen)
        for act in _acts(run, name):
            run = act(typed) or run
        if name[:1] == "\\" and run.name in POSTGRES:
            _run_backquotes(typed)
    _statements(run, "".join(sql), value)
    return run


def _with_semicolons(run: Run, text: str) -> str:
    """Return a text of MySQL's clients with a semicolon behind each statement, whatever it is told
    to look for instead (``--delimiter=//``, ``delimiter //``).
    """
    told = run.parsed.value("--delimiter")
    end, lines = told.text if told is not None else "", []
    for line in text.split("\n"):
        words = line.split()
        if words[:1] and words[0].lower() in ("delimiter", "\\d"):
            end = "".join(words[1:2])
        else:
            lines.append(line.replace(end, ";") if end else line)
    return "\n".join(lines)


def _statements(run: Run, text: str, value: Value) -> None:
    read_text(run.context, text, run.name, run.span(value))
    touch_files(run, text, value)


def _run_backquotes(typed: MetaCommand) -> None:
    """What stands in backquotes psql gives to the shell, whichever of its commands it stands in."""
    for code in typed.rest.split("`")[1::2]:
        typed.run.code(word_at(code, typed.value))


def _fill_variables(text: str, variables: dict[str, str]) -> str:
    """Return the words of a command with psql's variables filled in (``:name``, ``:'name'``); with
    a hole for one that was not set here.
    """
    before, *rest = text.split(":")
    for part in rest:
        bare = part.lstrip("'\"")
        name = bare[: len(bare) - len(bare.lstrip(_OF_NAMES))]
        if name[:1].isalpha() and before[-1:] in _BEFORE_NAMES:
            quote = part[: len(part) - len(bare)]
            before += variables.get(name, HOLE) + bare[len(name) :].removeprefix(quote)
        else:
            before += f":{part}"
    return before


_OF_NAMES = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_BEFORE_NAMES = ("", " ", "`", "=", "'", '"', "/", "(", ";", "|", "&", ">", "<", "\t", "\n")


def _split_commands(text: str, by: str) -> Iterator[tuple[str, str]]:
    """Yield SQL with no name, and the rest of each command's line with its name.

    A line in a literal that looks like a command is taken for one as well: how the server reads
    literals can be set.
    """
    dialect, at, begins, fresh = SqlDialect(by), 0, True, True
    while at < len(text):
        name = _command_name(text, at, begins=begins, fresh=fresh)
        if name:
            at += len(name)
            end = _end(text, at, name, dialect)
            yield text[at:end], name
            if name == _BETWEEN:  # a doubled backslash may be what quoting left of one
                behind = _command_name(text, at - 1, begins=begins, fresh=fresh)
                at += len(behind) - 1
                yield text[at : at + MAX_BEHIND].partition("\n")[0], behind
            at = end
            continue
        end, kept = piece(text, at, dialect)
        if kept == "''":
            yield from _inside(text[at:end])
        yield text[at:end] if kept != " " else " ", ""
        begins = kept in (";", "\n") or (begins and kept.isspace())
        fresh = kept == ";" or (fresh and (kept.isspace() or kept == "/"))
        at = end


def _inside(literal: str) -> Iterator[tuple[str, str]]:
    """Yield the commands that lines of a literal look like."""
    _, mark, rest = literal.partition("\\!")
    if mark:
        yield rest.partition("\n")[0], mark
    for line in literal.split("\n")[1:]:
        bare = line.strip()
        name = _command_name(bare, 0, begins=True, fresh=False) if bare else ""
        if name and name != mark:
            yield bare[len(name) :], name


def _command_name(text: str, at: int, *, begins: bool, fresh: bool) -> str:
    """Return the name of the command that begins at a place, with its mark, or ``""``.
    ``begins``: whether a line or a statement does, ``fresh``: whether a statement does.
    """
    mark = text[at]
    if mark == "\\" or (begins and mark in ".!:"):
        rest = text[at + 1 : at + MAX_NAME]
        name = mark + (rest[: len(rest) - len(rest.lstrip(_OF_NAMES))] or rest[:1].strip())
        if mark == "!":
            return name if name in _SHARED and name != "!!" else "!!" if name == "!!" else mark
        if mark == ":":
            return ":!!" if rest[:2] == "!!" else name if name in _SHARED else ""
        return name if mark == "\\" or name[1:2].isalpha() else ""
    word = (
        text[at : at + MAX_NAME].split(None, 1)[:1] if fresh and begins and mark.isalpha() else []
    )
    return word[0].lower() if word and word[0].lower() in _SHARED else ""


MAX_BEHIND = 1000
"""Characters of a line that are taken for the words of a command that may be none."""
MAX_NAME = 24
"""Characters of a command's name that are looked at."""
_WHOLE = ("\\!", "\\|", "\\copy", "\\P", "\\system")
"""Commands that take all of their line, whatever stands in it."""
_BETWEEN = "\\\\"
"""Ends the words of a command of psql; its line goes on with SQL."""
_ALONE = ("\\g", "\\G", "\\c", "\\p", "\\r", "\\R")
"""Commands of MySQL's clients behind which their line goes on."""


def _end(text: str, at: int, name: str, dialect: SqlDialect) -> int:
    """Return where the words of a command end: with its line, at a backslash that begins another
    command, or, of psql, behind the backquote that closes in another line.
    """
    if name == _BETWEEN or (dialect.mysql and name in _ALONE):
        return at
    stops = "\n" if name[:1] != "\\" or name in _WHOLE else "\n\\"
    quote = ""
    while at < len(text) and (quote or text[at] not in stops):
        if quote and text[at] == "\n" and (quote != "`" or not dialect.postgres):
            return at
        if quote and text[at] == "\\":
            at += 1
        elif text[at] == quote:
            quote = ""
        elif not quote and text[at] in "'`" and name not in _WHOLE:
            quote = text[at] if "\\" in stops else ""
        at += 1
    return min(at, len(text))


def read_file(run: Run, value: Value, seen: set[str] | None = None) -> None:
    """A file of statements: read where its text can be had."""
    seen = set() if seen is None else seen
    run.path(Reads, value)
    if value.text in seen:
        return
    seen.add(value.text)
    flow = run.contents(value)
    text = run.reader.find_text(flow)
    if text is not None and len(seen) <= MAX_FILES:
        read_statements(run, word_at(text, value), seen)
        return
    path = run.context.normal(value.text, run.cwd) if value.known else None
    traits = frozenset({"sql-script"})
    run.context.add(Executes, path or value.text, traits=traits, by=run.name, span=run.span(value))
    grave = NETWORK in flow.labels or is_grave(run, value)
    unread = ["unread"] if grave else ["write", "unread-file"]
    run.effect(ChangesDatabase, value.text, *unread, value=value)
