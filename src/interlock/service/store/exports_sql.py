"""Exports in SQL: ``exports_protocol``, within one transaction."""

from __future__ import annotations

from interlock.service.store.events_sql import EventQueries
from interlock.service.store.rows import Destination, EventRow, ExportCursor
from interlock.service.store.statements import Statements
from interlock.service.store.views import MOST_BEHIND, ExportState

Statements.tables.update({Destination: ("destination", 1), ExportCursor: ("export_cursor", 1)})


class ExportQueries(EventQueries):
    """``exports_protocol.ExportReader``."""

    def destinations(self) -> list[Destination]:
        """Return where the record goes."""
        rows = self._rows(Destination, "ended = '' ORDER BY made, id")
        return [one.replace(private=bool(one.private)) for one in rows]

    def export_cursor(self, name: str) -> ExportCursor | None:
        """Return how far a destination has it."""
        return self._row(ExportCursor, "destination = ?", name)

    def arrivals(self, after: int, through: int, most: int) -> list[EventRow]:
        """Return events in the order of arrival."""
        sql = f"""SELECT {self.event_columns} FROM chain_event
            WHERE id > ? AND id <= ? ORDER BY id LIMIT ?"""
        return [self._event_from_row(row) for row in self._all(sql, after, through, most)]

    def session_records(self, chain: str, name: str, most: int) -> list[EventRow]:
        """Return the events of a session."""
        sql = f"""SELECT {self.event_columns} FROM chain_event
            WHERE session = ? AND chain = ? ORDER BY id LIMIT ?"""
        return [self._event_from_row(row) for row in self._all(sql, name, chain, most)]

    def find_arrival(self, after: int, most: int) -> int:
        """Return the number of the last of so many events."""
        few = "SELECT id FROM chain_event WHERE id > ?1 ORDER BY id LIMIT ?2"
        return int(self._value(f"SELECT coalesce(max(id), ?1) FROM ({few}) few", after, most))

    def newest_arrival(self) -> int:
        """Return the number of the last event."""
        found = self._one("SELECT id FROM chain_event ORDER BY id DESC LIMIT 1")
        return int(found[0]) if found else 0

    def exports(self) -> list[ExportState]:
        """Return where the record goes, and how far it is there."""
        known = {one.destination: one for one in self._rows(ExportCursor, "true")}
        return [
            ExportState(one, known[one.id], self._count_past(known[one.id].position))
            for one in self.destinations()
            if one.id in known
        ]

    def _count_past(self, number: int) -> int:
        """Return how many events came past a number. A database that leaves numbers out says so."""
        return min(MOST_BEHIND, max(0, self.newest_arrival() - number))


class ExportCommands(ExportQueries):
    """``exports_protocol.ExportWriter``."""

    def add_destination(self, destination: Destination, position: int) -> None:
        """Add a destination."""
        self._add(destination)
        self._add(ExportCursor(destination.id, position, position))

    def end_destination(self, name: str, at: str) -> bool:
        """Have nothing go there any more."""
        self._did("DELETE FROM export_cursor WHERE destination = ?", name)
        sql = "UPDATE destination SET ended = ?, sealed = '' WHERE id = ? AND ended = ''"
        return self._did(sql, at, name) == 1

    def hold_export(self, name: str, holder: str, at: str, until: str) -> ExportCursor | None:
        """Have one holder send there."""
        sql = """UPDATE export_cursor SET holder = ?1, until = ?2
            WHERE destination = ?3 AND (holder = ?1 OR until <= ?4)"""
        held = self._did(sql, holder, until, name, at) == 1
        return self.export_cursor(name) if held else None

    def save_export(self, cursor: ExportCursor) -> bool:
        """Keep how far a destination is."""
        found = self.export_cursor(cursor.destination)
        if found is None or found.holder != cursor.holder:
            return False
        self._put(cursor)
        return True

    def pass_over(self, name: str, at: str) -> EventRow | None:
        """Have the next event never be sent there."""
        found = self.export_cursor(name)
        if found is None or not found.refused:
            return None
        some = self.arrivals(found.position, self.newest_arrival(), 1)
        if not some:
            return None
        number = some[0].id
        moved = ExportCursor(name, number, number, found.sent, found.taken, due=at)
        self._put(moved)
        return some[0]
