"""AuthZEN 1.0 (OpenID Authorization API): who (``subject``) wants to do what (``action``) to what
(``resource``), where (``context``), as a tool call; only an allow is ``true``.

The subject is the agent where its type is ``agent``, else the person it works for. The action's
name is the tool's. What the tool is given are the properties of action and resource, and what the
resource is where that is no tool. ``context`` holds what may be said of a call (``cwd``,
``session``, ``facts``, ``carries`` ...), beside anything else, which is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from starlette.responses import Response

from interlock.service.answers import json_response
from interlock.service.callers.asked import (
    CONTEXT,
    MOST_CALLS,
    MOST_WORD,
    AskedCall,
    read_call,
)
from interlock.service.callers.judging import JudgedCall
from interlock.service.context import ServiceContext
from interlock.service.decide.answers import describe_decision, unmet, verdict_of
from interlock.service.decide.routes import judge_all, read_body
from interlock.service.json_shape import (
    TEXT,
    YES,
    ShapeError,
    check_shape,
    some,
    text_up_to,
    thing,
)
from interlock.service.request import ServiceRequest, bad_request

EVALUATION, EVALUATIONS = "/access/v1/evaluation", "/access/v1/evaluations"
ALL, DENY_FIRST, PERMIT_FIRST = "execute_all", "deny_on_first_deny", "permit_on_first_permit"
SEMANTIC = {"type": "string", "enum": [ALL, DENY_FIRST, PERMIT_FIRST]}
NAMED = text_up_to(MOST_WORD, minLength=1)
PROPERTIES = {"type": "object"}
ENTITY = thing({"type": NAMED, "id": NAMED}, {"properties": PROPERTIES})
ACTION = thing({"name": NAMED}, {"properties": PROPERTIES})
_SUBJECTS = {"subject": ENTITY, "action": ACTION, "resource": ENTITY}
_CONTEXT = {"context": thing({}, CONTEXT)}
REQUEST = thing(_SUBJECTS, _CONTEXT)
_SEVERAL = thing(
    {},
    {
        **_SUBJECTS,
        **_CONTEXT,
        "evaluations": some({"type": "object"}, maxItems=MOST_CALLS),
        "options": thing({}, {"evaluations_semantic": SEMANTIC}),
    },
)
MANY = {
    **_SEVERAL,
    "anyOf": [
        {"required": list(_SUBJECTS)},
        {"required": ["evaluations"], "properties": {"evaluations": {"minItems": 1}}},
    ],
}
"""Several, or one: what all have in common may be left out of each."""
ANSWER = thing({"decision": YES}, {"context": {"type": "object"}})
ANSWERS = thing({}, {"evaluations": some(ANSWER), **ANSWER["properties"]})
CONFIGURATION = thing(
    {
        "policy_decision_point": TEXT, "access_evaluation_endpoint": TEXT,
        "access_evaluations_endpoint": TEXT,
    }
)  # fmt: skip


async def evaluate(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Evaluate one access, by AuthZEN."""
    given = read_body(asking, REQUEST)
    return _echo(asking, await _evaluate_one(scene, asking, given))


async def _evaluate_one(
    scene: ServiceContext, asking: ServiceRequest, given: Mapping[str, Any]
) -> dict[str, Any]:
    call = _try(given)
    if isinstance(call, str):
        raise bad_request(call)
    found = await judge_all(scene, asking, [call])
    return _answer(found[0])


async def evaluate_all(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Evaluate several accesses in their order, by AuthZEN; one without a list of them."""
    given = read_body(asking, MANY)
    if not given.get("evaluations"):
        return _echo(asking, await _evaluate_one(scene, asking, given))
    semantic = given.get("options", {}).get("evaluations_semantic", ALL)
    usual = {name: given[name] for name in REQUEST["properties"] if name in given}
    tried = [_try({**usual, **one}) for one in given["evaluations"]]
    found = await _judge_in_order(scene, asking, tried, semantic)
    return _echo(asking, {"evaluations": found})


async def _judge_in_order(
    scene: ServiceContext,
    asking: ServiceRequest,
    tried: list[AskedCall | str],
    semantic: str,
) -> list[dict[str, Any]]:
    """Return the answers, up to the one that ends them; what could not be read is ``false``, and
    ends what a denial ends.
    """
    ends = _ENDS[semantic]
    wrong = next((at for at, one in enumerate(tried) if isinstance(one, str)), len(tried))
    last = wrong + 1 if semantic == DENY_FIRST else len(tried)
    calls = [one for one in tried[:last] if isinstance(one, AskedCall)]
    judged = iter(
        await judge_all(scene, asking, calls, lambda one: ends(is_permitted(one))) if calls else ()
    )
    answers: list[dict[str, Any]] = []
    for one in tried[:last]:
        found = _unread(one) if isinstance(one, str) else next(judged, None)
        if found is None:
            break
        answers.append(found if isinstance(found, dict) else _answer(found))
        if ends(answers[-1]["decision"]):
            break
    return answers


_ENDS: Mapping[str, Callable[[bool], bool]] = {
    ALL: lambda _: False,
    DENY_FIRST: lambda permitted: not permitted,
    PERMIT_FIRST: lambda permitted: permitted,
}


def configuration(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Say where accesses are evaluated, as AuthZEN has it."""
    del asking
    return json_response(
        {
            "policy_decision_point": scene.url,
            "access_evaluation_endpoint": scene.url + EVALUATION,
            "access_evaluations_endpoint": scene.url + EVALUATIONS,
        }
    )


def call_of(given: Mapping[str, Any]) -> AskedCall:
    """Return the call that an object of the shape ``REQUEST`` asks about; raises ``ShapeError``."""
    subject, action, resource = given["subject"], given["action"], given["resource"]
    context = {name: value for name, value in given.get("context", {}).items() if name in CONTEXT}
    who = "agent" if subject["type"] == "agent" else "user"
    what = {"resource": resource["type"], "id": resource["id"]}
    tool = _join(
        {} if resource["type"] == "tool" else what,
        action.get("properties", {}),
        resource.get("properties", {}),
    )
    return read_call(
        {**_join({who: subject["id"]}, context), "name": action["name"], "input": tool}
    )


def _join(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return all that is said; raises ``ShapeError`` where two say another thing of one name: who
    asks may do either, and only one would have been judged.
    """
    joined: dict[str, Any] = {}
    for name, value in (item for part in parts for item in part.items()):
        if joined.setdefault(name, value) != value:
            raise ShapeError(f"{name!r} is said twice, and not the same: say it once")
    return joined


def is_permitted(judged: JudgedCall) -> bool:
    """Tell whether a call may run as it is: allowed, with all that has to go with it."""
    decision = judged.decision
    return verdict_of(judged) == "allow" and (decision.observed or not unmet(decision))


def _answer(judged: JudgedCall) -> dict[str, Any]:
    said = describe_decision(judged)
    shown = {name: said[name] for name in ("id", "verdict", "reason")}
    more = ("rule", "instead", "request", "page", "retry_after", "obligations")
    shown |= {name: said[name] for name in more if said.get(name)}
    return {"decision": is_permitted(judged), "context": shown}


def _unread(why: str) -> dict[str, Any]:
    return {"decision": False, "context": {"error": {"status": 400, "message": why}}}


def _try(given: Mapping[str, Any]) -> AskedCall | str:
    """Return the call that is asked about, or why it cannot be read."""
    try:
        check_shape(REQUEST, given)
        return call_of(given)
    except ShapeError as error:
        return str(error)


def _echo(asking: ServiceRequest, body: dict[str, Any]) -> Response:
    """Return an answer that names the request as the caller did."""
    answer = json_response(body)
    named = asking.headers.get("x-request-id", "")
    if named and len(named) <= MOST_WORD and named.isascii() and named.isprintable():
        answer.headers["X-Request-ID"] = named
    return answer
