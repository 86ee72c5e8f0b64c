"""``POST /v1/decide``, ``/v1/decide/batch`` and ``/v1/outcomes``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from starlette.responses import Response

from interlock.model.call import OTHER, Outcome, ToolCall
from interlock.service.answers import RequestEnd, json_response, problem
from interlock.service.callers.asked import CALL, CALLS, AskedCall, read_call
from interlock.service.callers.group import CrowdError, StepOutcome
from interlock.service.callers.judging import JudgedCall
from interlock.service.callers.record import Caller, RecordEntry, caller_of
from interlock.service.context import ServiceContext
from interlock.service.decide.answers import describe_decision, verdict_of
from interlock.service.json_shape import (
    Shape,
    ShapeError,
    check_shape,
    close_shape,
    text_up_to,
    thing,
    whole_number,
)
from interlock.service.request import ServiceRequest, bad_request

MOST_CALL, MOST_BATCH, MOST_RESULT = 1 << 20, 4 << 20, 4000
ANSWER_SECONDS = 10.0
"""In which there is an answer, or none; what was recorded meanwhile stays."""
AGAIN_SECONDS = 1
STATUSES = ("ran", "failed", "refused")
OUTCOME = close_shape(
    thing(
        {
            "id": text_up_to(100, minLength=1),
            "status": {"type": "string", "enum": list(STATUSES)},
        },
        {"result": text_up_to(MOST_RESULT), "duration_ms": whole_number(0, 2**31 - 1)},
    )
)
NEW = thing({"new": {"type": "boolean"}})
Judge = Callable[[], list[JudgedCall]]


async def decide(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Judge a call of an agent; the decision is recorded before it is answered."""
    given = read_body(asking, CALL)
    found = await judge_all(scene, asking, [read_call(given)])
    return json_response(describe_decision(found[0]))


async def decide_batch(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Judge calls of an agent in their order, each as if those before it ran."""
    given = read_body(asking, CALLS)
    found = await judge_all(scene, asking, [read_call(one) for one in given["calls"]])
    return json_response({"decisions": [describe_decision(one) for one in found]})


async def outcomes(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Record what became of a call; said again it changes nothing."""
    given, caller = read_body(asking, OUTCOME), find_caller(asking)
    return json_response({"new": await in_turn(scene, lambda: _settle(scene, caller, given))})


def read_body(asking: ServiceRequest, shape: Shape) -> dict[str, Any]:
    """Return the object that was sent, which has a shape; raises ``RequestEnd``."""
    given = asking.given
    try:
        check_shape(shape, given)
    except ShapeError as error:
        raise bad_request(str(error)) from error
    return given


def find_caller(asking: ServiceRequest) -> Caller:
    """Return the program that asks; raises ``RequestEnd`` for a person."""
    token = asking.who.token
    if token is None:
        raise RequestEnd(problem(403, "program", "this is for programs: send a token's word"))
    return caller_of(token)


async def judge_all(
    scene: ServiceContext,
    asking: ServiceRequest,
    calls: Sequence[AskedCall],
    until: Callable[[JudgedCall], bool] = lambda _: False,
) -> list[JudgedCall]:
    """Return the decisions on calls in their order, recorded, up to the first that ends it; raises
    ``RequestEnd``.
    """
    caller = find_caller(asking)

    def step() -> StepOutcome:
        found: list[JudgedCall] = []
        for one in calls:
            found.append(scene.guard.judge(caller, one))
            if until(found[-1]):
                break
        return StepOutcome(found, caller, tuple([one.entry for one in found]))

    found: list[JudgedCall] = await in_turn(scene, step)
    for one in found:
        scene.metrics.count_decision(verdict_of(one))
    return found


async def in_turn(scene: ServiceContext, step: Callable[[], StepOutcome]) -> Any:
    """Return what a step found, once what it records is on the disk; raises ``RequestEnd``."""
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            return await scene.group.do(step)
    except CrowdError:
        title = "too many calls wait for a decision: ask again"
        raise RequestEnd(problem(429, "busy", title, after=AGAIN_SECONDS)) from None
    except TimeoutError:
        title = "there was no decision in time: ask again"
        raise RequestEnd(problem(503, "slow", title, after=AGAIN_SECONDS)) from None


def _settle(scene: ServiceContext, caller: Caller, given: Mapping[str, Any]) -> StepOutcome:
    """Return the step that records an outcome; raises ``RequestEnd``."""
    name = given["id"]
    row = scene.keeping.read(lambda known: known.decision(caller.chain, name))
    if row is None:
        raise RequestEnd(problem(404, "unknown", "there is no such decision of this caller"))
    told = scene.keeping.read(lambda known: known.settled(caller.chain, [name])).get(name)
    session = str(row.row["session_id"])
    call = ToolCall(
        OTHER, str(row.row["action"]), {}, session=session, call_id=str(row.row["call_id"])
    )
    result, duration = given.get("result", ""), int(given.get("duration_ms", 0))
    if told is not None:
        if told[0] != given["status"]:
            title = "what became of this call was told already, and otherwise"
            raise RequestEnd(problem(409, "told", title))
        return StepOutcome(False, caller, ())
    cleaned = scene.guard.settle(caller, Outcome(call, given["status"], result, duration))
    values = (given["status"], cleaned, duration)
    entry = RecordEntry("outcome", values, name, session, row.seq)
    return StepOutcome(True, caller, (entry,))
