"""Whose a machine is: what takes somebody else's approval takes not its owner's."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from interlock.service.asked import Asking
from interlock.service.console.answering import answered
from interlock.service.scene import Scene
from interlock.service.store.protocol import Writing


def own(scene: Scene, asking: Asking) -> Response:
    """Name whose machine it is, and show it."""
    name, owner = asking.names["name"], asking.form.get("owner", "")
    if not scene.keeping.write(lambda keeping: _owned(keeping, asking, name, owner)):
        why = "There is no such machine, or no such person."
        return answered(asking, "missing.html", status=404, why=why)
    return RedirectResponse(f"/machines/{name}", 303)


def _owned(keeping: Writing, asking: Asking, name: str, owner: str) -> bool:
    person = keeping.person(owner)
    if person is None or person.ended or not keeping.own(name, owner):
        return False
    keeping.note("owner", name, {"by": asking.who.person.name, "owner": owner})
    return True
