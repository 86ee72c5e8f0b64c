"""A program as a row of data: which options take a value, what each value and operand means.

Roles are words: ``reads writes appends deletes makes moves mode upload data url host program code
script``. A role may name the language of code: ``code:python``. Operands may end with ``command``:
the words from there on are one. ``operands`` lists the roles of the operands in order; a trailing
``*`` repeats, and roles after a repeated one are taken from the end (``reads* writes``: the last is
written, all before are read). A role of an option that begins with ``?`` is of a value that may be
missing: it is taken only where it is joined to the option (``-l5``, ``--lines=5``), never from the
next word (``xargs -l rm``; POSIX 12.1, ``-f[option-argument]``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from interlock.model.effect import ChangesMode, Deletes, Kind, Reads, Writes
from interlock.model.record import Record
from interlock.shell.value import Flow

Reader = Callable[[Any], Flow | None]
"""Code that reads a program: it takes the ``Run``, which knows rows and cannot be named here."""


class Readers(Protocol):
    """The code of programs and of languages, by name (``interlock.effects.registry``)."""

    def function(self, name: str) -> Any:
        """Return a function of a module of programs; raises ``AttributeError``."""

    def code(self, language: str) -> Any:
        """Return the function that reads code of a language."""

    def call_text(self, shell: str) -> Any:
        """Return the function that reads the text of a whole call, for a shell of Windows."""


class ProgramRow(Record):
    """One program.

    ``operands``: roles in order. ``options``: ``"-o:writes -n:data"``, options that take a value,
    with its role.
    ``flags``: ``"-r:recursive -f:force"``, options that give the effects a trait.
    ``effects``: kinds (and traits) the program has whatever its operands: ``"listens"``,
    ``"installs:global"``.
    ``read``: code for what rows cannot say; it replaces the roles, but for options that change a
    file.
    ``calls``: ``"system:code"``, functions of a language in which its words are, each with the role
    of the text that it is given.
    ``clustered``: whether ``-abc`` is ``-a -b -c``. ``prints``: labels of what it prints.
    """

    operands: str = "data*"
    options: str = ""
    flags: str = ""
    effects: str = ""
    read: Reader | None = None
    clustered: bool = True
    prints: str = ""
    calls: str = ""


_tables: dict[str, dict[str, str]] = {}


def table(text: str) -> dict[str, str]:
    """Return ``{"-o": "writes"}`` of ``"-o:writes"``; built once for each text."""
    found = _tables.get(text)
    if found is None:
        pairs = [word.partition(":") for word in text.split()]
        found = _tables[text] = {name: role for name, _, role in pairs}
    return found


def roles(spec: str, count: int) -> list[str]:
    """Return the role of each of ``count`` operands."""
    names = spec.split()
    star = next((index for index, name in enumerate(names) if name.endswith("*")), None)
    if star is None:
        return (names + [names[-1] if names else "data"] * count)[:count]
    head, repeated, tail = names[:star], names[star][:-1], names[star + 1 :]
    if count < len(head) + len(tail):
        return (head + tail)[:count] if count else []
    return head + [repeated] * (count - len(head) - len(tail)) + tail


PATH_ROLES: dict[str, tuple[Kind, tuple[str, ...]]] = {
    "reads": (Reads, ()),
    "writes": (Writes, ()),
    "appends": (Writes, ("append",)),
    "makes": (Writes, ("create",)),
    "touches": (Writes, ("create", "touched")),
    "deletes": (Deletes, ()),
    "moves": (Deletes, ("moved",)),
    "mode": (ChangesMode, ()),
    "upload": (Reads, ("sent",)),
}
"""Roles of words that name paths: the kind of effect, and its traits."""
_of_paths: dict[str, dict[str, str]] = {}


def path_roles(options: str) -> dict[str, str]:
    """Return what of a row's options is about a path; looked up once for each text."""
    found = _of_paths.get(options)
    if found is None:
        roles = {name: role.lstrip("?") for name, role in table(options).items()}
        found = {name: role for name, role in roles.items() if role in PATH_ROLES}
        _of_paths[options] = found
    return found
