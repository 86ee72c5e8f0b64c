"""Whether a model only runs against the guard: the same blocked call, or blocked calls alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

SAME, ROW = 3, 8
"""Times that one call is blocked, and blocked calls in a row, that end a turn."""


class Repeats:
    """Counts the blocked calls of one turn."""

    def __init__(self) -> None:
        self.total = 0
        self._row = 0
        self._times: dict[tuple[str, str], int] = {}

    def ran(self) -> None:
        """Note a call that ran."""
        self._row = 0

    def blocked(self, name: str, given: Mapping[str, Any]) -> str:
        """Note a call that was blocked; return what to add for the model, ``""`` the first time."""
        key = (name, json.dumps(given, sort_keys=True, default=str))
        self.total += 1
        self._row += 1
        self._times[key] = self._times.get(key, 0) + 1
        if self._times[key] > 1:
            return (
                f"This very call was blocked {self._times[key]} times now. It stays blocked. Do"
                " something else, or tell the user and stop."
            )
        return ""

    @property
    def over(self) -> str:
        """Why the turn is over, or ``""``."""
        if max(self._times.values(), default=0) >= SAME:
            return f"the model asked {SAME} times for the same call, which is blocked"
        return f"the model made {ROW} calls in a row that are blocked" if self._row >= ROW else ""
