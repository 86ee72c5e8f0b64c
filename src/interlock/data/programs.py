"""What is known of programs: sections of text in ``data/programs``, one file a family.

::

    [scc tokei]                 a program, and others whose words mean the same
    operands reads* writes      what its operands are, in order
    -o --output =writes         an option with a value, and what the value is
    --level =                   an option whose value is of no consequence
    --color ?                   a value that may be missing; it stands in the same word
    -r --recursive :recursive   an option that gives the effects a trait
    -q --quiet                  an option of no consequence
    values -n --jobs            options whose values are of no consequence, each one of its own
    flags -4 -6                 options of no consequence, each one of its own
    effects listens             what it does whatever it is given: kinds, with traits behind a colon
    read archives.tar           the function that reads what no line can say
    command push                what follows is of this subcommand
    source scc --help, 3.4      where this is from
    whole                       all options are listed
    settings none               it reads no settings, and starts nothing
    calls system =code          functions of a language of its own, and what is done to their text

``docs/add-program.md`` explains every line. Where the lines of a program begin is found once for
all files; its lines are read when it is met.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Callable

from interlock.data.words import read_bytes, read_text, sections

if sys.platform == "win32":
    import nt as system
else:
    import posix as system


FOLDER = f"{__file__.rpartition('/')[0]}/programs"
COMPILED = (
    f"{__file__.rpartition('/')[0]}/__pycache__/programs.{sys.implementation.cache_tag}.index"
)
"""Where ``write_index`` keeps what ``index`` finds, for a process that starts for one call."""
ENDING = ".txt"
APART = frozenset({"windows_only"})
"""Families that count in one place alone; their names stand behind the family's in the index."""
ROLES = frozenset(
    "reads writes appends deletes makes moves mode touches upload url host program code script "
    "data command subcommand".split()
)
"""What may be done to a word; ``data`` is nothing."""
_SIMPLE = frozenset({"operands", "runs"})
"""Lines besides options that a policy may say of a program of its own."""


class ProgramData:
    """What the lines of a section say of a program.

    ``operands``: roles in order. ``options``: those that take a value, each with the value's role;
    ``?writes`` of a value that may be missing. ``flags``: those that take none, each with the trait
    that it gives. ``effects``: kinds and traits. ``prints``: labels. ``single``: ``-abc`` is one
    option. ``reader``: ``FAMILY.FUNCTION``; ``arguments`` and ``named``: what it is made with, None
    where it is ready. ``does``, ``manages``: which of its words do what, for programs that
    administer and for package managers. ``calls``: functions of a language of its own, each with
    the role of its text. ``after``: how many operands stand before that word.
    ``say``: the function that adds the effect. ``source``: where all this is from. ``whole``: all
    its options are listed. ``settled``: it reads no settings, and starts nothing.
    """

    __slots__ = (
        "after", "arguments", "calls", "does", "effects", "flags", "manages", "named", "operands",
        "options", "prints", "reader", "say", "settled", "single", "source", "whole",
    )  # fmt: skip

    def __init__(self) -> None:
        self.operands = "data*"
        self.options: dict[str, str] = {}
        self.flags: dict[str, str] = {}
        self.effects = self.prints = self.reader = self.say = self.source = ""
        self.arguments: list[str] | None = None
        self.named: dict[str, str] = {}
        self.does: list[str] = []
        self.calls: dict[str, str] = {}
        self.manages: dict[str, str] = {}
        self.after = 0
        self.settled = self.single = self.whole = False

    def add(self, line: str) -> str:
        """Take what a line says; return what is wrong with it, ``""`` where nothing is."""
        words = line.split()
        if not words or words[0][0] == "#":
            return ""
        if words[0][0] in "-+/":
            return _option(self, words)
        if words == ["whole"]:
            self.whole = True
            return ""
        take = _LINES.get(words[0])
        if take is None:
            return f"a line begins with an option or one of: {' '.join(_LINES)}"
        return take(self, words[1:]) if words[1:] else f"nothing stands behind {words[0]}"


def _option(program: ProgramData, words: list[str]) -> str:
    mark = words[-1][0]
    if mark in "=?:":
        role = words.pop()[1:]
        if mark == ":":
            program.flags.update(dict.fromkeys(words, role))
        else:
            program.options.update(
                dict.fromkeys(words, ("?" if mark == "?" else "") + (role or "data"))
            )
            return _no_role([role or "data"]) or _no_options(words)
    else:
        program.flags.update(dict.fromkeys(words, ""))
    return _no_options(words)


def _operands(program: ProgramData, words: list[str]) -> str:
    program.operands = " ".join(words)
    return _no_role(words)


def _runs(program: ProgramData, words: list[str]) -> str:
    program.effects = f"{program.effects} executes:package-script".strip()
    return "" if words == ["project"] else "what it runs is `project`"


def _grammar(program: ProgramData, words: list[str]) -> str:
    program.single = True
    return "" if words == ["single"] else "the grammar is `single`"


def _effects(program: ProgramData, words: list[str]) -> str:
    program.effects = " ".join(words)
    return ""


def _prints(program: ProgramData, words: list[str]) -> str:
    program.prints = " ".join(words)
    return ""


def _source(program: ProgramData, words: list[str]) -> str:
    program.source = " ".join(words)
    return ""


def _read(program: ProgramData, words: list[str]) -> str:
    program.reader = words[0]
    program.arguments = [_plain(word) for word in words[1:] if word != "()"] if words[1:] else None
    return _no_function(words[0])


def _with(program: ProgramData, words: list[str]) -> str:
    name, equals, *values = [*words, ""]
    program.named[name] = " ".join([program.named.get(name, ""), *values]).strip()
    program.arguments = program.arguments or []
    return "" if equals == "=" else "write: with NAME = WORDS"


def _does(program: ProgramData, words: list[str]) -> str:
    program.does.append(" ".join(words))
    return "" if "=" in words[1:-1] else "write: does EFFECT = WORDS"


def _manages(program: ProgramData, words: list[str]) -> str:
    action = "" if words[0] == "nothing" else words[0]
    program.manages.update(
        dict.fromkeys([_plain(verb).replace("+", " ") for verb in words[2:]], action)
    )
    return "" if words[1:2] == ["="] else "write: manages ACTION = WORDS"


def _after(program: ProgramData, words: list[str]) -> str:
    program.after = int(words[0]) if words[0].isdecimal() else 0
    return "" if program.after else "write how many operands stand before the word"


def _say(program: ProgramData, words: list[str]) -> str:
    program.say = words[0]
    return _no_function(words[0])


def _calls(program: ProgramData, words: list[str]) -> str:
    role = words[-1][1:] if words[-1][:1] == "=" else ""
    program.calls.update(dict.fromkeys(words[:-1], role))
    return _no_role([role]) if words[:-1] and role else "write: calls NAME =ROLE"


def _settings(program: ProgramData, words: list[str]) -> str:
    program.settled = True
    return "" if words == ["none"] else "what it reads of settings is `none`"


def _values(program: ProgramData, words: list[str]) -> str:
    program.options.update(dict.fromkeys(words, "data"))
    return _no_options(words)


def _flags(program: ProgramData, words: list[str]) -> str:
    program.flags.update(dict.fromkeys(words, ""))
    return _no_options(words)


_LINES: dict[str, Callable[[ProgramData, list[str]], str]] = {
    "source": _source, "operands": _operands, "grammar": _grammar, "effects": _effects,
    "prints": _prints, "runs": _runs, "read": _read, "with": _with, "does": _does,
    "manages": _manages, "after": _after, "say": _say, "values": _values, "flags": _flags,
    "settings": _settings, "calls": _calls,
}  # fmt: skip
"""What a line begins with that is no option."""


def _plain(word: str) -> str:
    return "" if word == '""' else word


def _no_role(words: list[str]) -> str:
    wrong = [word for word in words if word.rstrip("*").partition(":")[0] not in ROLES]
    return f"{wrong[0]!r} is no role; roles are {' '.join(sorted(ROLES))}" if wrong else ""


def _no_options(words: list[str]) -> str:
    wrong = [word for word in words if word[0] not in "-+/"]
    return f"{wrong[0]!r} is no option" if wrong else "" if words else "an option is missing"


def _no_function(word: str) -> str:
    return "" if word.count(".") == 1 else f"{word!r} is no FAMILY.FUNCTION"


# -- sections --------------------------------------------------------------------------------

_families: list[dict[str, str]] = []
_bodies: dict[str, dict[str, str]] = {}
_commands: dict[str, dict[str, str]] = {}


def index() -> dict[str, str]:
    """Return every program that is described, and its family.

    Raises:
        OSError: the package has lost its data.
    """
    if not _families:
        names = sorted([name for name in system.listdir(FOLDER) if name.endswith(ENDING)])
        _families.append(_load_index(names) or _build_index(names))
    return _families[0]


def _build_index(names: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for file in names:
        family = file.removesuffix(ENDING)
        found.update(dict.fromkeys(bodies(family), family))
    return found


def bodies(family: str) -> dict[str, str]:
    """Return the lines of each section of a family's file. Raises ``OSError``."""
    if family not in _bodies:
        before = f"{family} " if family in APART else ""
        found = sections(text_of(family))
        _bodies[family] = {f"{before}{name}": body for name, body in found}
    return _bodies[family]


def text_of(family: str) -> str:
    """Return the text of a family's file. Raises ``OSError``."""
    return read_text(f"{FOLDER}/{family}{ENDING}")


def find(name: str) -> ProgramData | None:
    """Return what is known of a program; None where nobody described it.

    Raises:
        OSError: the package has lost its data.
        ValueError: a line of its section is none; the message says which.
    """
    body = _body(name)
    return None if body is None else _program(name, f"\n{body}".partition("\ncommand ")[0][1:])


def command(name: str, word: str) -> ProgramData | None:
    """Return what is known of a subcommand of a program. Raises as ``find`` does."""
    body = commands(name).get(word)
    return None if body is None else _program(name, body)


def commands(name: str) -> dict[str, str]:
    """Return the subcommands of a program that are described, each with its lines."""
    if name not in _commands:
        found = _commands[name] = {}
        heads: list[str] = []
        for part in f"\n{_body(name) or ''}".split("\ncommand ")[1:]:
            names, line, body = part.partition("\n")
            heads += names.split()
            if line:  # nothing between two such lines: one list of names
                found.update(dict.fromkeys(heads, body))
                heads = []
    return _commands[name]


def _body(name: str) -> str | None:
    family = index().get(name)
    return None if family is None else bodies(family).get(name)


def _program(name: str, body: str) -> ProgramData:
    program = ProgramData()
    for line in body.split("\n"):
        wrong = program.add(line)
        if wrong:
            family = index()[name]
            number = (
                f"{text_of(family)}\n".partition(body)[0].count("\n")
                + body.split("\n").index(line)
                + 1
            )
            raise ValueError(
                f"{FOLDER}/{family}{ENDING}, line {number}, of {name}: {line!r}: {wrong}."
                " docs/add-program.md explains the lines."
            )
    return program


def parse_program(lines: tuple[str, ...]) -> ProgramData:
    """Return what lines say of a program of a policy's own; ``wrong_with`` lets them through."""
    program = ProgramData()
    for line in lines:
        program.add(line)
    program.single = any(
        len(option) > len("-x") and option[1] != "-"
        for option in (*program.options, *program.flags)
    )
    return program


def wrong_with(line: str) -> str:
    """Return what is wrong with a line that a policy says of a program of its own, or ``""``.

    It may name no function of the guard, and no effect but that of running the project.
    """
    words = line.split()
    if not words or "\n" in line or (words[0][0] not in "-+/" and words[0] not in _SIMPLE):
        return f"a line begins with an option or one of: {' '.join(sorted(_SIMPLE))}"
    return ProgramData().add(line)


# -- the index, kept ----------------------------------------------------------------------------


def _stats(names: list[str]) -> list[tuple[str, int, int]]:
    found = [(name, system.stat(f"{FOLDER}/{name}")) for name in names]
    return [(name, stat.st_size, stat.st_mtime_ns) for name, stat in found]


def _load_index(names: list[str]) -> dict[str, str] | None:
    """Return the index that was kept, if every file has the size and time that it had then."""
    try:
        # written by us beside the .pyc files, with the same rights
        stats, kept = marshal.loads(read_bytes(COMPILED))  # noqa: S302
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return kept if stats == _stats(names) else None


def write_index() -> None:
    """Keep the index for processes to come, where it is not kept already: who installed the package
    may be another user than who protects an agent by it. Raises ``OSError``.
    """
    import os

    names = sorted([name for name in os.listdir(FOLDER) if name.endswith(ENDING)])
    if _load_index(names) is not None:
        return
    os.makedirs(os.path.dirname(COMPILED), exist_ok=True)
    fresh = f"{COMPILED}.{os.getpid()}"
    with open(fresh, "wb") as out:
        out.write(marshal.dumps((_stats(names), _build_index(names))))
    os.replace(fresh, COMPILED)
