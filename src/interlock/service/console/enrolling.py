"""Adding machines from the console, and retiring them."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from interlock.service.console import pages
from interlock.service.console.page_answer import render_page
from interlock.service.context import ServiceContext
from interlock.service.machines.enrol import MOST_USES, MachineOwner, retire, token
from interlock.service.request import ServiceRequest
from interlock.wire.token import format_token


def make_token(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Make a token; the line with it is shown once, here."""
    form, by = asking.form, asking.who.person.name
    uses, team = form.get("uses", "1").strip(), form.get("team", "").strip()
    if not uses.isdecimal() or not 0 < int(uses) <= MOST_USES:
        return pages.machines(scene, asking, wrong=f"A token enrols 1 to {MOST_USES} machines.")
    made = scene.keeping.write(
        lambda steps: token(steps, scene.url, scene.pin, int(uses), MachineOwner(team), by=by)
    )
    return pages.machines(scene, asking, line=f"interlock enrol {format_token(made)}")


def retire_machine(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Have a machine's credential count no more."""
    name, by = asking.names["name"], asking.who.person.name
    if scene.keeping.read(lambda known: known.machine(name)) is None:
        return render_page(asking, "missing.html", status=404, why="There is no such machine.")
    scene.keeping.write(lambda steps: retire(steps, name, by))
    scene.bell.end(lambda stream: stream.machine == name)
    return RedirectResponse(f"/machines/{quote(name)}", 303)
