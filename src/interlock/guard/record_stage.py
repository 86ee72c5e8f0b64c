"""The stage of the record: what was decided is written down before anybody hears of it.

Where the audit cannot be written the decision waits in the spool; where that fails too it is lost,
which is said, and asked about where later calls would have to know of it.
"""

from __future__ import annotations

from time import perf_counter_ns

from interlock.audit.entry import Judgement
from interlock.guard import approval_stage
from interlock.guard.failures import Failure, attempt
from interlock.guard.parts import GuardParts
from interlock.guard.persistence import keep
from interlock.guard.services import NATIVE
from interlock.guard.walk import CallWalk
from interlock.guard.workspace import joins
from interlock.ledger import JOINED, TIGHTENING, goals, name_of, session_grants
from interlock.ledger.sessions import Ledger, SessionState
from interlock.model.action import ASK, VERDICT_ASK, WARN
from interlock.model.decision import Finding
from interlock.store.schema import Write

NOT_WRITTEN = "audit.not-written"


def record_decision(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Return the walk after its decision was recorded, stricter where that failed."""
    store = guard.store
    if store is None:
        return walk
    judged_us = (perf_counter_ns() - walk.began) // 1000
    action = ASK if guard.policy.audit_required else WARN

    def waiting(why: str) -> list[Write]:
        said = f"This decision could not be recorded: {why}"
        noted = walk.decision.with_findings(Finding(NOT_WRITTEN, action, "audit", said))
        return _writes(guard, walk.replace(decision=noted), judged_us)

    kept = keep(store, lambda: _writes(guard, walk, judged_us), waiting)
    if not kept.failed:
        return walk.warned("audit.mended", *kept.notices) if kept.notices else walk
    said = kept.sentence("This decision")
    if kept.lost and guard.ledger is not None and _tightens(walk):
        action, said = ASK, f"{said} Later calls would not know what this one read or fetched."
    finding = Finding(NOT_WRITTEN, action, "audit", said)
    walk = walk.replace(decision=walk.decision.with_findings(finding))
    if walk.decision.verdict != VERDICT_ASK:
        return walk
    return walk.replace(decision=approval_stage.settle(guard, walk))


def _tightens(walk: CallWalk) -> bool:
    """Whether later calls would be judged more strictly for what this one did."""
    return any(name_of(label) in TIGHTENING for _, label in walk.reading.marks)


def _writes(guard: GuardParts, walk: CallWalk, judged_us: int) -> list[Write]:
    writes: list[Write] = []
    if guard.audit is not None:
        remembered = walk.remembered
        judged = Judgement(
            walk.call,
            walk.reading,
            walk.decision,
            guard.policy,
            walk.checks,
            walk.facts.noted(),
            remembered.prompt_hash if isinstance(remembered, SessionState) else "",
            judged_us,
        )
        writes.append(guard.audit.judged(judged))
    if guard.ledger is not None:
        writes += _of_session(guard, walk, guard.ledger)
    return writes


def _of_session(guard: GuardParts, walk: CallWalk, ledger: Ledger) -> list[Write]:
    """Return what the session's later calls are to know."""
    runs = walk.decision.verdict <= VERDICT_ASK
    refused = () if runs else goals.refusal_marks(walk.decision, ledger)
    writes = ledger.seen(
        walk.call, walk.reading, runs=runs, refused=refused, agreed=_find_consents(guard, walk)
    )
    if isinstance(walk.remembered, SessionState) and not walk.remembered.known:
        writes += ledger.begun(walk.call, walk.remembered)
    return writes


def _find_consents(guard: GuardParts, walk: CallWalk) -> list[tuple[str, str]]:
    """Return what a person says yes to who lets this call run at the client's own prompt."""
    if walk.decision.verdict != VERDICT_ASK or guard.ask is not NATIVE:
        return []
    folder = attempt("facts", lambda: joins(walk.decision, walk.call, guard.facts), str)
    joined = [(folder, JOINED)] if folder and not isinstance(folder, Failure) else []
    return joined + session_grants.marks(walk.decision, walk.call, guard.facts)
