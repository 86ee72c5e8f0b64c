"""The pages at the top of each page, as rows: shown to whoever may see them."""

from __future__ import annotations

from interlock.model.record import Record
from interlock.service.roles import PEOPLE, REQUESTS, SEE
from interlock.service.viewer import Viewer

ACCOUNT = "/account"


class NavPage(Record):
    """A page. ``name``: by which a page says that it is this one; ``may``: its permission."""

    name: str
    path: str
    label: str
    may: str


PLACES = (
    NavPage("live", "/", "Live", SEE),
    NavPage("inbox", "/inbox", "Inbox", REQUESTS),
    NavPage("sessions", "/sessions", "Sessions", SEE),
    NavPage("search", "/search", "Search", SEE),
    NavPage("insights", "/insights", "Insights", SEE),
    NavPage("machines", "/machines", "Machines", SEE),
    NavPage("policy", "/policy", "Policy", SEE),
    NavPage("stops", "/stops", "Stop", REQUESTS),
    NavPage("people", "/people", "People", PEOPLE),
)


def places(who: Viewer) -> list[NavPage]:
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
