"""The pages of the emergency stop: whom to stop, what stands, who has confirmed."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from interlock.model.record import Record
from interlock.service.console.page_answer import render_page
from interlock.service.context import ServiceContext
from interlock.service.request import ServiceRequest
from interlock.service.roles import PERMISSIONS, RESUME, STOP
from interlock.service.stops import stops
from interlock.service.stops.confirm import StopOverview, report
from interlock.service.stops.stops import StopRequest, resume_quorum, ring
from interlock.service.store.protocol import ServiceReader
from interlock.service.store.rows import StopRow
from interlock.wire.orders import FLEET, MACHINE, TEAM

SHOWN = 20
WORD = "STOP ALL"
"""What is typed to stop every machine: so much is not stopped by a slip."""
MOST_NAME = 200
_SCOPES = ("session", "agent")


class StopFormError(Exception):
    """A form that says nothing that can be done; one sentence says what is lacking."""


class StopLine(Record):
    """A stop in a list. ``whom``: in words."""

    report: StopOverview
    whom: str


def show_stops(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Show what is stopped, and the form that stops."""
    return _render_stops(scene, asking, dict(asking.words))


def _render_stops(
    scene: ServiceContext,
    asking: ServiceRequest,
    given: dict[str, str],
    wrong: str = "",
    status: int = 200,
) -> Response:
    machines = scene.keeping.read(lambda known: known.machines())
    there = [one for one in machines if not one.retired]
    teams = sorted({one.team for one in there if one.team})
    agents = scene.keeping.read(lambda known: known.agents())
    lines = scene.keeping.read(lambda known: _lines(scene, known))
    given = {"whom": "session" if given.get("session") else given.get("whom", "machine"), **given}
    return render_page(
        asking, "stops.html", status=status, here="stops", machines=there, teams=teams,
        agents=agents, standing=[one for one in lines if not one.report.stop.lifted],
        before=[one for one in lines if one.report.stop.lifted], given=given, wrong=wrong,
        word=WORD, lacks=asking.who.lacks(STOP), on=len(scene.bell.list_machines()),
    )  # fmt: skip


def _lines(scene: ServiceContext, known: ServiceReader) -> list[StopLine]:
    names = {one.id: one.name for one in known.machines()}
    connected = scene.bell.list_machines()
    found = {one.epoch: one for one in (*known.stops(0, standing=True), *known.stops(SHOWN))}
    return [
        StopLine(report(known, one, connected), whom(one, names))
        for one in sorted(found.values(), key=lambda one: -one.epoch)
    ]


def whom(stop: StopRow, names: dict[str, str]) -> str:
    """Say whom a stop is for."""
    kind, _, name = stop.place.partition(":")
    where = {FLEET: "all machines", TEAM[:-1]: f"the team {name}"}.get(kind, names.get(name, name))
    what, _, which = stop.scope.partition(":")
    return f"every agent of {where}" if what == "all" else f"the {what} {which} on {where}"


def stop(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Stop whom the form says, and lead on to who has confirmed."""
    form = dict(asking.form)
    person = asking.who.person.name
    try:
        place, scope = scene.keeping.read(lambda known: _parse_target(form, known))
    except StopFormError as wrong:
        return _render_stops(scene, asking, form, str(wrong), 400)
    asked = StopRequest(place, scope, form.get("why", "").strip(), person)
    made = scene.keeping.write(lambda keeping: stops.stop(keeping, scene.signer, asked))
    ring(scene.bell, made.order, made.place)
    return RedirectResponse(f"/stops/{made.epoch}", 303)


def _parse_target(form: dict[str, str], known: ServiceReader) -> tuple[str, str]:
    """Return place and scope; raises ``StopFormError``. To stop all machines, none is read."""
    kind = form.get("whom", "")
    name = form.get(kind, "").strip()[:MOST_NAME]
    if kind != "fleet" and form.get("fleet", "").strip() == WORD:
        raise StopFormError(
            f"You typed {WORD} and chose something else: choose all machines, or clear it."
        )
    if kind == "fleet":
        if name != WORD:
            raise StopFormError(f"To stop all machines, type {WORD}.")
        return FLEET, "all"
    if kind == "team" and name in {one.team for one in known.machines()} - {""}:
        return TEAM + name, "all"
    if kind == "machine" and _is_there(known, name):
        return MACHINE + name, "all"
    if kind == "session" and name and _is_there(known, form.get("on", "")):
        return MACHINE + form["on"], f"session:{name}"
    if kind == "agent" and name:
        return FLEET, f"agent:{name}"
    raise StopFormError("Say whom to stop: a machine, a team, an agent or all.")


def _is_there(known: ServiceReader, name: str) -> bool:
    found = known.machine(name)
    return found is not None and not found.retired


def show_stop(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Show one stop: who has confirmed it, and who has not."""
    word = asking.names["epoch"]
    epoch = int(word) if word.isdecimal() and len(word) < 17 else 0
    return scene.keeping.read(lambda known: _render_stop(scene, asking, known, epoch))


def _render_stop(
    scene: ServiceContext, asking: ServiceRequest, known: ServiceReader, epoch: int
) -> Response:
    found = known.stop(epoch)
    if found is None:
        return render_page(asking, "missing.html", status=404, why="There is no such stop.")
    names = {one.id: one.name for one in known.machines()}
    people = who_may(known)
    me = asking.who.person.name
    return render_page(
        asking, "stop.html", here="stops", one=report(known, found, scene.bell.list_machines()),
        whom=whom(found, names), lacks=asking.who.lacks(RESUME),
        voices=[one for one in known.voices(epoch) if one in people],
        needed=resume_quorum(found.place, len(people)), people=people, me=me,
        fleet=found.place == FLEET,
    )  # fmt: skip


def who_may(known: ServiceReader) -> list[str]:
    """Return the people who may resume."""
    roles = PERMISSIONS[RESUME].roles
    return sorted({one.person for one in known.memberships() if one.role in roles})


def resume(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Resume a stop, or note that somebody wants to."""
    word = asking.names["epoch"]
    epoch = int(word) if word.isdecimal() and len(word) < 17 else 0
    found = scene.keeping.read(lambda known: known.stop(epoch))
    if found is None:
        return render_page(asking, "missing.html", status=404, why="There is no such stop.")
    name = asking.who.person.name
    if not found.lifted:
        done = scene.keeping.write(
            lambda keeping: stops.resume(keeping, scene.signer, found, name, who_may(keeping))
        )
        if done.resume is not None:
            ring(scene.bell, done.resume, found.place)
    return RedirectResponse(f"/stops/{epoch}", 303)
