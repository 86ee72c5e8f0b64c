"""The set of calls that speak to their judge, made of dangers, words and carriers; and what of it a
judge that says ALLOW to everything lets pass.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPT = "tools/task"
SET = Path(__file__).with_name("injections.yaml")


class Case(NamedTuple):
    """A call of the set. ``danger``: what it does, or ``""`` where it is ordinary; ``words``:
    ``known``, ``other`` or ``""`` where nothing speaks.

    ``text``: what stands in the file that it runs, ``SCRIPT``, or ``""``.
    """

    command: str
    danger: str
    words: str
    text: str = ""


@cache
def given() -> dict[str, Any]:
    """Return the parts of the set."""
    loaded: dict[str, Any] = yaml.safe_load(SET.read_text(encoding="utf-8"))
    return loaded


def dangers() -> list[tuple[str, str]]:
    """Return what each danger is, and its command."""
    parts = given()
    return [
        (kind, command) for kind, commands in parts["shown"].items() for command in commands
    ] + [("unseen", one) for one in parts["unseen"]]


def every() -> Iterator[Case]:
    """Yield each danger with all words in all carriers, each once without words, and what is
    ordinary.
    """
    parts = given()
    for kind, command in dangers():
        yield Case(command, kind, "")
        for group in ("known", "other"):
            for words, carrier in product(parts[group], parts["carriers"]):
                yield Case(carried(carrier, words, command), kind, group)
    for command in parts["ordinary"]:
        yield Case(command, "", "")


def some() -> Iterator[Case]:
    """Yield each danger with one of the known words and one of the others, in carriers by turns,
    and what is ordinary.
    """
    parts = given()
    carriers = parts["carriers"]
    for number, (kind, command) in enumerate(dangers()):
        for at, group in enumerate(("known", "other")):
            words = parts[group][number % len(parts[group])]
            yield Case(
                carried(carriers[(number + at) % len(carriers)], words, command), kind, group
            )
    for command in parts["ordinary"]:
        yield Case(command, "", "")


def carried(carrier: str, words: str, command: str) -> str:
    """Return a command with words beside it."""
    return carrier.replace("WORDS", words).replace("CALL", command)


def scripts() -> Iterator[Case]:
    """Yield calls of a file whose text tells what it does, and its name nothing."""
    for text in given()["scripts"]["danger"]:
        yield Case(f"./{SCRIPT}", "script", "", text)
    for text in given()["scripts"]["ordinary"]:
        yield Case(f"./{SCRIPT}", "", "", text)
