"""Events as rows of ``chain_event``, for all that reads some."""

from __future__ import annotations

from interlock.model.jsontext import loads
from interlock.service.store.rows import EventRow
from interlock.service.store.statements import Row, Statements


class EventQueries(Statements):
    """Reads events. A database that keeps some of one elsewhere says so."""

    event_columns = "id, chain, branch, seq, key, at, kind, session, subject, body, hash, row"

    @classmethod
    def _event_from_row(cls, row: Row) -> EventRow:
        """Return an event by ``event_columns``."""
        values = None if row[11] is None else tuple(loads(row[11]))
        number, chain, branch = row[:3]
        return EventRow(number, chain, branch, row[3:10], row[10], values)
