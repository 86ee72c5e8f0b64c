"""What the service asks of its database about limits that machines share: part of ``protocol``."""

from __future__ import annotations

from typing import Protocol

from interlock.service.store.rows import LeaseRow, SharedUseRow


class LeaseReader(Protocol):
    """Questions about shared limits."""

    def clock(self) -> int:
        """Return the database's time in microseconds: all nodes go by the same."""

    def shared_use(self, scope: str, what: str) -> SharedUseRow | None:
        """Return what was used of a limit."""

    def shared_uses(self) -> list[SharedUseRow]:
        """Return all of them, by scope and what is counted."""

    def lease(self, machine: str, name: str) -> LeaseRow | None:
        """Return a lease."""

    def leases(self, scope: str, what: str) -> list[LeaseRow]:
        """Return the leases of a limit of which nothing came back yet."""


class LeaseWriter(LeaseReader, Protocol):
    """Steps about shared limits."""

    def put_shared_use(self, use: SharedUseRow) -> None:
        """Keep what was used of a limit."""

    def put_lease(self, lease: LeaseRow) -> None:
        """Keep a lease, instead of what it was before."""

    def forget_leases(self, before: int) -> None:
        """Forget leases that count no more since then."""
