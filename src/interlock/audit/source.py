"""Where a chain is read from: the store itself, or an export of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from interlock.model.jsontext import JsonError, loads, object_of
from interlock.model.record import Record
from interlock.store.chain import FIELDS, digest, greatest_number
from interlock.store.protocol import Connection
from interlock.store.schema import AUDIT_COLUMNS, SETTLED_COLUMNS, Value


class EventChain(Protocol):
    """A chain as it is found."""

    def events(self) -> Iterator[ChainEvent]:
        """Yield every event, oldest first."""

    def head(self) -> int | None:
        """Return the greatest number ever given to an event; None where that is not kept."""

    def retention(self) -> dict[str, Any] | None:
        """Return the body of the last event that tells of retention."""

    def find_unchained(self) -> list[int]:
        """Return the numbers of judgements' rows that no event tells of."""

    def strangers(self) -> list[str]:
        """Return what acts on the tables and is none of interlock's."""


ROW = ("id", "created_at", *AUDIT_COLUMNS)
ENDED = SETTLED_COLUMNS
"""What an export line of an outcome says of the judgement's row, no more than its record proves."""
_ENDED = [ROW.index(name) for name in ENDED]
_BEFORE_ALL = -(2**63)


class ChainEvent(Record):
    """One event. ``values``: from ``seq`` to ``body``. ``row``: the judgement it is about by
    ``ROW``, where it tells of one that is there.
    """

    values: tuple[Value, ...]
    hash: str
    row: tuple[Value, ...] | None = None

    @property
    def seq(self) -> int:
        """Its number."""
        return int(self.values[0] or 0)

    @property
    def kind(self) -> str:
        """What it tells of."""
        return str(self.values[3])

    @property
    def body(self) -> dict[str, Any]:
        """What it tells; empty where that is not readable."""
        return body(self.values[6])

    @property
    def became(self) -> str:
        """The digest of what its judgement's row says became of the call; empty without a row."""
        return "" if self.row is None else digest([self.row[at] for at in _ENDED])


def body(text: object) -> dict[str, Any]:
    """Return an event's body; empty where it is not readable."""
    return object_of(str(text))


class StoreChain:
    """The chain of a store, within one view of it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def events(self, after: int = _BEFORE_ALL) -> Iterator[ChainEvent]:
        """Yield every event past a number, oldest first."""
        events, rows = [
            ", ".join([f"{table}.{name}" for name in names])
            for table, names in (("e", FIELDS), ("r", ROW))
        ]
        cursor = self._connection.execute(
            f"SELECT {events}, {rows} FROM audit_event e LEFT JOIN guardrail_audit_log r "  # noqa: S608 - our own words
            "ON e.kind IN ('decision', 'outcome') AND r.decision_id = e.subject WHERE e.seq > ?"
            " ORDER BY e.seq",
            (after,),
        )
        size = len(FIELDS)
        for found in iter(cursor.fetchone, None):
            yield ChainEvent(
                found[: size - 1],
                found[size - 1],
                found[size:] if found[size] is not None else None,
            )

    def followed(self, event: ChainEvent) -> bool:
        """Tell whether a later record tells of the same call's end."""
        sql = "SELECT 1 FROM audit_event WHERE seq > ? AND kind = 'outcome' AND subject = ? LIMIT 1"
        return self._connection.execute(sql, (event.seq, event.values[5])).fetchone() is not None

    def head(self) -> int | None:
        """Return what the database noted by itself."""
        return greatest_number(self._connection)

    def retention(self) -> dict[str, Any] | None:
        """Return the last retention."""
        found = self._connection.execute(
            "SELECT body FROM audit_event WHERE kind = 'retention' ORDER BY seq DESC LIMIT 1"
        ).fetchone()
        return body(found[0]) if found else None

    def find_unchained(self) -> list[int]:
        """Return the rows without an event."""
        sql = """SELECT r.id FROM guardrail_audit_log r LEFT JOIN (SELECT key FROM audit_event
            WHERE kind = 'decision') e ON e.key = r.decision_id
            WHERE e.key IS NULL ORDER BY r.id"""
        return [number for (number,) in self._connection.execute(sql).fetchall()]

    def strangers(self) -> list[str]:
        """Return the triggers and views of the file; interlock makes none."""
        found = self._connection.execute(
            "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view') ORDER BY name"
        ).fetchall()
        return [f"the {kind} {name}" for kind, name in found]


class ExportError(ValueError):
    """A text is no export; one sentence says where and why."""


class ExportChain:
    """The chain of an export in JSON lines; raises ``ExportError`` while it is read."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._events = [
            _parse_event(number, text) for number, text in enumerate(lines, 1) if text.strip()
        ]

    def events(self) -> Iterator[ChainEvent]:
        """Yield every event, in the order of the lines."""
        return iter(self._events)

    def head(self) -> int | None:
        """Return None: an export notes no head."""
        return None

    def retention(self) -> dict[str, Any] | None:
        """Return the last retention."""
        return next(
            (event.body for event in reversed(self._events) if event.kind == "retention"), None
        )

    def find_unchained(self) -> list[int]:
        """Return nothing: an export is made of events."""
        return []

    def strangers(self) -> list[str]:
        """Return nothing: an export is text."""
        return []


def _parse_event(number: int, text: str) -> ChainEvent:
    try:
        said = {**loads(text)}
        row = said.pop("row", None)
        names = ENDED if said["kind"] == "outcome" else ROW
        if (
            set(said) != set(FIELDS)
            or (row is not None and set(row) != set(names))
            or type(said["seq"]) is not int
        ):
            raise ExportError(
                f"line {number} is no line of an export: its fields are not those of one"
            )
        values = None if row is None else tuple([row.get(name) for name in ROW])
        return ChainEvent(tuple([said[field] for field in FIELDS[:-1]]), said["hash"], values)
    except (JsonError, KeyError, TypeError, AttributeError) as error:
        raise ExportError(f"line {number} is no line of an export: {error}") from error
