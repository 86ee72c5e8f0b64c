"""The pages at the top of each page, as rows: shown to whoever may see them."""

from __future__ import annotations

from interlock.model.record import Record
from interlock.service.roles import PEOPLE, REQUESTS, SEE
from interlock.service.viewer import Viewer

ACCOUNT = "/account"


class Place(Record):
    """A page. ``name``: by which a page says that it is this one; ``may``: its permission."""

    name: str
    path: str
    label: str
    may: str


PLACES = (
    Place("live", "/", "Live", SEE),
    Place("inbox", "/inbox", "Inbox", REQUESTS),
    Place("sessions", "/sessions", "Sessions", SEE),
    Place("search", "/search", "Search", SEE),
    Place("machines", "/machines", "Machines", SEE),
    Place("stops", "/stops", "Stop", REQUESTS),
    Place("people", "/people", "People", PEOPLE),
)


def places(who: Viewer) -> list[Place]:
    """Return what somebody may see."""
    return [one for one in PLACES if who.may(one.may)]


def home(who: Viewer) -> str:
    """Return the first page that somebody may see."""
    return next((one.path for one in places(who)), ACCOUNT)


def inside(path: str) -> str:
    """Return a path of this console that a page was asked to lead to; the first page for any other
    address.
    """
    local = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if local and "\\" not in path else "/"
