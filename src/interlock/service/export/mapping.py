"""The forms of exports: which of our facts is which of their fields, read from the files of
``forms/``.

A section begins with what it is for (``[decision verdict=deny]``; ``[every]`` is for all), and a
later one goes before an earlier one where its fact says anything. A row is ``THEIRS = OURS``: a
value of JSON, or a fact, behind which stands what is done with it (``at | ms``): one of ``WAYS``,
or a table of the same file. What no fact says, and ``-``, is no field. A dot leads into an object,
``[]`` to the one element of a list.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from json import JSONDecodeError, loads
from typing import Any

from interlock.model.record import Record
from interlock.service.export.facts import Facts

FOLDER = f"{os.path.dirname(os.path.abspath(__file__))}/forms"
EVERY, ELSE, NOTHING = "every", "*", "-"
Read = Callable[[Facts], Any]
Table = Mapping[str, Any]
FormRows = tuple[tuple[str, tuple[Read, ...]], ...]
"""Fields, and what is read for each, until one says anything."""


class FormError(ValueError):
    """A file of a form cannot be read; one sentence says where."""


class FormSection(Record):
    """What holds for some events. ``conditions``: facts and the values that they have."""

    conditions: tuple[tuple[str, frozenset[str]], ...]
    rows: Mapping[str, Read | None]

    def holds(self, facts: Facts) -> bool:
        """Tell whether an event is meant."""
        return all(str(facts.get(name, "")) in values for name, values in self.conditions)


class Form:
    """One form. ``render`` gives an event's fields by their names, in no objects yet."""

    def __init__(self, sections: Sequence[FormSection]) -> None:
        self._sections = sections
        self._asked = sorted({name for one in sections for name, _ in one.conditions})
        self._known: dict[tuple[str, ...], FormRows] = {}

    def render(self, facts: Facts) -> dict[str, Any]:
        """Return an event's fields."""
        found = {}
        for name, reads in self._rows(facts):
            for read in reads:
                value = read(facts)
                if value is not None and value != "":
                    found[name] = value
                    break
        return found

    def _rows(self, facts: Facts) -> FormRows:
        kind = tuple([str(facts.get(name, "")) for name in self._asked])
        if kind not in self._known:
            self._known[kind] = self._choose(facts)
        return self._known[kind]

    def _choose(self, facts: Facts) -> FormRows:
        rows: dict[str, tuple[Read, ...]] = {}
        for section in [one for one in self._sections if one.holds(facts)]:
            for name, read in section.rows.items():
                rows[name] = (read, *rows.get(name, ())) if read is not None else ()
        return tuple(rows.items())


@lru_cache(maxsize=16)
def read_form(name: str) -> Form:
    """Return a form by its name; raises ``FormError``."""
    with open(f"{FOLDER}/{name}.txt", encoding="utf-8") as file:
        return parse_form(file.read(), name)


def parse_form(text: str, name: str) -> Form:
    """Return the form that a text says."""
    tables: dict[str, dict[str, Any]] = {}
    sections: list[tuple[str, dict[str, Read | None]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        try:
            if words.startswith("[table "):
                tables[words[7:-1]] = table = {}
                sections.append(("", {}))
            elif words.startswith("["):
                sections.append((words[1:-1], {}))
            else:
                theirs, _, ours = [part.strip() for part in words.partition(" = ")]
                if sections[-1][0]:
                    sections[-1][1][theirs] = _reader(ours, tables)
                else:
                    table[theirs] = loads(ours)
        except (IndexError, KeyError, JSONDecodeError) as error:
            raise FormError(f"{name}, line {number} is no row of a form: {line}") from error
    return Form([FormSection(_conditions(head), rows) for head, rows in sections if head])


def _conditions(head: str) -> tuple[tuple[str, frozenset[str]], ...]:
    kind, *more = head.split()
    found = [] if kind == EVERY else [("kind", frozenset(kind.split("|")))]
    for one in more:
        name, _, values = one.partition("=")
        found.append((name, frozenset(values.split("|"))))
    return tuple(found)


def _reader(ours: str, tables: Mapping[str, Table]) -> Read | None:
    """Return what reads a value out of an event's facts, None for no field."""
    if ours == NOTHING:
        return None
    if ours[0] in '"[{-0123456789' or ours in ("true", "false"):
        constant = loads(ours)
        return lambda _: constant
    name, *ways = [part.strip() for part in ours.split(" | ")]
    steps = [WAYS[way] if way in WAYS else _by_table(tables[way]) for way in ways]

    def read(facts: Facts) -> Any:
        value = facts.get(name)
        for step in steps:
            if value is None or value == "":
                break
            value = step(value)
        return value

    return read


def _by_table(table: Table) -> Callable[[Any], Any]:
    otherwise = table.get(ELSE)
    return lambda value: table.get(str(value), otherwise)


def _milliseconds(at: Any) -> int:
    """Return a time of the record as milliseconds since 1970; 0 for one that is none."""
    try:
        return max(0, round(datetime.fromisoformat(str(at)).timestamp() * 1000))
    except (ValueError, OverflowError):
        return 0


def _number(value: Any) -> int:
    """Return a count; 0 for what is none."""
    return int(value) if isinstance(value, int | float) and 0 <= value < _MOST_NUMBER else 0


_MOST_NUMBER = 2**53
WAYS: dict[str, Callable[[Any], Any]] = {
    "ms": _milliseconds,
    "ns": lambda at: str(_milliseconds(at) * 10**6),
    "ms to ns": lambda ms: _number(ms) * 10**6,
    "text": str,
    "list": lambda value: [value],
    "number": _number,
}
"""What may be done with a fact; a machine may say anything."""


def nest(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields as objects: dots lead into them."""
    found: dict[str, Any] = {}
    for path, value in fields.items():
        *way, last = path.split(".")
        place = found
        for part in way:
            if part.endswith("[]"):
                place = place.setdefault(part[:-2], [{}])[0]
            else:
                place = place.setdefault(part, {})
        place[last] = value
    return found
