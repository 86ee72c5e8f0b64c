"""Whether a command is one that a policy names by its words.

A command is written as its first words: ``git status`` is ``git status -s`` too. An option that is
written counts wherever it stands: ``rm -f`` is ``rm -rf x``, ``* --force`` any program with that
option. A cmdlet of PowerShell is its full name, whatever alias called it (``Get-ChildItem``), and
knows no case.

What stands on a list of what may run has to be named for sure (``runs``). What is forbidden is
looked for with more patience (``fits``): wherever the program lies, with options, what may be their
values and settings between the words (``kubectl -n x delete``, ``make A=1 deploy``), and where a
word nobody knows may be the one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from interlock.model.effect import GUESSED

NO, MAYBE, SURE = 0, 1, 2
"""How sure it is that a command is the one that is meant."""
BIN_FOLDERS = frozenset({"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin"})
CLUSTER = 4
"""Characters of an option that is letters put together; a longer one is a word."""
ANY_PROGRAM = "*"
AND = " | "
"""Between commands of one pattern: all of them have to be run."""
UNKNOWN = "\ue000"
"""What stands in a word for a part of it that nobody knows (``shell.value.HOLE``)."""
MOST_VALUES = 4
"""Options of a pattern whose next word is tried as their value too."""


def runs(pattern: str, command: tuple[str, ...]) -> bool:
    """Tell whether a command is surely one that a pattern names."""
    name, *rest = pattern.split()
    called = command[0].removeprefix(GUESSED)
    folder, _, own = called.rpartition("/")
    own = own if folder in BIN_FOLDERS else called
    name, rest, command = _fold_case(name, own, rest, command)
    if name not in (ANY_PROGRAM, own):
        return False
    options, wanted = _apart(rest)
    operands = [word for word in command[1:] if word[:1] != "-"]
    return operands[: len(wanted)] == wanted and all(
        _has(option, command[1:]) for option in options
    )


def fits(pattern: str, commands: Iterable[tuple[str, ...]]) -> int:
    """Tell how sure it is that commands hold the one or ones that a pattern names."""
    some = list(commands)
    return min(
        [max([_fits(part, command) for command in some], default=NO) for part in pattern.split(AND)]
    )


def program(command: tuple[str, ...]) -> str:
    """Return the name of the program of a command, wherever it lies and however sure it is."""
    return command[0].removeprefix(GUESSED).rpartition("/")[2]


def _fits(pattern: str, command: tuple[str, ...]) -> int:
    name, *rest = pattern.split()
    own = program(command)
    name, rest, command = _fold_case(name, own, rest, command)
    if name not in (ANY_PROGRAM, own) and not own.startswith(
        f"{name}."
    ):  # mkfs.ext4, python3.12, kubectl.exe
        return NO
    words = command[1:]
    ways = [
        _match_words(wanted, words)
        for options, pairs, wanted in _meanings(rest)
        if _has_all(options, pairs, words)
    ]
    found = max(ways, default=NO)
    return min(found, MAYBE) if command[0][:1] == GUESSED else found


def _fold_case(
    name: str, own: str, rest: list[str], command: tuple[str, ...]
) -> tuple[str, list[str], tuple[str, ...]]:
    """Return all three as they are compared: a cmdlet knows no case."""
    if name == own or name.lower() != own.lower() or "-" not in name:
        return name, rest, command
    return own, [word.lower() for word in rest], tuple([word.lower() for word in command])


def _apart(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the options among words, and the others."""
    return [word for word in words if word[:1] == "-"], [word for word in words if word[:1] != "-"]


def _meanings(words: list[str]) -> Iterator[tuple[list[str], list[tuple[str, str]], list[str]]]:
    """Yield what a pattern's words may be: options, options with the value that follows them, and
    the words that count by their order.
    """
    able = [
        at for at, word in enumerate(words[:-1]) if word[:1] == "-" and words[at + 1][:1] != "-"
    ][:MOST_VALUES]
    for chosen in range(1 << len(able)):
        valued = {at for number, at in enumerate(able) if chosen >> number & 1}
        options, wanted = _apart(
            [word for at, word in enumerate(words) if at not in valued and at - 1 not in valued]
        )
        yield options, [(words[at], words[at + 1]) for at in sorted(valued)], wanted


def _has_all(options: list[str], pairs: list[tuple[str, str]], words: tuple[str, ...]) -> bool:
    return all(_has(option, words) for option in options) and all(
        _has_pair(option, value, words) for option, value in pairs
    )


def _has(option: str, words: tuple[str, ...]) -> bool:
    """``--force`` and ``-Recurse`` are that word, ``-rf`` is ``-fr`` and ``-r -f`` too."""
    if option[:2] == "--" or len(option) > CLUSTER:
        return any(
            word == option or word.startswith((f"{option}=", f"{option}:")) for word in words
        )
    return set(option[1:]) <= {
        letter for word in words if word[:1] == "-" and word[:2] != "--" for letter in word[1:]
    }


def _has_pair(option: str, value: str, words: tuple[str, ...]) -> bool:
    joined = (
        f"{option}={value}",
        f"{option}:{value}",
        *([f"{option}{value}"] if option[:2] != "--" else []),
    )
    return any(word in joined for word in words) or (option, value) in pairwise(words)


def _match_words(wanted: list[str], words: tuple[str, ...]) -> int:
    """Tell how sure it is that words begin with the wanted ones, where options, their values and
    settings (``A=1``) are left out.
    """
    states = {0: SURE}
    valued = False
    for word in words:
        if word[:1] == "-":
            valued = "=" not in word
        else:
            states = _step(
                states,
                wanted,
                word,
                valued=valued or (word.partition("=")[0].isidentifier() and "=" in word),
            )
            valued = False
    return states.get(len(wanted), NO)


def _step(states: dict[int, int], wanted: list[str], word: str, *, valued: bool) -> dict[int, int]:
    """Return how many of the wanted words may be there after one more, and how sure each is.
    ``valued``: it may be no word of its own.
    """
    found: dict[int, int] = {}

    def reach(at: int, how: int) -> None:
        found[at] = max(how, found.get(at, NO))

    for at, how in states.items():
        unknown = UNKNOWN in word
        if at == len(wanted) or valued:
            reach(at, how)
        elif unknown:
            reach(at, min(how, MAYBE))
        if at < len(wanted) and _is(wanted[at], word):
            reach(at + 1, how)
        elif at < len(wanted) and unknown and not valued:
            reach(at + 1, min(how, MAYBE))
    return found


def _is(wanted: str, word: str) -> bool:
    """``dd if=`` is any ``dd if=FILE``."""
    return word == wanted or (wanted[-1:] == "=" and word.startswith(wanted))
