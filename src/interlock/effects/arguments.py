"""The words of a command told apart: its row says what options do, its table (``data/options.py``) which there are and how they are written."""

from __future__ import annotations

from interlock.data import options
from interlock.data.options import FLAG, JOINED, MANY, MAYBE, ONE
from interlock.effects.rows import table
from interlock.shell.value import HOLE, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.data.options import Node, Option
    from interlock.effects.rows import Row

_NUMBER = "-NUM"
"""How a table writes the option ``-5``."""


class Parsed:
    """The arguments of a command told apart: operands, options with their values, and traits from flags.

    ``unsure``: an option that nobody listed stands before the command that the operands are, so that a word may be its value.
    ``unknown``: options that nobody listed, as they are written; ``whole``: whether all options of the program are listed.
    ``same``: for an option that was given, all its spellings.
    """

    __slots__ = ("flags", "operands", "options", "same", "traits", "unknown", "unsure", "whole")

    def __init__(self) -> None:
        self.operands: list[Value] = []
        self.options: list[tuple[str, Value]] = []
        self.flags: set[str] = set()
        self.traits: set[str] = set()
        self.same: dict[str, tuple[str, ...]] = {}
        self.unknown: list[str] = []
        self.unsure = self.whole = False

    def has(self, *names: str) -> bool:
        """Whether one of these flags or options was given, in whatever spelling."""
        return any(self._means(name, names) for name in self.flags) or any(self._means(name, names) for name, _ in self.options)

    def _means(self, given: str, names: tuple[str, ...]) -> bool:
        """Whether an option is one of these. A letter means what its long form says: ``-g`` is not ``--global`` where it is ``--group``."""
        spellings = self.same.get(given)
        if spellings is None:
            return given in names
        meant = [one for one in spellings if one in names]
        rivals = {name[2:3] for name in names if name[:2] == "--" and name not in spellings}
        return any(one[:2] == "--" or one[1:2].lower() not in rivals for one in meant)

    def value(self, *names: str) -> Value | None:
        """Return the last value of one of these options."""
        return next((value for name, value in reversed(self.options) if self._is(name, names)), None)

    def values(self, *names: str) -> list[Value]:
        """Return all values of these options."""
        return [value for name, value in self.options if self._is(name, names)]

    def _is(self, name: str, names: tuple[str, ...]) -> bool:
        return name in names or any(one in names for one in self.same.get(name, ()))


def parse(row: Row, arguments: list[Value], name: str = "", platform: str = "linux") -> Parsed:
    """Tell options from operands (POSIX 12.2 and GNU long options); stops at the first operand where the last role is ``command``.

    ``name``: the program's, with its subcommand where the row is of that (``git commit``), so that its table of options counts beside the row.
    """
    parser = _Parser(row, arguments, _Known(row, name, platform))
    parser.run()
    return parser.parsed


class _Known:
    """The options of one command: what the row says of one comes before what the table says."""

    def __init__(self, row: Row, name: str, platform: str) -> None:
        self.valued, self.flags = table(row.options), table(row.flags)
        program, _, below = name.partition(" ")
        found = options.find(program, platform)
        self.joins = row.clustered and (found is None or found.joins)
        self.abbreviates = found is not None and found.abbreviates
        self.listed = found is not None
        self.nodes: list[Node] = [found.top] if found is not None else []
        other = options.find(program) if platform == "darwin" else None
        self.elsewhere = other.top.options if other is not None else {}
        """What the same program takes on Linux: on a Mac GNU's may be installed beside the system's own."""
        for word in below.split():
            self.enter(word)

    @property
    def whole(self) -> bool:
        """Whether the table lists every option."""
        return self.listed and all(node.whole for node in self.nodes)

    def enter(self, word: str) -> None:
        """Go on in a subcommand, where the word names one."""
        below = self.nodes[-1].commands.get(word) if self.nodes else None
        if below is not None:
            self.nodes.append(below)

    def option(self, name: str) -> Option | None:
        """Return what the table says of an option."""
        name = _NUMBER if name[1:].isdecimal() else name
        return next((found for node in reversed(self.nodes) if (found := node.options.get(name)) is not None), self.elsewhere.get(name))

    def own(self, name: str) -> str:
        """Return the spelling under which the row says what an option does, where it does, else the one given."""
        found = self.option(name)
        if found is None or self._means(name):
            return name
        return next((one for one in found.spellings if self._means(one)), name)

    def _means(self, name: str) -> bool:
        """Whether the row says more of an option than that it takes a value, which the table knows better."""
        return self.valued.get(name, "data").lstrip("?") != "data" or self.flags.get(name, "") != ""

    def takes(self, name: str) -> str | None:
        """Return what may follow an option (``options.FLAG`` and so on); None where nobody listed it."""
        own, found = self.own(name), self.option(name)
        if found is not None and not self._means(own) and self._is_settled(found):
            return found.takes
        if own in self.valued:
            return JOINED if self.valued[own][:1] == "?" else ONE
        return FLAG if own in self.flags or name.startswith("+") else found.takes if found is not None else None

    def _is_settled(self, option: Option) -> bool:
        """Whether the table speaks of this very subcommand: ``-v`` of docker is not ``-v`` of ``docker run``."""
        last = self.nodes[-1]
        return last.options.get(option.spellings[0]) is option and (len(self.nodes) > 1 or not last.commands)

    def full(self, name: str) -> str:
        """Return the long option that an abbreviation stands for, where the program takes abbreviations (GNU getopt_long)."""
        if not self.abbreviates or self.takes(name) is not None:
            return name
        return next((known for known in self._long() if known.startswith(name)), name)

    def _long(self) -> Iterator[str]:
        """Yield the long options, those first that the row speaks of: where an abbreviation fits several, the program refuses it."""
        yield from self.valued
        yield from self.flags
        for node in reversed(self.nodes):
            yield from node.options


class _Parser:
    """Goes through the words once, from left to right."""

    def __init__(self, row: Row, arguments: list[Value], known: _Known) -> None:
        self.parsed = Parsed()
        self.arguments, self.at = arguments, 0
        self.known = known
        first = row.operands.startswith("command") or row.operands == "subcommand"
        self.stops = first or row.operands.endswith(" command")
        self.leading = 0 if first else row.operands.count(" ")
        self.loose = False
        """Whether an option that nobody listed may have taken the word behind it."""

    def run(self) -> None:
        """Read all words."""
        while self.at < len(self.arguments):
            value = self.arguments[self.at]
            self.at += 1
            if value.text == "--":
                self._rest()
            elif value.text[:1] == "-" and value.text != "-":
                self._option(value)
            elif value.text[:1] == "+" and value.text[1:2].isalpha() and "+" in self.known.flags:
                self.parsed.flags.add(value.text)
                self.at += value.text in self.known.valued
            else:
                self._operand(value)
        self.parsed.whole = self.known.whole

    def _rest(self) -> None:
        self.parsed.operands.extend(self.arguments[self.at :])
        self.at = len(self.arguments)

    def _operand(self, value: Value) -> None:
        self.parsed.operands.append(value)
        self.known.enter(value.text)
        if self.stops and len(self.parsed.operands) > self.leading:
            self.parsed.unsure = self.loose
            self._rest()

    def _option(self, value: Value) -> None:
        """Take one option word, and its value if that is the next word."""
        text, before = value.text, len(self.parsed.unknown)
        if text[:2] == "--" or not self.known.joins:
            name, equals, rest = text.partition("=")
            name = self.known.full(name)
            self._given(name, _part(value, rest) if equals else None)
        elif len(text) > 2 and self.known.takes(text) is not None:
            self._given(text, None)
        else:
            self._joined(value)
        if len(self.parsed.unknown) > before and "=" not in text and text.endswith(self.parsed.unknown[-1].strip("-")):
            self.loose = True

    def _joined(self, value: Value) -> None:
        """``-abc``, ``-ofile``, ``-o file``."""
        text = value.text
        for index in range(1, len(text)):
            if text[index] == HOLE:
                self.parsed.traits.add("unknown-option")
                return
            name = "-" + text[index]
            if self.known.takes(name):
                self._given(name, _part(value, text[index + 1 :]) if index + 1 < len(text) else None)
                return
            self._given(name, None)

    def _given(self, name: str, joined: Value | None) -> None:
        """Note an option with the value that is joined to it, or with what it takes of the words behind it."""
        takes, own = self.known.takes(name), self.known.own(name)
        self._noted(name, own, listed=takes is not None)
        if joined is not None:
            self.parsed.options.append((own, joined))
        elif takes in (ONE, MAYBE) and self.at < len(self.arguments) and (takes == ONE or self.arguments[self.at].text[:1] != "-"):
            self.parsed.options.append((own, self.arguments[self.at]))
            self.at += 1
        elif takes == MANY:
            self._many(own)

    def _many(self, name: str) -> None:
        while self.at < len(self.arguments) and self.arguments[self.at].text[:1] != "-":
            self.parsed.options.append((name, self.arguments[self.at]))
            self.at += 1

    def _noted(self, name: str, own: str, *, listed: bool) -> None:
        found = self.known.option(name)
        self.parsed.flags.update((name, own))
        if found is not None and len(found.spellings) > 1:
            self.parsed.same[own] = found.spellings
        if not listed:
            self.parsed.unknown.append(name)
        trait = self.known.flags.get(own)
        if trait:
            self.parsed.traits.add(trait)


def _part(value: Value, text: str) -> Value:
    """Return the rest of a word as a value that stands where the word does."""
    return Value(text, value.start, value.end, value.why, value.pattern)
