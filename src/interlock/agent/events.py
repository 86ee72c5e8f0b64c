"""What a loop tells while it works, for whoever shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from interlock.model.decision import Decision
from interlock.model.record import Record


class Asked(Record):
    """The model is asked, and nothing came back yet."""


class Said(Record):
    """A piece of the model's answer, as it comes."""

    text: str


class Called(Record):
    """The model wants a tool; it was not judged yet."""

    name: str
    given: Mapping[str, Any]


class Returned(Record):
    """A call ran, or could not (``failed``); ``text`` is what the model is told."""

    name: str
    text: str
    failed: bool = False


class Blocked(Record):
    """The guard let a call not run; ``text`` is what the model is told."""

    name: str
    text: str
    decision: Decision | None = None


class Warned(Record):
    """The guard, or what records, has something to say about what runs."""

    text: str


class Used(Record):
    """What one answer of the model took: tokens read and written."""

    read: int
    written: int


Event = Asked | Said | Called | Returned | Blocked | Warned | Used
DONE, ESCAPED, BLOCKED, TURNS, HALTED, FAILED = (
    "done",
    "stopped",
    "blocked-again",
    "too-many-turns",
    "halted",
    "failed",
)


class Ending(Record):
    """How a turn ended.

    ``how``: ``done`` (the model has no more to do), ``stopped`` (by the person), ``blocked-again``
    (it wants again and again what is blocked), ``too-many-turns``, ``halted`` (by the emergency
    stop), ``failed`` (it could not be asked).
    ``text``: the model's last words, or why.
    ``blocked``: how many calls the guard did not let run.
    """

    how: str
    text: str = ""
    blocked: int = 0


Tell = Callable[[Event], None]
