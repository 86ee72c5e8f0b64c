"""What machines ask about their team's policy, and what they say of the one that they have."""

from __future__ import annotations

from starlette.responses import Response

from interlock.model.jsontext import dumps
from interlock.service.answers import VERSION, RequestEnd, json_response, problem
from interlock.service.context import ServiceContext
from interlock.service.policy.reports import KIND
from interlock.service.policy.repository import WAITING
from interlock.service.request import ServiceRequest, bad_request
from interlock.service.store.rows import Check
from interlock.wire.policy_state import plain, state_of
from interlock.wire.rollout import BEFORE, NEWEST

YAML = "application/yaml"


def document(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Give a document of the repository, as it was signed."""
    name = asking.names["name"]
    body = "" if name == WAITING else scene.keeping.read(lambda known: known.policy_document(name))
    return _text(body, "application/json")


def content(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Give the text of a policy, by its hash."""
    hashed, _, name = asking.names["name"].partition(".")
    known = name in (NEWEST, BEFORE)
    found = scene.keeping.read(lambda keeping: keeping.bundle_of(hashed)) if known else None
    return _text(found.content if found is not None else "", YAML)


def save_state(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Keep what a machine says of its policy."""
    state = state_of(asking.given)
    if state is None:
        raise bad_request("expected which policy this machine has")
    check = Check(asking.sender.id, KIND, asking.at, dumps(plain(state)))
    scene.keeping.write(lambda keeping: keeping.put_check(check))
    return json_response({"at": asking.at})


def _text(body: str, kind: str) -> Response:
    if not body:
        raise RequestEnd(problem(404, "unknown", "there is no such document"))
    return Response(body.encode(), 200, VERSION, kind)
