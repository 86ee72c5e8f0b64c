"""One line of the doctor's table."""

from __future__ import annotations

from interlock.model.record import Record

GREEN, AMBER, RED = "green", "amber", "red"


class ReportRow(Record):
    """How it stands, what was looked at, what was seen, and the command that mends it."""

    colour: str
    what: str
    seen: str
    mend: str = ""
