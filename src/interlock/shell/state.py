"""The state of one shell while a script is followed: variables, functions, folder."""

from __future__ import annotations

from collections.abc import Callable

from interlock.shell.tree import Compound
from interlock.shell.value import (
    ARGUMENT,
    BRANCH,
    ENVIRONMENT,
    HOLE,
    MAX_CHOICES,
    MAX_DIGITS,
    MAX_TEXT,
    NAME,
    NUMBER,
    OWN_PROCESS,
    UNSET,
    Choice,
    Flow,
    Value,
    whole,
)

Known = tuple[dict[str, Value], dict[str, list[Value]], list[Value] | None, str | None]
"""Variables, arrays and arguments."""
Trap = tuple[Value, int]
"""The text that a trap runs, and the number of the text it stands in."""

EVERYTHING = "*"
"""Among the names of what is exported: all variables are (``set -a``)."""
MAX_ELEMENTS = 4096
"""The highest subscript of an array that is followed."""

BLANKS = " \t\n"
"""``IFS`` as a shell starts with it."""
_NUMBERS = frozenset(
    {
        "?",
        "#",
        "PPID",
        "RANDOM",
        "SRANDOM",
        "SECONDS",
        "LINENO",
        "EPOCHSECONDS",
        "UID",
        "EUID",
        "COLUMNS",
        "LINES",
        "SHLVL",
    }
)
_FIXED = {"IFS": BLANKS, "BASH": "/bin/bash", "SHELL": "/bin/bash", "-": "hB", "OPTIND": "1"}


class ShellState:
    """What a shell knows at one point of a script.

    ``cwd`` is an absolute path, or None where nobody knows; ``doubt`` is where the shell still is
    if the last ``cd`` failed; ``old_cwd`` and ``old_doubt`` are what they were before it.
    ``arguments`` are ``$1``..., or None where unknown.
    ``subscripts`` tells of the arrays whose elements have names (``declare -A``) which element is
    which.
    ``stack``: the folders of ``pushd`` below this one. ``frame``: what the local variables of the
    function that runs now were outside of it.
    ``references``: variables that stand for another one (``declare -n``), or will, once it is
    named. ``integers``: those whose values are expressions (``declare -i``). ``readonly``: those
    that keep what they hold. ``strict``: a command that fails ends the shell (``set -e``).
    ``environment`` answers for variables the script never set: text, or None. ``name`` is ``$0``,
    ``traps`` what runs when this shell ends, ``descriptors`` what can be read from the file
    descriptors that ``exec`` opened.
    """

    __slots__ = (
        "aliases",
        "arguments",
        "arrays",
        "cwd",
        "descriptors",
        "doubt",
        "environment",
        "exported",
        "frame",
        "functions",
        "home",
        "integers",
        "name",
        "old_cwd",
        "old_doubt",
        "readonly",
        "references",
        "stack",
        "strict",
        "subscripts",
        "traps",
        "unsure",
        "variables",
    )

    def __init__(
        self, cwd: str | None, home: str, environment: Callable[[str], str | None]
    ) -> None:
        self.cwd = cwd
        self.old_cwd: str | None = None
        self.old_doubt: str | None = None
        self.stack: tuple[str | None, ...] = ()
        self.doubt: str | None = None
        self.home = home
        self.environment = environment
        self.variables: dict[str, Value] = {}
        self.arrays: dict[str, list[Value]] = {}
        self.functions: dict[str, Compound] = {}
        self.unsure: frozenset[str] = frozenset()
        """Functions that may not be defined: their names may be those of programs as well."""
        self.references: dict[str, str] = {}
        self.subscripts: dict[str, dict[str, int]] = {}
        self.integers: frozenset[str] = frozenset()
        self.readonly: frozenset[str] = frozenset()
        self.strict = False
        self.frame: dict[str, tuple[Value | None, list[Value] | None]] | None = None
        self.aliases: dict[str, str] = {}
        self.exported: set[str] = set()
        self.arguments: list[Value] | None = None
        self.name = Value("bash")
        self.traps: dict[str, Trap] = {}
        self.descriptors: dict[str, Flow] = {}

    def copy(self) -> ShellState:
        """Return this state as one of several that a script may be in."""
        other = ShellState(self.cwd, self.home, self.environment)
        other.old_cwd = self.old_cwd
        other.old_doubt = self.old_doubt
        other.stack = self.stack
        other.doubt = self.doubt
        other.variables = dict(self.variables)
        other.arrays = dict(self.arrays)
        other.subscripts = self.subscripts
        other.references = self.references
        other.integers = self.integers
        other.readonly = self.readonly
        other.strict = self.strict
        other.frame = dict(self.frame) if self.frame is not None else None
        other.functions = dict(self.functions)
        other.unsure = self.unsure
        other.aliases = dict(self.aliases)
        other.exported = set(self.exported)
        other.arguments = self.arguments
        other.name = self.name
        other.traps = dict(self.traps)
        other.descriptors = dict(self.descriptors)
        return other

    def subshell(self) -> ShellState:
        """Return the state a subshell starts with: all but the traps, which it does not inherit
        (bash manual 3.7.3).
        """
        other = self.copy()
        other.traps = {}
        return other

    def child(self) -> ShellState:
        """Return the state a new shell process starts with: only what was exported."""
        other = ShellState(self.cwd, self.home, self.environment)
        everything = EVERYTHING in self.exported
        other.variables = {
            name: value
            for name, value in self.variables.items()
            if everything or name in self.exported
        }
        other.functions = {
            name: function for name, function in self.functions.items() if name in self.exported
        }
        other.unsure = self.unsure
        other.exported = set(self.exported)
        other.arguments = [] if self.arguments is not None else None
        other.descriptors = dict(self.descriptors)
        return other

    def adopt(self, other: ShellState) -> None:
        """Take over another state as it is."""
        for name in ShellState.__slots__:
            setattr(self, name, getattr(other, name))

    def merge(self, others: list[ShellState]) -> None:
        """Become what is common to several states that may each be the true one."""
        first = others[0]
        names = set().union(*[other.variables for other in others])
        merged: dict[str, Value] = {}
        for name in names:
            merged[name] = _either([other.variables.get(name) for other in others])
        for name in set().union(*[other.arrays for other in others]):
            lists = [other.arrays.get(name) for other in others]
            if any(
                items is not lists[0]
                and (items is None or lists[0] is None or _texts(items) != _texts(lists[0]))
                for items in lists
            ):
                first.arrays.pop(name, None)
                merged[name] = Value(HOLE, why=BRANCH)
        cwd = first.cwd if all(other.cwd == first.cwd for other in others) else None
        traps = {**self.traps, **first.traps}
        everywhere = frozenset(first.functions).intersection(*[other.functions for other in others])
        first.unsure = first.unsure.union(
            *[(frozenset(other.functions) - everywhere) | other.unsure for other in others]
        )
        for other in others[1:]:
            for function in other.functions.values():
                first.define(function, maybe=True)
            if other.arguments is not first.arguments:
                first.arguments = None
            first.aliases.update(other.aliases)
            first.exported |= other.exported
            first.strict &= other.strict
            first.readonly |= other.readonly
            first.integers |= other.integers
            if first.stack != other.stack:
                first.stack = (None,) * max(len(first.stack), len(other.stack))
            if first.frame is not None and other.frame is not None:
                first.frame = {**other.frame, **first.frame}
            first.descriptors.update(other.descriptors)
            traps = {**traps, **other.traps}
        first.traps = traps
        self.adopt(first)
        self.variables = merged
        self.cwd = cwd

    def hear(self, other: ShellState) -> None:
        """Know what a branch that ``break`` or ``return`` leaves may have set: it counts behind the
        loop or function. The folder here stays.
        """
        here = self.cwd, self.doubt
        self.merge([self.copy(), other.copy()])
        self.cwd, self.doubt = here

    def known(self) -> Known:
        """Return what is known before a command that may not run, for ``doubt_changes``."""
        return dict(self.variables), self.arrays.copy(), self.arguments, self.cwd

    def doubt_changes(self, before: Known) -> None:
        """After a command that may not have run: what it changed may be as it was before."""
        variables, arrays, arguments, cwd = before
        if self.doubt is None and self.cwd != cwd:
            self.doubt = cwd  # make && cd build: who goes on may still be here
        for name, value in variables.items():
            if self.variables.get(name) is not value:
                self.variables[name] = (
                    _either([value, self.variables.get(name)])
                    if name not in self.arrays
                    else Value(HOLE, why=BRANCH)
                )
                self.arrays.pop(name, None)
        for name, items in arrays.items():
            if self.arrays.get(name) is not items:
                self.arrays.pop(name, None)
                self.variables[name] = Value(HOLE, why=BRANCH)
        if self.arguments is not arguments and arguments:
            self.arguments = None

    def define(self, function: Compound, *, maybe: bool) -> None:
        """Define a function; ``maybe``: it may also be what it was before, so that it does both."""
        before = self.functions.get(function.name) if maybe else None
        self.unsure = (
            self.unsure | {function.name}
            if maybe and before is None
            else self.unsure
            if maybe
            else self.unsure - {function.name}
        )
        if before is not None and before is not function:
            more = [body for body in function.bodies if body not in before.bodies]
            function = Compound(
                function.start,
                function.end,
                "function",
                (*before.bodies, *more),
                (),
                function.name,
            )
        self.functions[function.name] = function

    def assign(self, name: str, value: Value, *, append: bool = False) -> None:
        """Set a variable, or add to its end."""
        if self.references.get(name) == "":
            self.refer(name, value)
            return
        name = self.references.get(name, name)
        if append:
            value = _append(self.lookup(name), value, ours=name in self.variables)
        if name in self.readonly:  # bash says so, and goes on with the next line
            value = _either([self.lookup(name), value])
        self.variables[name] = (
            value if len(value.text) <= MAX_TEXT else Value(HOLE, value.start, value.end, ARGUMENT)
        )
        self.arrays.pop(name, None)

    def refer(self, name: str, target: Value) -> None:
        """Make a variable another name for one (``declare -n``); for one that is a name of another
        itself it may hold anything.
        """
        if not target.text or (
            target.text.isidentifier()
            and self.references.get(target.text) is None
            and target.text != name
        ):
            self.variables.pop(name, None)
            self.references = {**self.references, name: target.text}
        else:
            self.references = {
                other: aim for other, aim in self.references.items() if other != name
            }
            self.assign(name, Value(HOLE, target.start, target.end, BRANCH))

    def enter(self, name: str) -> None:
        """Make a variable local to the function that runs now, if one does."""
        if self.frame is not None and name not in self.frame:
            self.frame[name] = (self.variables.get(name), self.arrays.get(name))

    def leave(self, outer: dict[str, tuple[Value | None, list[Value] | None]] | None) -> None:
        """End a function: its local variables are again what they were outside."""
        for name, (value, items) in (self.frame or {}).items():
            self.variables.pop(name, None)
            self.arrays.pop(name, None)
            if value is not None:
                self.variables[name] = value
            if items is not None:
                self.arrays[name] = items
        self.frame = outer

    def put(self, name: str, index: int | None, value: Value) -> None:
        """Set one element of an array; of which nobody knows the place, or which is far away, the
        whole array is unknown.
        """
        before = self.variables.pop(name, None)
        items = list(self.arrays.get(name, [] if before is None else [before]))
        if index is not None and index < 0:
            index += len(items)
        if index is None or not 0 <= index <= MAX_ELEMENTS:
            self.arrays.pop(name, None)
            self.variables[name] = Value(HOLE, value.start, value.end, value.why or NUMBER)
            return
        items.extend([UNSET] * (index + 1 - len(items)))
        items[index] = value
        self.arrays[name] = items

    def call(self, words: str, value: Value) -> None:
        """Set what a builtin names so: a variable, or an element of an array (``a[1]``)."""
        name, bracket, subscript = words.partition("[")
        if not bracket:
            self.assign(name, value)
        elif name in self.subscripts:
            self.put(
                name, self.position(name, Value(subscript[:-1]), lambda _: None, new=True), value
            )
        else:
            self.put(name, whole(subscript[:-1]), value)

    def forget(self, name: str) -> None:
        """Unset a variable."""
        self.variables[name] = UNSET
        self.arrays.pop(name, None)

    def lookup(self, name: str) -> Value | None:
        """Return a variable's value; None where it is known to be unset (a positional argument that
        is not there).
        """
        if name in self.variables:
            value = self.variables[name]
            return None if value is UNSET else value
        if name in self.arrays:
            items = self.arrays[name]
            return items[0] if items else Value("")
        return self._special(name)

    def position(
        self, name: str, subscript: Value, reckon: Callable[[str], int | None], *, new: bool = False
    ) -> int | None:
        """Return which element of an array a subscript means; None where nobody knows, or there is
        none. ``new``: it is about to be set.
        """
        names = self.subscripts.get(name)
        if not subscript.known:
            return None
        if names is None:
            return reckon(subscript.text)
        if new and subscript.text not in names:
            self.subscripts = {**self.subscripts, name: {**names, subscript.text: len(names)}}
            return len(names)
        return names.get(subscript.text)

    def _special(self, name: str) -> Value | None:
        if self.references.get(name, name) != name:
            return self.lookup(self.references[name])
        if name == "HOME":
            return Value(self.home) if self.home else Value(HOLE, why=ENVIRONMENT)
        if name == "PWD":
            return Value(self.cwd) if self.cwd is not None else Value(HOLE, why=ENVIRONMENT)
        if name == "OLDPWD" and self.old_cwd is not None:
            either = self.old_doubt is not None and self.old_doubt != self.old_cwd
            return (
                Choice((self.old_cwd, self.old_doubt or ""), why=BRANCH)
                if either
                else Value(self.old_cwd)
            )
        if name in ("!", "$", "BASHPID"):
            return Value(HOLE if name == "!" else NAME, why=OWN_PROCESS)
        if name == "#" and self.arguments is not None:
            return Value(str(len(self.arguments)))
        if name in _NUMBERS:
            return Value(NAME, why=NUMBER)
        if name in ("0", "BASH_SOURCE"):
            return self.name
        if name.isdecimal() and name.isascii() and len(name) <= MAX_DIGITS:
            return self._argument(int(name))
        if name in _FIXED:
            return Value(_FIXED[name])
        text = self.environment(name)
        return Value(HOLE, why=ENVIRONMENT) if text is None else Value(text)

    def _argument(self, number: int) -> Value | None:
        if self.arguments is None:
            return Value(HOLE, why=ARGUMENT)
        return self.arguments[number - 1] if number <= len(self.arguments) else None


def _append(before: Value | None, value: Value, *, ours: bool) -> Value:
    """Return what ``name+=value`` makes of a variable; one that the script never set may hold
    anything, but most likely is not set.
    """
    if before is None:
        return value
    texts = (
        before.texts
        if type(before) is Choice
        else (HOLE, "")
        if before.text == HOLE and not ours
        else ()
    )
    if texts and len(value.text) <= MAX_TEXT:
        return Choice(
            tuple([(text + value.text)[-MAX_TEXT:] for text in texts]),
            value.start,
            value.end,
            before.why,
        )
    return Value(before.text + value.text, value.start, value.end, value.why or before.why)


def _texts(items: list[Value]) -> list[str]:
    return [item.text for item in items]


def _either(values: list[Value | None]) -> Value:
    """Return what a variable is that states know differently: one of few texts, or anything."""
    one = values[0]
    if one is not None and all(
        value is not None and value.text == one.text and type(value) is Value for value in values
    ):
        return one
    texts: list[str] = []
    for value in values:
        if type(value) is Choice:
            texts.extend(value.texts)
        else:
            texts.append(HOLE if value is None else value.text)
    found = tuple(dict.fromkeys(texts))
    return Choice(found, why=BRANCH) if 1 < len(found) <= MAX_CHOICES else Value(HOLE, why=BRANCH)
