"""Commands in the settings of a tool that this call or session wrote: ``commands = rm -rf x`` of
tox, ``entry:`` of pre-commit, ``run:`` of a workflow, ``[hooks]`` of mise.

No grammar of any of them is known here. Whatever could be a command is read as one that may run: a
line, what stands behind its key, what stands in quotes, and quoted words one after another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interlock.effects.context import CallContext
from interlock.effects.gathering import ReadResult
from interlock.effects.programs import table as programs
from interlock.effects.run import Run
from interlock.effects.settings_paths import doubt_paths
from interlock.effects.verb_words import MAX_DEPTH, parts, verb_of
from interlock.model.effect import (
    GENERATED,
    SINK,
    TEMP,
    WORKSPACE,
    WORKSPACE_ROOT,
    Deletes,
    Effect,
    Reads,
    Writes,
)
from interlock.shell.value import HOLE, Value

MAX_LINES = 4000
"""Lines of a text that are looked at."""
MAX_COMMANDS = 48
"""Commands of a text that are read."""
_STARTING = frozenset(
    "files search wrappers privilege interpreters disks git cloud containers clusters databases"
    " migrations netshell netweb services processes accounts streams stores printing".split()
)
"""Families of programs whose name begins a command wherever it begins a text."""
_COMMENTS = ("#", "//", ";", "<!--", "*", "/*")
_DIRECTIVE = "//go:generate "
"""A comment of Go that ``go generate`` runs."""
_MILD = frozenset({GENERATED, SINK, WORKSPACE_ROOT})


def read_settings(run: Run, path: str, text: str) -> None:
    """Add what commands in a text of settings may do beyond the workspace; note where it leads out
    of that.
    """
    doubt_paths(run, path, text)
    lines = run.context.limit(text.replace("\\\n", " ").split("\n"), MAX_LINES, "lines")
    found = [one for line in lines for one in _commands(line) if begins_command(one)]
    said = dict.fromkeys([one for line in lines for one in _find_keyed(line)])
    every = list({**said, **dict.fromkeys(found)})
    for command in run.context.limit(every, MAX_COMMANDS, "commands"):
        gather = run.context.gather if command in said else run.context.guess
        read = gather(lambda one=command: run.code(Value(one)))  # type: ignore[misc]
        run.context.take(_beyond(read).each(lambda effect: effect.replace(certain=False)))


def find_commands(context: CallContext, text: str) -> Sequence[str]:
    """Return what stands behind keys that say they are commands, on their line, as the block below
    it (``run: |``) or as a list there (``script:`` of GitLab).
    """
    found: dict[str, None] = {}
    lines = context.limit(text.split("\n"), MAX_LINES, "lines")
    for at, line in enumerate(lines):
        for one in (line, *line.replace("{", ",").split(",")):
            found.update(dict.fromkeys(_find_keyed(one)))
        key, _, value = line.strip().lstrip("- ").partition(":")
        if value.strip() in _BLOCKS and names_command(key):
            found["\n".join(_find_block(lines[at:]))] = None
        elif not value.strip() and names_command(key):
            items = [one for one in _find_block(lines[at:], "- ") if one.startswith("- ")]
            found["\n".join([_unquote(one.removeprefix("- ")) for one in items])] = None
    return context.limit(list(found), MAX_COMMANDS, "commands")


_BLOCKS = ("|", "|-", "|+", ">", ">-")


def _find_block(lines: Sequence[str], also: str = "") -> list[str]:
    """Return the lines that stand deeper than the first; those of its depth too that begin with
    ``also``, as YAML's lists may.
    """
    depth = len(lines[0]) - len(lines[0].lstrip(" -"))
    block: list[str] = []
    for line in lines[1:]:
        deep = len(line) - len(line.lstrip())
        listed = also and deep == depth and line.lstrip().startswith(also)
        if line.strip() and deep <= depth and not listed:
            break
        block.append(line.strip())
    return block


def _beyond(read: ReadResult) -> ReadResult:
    """Return what is more than looking and writing in the workspace, which whatever runs the
    settings may do anyway.
    """
    return read.of([effect for effect in read.effects if not _is_mild(effect)])


def _is_mild(effect: Effect) -> bool:
    place = effect.place
    within = place is not None and place.location in (WORKSPACE, TEMP)
    if place is None or not within or effect.kind not in (Reads, Writes, Deletes):
        return False
    return place.natures <= _MILD and (effect.kind is not Deletes or GENERATED in place.natures)


def _commands(line: str) -> Iterator[str]:
    """Yield the parts of a line that may be commands."""
    line = line.strip()
    if line.startswith(_DIRECTIVE):
        line = line.removeprefix(_DIRECTIVE)
    elif line.startswith(_COMMENTS):
        return
    while line.startswith("- "):
        line = line[2:].lstrip()
    yield line.lstrip("@!-+ ")
    for mark in (": ", "=", ":=", "COMMAND ", ">", "{", "RUN "):
        yield _unquote(line.partition(mark)[2].strip())
    texts = find_quoted(line)
    yield from [text for text in texts if " " in text]
    for at in range(len(texts) - 1):
        yield " ".join([_word(text) for text in texts[at:]])


def _find_keyed(line: str) -> Iterator[str]:
    """Yield what stands behind a key that says it is a command: ``run: x``, ``cmd = x``."""
    line = line.strip().lstrip("-{ ")
    for mark in (":", "="):
        key, found, text = line.partition(mark)
        text = _unquote(text.strip())
        if found and names_command(key.strip("\"' ")) and is_line(text):
            yield text


def names_command(name: str) -> bool:
    """Whether the name of a setting or an argument says that its value is a command."""
    pieces = parts(name)[:MAX_DEPTH]
    return bool(pieces) and (pieces[-1] in _NAMED or (pieces[0] in _NAMED and len(pieces) == 2))


_NAMED = frozenset("run command commands cmd cmds bash shell script entrypoint entry exec".split())


def is_line(text: str) -> bool:
    """Whether a text looks like a line of a shell: words of which the first may be a program."""
    first, space, _ = text.partition(" ")
    name = first.rpartition("/")[2]
    if not space or not name.strip("-_.").replace("-", "").replace("_", "").isalnum():
        return False
    known = name in _KEYWORDS or programs.canonical(name) in programs.names()
    return known or (name == name.lower() and verb_of(name) is None)


_KEYWORDS = frozenset("for while until if case set export cd".split())


def _unquote(text: str) -> str:
    """Return what stands behind a key without what closes it: a bracket or tag that the text did
    not open, and quotes around it all.
    """
    text = text.partition("</")[0].rstrip(",; ")
    while text[-1:] in _CLOSING and text.count(text[-1]) > text.count(_CLOSING[text[-1]]):
        text = text[:-1].rstrip(",; ")
    quoted = text[:1] in ("'", '"') and text[-1:] == text[:1] and len(text) > 1
    return text[1:-1] if quoted else text.strip("\"' ") if text.count("'") == 1 else text


_CLOSING = {")": "(", "}": "{", "]": "["}


def _word(text: str) -> str:
    """Return a quoted word as one of the shell's; one with blanks may be several (``arg line``)."""
    plain = text.replace(" ", "").isprintable() and not any(mark in text for mark in "|;&<>$`'")
    return text if plain else "'" + text.replace("'", "'\\''") + "'"


def find_quoted(line: str) -> list[str]:
    """Return what stands in quotes, in order."""
    found: list[str] = []
    at = 0
    while at < len(line):
        mark = line[at]
        end = line.find(mark, at + 1) if mark in "\"'`" else -1
        while end > 0 and line[end - 1] == "\\" and mark == '"':
            end = line.find(mark, end + 1)
        if end > at:
            found.append(line[at + 1 : end].replace('\\"', '"'))
            at = end
        at += 1
    return found


def begins_command(text: str) -> bool:
    """Whether a text begins with a program that may do more than build and test."""
    if HOLE in text or " " not in text:
        return False
    first = text.split(None, 1)[0].rpartition("/")[2]
    return programs.names().get(programs.canonical(first)) in _STARTING
