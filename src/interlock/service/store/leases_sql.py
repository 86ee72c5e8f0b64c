"""Limits that machines share, in SQL: ``leases_protocol``, within one transaction."""

from __future__ import annotations

import time

from interlock.service.store.rows import OUT, LeaseRow, SharedUseRow
from interlock.service.store.statements import Statements

Statements.tables.update({SharedUseRow: ("shared_use", 2), LeaseRow: ("lease", 2)})


class LeaseQueries(Statements):
    """``leases_protocol.LeaseReader``."""

    def clock(self) -> int:
        """Return the time: a file's database has that of its machine."""
        return time.time_ns() // 1000

    def shared_use(self, scope: str, what: str) -> SharedUseRow | None:
        """Return what was used of a limit."""
        return self._row(SharedUseRow, "scope = ? AND what = ?", scope, what)

    def shared_uses(self) -> list[SharedUseRow]:
        """Return all of them."""
        return self._rows(SharedUseRow, "true ORDER BY scope, what")

    def lease(self, machine: str, name: str) -> LeaseRow | None:
        """Return a lease."""
        return self._row(LeaseRow, "machine = ? AND id = ?", machine, name)

    def leases(self, scope: str, what: str) -> list[LeaseRow]:
        """Return the leases of a limit that are out."""
        where = f"scope = ? AND what = ? AND used = {OUT} ORDER BY machine, id"
        return self._rows(LeaseRow, where, scope, what)


class LeaseCommands(LeaseQueries):
    """``leases_protocol.LeaseWriter``."""

    def put_shared_use(self, use: SharedUseRow) -> None:
        """Keep what was used of a limit."""
        self._put(use)

    def put_lease(self, lease: LeaseRow) -> None:
        """Keep a lease."""
        self._put(lease)

    def forget_leases(self, before: int) -> None:
        """Forget leases that count no more."""
        self._did("DELETE FROM lease WHERE gone < ?", before)
