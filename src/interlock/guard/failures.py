"""The one place of the guard that catches everything: a stage that fails becomes words, never a
traceback and never an allow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from interlock.model.record import Record

T = TypeVar("T")


class Failure(Record):
    """What went wrong in a stage, in one sentence without line breaks."""

    stage: str
    why: str


def attempt(
    stage: str, work: Callable[[], object], kind: type[T] | tuple[type[T], ...]
) -> T | Failure:
    """Return what the stage answers or its failure: an exception, or an answer of another kind."""
    try:
        answer = work()
    except Exception as error:  # noqa: BLE001 - whatever a stage throws, there must be an answer
        return Failure(stage, _sentence(error))
    if not isinstance(answer, kind):
        return Failure(stage, f"it answered with a {type(answer).__name__}")
    return answer


def _sentence(error: Exception) -> str:
    """Return what an error says; of one that is not our own with its name, for the words alone are
    often no sentence (``KeyError: 'x'``).
    """
    try:
        words = " ".join(str(error).split())[:300]
    except Exception:  # noqa: BLE001 - an exception may fail to say what it is
        words = ""
    name = type(error).__name__
    if words and type(error).__module__.startswith("interlock."):
        return words
    return f"{words} ({name})" if words else name
