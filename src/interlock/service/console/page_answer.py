"""A page as an answer, for whoever asked."""

from __future__ import annotations

from typing import Any

from starlette.responses import HTMLResponse, Response

from interlock.service.console.nav import places
from interlock.service.console.templating import page
from interlock.service.request import ServiceRequest


def render_page(
    asking: ServiceRequest, template: str, *, status: int = 200, **values: Any
) -> Response:
    """Return a page of the console."""
    who = asking.who
    proof = who.visit.proof if who.visit is not None else ""
    values.setdefault("q", "")
    values.setdefault("here", "")
    values.setdefault("here_path", asking.path)
    return HTMLResponse(page(template, proof=proof, who=who, places=places(who), **values), status)


def plain(template: str, *, status: int = 200, **values: Any) -> Response:
    """Return a page for somebody who has not signed in."""
    return HTMLResponse(page(template, **values), status)
