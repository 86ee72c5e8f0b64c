"""What is asked of an archive by who need not know how it is made."""

from __future__ import annotations

from typing import Protocol

from interlock.model.record import Record
from interlock.service.store.protocol import ServiceStore
from interlock.service.store.views import DecisionQuery


class FoundDecision(Record):
    """A decision in a file: the number of its event, its chain, its name."""

    number: int
    chain: str
    name: str


class Archive(Protocol):
    """The files of past days. Raises ``ServiceStoreError``."""

    folder: str

    def find(self, wanted: DecisionQuery) -> tuple[int, list[FoundDecision]]:
        """Return up to which event the files go, and the decisions that are asked for in them, the
        newest first.
        """

    def add_past_days(self, keeping: ServiceStore, at: str) -> int:
        """Write what arrived before today and is in no file yet; return how many events."""

    def close(self) -> None:
        """Let go of what is open."""
