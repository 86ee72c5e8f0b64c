"""What a provider answers, as far as it is read: so many bytes, as they come, within so many
seconds. Whoever wants to sign in asks for it, and nobody is known by then.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

import httpx2

MOST_BYTES = 1 << 20
"""Of one answer: a provider's keys are some kilobytes."""
MOST_SECONDS = 20.0
PLAIN = "identity"


class BoundedTransport(httpx2.HTTPTransport):
    """Asks as usual, and reads no more than that."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Ask; raises ``httpx2.HTTPError``. What is packed may be any size once it is unpacked, so
        it is not asked for and not taken.
        """
        request.headers["Accept-Encoding"] = PLAIN
        answer = super().handle_request(request)
        if answer.headers.get("Content-Encoding", PLAIN).lower() != PLAIN:
            answer.close()
            raise httpx2.DecodingError("it answered with something packed", request=request)
        if isinstance(answer.stream, httpx2.SyncByteStream):  # the other kind is awaited
            answer.stream = _BoundedStream(answer.stream)
        return answer


class _BoundedStream(httpx2.SyncByteStream):
    def __init__(self, whole: httpx2.SyncByteStream) -> None:
        self._whole = whole

    def __iter__(self) -> Iterator[bytes]:
        size, until = 0, monotonic() + MOST_SECONDS
        for piece in self._whole:
            size += len(piece)
            if size > MOST_BYTES:
                raise httpx2.ReadError(f"it answered more than {MOST_BYTES >> 10} KiB")
            if monotonic() > until:
                raise httpx2.ReadTimeout(f"its answer took more than {MOST_SECONDS:.0f} seconds")
            yield piece

    def close(self) -> None:
        self._whole.close()
