"""All routes, one row each: how they are asked, who may ask, what answers."""

from __future__ import annotations

from collections.abc import Callable

from starlette.responses import Response

from interlock.model.record import Record
from interlock.service.answers import said
from interlock.service.asked import Asking
from interlock.service.console import pages
from interlock.service.console.stream import stream
from interlock.service.ingest import routes as ingest
from interlock.service.machines import routes as machines
from interlock.service.people import routes as people
from interlock.service.scene import Scene
from interlock.wire.batch import MOST_BYTES

Answer = Callable[[Scene, Asking], Response]
ANYONE, MACHINE, PERSON = "anyone", "machine", "person"
SMALL, CHECKS = 16 << 10, 128 << 10


class Row(Record):
    """One route. ``who``: anyone, a machine by its credential, or a person by the cookie of a
    visit; ``most``: bytes that it takes.
    """

    method: str
    path: str
    who: str
    answer: Answer
    most: int = SMALL


def health(scene: Scene, asking: Asking) -> Response:
    """Say that the service and its database are there, and nothing else."""
    del asking
    scene.keeping.read(lambda known: known.setting("service"))
    return said({"status": "ok"})


ROWS = (
    Row("GET", "/v1/health", ANYONE, health),
    Row("POST", "/v1/enrol", ANYONE, machines.enrolled),
    Row("POST", "/v1/chains", MACHINE, machines.chained),
    Row("POST", "/v1/chains/{chain}/events", MACHINE, ingest.events, MOST_BYTES),
    Row("POST", "/v1/beat", MACHINE, machines.beat),
    Row("POST", "/v1/checks", MACHINE, machines.checked, CHECKS),
    Row("POST", "/v1/retire", MACHINE, machines.left),
    Row("GET", "/static/{name}", ANYONE, pages.file),
    Row("GET", "/signin", ANYONE, pages.signin),
    Row("GET", "/signin/{link}", ANYONE, people.signed_in),
    Row("POST", "/signout", PERSON, people.signed_out),
    Row("GET", "/", PERSON, pages.live),
    Row("GET", "/live", PERSON, stream),
    Row("GET", "/search", PERSON, pages.search),
    Row("GET", "/sessions", PERSON, pages.sessions),
    Row("GET", "/sessions/{source}", PERSON, pages.session),
    Row("GET", "/decisions/{source}/{name}", PERSON, pages.decision),
    Row("GET", "/machines", PERSON, pages.machines),
    Row("GET", "/machines/{name}", PERSON, pages.machine),
    Row("GET", "/v1/decisions", PERSON, pages.decisions),
)
