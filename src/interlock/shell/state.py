"""The state of one shell while a script is followed: variables, functions, folder."""

from __future__ import annotations

from interlock.shell.value import ARGUMENT, BRANCH, ENVIRONMENT, HOLE, MAX_TEXT, NUMBER, OWN_PROCESS, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.shell.tree import Compound
    from interlock.shell.value import Flow

    Trap = tuple[Value, int]
    """The text that a trap runs, and the number of the text it stands in."""

BLANKS = " \t\n"
"""``IFS`` as a shell starts with it."""
_NUMBERS = frozenset(
    {"?", "#", "$", "PPID", "RANDOM", "SRANDOM", "SECONDS", "LINENO", "EPOCHSECONDS", "UID", "EUID", "BASHPID", "COLUMNS", "LINES", "SHLVL"}
)
_FIXED = {"IFS": BLANKS, "BASH": "/bin/bash", "SHELL": "/bin/bash", "-": "hB", "OPTIND": "1"}


class State:
    """What a shell knows at one point of a script.

    ``cwd`` is an absolute path,
    or None where nobody knows; ``doubt`` is where the shell still is if the last ``cd`` failed. ``arguments`` are ``$1``..., or None where unknown.
    ``environment`` answers for variables the script never set: text, or None. ``name`` is ``$0``, ``traps`` what runs when this
    shell ends, ``descriptors`` what can be read from the file descriptors that ``exec`` opened.
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
        "functions",
        "home",
        "name",
        "old_cwd",
        "traps",
        "variables",
    )

    def __init__(self, cwd: str | None, home: str, environment: Callable[[str], str | None]) -> None:
        self.cwd = cwd
        self.old_cwd: str | None = None
        self.doubt: str | None = None
        self.home = home
        self.environment = environment
        self.variables: dict[str, Value] = {}
        self.arrays: dict[str, list[Value]] = {}
        self.functions: dict[str, Compound] = {}
        self.aliases: dict[str, str] = {}
        self.exported: set[str] = set()
        self.arguments: list[Value] | None = None
        self.name = Value("bash")
        self.traps: dict[str, Trap] = {}
        self.descriptors: dict[str, Flow] = {}

    def copy(self) -> State:
        """Return this state as one of several that a script may be in."""
        other = State(self.cwd, self.home, self.environment)
        other.old_cwd = self.old_cwd
        other.doubt = self.doubt
        other.variables = dict(self.variables)
        other.arrays = dict(self.arrays)
        other.functions = dict(self.functions)
        other.aliases = dict(self.aliases)
        other.exported = set(self.exported)
        other.arguments = self.arguments
        other.name = self.name
        other.traps = dict(self.traps)
        other.descriptors = dict(self.descriptors)
        return other

    def subshell(self) -> State:
        """Return the state a subshell starts with: all but the traps, which it does not inherit (bash manual 3.7.3)."""
        other = self.copy()
        other.traps = {}
        return other

    def child(self) -> State:
        """Return the state a new shell process starts with: only what was exported."""
        other = State(self.cwd, self.home, self.environment)
        other.variables = {name: value for name, value in self.variables.items() if name in self.exported}
        other.exported = set(self.exported)
        other.arguments = self.arguments
        other.descriptors = dict(self.descriptors)
        return other

    def adopt(self, other: State) -> None:
        """Take over another state as it is."""
        for name in State.__slots__:
            setattr(self, name, getattr(other, name))

    def merge(self, others: list[State]) -> None:
        """Become what is common to several states that may each be the true one."""
        first = others[0]
        names = set().union(*[other.variables for other in others])
        merged: dict[str, Value] = {}
        for name in names:
            values = [other.variables.get(name) for other in others]
            one = values[0]
            same = one is not None and all(value is not None and value.text == one.text for value in values)
            merged[name] = one if same and one is not None else Value(HOLE, why=BRANCH)
        cwd = first.cwd if all(other.cwd == first.cwd for other in others) else None
        traps = {**self.traps, **first.traps}
        for other in others[1:]:
            first.functions.update(other.functions)
            first.aliases.update(other.aliases)
            first.exported |= other.exported
            first.descriptors.update(other.descriptors)
            traps = {**traps, **other.traps}
        first.traps = traps
        self.adopt(first)
        self.variables = merged
        self.cwd = cwd

    def assign(self, name: str, value: Value, *, append: bool = False) -> None:
        """Set a variable, or add to its end."""
        if append:
            before = self.lookup(name)
            value = Value((before.text if before else "") + value.text, value.start, value.end, value.why or (before.why if before else ""))
        self.variables[name] = value if len(value.text) <= MAX_TEXT else Value(HOLE, value.start, value.end, ARGUMENT)
        self.arrays.pop(name, None)

    def forget(self, name: str) -> None:
        """Unset a variable."""
        self.variables[name] = Value("")
        self.arrays.pop(name, None)

    def lookup(self, name: str) -> Value | None:
        """Return a variable's value; None where it is known to be unset (a positional argument that is not there)."""
        if name in self.variables:
            return self.variables[name]
        if name in self.arrays:
            items = self.arrays[name]
            return items[0] if items else Value("")
        return self._special(name)

    def _special(self, name: str) -> Value | None:
        if name == "HOME":
            return Value(self.home) if self.home else Value(HOLE, why=ENVIRONMENT)
        if name == "PWD":
            return Value(self.cwd) if self.cwd is not None else Value(HOLE, why=ENVIRONMENT)
        if name == "OLDPWD" and self.old_cwd is not None:
            return Value(self.old_cwd)
        if name == "!":
            return Value(HOLE, why=OWN_PROCESS)
        if name == "#" and self.arguments is not None:
            return Value(str(len(self.arguments)))
        if name in _NUMBERS:
            return Value(HOLE, why=NUMBER)
        if name == "0":
            return self.name
        if name.isdigit():
            return self._argument(int(name))
        if name in _FIXED:
            return Value(_FIXED[name])
        text = self.environment(name)
        return Value(HOLE, why=ENVIRONMENT) if text is None else Value(text)

    def _argument(self, number: int) -> Value | None:
        if self.arguments is None:
            return Value(HOLE, why=ARGUMENT)
        return self.arguments[number - 1] if number <= len(self.arguments) else None
