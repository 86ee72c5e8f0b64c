"""Web hooks in SQL: ``hooks_protocol``, within one transaction."""

from __future__ import annotations

from interlock.service.store.rows import DUE, Delivery, WebHook
from interlock.service.store.statements import Statements

Statements.tables.update({WebHook: ("hook", 1), Delivery: ("delivery", 1)})


class HookQueries(Statements):
    """``told.TellingReading``."""

    def hooks(self) -> list[WebHook]:
        """Return the web hooks."""
        rows = self._rows(WebHook, "ended = '' ORDER BY made, id")
        return [one.replace(private=bool(one.private)) for one in rows]

    def deliveries(self, at: str, most: int) -> list[Delivery]:
        """Return what is due."""
        return self._rows(Delivery, "state = 'due' AND due <= ? ORDER BY due LIMIT ?", at, most)

    def find_undelivered(self) -> dict[str, Delivery]:
        """Return what was not taken."""
        return {one.hook: one for one in self._rows(Delivery, "said != '' ORDER BY at")}


class HookCommands(HookQueries):
    """``told.TellingWriting``."""

    def add_hook(self, hook: WebHook) -> None:
        """Add a web hook."""
        self._add(hook)

    def end_hook(self, name: str, at: str) -> bool:
        """Have it be told nothing more."""
        self._did("DELETE FROM delivery WHERE hook = ? AND state = ?", name, DUE)
        return self._did("UPDATE hook SET ended = ? WHERE id = ? AND ended = ''", at, name) == 1

    def put_delivery(self, delivery: Delivery) -> None:
        """Note a delivery."""
        self._put(delivery)

    def hold_delivery(self, delivery: Delivery, until: str) -> bool:
        """Have nobody else deliver it."""
        sql = "UPDATE delivery SET due = ? WHERE id = ? AND due = ? AND state = 'due'"
        return self._did(sql, until, delivery.id, delivery.due) == 1

    def forget_deliveries(self, before: str) -> None:
        """Forget old ones."""
        self._did("DELETE FROM delivery WHERE state != 'due' AND at < ?", before)
