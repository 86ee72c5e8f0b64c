"""What machines ask for: to be enrolled, to have events taken in, to have a new chain."""

from __future__ import annotations

from starlette.responses import Response

from interlock.model.jsontext import dumps
from interlock.service.answers import json_response, problem
from interlock.service.context import ServiceContext
from interlock.service.machines.checks import KINDS, parse_rows
from interlock.service.machines.enrol import (
    MOST_USES,
    EnrolmentRequest,
    MachineOwner,
    another,
    enrol,
    retire,
    token,
)
from interlock.service.pace import LEAST_SECONDS
from interlock.service.request import ServiceRequest, bad_request, number, texts
from interlock.service.store.rows import Check
from interlock.wire.token import format_token


def enrol_machine(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Enrol a machine by a token."""
    sent = asking.given
    secret, name, platform, version = texts(sent, "secret", "name", "platform", "version")
    asked = EnrolmentRequest(secret, name, platform, version, number(sent, "first"))
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
    return json_response(answer, 201)


def create_token(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Make a token of enrolment, for a program that makes machines."""
    by = asking.who.person.name
    sent = asking.given
    uses, [team] = number(sent, "uses", most=MOST_USES), texts(sent, "team")
    made = scene.keeping.write(
        lambda keeping: token(keeping, scene.url, scene.pin, uses, MachineOwner(team), by=by)
    )
    return json_response({"token": format_token(made), "uses": uses, "team": team}, 201)


def begin_chain(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Begin another chain of a machine."""
    sent = asking.given
    first, [continues] = number(sent, "first"), texts(sent, "continues")
    name = scene.keeping.write(lambda keeping: another(keeping, asking.sender, first, continues))
    return json_response({"chain": name}, 201)


def leave_service(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Have a machine's credential count no more: it says good-bye itself."""
    machine = asking.sender
    scene.keeping.write(lambda keeping: retire(keeping, machine.id, "machine"))
    scene.bell.end(lambda stream: stream.machine == machine.id)
    return json_response({"retired": True})


def beat(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Note that a machine is there, though it has nothing to send."""
    head, machine = number(asking.given, "head"), asking.sender
    scene.keeping.write(lambda keeping: keeping.note_contact(machine.id, asking.at, head))
    return json_response({"at": asking.at})


def save_check(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Keep what a machine says of its own guard."""
    sent = asking.given
    rows, kind = parse_rows(sent.get("rows")), sent.get("kind")
    if rows is None or kind not in KINDS:
        raise bad_request("expected the rows of a doctor or a status")
    check = Check(asking.sender.id, kind, asking.at, dumps(rows))
    scene.keeping.write(lambda keeping: keeping.put_check(check))
    return json_response({"at": asking.at})
