"""A program as a row of data: which options take a value, what each value and operand means.

Roles are words: ``reads writes appends deletes makes moves mode upload data url host program code script``. A role may
name the language of code: ``code:python``. Operands may end with ``command``: the words from there on are one.
``operands`` lists the roles of the operands in order; a trailing ``*`` repeats, and roles after a repeated
one are taken from the end (``reads* writes``: the last is written, all before are read).
A role of an option that begins with ``?`` is of a value that may be missing: it is taken only where it is joined to the
option (``-l5``, ``--lines=5``), never from the next word (``xargs -l rm``; POSIX 12.1, ``-f[option-argument]``).
"""

from __future__ import annotations

from interlock.model.record import Record
from interlock.shell.value import HOLE, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.effects.run import Run
    from interlock.shell.value import Flow

    Reader = Callable[[Run], Flow | None]


class Row(Record):
    """One program.

    ``operands``: roles in order. ``options``: ``"-o:writes -n:data"``, options that take a value, with its role.
    ``flags``: ``"-r:recursive -f:force"``, options that give the effects a trait.
    ``effects``: kinds (and traits) the program has whatever its operands: ``"listens"``, ``"installs:global"``.
    ``read``: code for what rows cannot say; it replaces the roles, but for options that change a file.
    ``clustered``: whether ``-abc`` is ``-a -b -c``. ``prints``: labels of what it prints.
    ``abbreviates``: whether ``--recur`` is ``--recursive``: only where all long options that begin like those of the row are in the row.
    """

    operands: str = "data*"
    options: str = ""
    flags: str = ""
    effects: str = ""
    read: Reader | None = None
    clustered: bool = True
    prints: str = ""
    abbreviates: bool = False


class Parsed:
    """The arguments of a command told apart: operands, options with their values, and traits from flags.

    ``unsure``: an option that the row does not know stands before the command that the operands are, so that a word may be its value.
    """

    __slots__ = ("flags", "operands", "options", "traits", "unsure")

    def __init__(self) -> None:
        self.operands: list[Value] = []
        self.options: list[tuple[str, Value]] = []
        self.flags: set[str] = set()
        self.traits: set[str] = set()
        self.unsure = False

    def has(self, *names: str) -> bool:
        """Whether one of these flags or options was given."""
        return not self.flags.isdisjoint(names) or any(name in names for name, _ in self.options)

    def value(self, *names: str) -> Value | None:
        """Return the last value of one of these options."""
        for name, value in reversed(self.options):
            if name in names:
                return value
        return None

    def values(self, *names: str) -> list[Value]:
        """Return all values of these options."""
        return [value for name, value in self.options if name in names]


_tables: dict[str, dict[str, str]] = {}


def table(text: str) -> dict[str, str]:
    """Return ``{"-o": "writes"}`` of ``"-o:writes"``; built once for each text."""
    found = _tables.get(text)
    if found is None:
        pairs = [word.partition(":") for word in text.split()]
        found = _tables[text] = {name: role for name, _, role in pairs}
    return found


def parse(row: Row, arguments: list[Value]) -> Parsed:
    """Tell options from operands (POSIX 12.2 and GNU long options); stops at the first operand where the last role is ``command``."""
    parsed = Parsed()
    valued = table(row.options)
    flags = table(row.flags)
    stops = row.operands.startswith("command") or row.operands.endswith(" command") or row.operands == "subcommand"
    leading = 0 if row.operands.startswith("command") or row.operands == "subcommand" else row.operands.count(" ")
    at = 0
    while at < len(arguments):
        value = arguments[at]
        text = value.text
        at += 1
        if text[:1] != "-" or text == "-":
            if text[:1] == "+" and text[1:2].isalpha() and "+" in flags:
                parsed.flags.add(text)
                at += text in valued
                continue
            parsed.operands.append(value)
            if stops and len(parsed.operands) > leading:
                parsed.unsure = any(_unknown(row, word.text) for word in arguments[: at - 1])
                parsed.operands.extend(arguments[at:])
                break
            continue
        if text == "--":
            parsed.operands.extend(arguments[at:])
            break
        at = _option(row, value, arguments, at, parsed)
    return parsed


def _full(row: Row, name: str) -> str:
    """Return the long option that an abbreviation stands for, where the program takes abbreviations (GNU ``getopt_long``)."""
    if not row.abbreviates or name in table(row.options) or name in table(row.flags) or len(name) < 4:
        return name
    return next((known for known in (*table(row.options), *table(row.flags)) if known.startswith(name)), name)


def _option(row: Row, value: Value, arguments: list[Value], at: int, parsed: Parsed) -> int:
    """Take one option word, and its value if that is the next word; return where to go on."""
    valued = table(row.options)
    text = value.text
    if text[:2] == "--" or not row.clustered:
        name, equals, rest = text.partition("=")
        name = _full(row, name)
        if equals:
            _flag(row, name, parsed)
            parsed.options.append((name, Value(rest, value.start, value.end, value.why, value.pattern)))
        elif _next(valued, name) and at < len(arguments):
            _flag(row, name, parsed)
            parsed.options.append((name, arguments[at]))
            return at + 1
        else:
            _flag(row, name, parsed)
        return at
    return _cluster(row, value, arguments, at, parsed)


def _cluster(row: Row, value: Value, arguments: list[Value], at: int, parsed: Parsed) -> int:
    """``-abc``, ``-ofile``, ``-o file``."""
    valued = table(row.options)
    text = value.text
    if len(text) > 2 and _next(valued, text) and at < len(arguments):
        parsed.options.append((text, arguments[at]))
        return at + 1
    for index in range(1, len(text)):
        name = "-" + text[index]
        if text[index] == HOLE:
            parsed.traits.add("unknown-option")
            return at
        if name in valued:
            _flag(row, name, parsed)
            if index + 1 < len(text):
                parsed.options.append((name, Value(text[index + 1 :], value.start, value.end, value.why, value.pattern)))
            elif _next(valued, name) and at < len(arguments):
                parsed.options.append((name, arguments[at]))
                return at + 1
            return at
        _flag(row, name, parsed)
    return at


def _unknown(row: Row, text: str) -> bool:
    """Whether a word is an option that the row says nothing of."""
    name = text if text[:2] == "--" or not row.clustered else "-" + text[-1:]
    return text[:1] == "-" and text not in ("-", "--") and "=" not in text and name not in table(row.options) and name not in table(row.flags)


def _next(valued: dict[str, str], name: str) -> bool:
    """Whether an option takes the next word for its value."""
    return name in valued and valued[name][:1] != "?"


def _flag(row: Row, name: str, parsed: Parsed) -> None:
    parsed.flags.add(name)
    trait = table(row.flags).get(name)
    if trait:
        parsed.traits.add(trait)


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
