"""A service that comes back is sent to when its stream opens: pauses after failures grow to minutes,
which nobody has to wait out.
"""

from __future__ import annotations

import time
from functools import partial
from threading import Event, Thread
from typing import TYPE_CHECKING

from interlock.guard.stopping import StopResult
from interlock.sidecar import run
from interlock.sidecar.client import ServiceResponse, SidecarClient, UnreachableError
from interlock.sidecar.requests import SidecarRequests
from interlock.sidecar.ship import Shipper
from interlock.sidecar.stops import Stops
from interlock.sidecar.stream import ServiceStream
from interlock.store.database import Store
from interlock.store.elsewhere import load_progress
from tests.serving import SECONDS, filled, served, until

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pytest

    from interlock.wire.orders import StopOrder

LOOKS = 4 * run.LOOK_SECONDS


class Outage:
    """Batches get no answer until it is ``over``; ``tries`` counts them. The next try after one is
    five minutes away.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.over, self.tries = Event(), 0
        sends = SidecarClient.send

        def send(
            client: SidecarClient, path: str, body: bytes | None, headers: Mapping[str, str]
        ) -> ServiceResponse:
            if path.endswith("/events"):
                self.tries += 1
                if not self.over.is_set():
                    raise UnreachableError("nobody answers")
            return sends(client, path, body, headers)

        patch.setattr(SidecarClient, "send", send)
        patch.setattr(run, "Shipper", partial(Shipper, drawn=lambda _least, _most: 300.0))


class Greeting(Event):
    """Counts how often it was set."""

    count = 0

    def set(self) -> None:
        """Set it once more."""
        self.count += 1
        super().set()


def _nothing(_order: StopOrder) -> StopResult:
    raise AssertionError("nothing is stopped here")


def test_who_hears_from_the_service_again_sends_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pause of five minutes ends with the next stream; without one it lasts, though the service
    would answer.
    """
    store, outage = filled(tmp_path / "home", 12), Outage(monkeypatch)
    with served(tmp_path / "service") as service:
        where, ended = service.enrolled(store), Event()
        stops = Stops(Store(store.folder), where, _nothing)
        asks = SidecarRequests(Store(store.folder), where)
        down = ServiceStream(where, stops, asks, ended, lambda *_: 0.05)
        greeting = down.greeted = Greeting()
        loop = Thread(target=lambda: run.Loop(Store(store.folder), where, ended, down=down).run())
        loop.start()
        try:
            until(lambda: bool(outage.tries and greeting.count))
            time.sleep(LOOKS)
            tries = outage.tries
            outage.over.set()
            time.sleep(LOOKS)
            assert (outage.tries, load_progress(store.folder).seq) == (tries, 0)
            down.cut()
            until(lambda: load_progress(store.folder).seq > 0)
        finally:
            ended.set()
            down.cut()
            loop.join(SECONDS)
