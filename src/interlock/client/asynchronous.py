"""The client for programs with a loop: the same questions, each in a thread beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Self, TypeVar

from interlock.client.connection import NoDecisionError
from interlock.client.decision import ASK, RemoteDecision
from interlock.client.synchronous import Client

T = TypeVar("T")
MOST_AT_ONCE = 32
"""Questions on their way at once; more wait for a thread."""


class AsyncClient:
    """As ``Client``, to be awaited."""

    def __init__(self, url: str, token: str, **settings: Any) -> None:
        self._client = Client(url, token, **settings)
        self._threads = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="interlock")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close what is open, once what is on its way is back."""
        await asyncio.to_thread(self._threads.shutdown)
        self._client.close()

    async def decide(
        self, name: str, given: Mapping[str, Any], *, wait: float = 0, **more: Any
    ) -> RemoteDecision:
        """Return the decision on a call, as ``Client.decide`` does; while a person is waited for no
        thread is held.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + wait
        while True:
            found = await self._beside(partial(self._client.decide, name, given, **more))
            pause = max(1, found.retry_after)
            if found.verdict != ASK or not found.request or loop.time() + pause > until:
                return found
            await asyncio.sleep(pause)

    async def decide_all(
        self, calls: Sequence[tuple[str, Mapping[str, Any]]], **more: Any
    ) -> list[RemoteDecision]:
        """Return the decisions on calls, as ``Client.decide_all`` does."""
        return await self._beside(partial(self._client.decide_all, calls, **more))

    async def tell(
        self, decision: RemoteDecision, status: str, result: str = "", duration_ms: int = 0
    ) -> bool:
        """Say what became of a call, as ``Client.tell`` does."""
        return await self._beside(partial(self._client.tell, decision, status, result, duration_ms))

    async def _beside(self, work: Callable[[], T]) -> T:
        try:
            future = self._threads.submit(work)
        except RuntimeError:
            raise NoDecisionError("this client is closed") from None
        return await asyncio.wrap_future(future)
