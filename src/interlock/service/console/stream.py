"""What comes, as it comes: server-sent events, each a piece of a page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from interlock.service.console.pages import history, this_hour
from interlock.service.console.templating import page
from interlock.service.context import ServiceContext
from interlock.service.history.everywhere import FleetHistory
from interlock.service.people.signin import goes_on
from interlock.service.request import ServiceRequest
from interlock.service.roles import SEE
from interlock.service.store.protocol import ServiceStoreError
from interlock.store.place import StoreError

EVERY_SECONDS = 0.5
BEAT_SECONDS = 15


def stream(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Begin behind what the page shows already (``after``, or where an earlier stream ended)."""
    text = asking.headers.get("last-event-id") or asking.words.get("after", "")
    first, _, second = text.partition("-")
    past = history(scene)
    end = (int(first), int(second)) if first.isdecimal() and second.isdecimal() else past.end()
    visit = asking.who.visit
    token = visit.token if visit is not None else ""
    here = partial(goes_on, scene.keeping, token, SEE)
    return StreamingResponse(_coming(past, end, here), media_type="text/event-stream")


async def _coming(
    past: FleetHistory, end: tuple[int, int], here: Callable[[], bool]
) -> AsyncIterator[str]:
    yield "retry: 2000\n\n"
    quiet = 0.0
    while True:
        try:
            end, pieces = await run_in_threadpool(_pieces, past, end)
        except (ServiceStoreError, StoreError):
            return  # the browser comes again, and is told then
        if pieces and not await run_in_threadpool(here):
            return  # signed out, or the role was taken
        for event, text in pieces:
            yield f"id: {end[0]}-{end[1]}\nevent: {event}\ndata: {text}\n\n"
        quiet = 0.0 if pieces else quiet + EVERY_SECONDS
        if quiet >= BEAT_SECONDS:
            quiet = 0.0
            if not await run_in_threadpool(here):
                return
            yield f"event: hour\ndata: {await run_in_threadpool(_hour, past)}\n\n"
        await asyncio.sleep(EVERY_SECONDS)


def _pieces(
    past: FleetHistory, end: tuple[int, int]
) -> tuple[tuple[int, int], list[tuple[str, str]]]:
    now, found = past.find_arrived(end)
    if not found:
        return now, []
    names = past.names()
    calls = [("call", _line(page("call.html", call=one, names=names))) for one in found]
    return now, [*calls, ("hour", _hour(past))]


def _hour(past: FleetHistory) -> str:
    return _line(page("hour.html", hour=this_hour(past)))


def _line(html: str) -> str:
    """Return a piece of a page in one line, as the protocol has it."""
    return " ".join(html.split("\n"))
