"""Rules that ask for a call's own words and for no effect: what stands in its text, and which commands it runs.

A command is written as its first words: ``git status`` is ``git status -s`` too, for options before and after do not count. An option that is
written counts wherever it stands: ``rm -f`` is ``rm -rf x``, ``* --force`` any program with that option. A cmdlet of PowerShell is its full name,
whatever alias called it (``Get-ChildItem``), and knows no case.
"""

from __future__ import annotations

from interlock.engine.automaton import found
from interlock.model.call import SHELL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.model.call import ToolCall
    from interlock.model.effect import Reading
    from interlock.model.rule import Match, Rule

MAX_TEXT = 1 << 20
BIN_FOLDERS = frozenset({"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin"})
CLUSTER = 4
"""Characters of an option that is letters put together; a longer one is a word."""
_APART = str.maketrans(dict.fromkeys("\"'`;|&(){}<>,", " "))


def spoken(rules: tuple[Rule, ...], call: ToolCall, reading: Reading) -> tuple[Rule, ...]:
    """Return the rules whose words are those of the call."""
    texts = [_words(text) for text in _texts(call, reading)] if any(rule.match.text for rule in rules) else []
    return tuple([rule for rule in rules if _speaks(rule.match, call, reading, texts)])


def _speaks(match: Match, call: ToolCall, reading: Reading, texts: list[str]) -> bool:
    if match.tools and call.tool not in match.tools and call.name not in match.tools:
        return False
    if match.text and not any(_words(phrase) in text for text in texts for phrase in match.text):
        return False
    if match.pattern and not any(found(match.pattern, text, fold=match.fold) for text in _texts(call, reading)):  # type: ignore[arg-type]
        return False
    if match.commands and not any(runs(pattern, command) for command in reading.commands for pattern in match.commands):
        return False
    return not match.outside or _runs_other(match.outside, call, reading)


def _runs_other(known: tuple[str, ...], call: ToolCall, reading: Reading) -> bool:
    """Tell whether a shell call runs anything but these commands; what could not be read whole may run anything."""
    if call.tool != SHELL and not reading.commands:
        return False
    if reading.coverage != "full" or not reading.commands:
        return True
    return not all(any(runs(pattern, command) for pattern in known) for command in reading.commands)


def runs(pattern: str, command: tuple[str, ...]) -> bool:
    """Tell whether a command is one that a pattern names."""
    name, *rest = pattern.split()
    folder, _, own = command[0].rpartition("/")
    own = own if folder in BIN_FOLDERS else command[0]
    if name != own and name.lower() == own.lower() and "-" in name:
        name, rest, command = own, [word.lower() for word in rest], tuple([word.lower() for word in command])
    if name not in ("*", own):
        return False
    options = [word for word in rest if word[:1] == "-"]
    operands = [word for word in command[1:] if word[:1] != "-"]
    wanted = [word for word in rest if word[:1] != "-"]
    return operands[: len(wanted)] == wanted and all(_has(option, command[1:]) for option in options)


def _has(option: str, words: tuple[str, ...]) -> bool:
    """``--force`` and ``-Recurse`` are that word, ``-rf`` is ``-fr`` and ``-r -f`` too."""
    if option[:2] == "--" or len(option) > CLUSTER:
        return any(word == option or word.startswith((f"{option}=", f"{option}:")) for word in words)
    return set(option[1:]) <= {letter for word in words if word[:1] == "-" and word[:2] != "--" for letter in word[1:]}


# -- words of a text -------------------------------------------------------------------------------


def _texts(call: ToolCall, reading: Reading) -> Iterator[str]:
    for text in reading.texts:
        yield text.text
    if not reading.texts:
        yield from _strings(call.input, 0)


def _strings(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < 8 and hasattr(value, "values"):
        for one in value.values():
            yield from _strings(one, depth + 1)
    elif depth < 8 and isinstance(value, (list, tuple)):
        for one in value:
            yield from _strings(one, depth + 1)


def _words(text: str) -> str:
    """Return a text as its words with one space before, between and after them, whatever their case and the quotes around them."""
    return f" {' '.join(text[:MAX_TEXT].casefold().translate(_APART).split())} "
