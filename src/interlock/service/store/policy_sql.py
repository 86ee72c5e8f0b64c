"""Policies for the fleet in SQL: ``policy_protocol``, within one transaction."""

from __future__ import annotations

from interlock.service.store.events_sql import EventQueries
from interlock.service.store.rows import BundleRow, EventRow, TrialRow
from interlock.service.store.statements import Statements

Statements.tables.update({BundleRow: ("bundle", 1), TrialRow: ("trial", 1)})


class PolicyQueries(EventQueries):
    """The questions of ``policy_protocol``."""

    def policy_document(self, name: str) -> str:
        """Return a document."""
        found = self._one("SELECT body FROM policy_document WHERE name = ?", name)
        return str(found[0]) if found else ""

    def bundles(self, most: int) -> list[BundleRow]:
        """Return policies."""
        return self._rows(BundleRow, "true ORDER BY number DESC LIMIT ?", most)

    def bundle(self, number: int) -> BundleRow | None:
        """Return a policy."""
        return self._row(BundleRow, "number = ?", number)

    def bundle_of(self, hashed: str) -> BundleRow | None:
        """Return the newest policy of a text."""
        return self._row(BundleRow, "hash = ? ORDER BY number DESC LIMIT 1", hashed)

    def trial(self, hashed: str) -> TrialRow | None:
        """Return what came of trying a text."""
        return self._row(TrialRow, "hash = ?", hashed)

    def judged(self, since: str, most: int) -> list[EventRow]:
        """Return the events of decisions."""
        sql = f"""SELECT {self.event_columns} FROM chain_event WHERE kind = 'decision'
            AND at >= ? AND row IS NOT NULL ORDER BY id DESC LIMIT ?"""
        return [self._event_from_row(row) for row in self._all(sql, since, most)]

    def count_answers(self, chain: str, since: str, until: str) -> tuple[int, int, int]:
        """Return how many calls there were, asked and denied."""
        sql = """SELECT count(*), coalesce(sum(CASE verdict WHEN 'ask' THEN 1 ELSE 0 END), 0),
            coalesce(sum(CASE verdict WHEN 'deny' THEN 1 ELSE 0 END), 0)
            FROM decision WHERE chain = ? AND at >= ? AND at < ?"""
        calls, asked, denied = self._one(sql, chain, since, until) or (0, 0, 0)
        return int(calls), int(asked), int(denied)


class PolicyCommands(PolicyQueries):
    """The steps of ``policy_protocol``."""

    def put_policy_document(self, name: str, body: str) -> None:
        """Keep a document."""
        how = self._replace(("name",), ("body",))
        self._did(f"INSERT INTO policy_document (name, body) VALUES (?, ?) {how}", name, body)

    def put_bundle(self, bundle: BundleRow) -> None:
        """Keep a policy."""
        self._put(bundle)

    def put_trial(self, trial: TrialRow) -> None:
        """Keep what came of trying a text."""
        self._put(trial)
