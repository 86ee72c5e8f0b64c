"""What machines ask for: to be enrolled, to have events taken in, to have a new chain."""

from __future__ import annotations

from starlette.responses import Response

from interlock.model.jsontext import dumps
from interlock.service.answers import problem, said
from interlock.service.asked import Asking, malformed, number, texts
from interlock.service.machines.checks import KINDS, given
from interlock.service.machines.enrol import MOST_USES, Asked, For, another, enrol, retire, token
from interlock.service.pace import LEAST_SECONDS
from interlock.service.scene import Scene
from interlock.service.store.rows import Check
from interlock.wire.token import written


def enrolled(scene: Scene, asking: Asking) -> Response:
    """Enrol a machine by a token."""
    sent = asking.given
    secret, name, platform, version = texts(sent, "secret", "name", "platform", "version")
    asked = Asked(secret, name, platform, version, number(sent, "first"))
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
    by = asking.who.person.name
    sent = asking.given
    uses, [team] = number(sent, "uses", most=MOST_USES), texts(sent, "team")
    made = scene.keeping.write(
        lambda keeping: token(keeping, scene.url, scene.pin, uses, For(team), by=by)
    )
    return said({"token": written(made), "uses": uses, "team": team}, 201)


def chained(scene: Scene, asking: Asking) -> Response:
    """Begin another chain of a machine."""
    sent = asking.given
    first, [continues] = number(sent, "first"), texts(sent, "continues")
    name = scene.keeping.write(lambda keeping: another(keeping, asking.sender, first, continues))
    return said({"chain": name}, 201)


def left(scene: Scene, asking: Asking) -> Response:
    """Have a machine's credential count no more: it says good-bye itself."""
    machine = asking.sender
    scene.keeping.write(lambda keeping: retire(keeping, machine.id, "machine"))
    scene.bell.end(lambda name: name == machine.id)
    return said({"retired": True})


def beat(scene: Scene, asking: Asking) -> Response:
    """Note that a machine is there, though it has nothing to send."""
    head, machine = number(asking.given, "head"), asking.sender
    scene.keeping.write(lambda keeping: keeping.saw(machine.id, asking.at, head))
    return said({"at": asking.at})


def checked(scene: Scene, asking: Asking) -> Response:
    """Keep what a machine says of its own guard."""
    sent = asking.given
    rows, kind = given(sent.get("rows")), sent.get("kind")
    if rows is None or kind not in KINDS:
        raise malformed("expected the rows of a doctor or a status")
    check = Check(asking.sender.id, kind, asking.at, dumps(rows))
    scene.keeping.write(lambda keeping: keeping.put_check(check))
    return said({"at": asking.at})
