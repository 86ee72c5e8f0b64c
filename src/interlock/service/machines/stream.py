"""The stream down to a machine: server-sent events, each a hint to ask, or signed."""

from __future__ import annotations

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from interlock.service.answers import VERSION, RequestEnd, problem
from interlock.service.context import ServiceContext
from interlock.service.notifier import Hint, Notifier
from interlock.service.open_stream import TRANSPORT, OpenStream
from interlock.service.pace import pace
from interlock.service.request import ServiceRequest
from interlock.service.store.rows import Machine


def stream(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Begin with what stands, then say what comes."""
    if asking.machine is None:
        raise RequestEnd(problem(401, "credential", "this is no machine's credential (any more)"))
    epoch = scene.keeping.read(lambda known: known.epoch())
    scene.bell.epoch = max(scene.bell.epoch, epoch)
    hello = Hint("hello", {"machine": asking.machine.id, "team": asking.machine.team})
    return MachineStream(scene.bell, asking.machine, hello)


def beat(scene: ServiceContext) -> None:
    """Say to the next part of all streams how fast machines send by now."""
    many = scene.keeping.read(lambda known: known.machine_count())
    scene.bell.beat(Hint("pace", {"pace": pace(many)}))


class MachineStream(StreamingResponse):
    """Begins as any answer does. What follows the bell writes to the connection itself: a way
    through the layers of an application, for each of thousands, takes seconds.
    """

    def __init__(self, bell: Notifier, machine: Machine, hello: Hint) -> None:
        super().__init__((), headers=VERSION, media_type="text/event-stream")
        self._bell, self._machine, self._hello = bell, machine, hello

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Begin, greet, and hold it open until somebody ends it."""
        begun = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(begun)
        transport, chunked = scope["state"][TRANSPORT], scope["http_version"] != "1.0"
        opened = OpenStream(self._machine.id, self._machine.team, transport, chunked=chunked)
        self._bell.open(opened, self._hello)
        try:
            while (await receive())["type"] != "http.disconnect":
                continue  # nobody says anything here
        finally:
            self._bell.leave(opened)
