"""What programs that administer a machine have in common: a word or an option tells what they do,
and the rest of them only look.

A line is ``"effects = words"``; the first line that fits a command counts. On the left ``nothing``
stands for a command that only looks, ``persists:cron`` for a kind with its traits, a bare word for
a trait of ``controls-system``. On the right stand a subcommand (``stop``), two of them
(``set+default``; with ``~`` both may be cut short), an option (``--flush``), an option with its
value (``-e=0``), the beginning of one (``--vacuum*``), ``?`` (any other word) or ``*`` (whatever is
left). ``"command = run"``: what stands behind such a word is a command, and runs.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.programs.table import kind
from interlock.effects.rows import Reader
from interlock.effects.run import Run
from interlock.model.effect import ControlsSystem, Kind
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value

Said = list[tuple[Kind, list[str]]]

Say = Callable[[Run, Said, list[Value]], Flow]


QUIET = "nothing"
COMMAND = "command"
PLAIN = "plain"
"""A change of the machine that has no trait of its own."""


def doing(*lines: str, at: int = 0, say: Say | None = None) -> Reader:
    """Return a reader by these lines; ``at``: operands before the word (``service NAME stop``)."""
    running = tuple(line for line in lines if line.startswith(f"{COMMAND} ="))
    looking = _lists_looks(lines)

    def read(run: Run) -> Flow:
        words = [value.text.lower() for value in run.operands[at : at + 2]]
        taken = _line(running, words, [])[1]
        if taken:
            return _run_rest(run, run.operands[at + taken :])
        if run.has("--help", "--version"):
            return NOTHING
        if (
            words
            and HOLE in words[0]
            and any(
                key[0] not in "-*?" for line in lines for key in line.partition(" = ")[2].split()
            )
        ):
            run.unknown_code("argument", "subcommand", value=run.operands[at])
            return UNREAD
        given = [
            *run.parsed.spelled,
            *[
                word
                for name, value in run.parsed.options
                for word in (name, f"{name}={value.text}")
            ],
        ]
        left, taken, sure = _line(lines, words, given)
        if not sure and at == 0 and len(run.operands) > 1 and run.arguments[0].text[:1] == "-":
            # an option before the verb that nobody listed may have a value
            behind = _line(lines, [value.text.lower() for value in run.operands[1:3]], [])
            if behind[2]:
                left, taken = behind[0], behind[1] + 1
        if left:
            return _act(run, left, [*run.operands[:at], *run.operands[at + taken :]], say)
        if words and words[0][:1] == HOLE and not given:
            # it may be any of the options
            run.unknown_code("argument", "option", value=run.operands[at])
        elif words and looking:
            run.context.doubt(f"what {run.name} {words[0]} does is not known")
        return UNREAD

    return read


def _lists_looks(lines: tuple[str, ...]) -> bool:
    """Whether words are listed that only look, and nothing of the others: those may do more."""
    keys = [key for line in lines for key in line.partition(" = ")[2].split()]
    looks = [
        key
        for line in lines
        if line.startswith(f"{QUIET} =")
        for key in line.partition(" = ")[2].split()
    ]
    return any(key[:1] != "-" for key in looks) and not {"*", "?"}.intersection(keys)


def _run_rest(run: Run, rest: list[Value]) -> Flow:
    """Run the command behind a word as written: its options are no options of this program."""
    at = next(
        (index for index, value in enumerate(run.arguments) if rest and value is rest[0]),
        len(run.arguments),
    )
    words = run.arguments[at:]
    if len(words) == 1 and " " in words[0].text:
        return run.code(words[0])  # one text: a queue hands it to a shell
    return run.command(words)


def _line(lines: tuple[str, ...], words: list[str], given: list[str]) -> tuple[str, int, bool]:
    """Return the left side of the first line that fits, how many words it takes, and whether a word
    or option was named (no ``*``, no ``?``).
    """
    for line in lines:
        left, _, right = line.partition(" = ")
        for key in right.split():
            taken = _fits(key.lower() if key[:1] != "-" else key, words, given)
            if taken >= 0:
                return left, taken, key not in ("*", "?")
    return "", 0, False


def _fits(key: str, words: list[str], given: list[str]) -> int:
    """Return how many words a key takes, or -1 where it does not fit."""
    if key == "*" or (key == "?" and words):
        return 0
    start = key[:-1] if key.endswith("*") else ""
    if key[:1] == "-":
        return (
            0 if key in given or (start and any(name.startswith(start) for name in given)) else -1
        )
    if "+" in key:
        return 2 if words == key.split("+") else -1
    if "~" in key:
        first, _, second = key.partition("~")
        return (
            2
            if len(words) > 1
            and all(words)
            and first.startswith(words[0])
            and second.startswith(words[1])
            else -1
        )
    if not words:
        return -1
    return 1 if words[0] == key or (start and words[0].startswith(start)) else -1


def _act(run: Run, left: str, rest: list[Value], say: Say | None) -> Flow:
    if left == QUIET:
        return UNREAD
    return (say or one)(run, effects(left), rest)


def effects(text: str) -> Said:
    """Return the kinds and traits that the left side of a line stands for."""
    said: Said = []
    for word in text.split():
        name, colon, traits = word.partition(":")
        if colon:
            said.append((kind(name), traits.split(",")))
        else:
            said.append((ControlsSystem, [] if word == PLAIN else word.split(",")))
    return said


def one(run: Run, said: Said, rest: list[Value]) -> Flow:
    """Add one effect of each kind on the first operand that is left, or on the program itself."""
    for which, traits in said:
        run.effect(
            which, rest[0].text if rest else run.name, *traits, value=rest[0] if rest else None
        )
    return NOTHING
