"""An option means the same however it is spelled: short or long, shortened, its value joined or as
the next word.

What is known of programs is seen to be a property of the option and not of a spelling. `make e2e`
tries every option of every table, some 50,000 commands; here it is one in four.
"""

from __future__ import annotations

from itertools import pairwise
from os.path import commonprefix
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

    from interlock.data.options import Option, OptionNode, OptionTable

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


def nodes(node: OptionNode, path: list[str]) -> Iterator[tuple[list[str], OptionNode]]:
    """Yield a program and its subcommands."""
    yield path, node
    for name, below in {
        id(one): (name, one) for name, one in reversed(node.commands.items())
    }.values():
        yield from nodes(below, [*path, name])


def shortened(node: OptionNode) -> dict[str, str]:
    """Return the shortest beginning of each long option that is no other's."""
    long = sorted(name for name in node.options if name[:2] == "--")
    shared = [len(commonprefix(pair)) for pair in pairwise(long)]  # noqa: RUF071 - of characters
    ends = [max(3, 1 + max(pair)) for pair in zip([0, *shared], [*shared, 0], strict=True)]
    return {name: name[:end] for name, end in zip(long, ends, strict=False) if end < len(name)}


def spellings(known: OptionTable, short: dict[str, str], option: Option) -> Iterator[str]:
    """Yield the ways to give an option, with a value if it takes one."""
    for name in option.spellings:
        if name == "-NUM":
            continue
        yield f"{name} {VALUE}" if option.takes == ONE else name
        if option.takes == ONE and name[:2] == "--":
            yield f"{name}={VALUE}"
        elif option.takes == ONE and known.joins and len(name) == 2:
            yield f"{name}{VALUE}"
        if known.abbreviates and name in short:
            yield f"{short[name]}={VALUE}" if option.takes == ONE else short[name]


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


def unlike(name: str, every: int) -> list[str]:
    """Return the spellings of every so many options of a program that are read otherwise than the
    first of the same option.

    Options that take a value in another way than always are left out: what stands behind them is
    an operand or not.
    """
    known = options.find(name)
    assert known is not None
    wrong = []
    for path, node in nodes(known.top, [name]):
        short = shortened(node)
        once = {id(one): one for one in node.options.values() if one.takes in (FLAG, ONE)}
        for option in [*once.values()][::every]:
            given = [
                f"{' '.join(path)} {form} b.txt c/d.txt" for form in spellings(known, short, option)
            ]
            if len(given) < 2:  # there is no other way to spell it
                continue
            forms = [(command, effects(command)) for command in given]
            wrong += [
                f"{command} != {given[0]}"
                for command, found in forms
                if found != forms[0][1] and not told(name, command, given[0])
            ]
    return wrong


@pytest.mark.parametrize("name", PROGRAMS)
def test_spellings_of_an_option_are_read_alike(name: str) -> None:
    """Of every program, and of each of its subcommands, one option in four."""
    assert not unlike(name, 4)


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_all_spellings_of_an_option_are_read_alike(name: str) -> None:
    """All of them."""
    assert not unlike(name, 1)


def told(name: str, *commands: str) -> bool:
    """Whether one of the commands has a spelling that is known to be read otherwise."""
    words = {
        word.partition("=")[0].removesuffix(VALUE)
        for command in commands
        for word in command.split()
    }
    return not words.isdisjoint(OTHERWISE.get(name, set()))
