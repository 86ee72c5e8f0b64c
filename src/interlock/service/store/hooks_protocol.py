"""What the service asks of its database about web hooks; a part of ``protocol``."""

from __future__ import annotations

from typing import Protocol

from interlock.service.store.rows import Delivery, WebHook


class HookReader(Protocol):
    """Questions about web hooks."""

    def hooks(self) -> list[WebHook]:
        """Return the web hooks that are told."""

    def deliveries(self, at: str, most: int) -> list[Delivery]:
        """Return what is due, the oldest first."""

    def find_undelivered(self) -> dict[str, Delivery]:
        """Return the newest delivery of each hook that was not taken, by the hook's id."""


class HookWriter(Protocol):
    """Steps about web hooks."""

    def add_hook(self, hook: WebHook) -> None:
        """Add a web hook."""

    def end_hook(self, name: str, at: str) -> bool:
        """Have it be told nothing more; tell whether it was."""

    def put_delivery(self, delivery: Delivery) -> None:
        """Note what a web hook is to be told, or what came of it."""

    def hold_delivery(self, delivery: Delivery, until: str) -> bool:
        """Have nobody else deliver what is due until a time; tell whether nobody else does."""

    def forget_deliveries(self, before: str) -> None:
        """Forget what was delivered or given up before a time."""
