"""What the service asks of its database about exports; a part of ``protocol``.

Events of one tenant are numbered in the order in which their transactions end, for one writes at a
time: what was read up to a number is all that there ever is up to it.
"""

from __future__ import annotations

from typing import Protocol

from interlock.service.store.rows import Destination, EventRow, ExportCursor
from interlock.service.store.views import ExportState


class ExportReader(Protocol):
    """Questions about exports."""

    def destinations(self) -> list[Destination]:
        """Return where the record goes."""

    def export_cursor(self, name: str) -> ExportCursor | None:
        """Return how far a destination has it."""

    def arrivals(self, after: int, through: int, most: int) -> list[EventRow]:
        """Return events in the order of arrival: past a number, up to another one."""

    def session_records(self, chain: str, name: str, most: int) -> list[EventRow]:
        """Return the events of a session as they were kept, in the order of arrival."""

    def find_arrival(self, after: int, most: int) -> int:
        """Return the number of the last of so many events past a number, that number itself where
        there is none.
        """

    def newest_arrival(self) -> int:
        """Return the number of the last event."""

    def exports(self) -> list[ExportState]:
        """Return where the record goes, and how far it is there."""


class ExportWriter(Protocol):
    """Steps about exports."""

    def add_destination(self, destination: Destination, position: int) -> None:
        """Add a destination, which is sent what came past a number."""

    def end_destination(self, name: str, at: str) -> bool:
        """Have nothing go there any more; tell whether it did."""

    def hold_export(self, name: str, holder: str, at: str, until: str) -> ExportCursor | None:
        """Have one holder send to a destination until a time; return how far it is, None where
        another one sends.
        """

    def save_export(self, cursor: ExportCursor) -> bool:
        """Keep how far a destination is, where its holder still is the one; tell whether it is."""

    def pass_over(self, name: str, at: str) -> EventRow | None:
        """Have a destination never be sent the event that it refuses, whoever holds it; return
        that event, None where none is refused.
        """
