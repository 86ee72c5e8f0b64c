"""The client for programs without a loop; what is asked stands in one place for both."""

from __future__ import annotations

import ssl
import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

from interlock.client.connection import NoDecisionError, ServiceConnection
from interlock.client.decision import (
    ASK,
    DENY,
    RemoteDecision,
    UnreadableError,
    read_decision,
    stand_in,
)
from interlock.model.record import Record

RAISE = "raise"
ERRORS = (RAISE, ASK, DENY)
SECONDS = 10.0


class ClientSettings(Record):
    """``on_error``: what becomes of an error: ``raise`` (``NoDecisionError``), ``ask`` or ``deny``;
    ``seconds``: for one answer; ``ca``: a file in PEM that vouches for the service, where the
    system's authorities do not; ``usual``: said of each call (``cwd``, ``session``, ``carries``
    ...).
    """

    on_error: str = RAISE
    seconds: float = SECONDS
    ca: str = ""
    usual: Mapping[str, Any] = {}


class Client:
    """Asks a service for decisions with a token of the role caller. Safe for threads."""

    def __init__(self, url: str, token: str, **settings: Any) -> None:
        self.settings = ClientSettings(**settings)
        if self.settings.on_error not in ERRORS:
            raise ValueError(f"on_error is one of {', '.join(ERRORS)}")
        context = None
        if url.startswith("https:"):
            context = ssl.create_default_context(cafile=self.settings.ca or None)
        self._service = ServiceConnection(url, token, self.settings.seconds, context)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close what is open."""
        self._service.close()

    def decide(
        self, name: str, given: Mapping[str, Any], *, wait: float = 0, **more: Any
    ) -> RemoteDecision:
        """Return the decision on a call of a tool with what it is given. ``wait``: so many seconds
        for a person to answer, where that is asked; ``more``: what else is said of the call.
        """
        until = time.monotonic() + wait
        while True:
            [found] = self._decisions([_call(name, given, {**self.settings.usual, **more})])
            pause = max(1, found.retry_after)
            if found.verdict != ASK or not found.request or time.monotonic() + pause > until:
                return found
            time.sleep(pause)

    def decide_all(
        self, calls: Sequence[tuple[str, Mapping[str, Any]]], **more: Any
    ) -> list[RemoteDecision]:
        """Return the decisions on calls, pairs of a tool's name and what it is given, in their
        order.
        """
        return self._decisions(
            [_call(name, given, {**self.settings.usual, **more}) for name, given in calls]
        )

    def tell(
        self, decision: RemoteDecision, status: str, result: str = "", duration_ms: int = 0
    ) -> bool:
        """Say what became of a call: it ``ran``, ``failed`` or was ``refused``; tell whether that
        is recorded. Raises ``NoDecisionError`` where errors are raised.
        """
        body = {"id": decision.id, "status": status, "duration_ms": duration_ms}
        if not decision.id:
            return False
        try:
            self._service.post("/v1/outcomes", {**body, "result": result[:MOST_RESULT]}, again=True)
        except NoDecisionError:
            if self.settings.on_error == RAISE:
                raise
            return False
        return True

    def _decisions(self, calls: list[dict[str, Any]]) -> list[RemoteDecision]:
        try:
            if len(calls) == 1:
                return [read_decision(self._service.post("/v1/decide", calls[0], again=False))]
            answer = self._service.post("/v1/decide/batch", {"calls": calls}, again=False)
            given = answer.get("decisions") if isinstance(answer, dict) else None
            return _read_all(given, len(calls))
        except (NoDecisionError, UnreadableError) as error:
            if self.settings.on_error == RAISE:
                raise _no_decision(error) from error
            return [stand_in(self.settings.on_error, str(error)) for _ in calls]


MOST_RESULT = 4000


def _read_all(given: object, count: int) -> list[RemoteDecision]:
    if not isinstance(given, list) or len(given) != count:
        raise UnreadableError("the answer has other decisions than were asked for")
    return [read_decision(one) for one in given]


def _call(name: str, given: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    return {**more, "name": name, "input": dict(given)}


def _no_decision(error: Exception) -> NoDecisionError:
    return error if isinstance(error, NoDecisionError) else NoDecisionError(str(error))
