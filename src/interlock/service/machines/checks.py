"""What a machine says of its own guard, and what that comes to: proven, unproven, drifted,
disarmed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from interlock.model.jsontext import JsonError, loads
from interlock.model.record import Record

KINDS = ("status", "doctor")
FIELDS = ("client", "what", "colour", "seen", "mend")
MOST_ROWS, MOST_TEXT = 100, 500
PROVEN, UNPROVEN, DRIFTED, DISARMED = "proven", "unproven", "drifted", "disarmed"


class CheckRow(Record):
    """One line of `interlock doctor` or `interlock status`. ``colour``: green, amber or red."""

    client: str
    what: str
    colour: str
    seen: str
    mend: str


def parse_rows(rows: object) -> list[dict[str, str]] | None:
    """Return rows as they are kept; None where what came is none."""
    if not isinstance(rows, list) or len(rows) > MOST_ROWS:
        return None
    found = []
    for one in rows:
        if not isinstance(one, dict) or not all(isinstance(one.get(name), str) for name in FIELDS):
            return None
        found.append({name: one[name][:MOST_TEXT] for name in FIELDS})
    return found


def read(text: str) -> list[CheckRow]:
    """Return rows as they were kept; none where they cannot be read."""
    try:
        found: Any = loads(text)
        return [CheckRow(**{name: one[name] for name in FIELDS}) for one in found]
    except (JsonError, KeyError, TypeError):
        return []


def stands(rows: Iterable[CheckRow], proven: str) -> tuple[str, str]:
    """Return how a guard is, and the line that says so. ``proven``: when it last refused its own
    trial, empty where it did not within a day.

    An agent that worked while nothing was judged is *disarmed*; something that is gone of what was
    installed, or that `interlock doctor` found broken, is *drifted*.
    """
    # that calls are stopped is red as well, and no drift
    wrong = [one for one in rows if one.colour in ("amber", "red") and one.what != "stopped"]
    for one in wrong:
        if one.what == "unjudged":
            return DISARMED, one.seen
    for one in wrong:
        if one.colour == "red" or (one.what == "losses" and not one.client):
            return DRIFTED, one.seen
    return (PROVEN, "") if proven else (UNPROVEN, "")
