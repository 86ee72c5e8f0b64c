"""Stops and who has confirmed them, in SQL: ``stops_protocol``, within one transaction."""

from __future__ import annotations

from interlock.service.store.rows import StopConfirmation, StopRow
from interlock.service.store.statements import Statements
from interlock.wire.orders import ResumeOrder

Statements.tables.update({StopRow: ("stop", 1), StopConfirmation: ("stop_seen", 2)})


class StopQueries(Statements):
    """``stopped.StopsReading``."""

    def epoch(self) -> int:
        """Return the newest number."""
        newest = "CASE WHEN lifted > epoch THEN lifted ELSE epoch END"
        return int(self._value(f"SELECT coalesce(max({newest}), 0) FROM stop"))

    def stops(self, most: int, *, standing: bool = False) -> list[StopRow]:
        """Return stops, the newest first."""
        if standing:
            return self._rows(StopRow, "lifted = 0 ORDER BY epoch DESC")
        return self._rows(StopRow, "true ORDER BY epoch DESC LIMIT ?", most)

    def stop(self, epoch: int) -> StopRow | None:
        """Return a stop."""
        return self._row(StopRow, "epoch = ?", epoch)

    def find_resumed(self, epoch: int) -> StopRow | None:
        """Return the stop that a resumption ended."""
        return self._row(StopRow, "lifted = ?", epoch)

    def find_stop_reports(self, epoch: int) -> list[StopConfirmation]:
        """Return what machines reported."""
        rows = self._rows(StopConfirmation, "epoch = ? ORDER BY at, machine", epoch)
        return [one.replace(done=bool(one.done)) for one in rows]

    def agents(self) -> list[str]:
        """Return the agents of the record."""
        newest = "SELECT agent FROM decision ORDER BY at DESC LIMIT 2000"
        sql = f"""SELECT DISTINCT agent FROM ({newest}) newest
            WHERE agent != '' ORDER BY agent"""
        return [str(row[0]) for row in self._all(sql)]

    def voices(self, epoch: int) -> list[str]:
        """Return who wants a stop resumed."""
        sql = "SELECT person FROM stop_voice WHERE epoch = ? ORDER BY at, person"
        return [str(row[0]) for row in self._all(sql, epoch)]


class StopCommands(StopQueries):
    """``stopped.StopsWriting``."""

    def add_stop(self, stop: StopRow) -> None:
        """Add a stop."""
        self._add(stop)

    def lift_stop(self, resume: ResumeOrder) -> bool:
        """Resume a stop that stands."""
        sql = """UPDATE stop SET lifted = ?, lifted_by = ?, lifted_at = ?, lifted_signature = ?
            WHERE epoch = ? AND lifted = 0"""
        said = (resume.epoch, resume.by, resume.at, resume.signature, resume.stop)
        return self._did(sql, *said) == 1

    def put_stop_report(self, seen: StopConfirmation) -> None:
        """Note what a machine reports."""
        self._put(seen)

    def add_voice(self, epoch: int, person: str, at: str) -> None:
        """Note that somebody wants a stop resumed."""
        self._did(
            "INSERT INTO stop_voice (epoch, person, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            epoch,
            person,
            at,
        )
