"""What the service asks of its database about stops; a part of ``protocol``."""

from __future__ import annotations

from typing import Protocol

from interlock.service.store.rows import StopConfirmation, StopRow
from interlock.wire.orders import ResumeOrder


class StopReader(Protocol):
    """Questions about stops."""

    def epoch(self) -> int:
        """Return the number of the newest stop or resumption, 0 where there was none."""

    def stops(self, most: int, *, standing: bool = False) -> list[StopRow]:
        """Return stops, the newest first; ``standing``: those that were not resumed, all."""

    def stop(self, epoch: int) -> StopRow | None:
        """Return a stop."""

    def find_resumed(self, epoch: int) -> StopRow | None:
        """Return the stop that a resumption ended."""

    def find_stop_reports(self, epoch: int) -> list[StopConfirmation]:
        """Return what machines reported of a stop or a resumption, in that order."""

    def agents(self) -> list[str]:
        """Return the agents of the newest calls, by name."""

    def voices(self, epoch: int) -> list[str]:
        """Return who wants a stop resumed, in that order."""


class StopWriter(Protocol):
    """Steps about stops."""

    def add_stop(self, stop: StopRow) -> None:
        """Add a stop."""

    def lift_stop(self, resume: ResumeOrder) -> bool:
        """Resume a stop; tell whether it stood until now."""

    def put_stop_report(self, seen: StopConfirmation) -> None:
        """Note what a machine reports, instead of what it reported before of the same."""

    def add_voice(self, epoch: int, person: str, at: str) -> None:
        """Note that somebody wants a stop resumed."""
