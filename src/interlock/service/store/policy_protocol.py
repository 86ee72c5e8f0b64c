"""What the service asks of its database about policies for the fleet; a part of ``protocol``."""

from __future__ import annotations

from typing import Protocol

from interlock.service.store.rows import BundleRow, EventRow, TrialRow


class PolicyReader(Protocol):
    """Questions about policies."""

    def policy_document(self, name: str) -> str:
        """Return a document of the repository, empty where there is none."""

    def bundles(self, most: int) -> list[BundleRow]:
        """Return policies, the newest first."""

    def bundle(self, number: int) -> BundleRow | None:
        """Return a policy by its number."""

    def bundle_of(self, hashed: str) -> BundleRow | None:
        """Return the newest policy of a text, given its hash."""

    def trial(self, hashed: str) -> TrialRow | None:
        """Return what came of trying a text, given its hash."""

    def judged(self, since: str, most: int) -> list[EventRow]:
        """Return the events of decisions from a time on, the newest first."""

    def count_answers(self, chain: str, since: str, until: str) -> tuple[int, int, int]:
        """Return how many calls of a chain were judged between two times, asked and denied."""


class PolicyWriter(Protocol):
    """Steps about policies."""

    def put_policy_document(self, name: str, body: str) -> None:
        """Keep a document of the repository; an empty one is none."""

    def put_bundle(self, bundle: BundleRow) -> None:
        """Keep a policy, or what became of it."""

    def put_trial(self, trial: TrialRow) -> None:
        """Keep what came of trying a text, instead of what came of it before."""
