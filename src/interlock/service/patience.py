"""How long a client may take: whoever sends or takes a byte a second holds a connection for
seconds, not for ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from interlock.service.open_stream import TRANSPORT

HEADER_SECONDS = 15.0
"""From a connection, or from the first byte of a later request, to the end of its headers."""
BODY_SECONDS = 60.0
"""From there to the end of what is sent: a full batch over a slow line takes less."""
LATE_SECONDS = 15.0
"""So much later whoever was told so and sends on is hung up on."""
TAKE_SECONDS = 60.0
"""In which a client takes some of what was written to it."""


class Deadline:
    """Something is done once it comes, unless it was lifted before."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None

    def set(self, seconds: float, work: Callable[[], None]) -> None:
        """Do something in so many seconds."""
        self.lift()
        self._timer = asyncio.get_running_loop().call_later(seconds, work)

    def lift(self) -> None:
        """Do nothing."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Patient(H11Protocol):
    """HTTP as uvicorn speaks it, with an end to waiting for a client."""

    def connection_made(  # type: ignore[override] # as uvicorn has it
        self, transport: asyncio.Transport
    ) -> None:
        """Wait from now on."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, TRANSPORT: transport}
        self._said, self._taken = Deadline(), Deadline()
        self._state: object = None
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Wait for what comes next, where that was the end of something."""
        super().data_received(data)
        self._watch()

    def pause_writing(self) -> None:
        """Wait until some of it was taken."""
        super().pause_writing()
        self._taken.set(TAKE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Wait no more: some of it was taken."""
        super().resume_writing()
        self._taken.lift()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing."""
        super().connection_lost(exc)
        self._said.lift()
        self._taken.lift()

    def _watch(self) -> None:
        state = self.conn.their_state
        if state is self._state:
            return
        self._state = state
        self._said.lift()
        if state is h11.IDLE:
            self._said.set(HEADER_SECONDS, self.transport.close)
        elif state is h11.SEND_BODY:
            self._said.set(BODY_SECONDS + LATE_SECONDS, self.transport.close)
