"""The stage of triggers: what a policy stops a session for by itself. The call that trips one is
denied, and so are those after it.

=======================  ==================================================================
``repeats``              the same call came so many times in a row ``refused_goals``        it
reached so often for what it was refused, in whatever way ``denials``, ``calls``   so many were
denied, or made, in a time ``rules``, ``tags``      a rule spoke that the policy names (a circuit
breaker; GR-006's pause is the tag GR-006, the warning before it is not) =======================
==================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from time import gmtime, strftime, time

from interlock.guard.failures import Failure, attempt
from interlock.guard.parts import GuardParts
from interlock.guard.walk import CallWalk
from interlock.ledger.sessions import SessionState
from interlock.model.action import DENY, VERDICT_DENY, WARN
from interlock.model.decision import Decision, Finding
from interlock.model.policy import Stopping
from interlock.stop.flags import INSTEAD

TRIPPED = "stop.tripped"
REFUSED_GOAL = "session.refused-goal"
_DENIED = "session_id = ? AND verdict = 'deny' AND timestamp >= ?"
_MADE = "session_id = ? AND timestamp >= ?"
_GOALS = """session_id = ? AND timestamp >= ? AND findings LIKE '%"session.refused-goal"%'"""


def check_triggers(guard: GuardParts, walk: CallWalk, triggers: Stopping) -> Decision:
    """Return the decision of a call that trips a trigger, or as it was. What cannot be counted
    trips nothing, and is said.
    """
    if not walk.call.session:
        return walk.decision
    why = attempt("triggers", lambda: next(_reasons(guard, walk, triggers), ""), str)
    if isinstance(why, Failure):
        return walk.decision.with_findings(
            Finding(
                "stop.not-counted",
                WARN,
                "stop",
                f"Whether to stop this session could not be counted: {why.why}",
            )
        )
    if not why:
        return walk.decision
    session, alarm = walk.call.session, guard.alarm
    failed = (
        attempt("stop", lambda: alarm().halt(session, why, kill=triggers.kill), tuple)
        if alarm is not None
        else ("nothing here can stop it",)
    )
    problems = (failed.why,) if isinstance(failed, Failure) else failed
    message = (
        f"This session is stopped, for {why}. It runs nothing until a person runs `interlock resume"
        f" --session {session}`."
    )
    said = "".join([f" (Not all of it could be done: {problem}.)" for problem in problems])
    return walk.decision.with_findings(
        Finding(TRIPPED, DENY, "stop", message + said, INSTEAD, tags=frozenset({"stop"}))
    )


def _reasons(guard: GuardParts, walk: CallWalk, triggers: Stopping) -> Iterator[str]:
    """Yield why a session is to be stopped, in words that complete "it is stopped, for ...". Each
    looks no further than it has to.
    """
    decision = walk.decision
    for finding in decision.findings:
        named = (
            finding.rule in triggers.rules
            or f"{finding.rule.partition('.')[0]}.*" in triggers.rules
        )
        forewarned = finding.stage == "limits" and finding.action <= WARN
        if named or (not finding.tags.isdisjoint(triggers.tags) and not forewarned):
            yield f"a call that {finding.message or 'was spoken of'} ({finding.rule})"
    if triggers.repeats and isinstance(walk.remembered, SessionState) and guard.ledger is not None:
        same = walk.remembered.digest == guard.ledger.digest(walk.call)
        if same and walk.remembered.repeats + 1 >= triggers.repeats:
            yield f"the same call came {walk.remembered.repeats + 1} times in a row"
    if triggers.refused_goals and any(
        finding.rule == REFUSED_GOAL for finding in decision.findings
    ):
        reached = _count_calls(guard, _GOALS, walk.call.session, 0) + 1
        if reached >= triggers.refused_goals:
            yield f"it reached {reached} times for what it was refused"
    for rates, asked, what in (
        (triggers.denials, _DENIED, "denied"),
        (triggers.calls, _MADE, "made"),
    ):
        for count, seconds in rates if what == "made" or decision.verdict == VERDICT_DENY else ():
            found = _count_calls(guard, asked, walk.call.session, seconds) + 1
            if found >= count:
                yield f"{found} calls were {what} within {seconds} seconds"


def _count_calls(guard: GuardParts, asked: str, session: str, seconds: int) -> int:
    """Return how many earlier calls of a session are so; 0 ``seconds`` for all of them."""
    if guard.store is None:
        return 0
    since = strftime("%Y-%m-%dT%H:%M:%S", gmtime(time() - seconds)) if seconds else ""
    rows = guard.store.query(
        f"SELECT count(*) FROM guardrail_audit_log WHERE {asked}",  # noqa: S608 - our own words
        (session, since),
    )
    return int(rows[0][0])


def notify(guard: GuardParts, decision: Decision) -> tuple[Finding, ...]:
    """Tell people what a decision obliges to tell them; return a warning for what went wrong."""
    alarm = guard.alarm
    if alarm is None:
        return ()
    details = [duty.detail for duty in decision.obligations if duty.name == "notify"]
    spoke = decision.deciding[0].message if decision.deciding else ""
    text = "; ".join(dict.fromkeys(filter(None, [*details, spoke]))) or decision.id
    failed = attempt(
        "notification",
        lambda: alarm().tell(f"interlock: {decision.verdict} ({decision.id})", text),
        tuple,
    )
    problems = (failed.why,) if isinstance(failed, Failure) else failed
    return tuple(
        [
            Finding(
                "notification.failed", WARN, "notification", f"People could not be told: {problem}."
            )
            for problem in problems
        ]
    )
