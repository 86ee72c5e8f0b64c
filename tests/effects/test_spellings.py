"""An option means the same however it is spelled: short or long, shortened, its value joined or as
the next word.

Every option of every table is tried, some 44,000 commands; what is known of programs is seen to be
a property of the option and not of a spelling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.data import options
from interlock.data.options import FLAG, ONE
from interlock.effects.programs import table
from interlock.effects.read import read
from interlock.facts import Recorded
from tests.data.test_options import FILES
from tests.judging import shell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.data.options import Node, Option, Table

OF_THEIR_OWN = {"kill", "time"}
"""In ``kill`` a letter may be a signal, and ``time`` is a word of the shell."""
PROGRAMS = sorted(
    {file.stem for file in FILES if "." not in file.stem and table.find(file.stem) is not None}
    - OF_THEIR_OWN
)
VALUE = "a/val.txt"
NAMED_BY_WORDS = ("controls-container", "changes-infrastructure")
"""Kinds whose target is the command's own words."""
OTHERWISE = {
    # no command at all, so its words are looked at as those of a program nobody described
    "apt-get": {"--pu"},
    "bandit": {"--config"},  # its row is that of all linters, and reads a file more
    "docker": {"--checkpoint-dir"},  # `checkpoint create` is taken for a container's
    "gpg": {"--delete-keys", "--delete-k"},  # as above
    "pkill": {"-F"},  # a letter may be a signal
    "python3": {"-h", "-?"},
}  # fmt: skip
"""Spellings that are read otherwise than others of the same option, and why."""


def nodes(node: Node, path: list[str]) -> Iterator[tuple[list[str], Node]]:
    """Yield a program and its subcommands."""
    yield path, node
    for name, below in {
        id(one): (name, one) for name, one in reversed(node.commands.items())
    }.values():
        yield from nodes(below, [*path, name])


def spellings(known: Table, node: Node, option: Option) -> Iterator[str]:
    """Yield the ways to give an option, with a value if it takes one."""
    long = [name for name in node.options if name[:2] == "--"]
    for name in option.spellings:
        if name == "-NUM":
            continue
        yield f"{name} {VALUE}" if option.takes == ONE else name
        if option.takes == ONE and name[:2] == "--":
            yield f"{name}={VALUE}"
        elif option.takes == ONE and known.joins and len(name) == 2:
            yield f"{name}{VALUE}"
        short = next(
            (
                name[:end]
                for end in range(3, len(name))
                if sum(one.startswith(name[:end]) for one in long) == 1
            ),
            "",
        )
        if known.abbreviates and name[:2] == "--" and short and short not in long:
            yield f"{short}={VALUE}" if option.takes == ONE else short


def effects(command: str) -> list[tuple[object, ...]]:
    """Return what a command would do, as far as it hangs on what is meant."""
    found = read(shell(command), Recorded("/home/user")).effects
    return sorted(
        (
            str(one.kind),
            "" if one.kind in NAMED_BY_WORDS else one.target,
            one.host,
            sorted(one.traits),
            one.certain,
            repr(one.place),
        )
        for one in found
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_spellings_of_an_option_are_read_alike(name: str) -> None:
    """Options that take a value in another way than always are left out: what stands behind them is
    an operand or not.
    """
    known = options.find(name)
    assert known is not None
    wrong = []
    for path, node in nodes(known.top, [name]):
        for option in {
            id(one): one for one in node.options.values() if one.takes in (FLAG, ONE)
        }.values():
            given = [
                f"{' '.join(path)} {form} b.txt c/d.txt" for form in spellings(known, node, option)
            ]
            forms = [(command, effects(command)) for command in given]
            wrong += [
                f"{command} != {given[0]}"
                for command, found in forms
                if found != forms[0][1] and not told(name, command, given[0])
            ]
    assert not wrong


def told(name: str, *commands: str) -> bool:
    """Whether one of the commands has a spelling that is known to be read otherwise."""
    words = {
        word.partition("=")[0].removesuffix(VALUE)
        for command in commands
        for word in command.split()
    }
    return not words.isdisjoint(OTHERWISE.get(name, set()))
