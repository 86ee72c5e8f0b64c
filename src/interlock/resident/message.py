"""A request and an answer in the resident guard, in the form of ``resident/relay_protocol.py``."""

from __future__ import annotations

from collections.abc import Callable

from interlock.model.record import Record
from interlock.resident.relay_protocol import MAX_BODY, MAX_VARIABLES, VERSION

MAX_HEAD = 256
"""Bytes of the first line."""


class UnreadableRequestError(ValueError):
    """A request that is none; the text says why."""


class HookRequest(Record):
    """One event: the client's name, the mode of the installed line (``check``, ``note`` or ``""``),
    the environment, and the bytes.
    """

    client: str
    mode: str
    environment: dict[str, str]
    body: bytes


class HookResponse(Record):
    """What the hook writes, and its exit code."""

    code: int
    out: bytes
    err: bytes = b""


def pack_answer(answer: HookResponse) -> bytes:
    """Return an answer as it goes to the relay."""
    return b"%d %d %d\n%b%b" % (
        answer.code,
        len(answer.out),
        len(answer.err),
        answer.out,
        answer.err,
    )


def read_request(read: Callable[[int], bytes]) -> HookRequest:
    """Read one request; ``read`` returns at most so many bytes, none at the end. Raises
    ``UnreadableRequestError``, and what ``read`` raises.
    """
    data = b""
    while b"\n" not in data[:MAX_HEAD]:
        data = _more(data, read, MAX_HEAD)
    head, _, rest = data.partition(b"\n")
    words = head.split(b" ")
    if len(words) != 6 or b" ".join(words[:2]) != VERSION:
        raise UnreadableRequestError("expected a request of version 1")
    try:
        sizes = [int(word) for word in words[4:]]
    except ValueError:
        raise UnreadableRequestError("expected two lengths") from None
    if not (0 <= sizes[0] <= MAX_VARIABLES and 0 <= sizes[1] <= MAX_BODY):
        raise UnreadableRequestError("it is longer than may be")
    while len(rest) < sum(sizes):
        rest = _more(rest, read, sum(sizes))
    if len(rest) != sum(sizes):
        raise UnreadableRequestError("it is longer than it says")
    return HookRequest(
        words[2].decode("ascii", "replace"),
        words[3].decode("ascii", "replace").strip("-"),
        _variables(rest[: sizes[0]]),
        rest[sizes[0] :],
    )


def _more(data: bytes, read: Callable[[int], bytes], most: int) -> bytes:
    """Return the bytes with those that come next."""
    chunk = read(1 << 16)
    if not chunk or (len(data) >= most and most == MAX_HEAD):
        raise UnreadableRequestError("it ends too early")
    return data + chunk


def _variables(block: bytes) -> dict[str, str]:
    pairs = [entry.partition(b"=") for entry in block.split(b"\0") if b"=" in entry[1:]]
    return {
        name.decode("utf-8", "surrogateescape"): value.decode("utf-8", "surrogateescape")
        for name, _, value in pairs
    }
