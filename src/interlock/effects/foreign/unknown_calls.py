"""Calls in a text of code that no table of ours names, by what their own names say: functions that
delete files or folders, and strings that are commands.

Libraries name what they do: ``babashka.fs/delete-tree``, ``removeDir``, ``os.remove.all``,
``uiop:delete-directory-tree``. A name alone proves nothing, so every effect is a possible one.
"""

from __future__ import annotations

from interlock.effects.foreign.search import strings, word_at
from interlock.effects.programs import table as programs
from interlock.effects.run import Run
from interlock.effects.verb_words import parts
from interlock.model.effect import Deletes
from interlock.shell.value import Value

MAX_TEXT = 4096
MAX_FOUND = 256
MAX_NAMES = 256
BEHIND = 120
"""Characters behind a name in which what it is given is looked for."""
_LOSING = frozenset("delete remove rm rmdir rmtree unlink erase wipe del deltree".split())
_ALONE = frozenset("rm rmdir rmtree unlink deltree".split())
_FILES = frozenset(
    "file files dir dirs directory directories tree folder folders path paths recursive"
    " recursively rf all r".split()
)
_STARTS = frozenset(
    "run shell system exec execute spawn sh cmd popen command process qx eval call open".split()
)
"""Parts of the names of functions that start a program."""
_HOME = frozenset({"home", "homedir", "userhome"})
_RUNNABLE = frozenset({"files", "search", "wrappers", "privilege", "interpreters", "disks", "git"})


def read_names(run: Run, text: str, value: Value | None, *, followed: bool) -> None:
    """Add what the names in a short text of code say. ``followed``: what it starts is known."""
    if len(text) > MAX_TEXT:
        return
    literals = strings(text)
    calls = [
        (parts(name.replace("/", " ")), behind.partition("\n")[0][:BEHIND])
        for name, behind in _calls(text, [*literals, *_find_bracketed(text)])
    ]
    if not followed and any(starts_programs(name) for name, _ in calls):
        found = [*literals, *_find_bracketed(text)]
        for literal in run.context.limit(found, MAX_FOUND, "texts that may be commands"):
            _command(run, literal, value)
    told = run.context.past.deleted
    for name, behind in calls:
        if _loses(name, followed=followed):
            _delete(run, behind, value, told)


def starts_programs(name: list[str]) -> bool:
    """Whether the parts of a function's name say that it starts a program."""
    return not _STARTS.isdisjoint(name)


def _delete(run: Run, behind: str, value: Value | None, told: set[str]) -> None:
    """Add what a call that deletes is given: paths, or the home folder."""
    paths = [literal for literal in strings(behind) if _is_path(literal)]
    words = [word for name, _ in _calls(behind, []) for word in parts(name.replace("/", " "))]
    at_home = not _HOME.isdisjoint(words) and not paths
    for path in ["~"] if at_home else paths:
        if run.context.normal(run.context.at_home(path), run.cwd) not in told:
            run.possible(Deletes, word_at(run.context.at_home(path), value), "recursive")


def _loses(name: list[str], *, followed: bool) -> bool:
    found = _LOSING.intersection(name)
    plain = bool(name) and name[-1] in _ALONE and not followed
    return bool(found) and (not _FILES.isdisjoint(name) or plain)


def _calls(text: str, literals: list[str]) -> list[tuple[str, str]]:
    """Return the names of a text, outside of its strings, each with what stands behind it."""
    hidden = text
    for literal in literals:
        hidden = hidden.replace(literal, " " * len(literal)) if literal else hidden
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(hidden) and len(found) < MAX_NAMES:
        end = at
        while end < len(hidden) and (hidden[end].isalnum() or hidden[end] in "_.:/-!?"):
            end += 1
        found += [(hidden[at:end], text[end:])] if end > at else []
        at = max(end, at + 1)
    return found


def _find_bracketed(text: str) -> list[str]:
    """Return the words between angle brackets, as Raku quotes a list: ``run <rm -rf x>``."""
    pieces = [piece.partition(">")[0] for piece in text.split("<")[1:]]
    return [piece for piece in pieces if " " in piece and "=" not in piece]


def _is_path(literal: str) -> bool:
    return literal[:1] in ("/", "~") and " " not in literal and "://" not in literal


def _command(run: Run, literal: str, value: Value | None) -> None:
    """Read a string as the command that it looks like."""
    words = literal.split()
    if len(words) < len(("rm", "x")) or "\n\n" in literal:
        return
    if programs.names().get(words[0].rpartition("/")[2]) not in _RUNNABLE or words[1][:1] == "=":
        return
    run.context.possibly(lambda: run.code(word_at(literal, value)))
