"""The stream down to a machine: server-sent events, each a hint to ask, or signed."""

from __future__ import annotations

from collections.abc import AsyncIterator

from starlette.responses import Response, StreamingResponse

from interlock.service.answers import VERSION, RequestEnd, problem
from interlock.service.context import ServiceContext
from interlock.service.notifier import Hint, Notifier
from interlock.service.pace import pace
from interlock.service.request import ServiceRequest

BEAT_SECONDS = 15.0
"""How often a stream says that it is there, where it has nothing else to say."""


def stream(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Begin with what stands, then say what comes."""
    if asking.machine is None:
        raise RequestEnd(problem(401, "credential", "this is no machine's credential (any more)"))
    many, epoch = scene.keeping.read(lambda known: (known.machine_count(), known.epoch()))
    scene.bell.epoch = max(scene.bell.epoch, epoch)
    hello = Hint("hello", {"machine": asking.machine.id, "team": asking.machine.team})
    beat = Hint("pace", {"pace": pace(many)})
    coming = _coming(scene.bell, asking.machine.id, hello, beat)
    return StreamingResponse(coming, headers=VERSION, media_type="text/event-stream")


async def _coming(bell: Notifier, machine: str, hello: Hint, beat: Hint) -> AsyncIterator[str]:
    ear = bell.listen(machine)
    try:
        yield bell.written(hello)
        while (hints := await ear.wait(BEAT_SECONDS)) is not None:
            yield "".join([bell.written(hint) for hint in hints or (beat,)])
    finally:
        bell.leave(ear)
