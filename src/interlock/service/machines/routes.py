"""What machines ask for: to be enrolled, to have events taken in, to have a new chain."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from interlock.model.jsontext import JsonError, dumps, loads
from interlock.service.answers import Stop, problem, said
from interlock.service.asked import Asking
from interlock.service.machines.checks import KINDS, given
from interlock.service.machines.enrol import MOST_USES, Asked, For, another, enrol, retire, token
from interlock.service.pace import LEAST_SECONDS
from interlock.service.scene import Scene
from interlock.service.store.rows import Check
from interlock.wire.token import written


def enrolled(scene: Scene, asking: Asking) -> Response:
    """Enrol a machine by a token."""
    given = _json(asking)
    words = {name: given.get(name, "") for name in ("secret", "name", "platform", "version")}
    if not all(isinstance(value, str) for value in words.values()):
        raise Stop(_malformed("expected texts"))
    asked = Asked(**words, first=_first(given))
    found = scene.keeping.write(lambda keeping: enrol(keeping, asked))
    if found is None:
        text = "this token was used, is older than a day, or is none of this service: make another"
        return problem(403, "token", text)
    answer = {
        "machine": found.machine,
        "credential": found.credential,
        "chain": found.chain,
        "service_key": scene.signer.public,
        "pace": LEAST_SECONDS,
        "team": found.team,
    }
    return said(answer, 201)


def tokened(scene: Scene, asking: Asking) -> Response:
    """Make a token of enrolment, for a program that makes machines."""
    given, by = _json(asking), asking.who.person.name
    uses, team = given.get("uses", 1), given.get("team", "")
    if type(uses) is not int or not 0 < uses <= MOST_USES or not isinstance(team, str):
        raise Stop(_malformed(f"`uses` is 1 to {MOST_USES}, `team` a text"))
    made = scene.keeping.write(
        lambda keeping: token(keeping, scene.url, scene.pin, uses, For(team), by=by)
    )
    return said({"token": written(made), "uses": uses, "team": team}, 201)


def chained(scene: Scene, asking: Asking) -> Response:
    """Begin another chain of a machine."""
    given = _json(asking)
    machine, continues = asking.machine, given.get("continues", "")
    if machine is None or not isinstance(continues, str):
        raise Stop(_malformed("expected a chain that this one continues"))
    first = _first(given)
    name = scene.keeping.write(lambda keeping: another(keeping, machine, first, continues))
    return said({"chain": name}, 201)


def left(scene: Scene, asking: Asking) -> Response:
    """Have a machine's credential count no more: it says good-bye itself."""
    machine = asking.machine
    if machine is not None:
        scene.keeping.write(lambda keeping: retire(keeping, machine.id, "machine"))
        scene.bell.end(lambda name: name == machine.id)
    return said({"retired": True})


def beat(scene: Scene, asking: Asking) -> Response:
    """Note that a machine is there, though it has nothing to send."""
    head = _first({"first": _json(asking).get("head", 1)})
    machine = asking.machine
    if machine is not None:
        scene.keeping.write(lambda keeping: keeping.saw(machine.id, asking.at, head))
    return said({"at": asking.at})


def checked(scene: Scene, asking: Asking) -> Response:
    """Keep what a machine says of its own guard."""
    said_of = _json(asking)
    rows, kind, machine = given(said_of.get("rows")), said_of.get("kind"), asking.machine
    if machine is None or rows is None or kind not in KINDS:
        raise Stop(_malformed("expected the rows of a doctor or a status"))
    check = Check(machine.id, kind, asking.at, dumps(rows))
    scene.keeping.write(lambda keeping: keeping.put_check(check))
    return said({"at": asking.at})


def _json(asking: Asking) -> dict[str, Any]:
    try:
        found = loads(asking.body)
    except JsonError as error:
        raise Stop(_malformed(str(error))) from error
    if not isinstance(found, dict):
        raise Stop(_malformed("expected an object"))
    return found


def _first(given: dict[str, Any]) -> int:
    first = given.get("first", 1)
    if type(first) is not int or not 0 < first < 2**53:
        raise Stop(_malformed("`first` is the number of an event, from 1 on"))
    return first


def _malformed(why: str) -> Response:
    return problem(400, "malformed", f"the request cannot be read: {why}")
