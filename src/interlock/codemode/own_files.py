"""What a run itself has made, for whoever reads its operations; the rest is the guard's facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interlock.model.facts import Facts


class _OwnFileFacts:
    """Facts with what this run has made besides."""

    def __init__(self, facts: Facts, made: Callable[[str], bool]) -> None:
        self._facts, self._make_module = facts, made

    def __getattr__(self, name: str) -> Any:
        return getattr(self._facts, name)

    def made(self, path: str) -> bool:
        """Tell whether this run has made a path, or the session before it."""
        return self._make_module(path) or self._facts.made(path)


def witness(facts: Facts, made: Callable[[str], bool]) -> Facts:
    """Return facts that know what a run has made."""
    knows: Any = _OwnFileFacts(facts, made)
    found: Facts = knows
    return found
