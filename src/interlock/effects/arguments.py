"""The words of a command told apart: its row says what options do, its table (``data/options.py``)
which there are and how they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from interlock.data import options
from interlock.data.options import COMMAND, FLAG, JOINED, LAST, MANY, MAYBE, ONE, Option, OptionNode
from interlock.effects.rows import ProgramRow, table
from interlock.model.record import Record
from interlock.shell.value import HOLE, Value

_BEGINS = ("-", "+")
_FALSE = frozenset({"false", "no", "off", "0"})
"""Values by which a flag is not set, where it is one (most libraries of options read them so)."""
_NUMBER = "-NUM"
"""How a table writes the option ``-5``."""


class ParsedArguments:
    """The arguments of a command told apart: operands, options with their values, and traits from
    flags.

    ``unsure``: an option that nobody listed stands before the command that the operands are, so
    that a word may be its value.
    ``unknown``: options that nobody listed, as they are written. ``paths``: the options whose
    values are files or folders.
    ``same``: for an option that was given, all its spellings; ``spelled``: those of all options
    that were given.
    """

    __slots__ = (
        "flags",
        "operands",
        "options",
        "paths",
        "same",
        "spelled",
        "traits",
        "unknown",
        "unsure",
    )

    def __init__(self) -> None:
        self.operands: list[Value] = []
        self.options: list[tuple[str, Value]] = []
        self.paths: list[tuple[str, Value]] = []
        self.flags: set[str] = set()
        self.traits: set[str] = set()
        self.same: dict[str, tuple[str, ...]] = {}
        self.spelled: set[str] = set()
        self.unknown: list[str] = []
        self.unsure = False

    def has(self, *names: str) -> bool:
        """Whether one of these flags or options was given, in whatever spelling."""
        if self.spelled.isdisjoint(names) and self.flags.isdisjoint(names):
            return False
        return not self.same or any(self._means(name, names) for name in self.flags)

    def _means(self, given: str, names: tuple[str, ...]) -> bool:
        """Whether an option is one of these. A letter means what its long form says: ``-g`` is not
        ``--global`` where it is ``--group``.
        """
        spellings = self.same.get(given)
        if spellings is None:
            return given in names
        meant = [one for one in spellings if one in names]
        rivals = {name[2:3] for name in names if name[:2] == "--" and name not in spellings}
        return any(one[:2] == "--" or one[1:2].lower() not in rivals for one in meant)

    def value(self, *names: str) -> Value | None:
        """Return the last value of one of these options."""
        return next(
            (value for name, value in reversed(self.options) if self._is(name, names)), None
        )

    def values(self, *names: str) -> list[Value]:
        """Return all values of these options."""
        return [value for name, value in self.options if self._is(name, names)]

    def _is(self, name: str, names: tuple[str, ...]) -> bool:
        return name in names or any(one in names for one in self.same.get(name, ()))


def parse(
    row: ProgramRow, arguments: list[Value], name: str = "", platform: str = "linux"
) -> ParsedArguments:
    """Tell options from operands (POSIX 12.2 and GNU long options); stops at the first operand
    where the last role is ``command``.

    ``name``: the program's, with its subcommand where the row is of that (``git commit``), so that
    its table of options counts beside the row.
    """
    if not any(value.text[:1] in _BEGINS for value in arguments):
        parsed = ParsedArguments()
        parsed.operands = arguments[:]
        return parsed
    parser = _Parser(row, arguments, _Options(row, name, platform))
    parser.run()
    return parser.parsed


class KnownOption(Record):
    """What is known of one option: its spelling in the row, what may follow it, all its spellings,
    and the trait that it gives.

    ``takes``: ``options.FLAG`` and so on; None where nobody listed it. ``path``: whether its value
    is a file or a folder.
    """

    own: str
    takes: str | None
    spellings: tuple[str, ...]
    trait: str
    path: bool = False


_known: dict[tuple[object, ...], dict[str, KnownOption]] = {}
"""For each row with its table what was asked before."""


class _Options:
    """The options of one command: what the row says of one comes before what the table says."""

    def __init__(self, row: ProgramRow, name: str, platform: str) -> None:
        self.row = row
        self.valued, self.flags = table(row.options), table(row.flags)
        program, _, below = name.partition(" ")
        found = options.find(program, platform)
        self.joins = row.clustered and (found is None or found.joins)
        self.mixes = not self.joins and found is not None and found.joins
        """Whether the row says that nothing is joined, for words with one dash, and the table that
        letters are.
        """
        self.abbreviates = found is not None and found.abbreviates
        self.first, self.words = (found.first, found.words) if found is not None else (False, False)
        self.nodes: list[OptionNode] = [found.top] if found is not None else []
        other = options.find(program) if platform == "darwin" else None
        self.elsewhere = other.top.options if other is not None else {}
        """What the same program takes on Linux: on a Mac GNU's may be installed beside its own."""
        self._asked: dict[str, KnownOption] | None = None
        for word in below.split():
            self.enter(word)

    def enter(self, word: str) -> None:
        """Go on in a subcommand; of one that nobody listed the options are not known, whatever the
        program takes before it.
        """
        if self.nodes and self.nodes[-1].commands:
            below = self.nodes[-1].commands.get(word)
            self.nodes = [*self.nodes, below] if below is not None else []
            self._asked = None

    def find(self, name: str) -> KnownOption:
        """Return what is known of an option."""
        if self._asked is None:
            self._asked = _known.setdefault(
                (self.row.options, self.row.flags, *map(id, self.nodes)), {}
            )
        found = self._asked.get(name)
        if found is None:
            found = self._look_up(name)
            if self.nodes and found.takes is not None:
                self._asked[name] = found
        return found

    def _look_up(self, name: str) -> KnownOption:
        listed = self._listed(name) or (self._listed(_NUMBER) if name[1:].isdecimal() else None)
        spellings = listed.spellings if listed is not None else ()
        own = (
            name
            if self._means(name)
            else next((one for one in spellings if self._means(one)), name)
        )
        return KnownOption(
            own,
            self._takes(own, listed),
            spellings if len(spellings) > 1 else (),
            self.flags.get(own, ""),
            listed is not None and listed.path,
        )

    def _listed(self, name: str) -> Option | None:
        return next(
            (
                found
                for node in reversed(self.nodes)
                if (found := node.options.get(name)) is not None
            ),
            self.elsewhere.get(name),
        )

    def _means(self, name: str) -> bool:
        """Whether the row says more of an option than that it takes a value, as the table says."""
        return self.valued.get(name, "data").lstrip("?") != "data" or self.flags.get(name, "") != ""

    def _takes(self, own: str, listed: Option | None) -> str | None:
        if listed is not None and not self._means(own) and self._is_settled(listed):
            return listed.takes
        if own in self.valued:
            return JOINED if self.valued[own][:1] == "?" else ONE
        return (
            FLAG
            if own in self.flags or own.startswith("+")
            else listed.takes
            if listed is not None
            else None
        )

    def _is_settled(self, option: Option) -> bool:
        """Whether the table speaks of this very subcommand: ``-v`` of docker is not ``-v`` of
        ``docker run``.
        """
        if not self.nodes:  # a Mac's table of another program
            return False
        last = self.nodes[-1]
        return last.options.get(option.spellings[0]) is option and (
            len(self.nodes) > 1 or not last.commands
        )

    def full(self, name: str) -> str:
        """Return the long option that an abbreviation stands for, where the program takes
        abbreviations (GNU getopt_long).
        """
        if not self.abbreviates or self.find(name).takes is not None:
            return name
        return next((known for known in self._all() if known.startswith(name)), name)

    def _all(self) -> Iterator[str]:
        """Yield all options, those first of the subcommand: where an abbreviation fits several, the
        program refuses it.
        """
        for node in reversed(self.nodes):
            yield from node.options
        yield from self.valued
        yield from self.flags


class _Parser:
    """Goes through the words once, from left to right."""

    def __init__(self, row: ProgramRow, arguments: list[Value], known: _Options) -> None:
        self.parsed = ParsedArguments()
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

    def _rest(self) -> None:
        self.parsed.operands.extend(self.arguments[self.at :])
        self.at = len(self.arguments)

    def _operand(self, value: Value) -> None:
        self.parsed.operands.append(value)
        self.known.enter(value.text)
        if self.known.first:
            self._rest()
        elif self.stops and len(self.parsed.operands) > self.leading:
            self.parsed.unsure = self.loose
            self._rest()

    def _option(self, value: Value) -> None:
        """Take one option word, and its value if that is the next word."""
        text, before = value.text, len(self.parsed.unknown)
        named, colon, given = text.partition(":")
        if colon and self._is_named(named) and self.known.find(text).takes is None:
            self._add_option(named, _part(value, given))
        elif text[:2] == "--" or not self.known.joins:
            name, equals, rest = text.partition("=")
            name = self.known.full(name)
            if self._is_mixed(text, name):
                name, equals, rest = text[:2], "=", text[2:]
            self._add_option(name, _part(value, rest) if equals else None)
        elif len(text) > 2 and self.known.find(text).takes is not None:
            self._add_option(text, None)
        else:
            self._parse_joined(value)
        if (
            len(self.parsed.unknown) > before
            and "=" not in text
            and text.endswith(self.parsed.unknown[-1].strip("-"))
        ):
            self.loose = True

    def _is_named(self, name: str) -> bool:
        """Whether what stands before a colon is an option that takes a value, by its name:
        ``--collect:COVERAGE`` of dotnet, ``-only-testing:TARGET`` of xcodebuild.
        """
        return len(name) > len("-x") and "=" not in name and bool(self.known.find(name).takes)

    def _is_mixed(self, text: str, name: str) -> bool:
        """Whether a word is a letter with its value beside options of several letters:
        ``-Dname=value`` of java and maven, ``-Wall`` of compilers.

        What a compiler hands on to its preprocessor and linker (``-Wl,-o,FILE``) are options of
        theirs.
        """
        mixed = (
            text[:2] != "--"
            and self.known.mixes
            and self.known.find(name).takes is None
            and self.known.find(text[:2]).takes == ONE
        )
        return mixed and not (text[:2] == "-W" and "," in text)

    def _parse_joined(self, value: Value) -> None:
        """``-abc``, ``-ofile``, ``-o file``."""
        text = value.text
        for index in range(1, len(text)):
            if text[index] == HOLE:
                self.parsed.traits.add("unknown-option")
                return
            name = "-" + text[index]
            if self.known.find(name).takes:
                self._add_option(
                    name, _part(value, text[index + 1 :]) if index + 1 < len(text) else None
                )
                return
            self._add_option(name, None)

    def _add_option(self, name: str, joined: Value | None) -> None:
        """Note an option with the value joined to it, or what it takes of later words."""
        known = self.known.find(name)
        if self._apply_negation(name, joined, known):
            return
        self._noted(name, known)
        before = len(self.parsed.options)
        self._taken(known, joined)
        if known.path:
            self.parsed.paths.extend(self.parsed.options[before:])

    def _apply_negation(self, name: str, joined: Value | None, known: KnownOption) -> bool:
        """Take a flag back that a later word denies: ``--no-dry-run`` after ``--dry-run``,
        ``--dry-run=false``.
        """
        if joined is not None and joined.text.lower() in _FALSE and known.takes != ONE:
            self._forget(name, known)
            if known.takes is None and not self.known.words:
                self.parsed.unknown.append(f"{name}={joined.text}")
            return True
        if name.startswith("--no-") and len(name) > len("--no-"):
            meant = name[len("--no-") :]
            for positive in (f"--{meant}", f"-{meant}"):
                self._forget(positive, self.known.find(positive))
        return False

    def _forget(self, name: str, known: KnownOption) -> None:
        self.parsed.flags -= {name, known.own, *known.spellings}
        self.parsed.spelled -= {name, known.own, *known.spellings}

    def _taken(self, known: KnownOption, joined: Value | None) -> None:
        if joined is not None:
            self.parsed.options.append((known.own, joined))
        elif (
            known.takes in (ONE, MAYBE, LAST)
            and self.at < len(self.arguments)
            and (known.takes != MAYBE or self.arguments[self.at].text[:1] != "-")
        ):
            self.parsed.options.append((known.own, self.arguments[self.at]))
            self.at += 1
            if known.takes == LAST:
                self._rest()
        elif known.takes == MANY:
            self._many(known.own, lambda text: text[:1] == "-")
        elif known.takes == COMMAND:
            self._many(known.own, lambda text: text in (";", "+"))
            self.at += 1

    def _many(self, name: str, ends: Callable[[str], bool]) -> None:
        while self.at < len(self.arguments) and not ends(self.arguments[self.at].text):
            self.parsed.options.append((name, self.arguments[self.at]))
            self.at += 1

    def _noted(self, name: str, known: KnownOption) -> None:
        self.parsed.flags.update((name, known.own))
        self.parsed.spelled.update((name, known.own, *known.spellings))
        if known.spellings:
            self.parsed.same[known.own] = known.spellings
        if known.takes is None and not self.known.words:
            self.parsed.unknown.append(name)
        if known.trait:
            self.parsed.traits.add(known.trait)


def _part(value: Value, text: str) -> Value:
    """Return the rest of a word as a value that stands where the word does."""
    return Value(text, value.start, value.end, value.why, value.pattern)
