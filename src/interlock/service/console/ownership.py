"""Whose a machine is: what takes somebody else's approval takes not its owner's."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from interlock.service.console.page_answer import render_page
from interlock.service.context import ServiceContext
from interlock.service.request import ServiceRequest
from interlock.service.store.protocol import ServiceWriter


def own(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Name whose machine it is, and show it."""
    name, owner = asking.names["name"], asking.form.get("owner", "")
    if not scene.keeping.write(lambda keeping: _set_owner(keeping, asking, name, owner)):
        why = "There is no such machine, or no such person."
        return render_page(asking, "missing.html", status=404, why=why)
    return RedirectResponse(f"/machines/{name}", 303)


def _set_owner(keeping: ServiceWriter, asking: ServiceRequest, name: str, owner: str) -> bool:
    person = keeping.person(owner)
    if person is None or person.ended or not keeping.own(name, owner):
        return False
    keeping.note("owner", name, {"by": asking.who.person.name, "owner": owner})
    return True
