"""The options that programs take, read from ``data/options/NAME.txt``: a line an option, as the
program's own help lists them.

::

# where this is from program ls vdir               the name, and other names of the very same
options grammar getopt                how options are written: see ``OptionTable``; ``first``: they
end at the first operand whole                         every option is listed -a --all
a flag, with all its spellings -I --ignore =value            takes a value: ``-I x``, ``-Ix``,
``--ignore=x``, ``--ignore x`` --color ?value                a value that may be missing, and stands
in the same word --cov ~value                  a value that may be missing, and may be the next word
-m !value                     takes a value, and what stands behind it are operands -exec ;command
takes all words up to one that is ``;`` or ``+`` -f --files *path              takes all words up to
the next option; ``path``: they are files or folders command commit ci             what follows is
of a subcommand; ``command remote add`` of one below another
"""

from __future__ import annotations

from interlock.data.words import read_text
from interlock.model.record import Record

FOLDER = f"{__file__.rpartition('/')[0]}/options"
MOST_LETTERS = 100
"""Letters of a program's name."""
FLAG, ONE, JOINED, MAYBE, MANY, LAST, COMMAND = "", "=", "?", "~", "*", "!", ";"
"""What may follow an option: nothing, a value, one in the same word if at all, one in this word or
the next if at all, all words to the next option, a value and then only operands, a command.
"""


class Option(Record):
    """``spellings``: all of them. ``takes``: what may follow it. ``path``: whether its value is a
    file or a folder.
    """

    spellings: tuple[str, ...]
    takes: str = FLAG
    path: bool = False


class OptionNode:
    """The options of a program, or of one of its subcommands. ``whole``: whether they are all;
    ``commands``: the subcommands below.
    """

    __slots__ = ("_lines", "_options", "commands")

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._options: dict[str, Option] | None = None
        self.commands: dict[str, OptionNode] = {}

    def add(self, lines: list[str]) -> None:
        """Take lines that say of these options; they are read where somebody asks for one."""
        self._lines.extend(lines)

    @property
    def whole(self) -> bool:
        """Whether every option is listed."""
        return "whole" in self._lines

    @property
    def options(self) -> dict[str, Option]:
        """Each option, by every spelling of it."""
        if self._options is None:
            self._options = {}
            for line in self._lines:
                words = line.split()
                if words and words[0] not in _NO_OPTION:
                    _add(self._options, words)
        return self._options


class OptionTable:
    """A program's options. Only where each subcommand begins is found at once: a process that
    starts for one call meets one of the hundred subcommands of a program.

    ``abbreviates``: a long option may be shortened as long as it is told from all others (GNU
    getopt_long, argparse).
    ``joins``: ``-abc`` is ``-a -b -c``. ``first``: options end at the first operand. ``words``: a
    word with a dash that is no option is an operand.
    """

    __slots__ = ("abbreviates", "first", "joins", "top", "words")

    def __init__(self, text: str) -> None:
        head, *below = f"\n{text}".split("\ncommand ")
        self.top = OptionNode()
        self.top.add(head.splitlines())
        grammar = f"{head}\n".partition("\ngrammar ")[2].partition("\n")[0].split()
        self.abbreviates, self.joins = (
            "getopt" in grammar,
            bool(grammar) and "single" not in grammar,
        )
        self.first, self.words = "first" in grammar, "words" in grammar
        for part in below:
            names, *lines = part.splitlines()
            self._below(names.split()).add(lines)

    def _below(self, words: list[str]) -> OptionNode:
        """Return the node of ``remote add``; words behind a new one are other names of it."""
        node = self.top
        while words and words[0] in node.commands:
            node = node.commands[words.pop(0)]
        made = OptionNode() if words else node
        node.commands.update(dict.fromkeys(words, made))
        return made

    def node(self, words: list[str]) -> OptionNode | None:
        """Return the node of a subcommand; None where nobody described it."""
        node: OptionNode | None = self.top
        for word in words:
            node = node.commands.get(word) if node is not None else None
        return node


_NO_OPTION = frozenset({"#", "program", "platform", "grammar", "whole"})


def _add(options: dict[str, Option], words: list[str]) -> None:
    takes, path = FLAG, False
    if words[-1][:1] in (ONE, JOINED, MAYBE, MANY, LAST, COMMAND):
        mark = words.pop()
        takes, path = mark[0], mark[1:] == "path"
    option = Option(tuple(words), takes, path)
    options.update(dict.fromkeys(words, option))


ALSO = "also"
"""The file that says of other names of a program which file it is in: ``vdir ls``."""
_tables: dict[tuple[str, str], OptionTable | None] = {}
_also: dict[str, str] = {}


def find(program: str, platform: str = "linux") -> OptionTable | None:
    """Return what is known of the options of a program; None where nobody listed them. Raises
    ``OSError`` for a file that cannot be read.
    """
    key = program, platform
    if key not in _tables:
        text = (_read(f"{program}.{platform}") if platform == "darwin" else "") or _read(program)
        _tables[key] = OptionTable(text) if text else None
    return _tables[key]


def _read(program: str) -> str:
    """Return a program's file; ``""`` where there is none."""
    if not _also:
        _also.update(line.split() for line in _text(ALSO).splitlines())  # type: ignore[misc]
    named = "/" not in program and program.isprintable() and len(program) < MOST_LETTERS
    return _text(_also.get(program, program)) if named else ""


def _text(name: str) -> str:
    try:
        return read_text(f"{FOLDER}/{name}.txt")
    except FileNotFoundError:
        return ""
