"""The stages of a call, in their order: each takes the guard's parts and the walk, and returns the
walk with more found out.

A stage adds findings and takes none away, and what fails in one becomes a finding of it
(``attempt``). What only some calls need is imported as a module and costs nothing until it is met
(``interlock.cli.bundle``).
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.audit import redact
from interlock.effects.read import read
from interlock.engine import workspace_bound
from interlock.engine.decide import decide
from interlock.engine.proving import add_doubts, add_proof
from interlock.guard import (
    approval_stage,
    blast_radius,
    intent_stage,
    limit_stage,
    missing_stage,
    obligations,
    record_stage,
    review_stage,
    trigger_stage,
    undo_stage,
)
from interlock.guard.factcache import FactCache
from interlock.guard.failures import Failure, attempt
from interlock.guard.parts import GuardParts
from interlock.guard.services import NATIVE, EmbedderRule
from interlock.guard.walk import CallWalk
from interlock.guard.workspace import offer_workspace, place_call, widen_roots
from interlock.ledger import goals, session_grants
from interlock.ledger.history import SessionMarks
from interlock.ledger.sessions import Ledger, SessionState
from interlock.model.action import (
    ALLOW,
    ASK,
    DENY,
    REVIEW,
    VERDICT_ASK,
    VERDICT_DENY,
    WARN,
    Action,
)
from interlock.model.call import MCP, OTHER, ToolCall
from interlock.model.decision import NOTIFY, Decision, Finding, make_refusal
from interlock.model.effect import Reading
from interlock.model.policy import Policy

Stage = Callable[[GuardParts, CallWalk], CallWalk]
Prover = Callable[[ToolCall, Reading, Decision, Policy], Decision]

MANY = 5
"""Equal calls in a row from which on they are worth a look."""


def stop(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Refuse what belongs to something that is stopped."""
    flags, call = guard.flags, walk.call
    if flags is None:
        return walk
    ours = call if call.tenant else call.replace(tenant=guard.policy.tenant)
    found = attempt("stop", lambda: flags(ours), tuple)
    if isinstance(found, Failure):
        said = f"Whether this session is stopped could not be found out: {found.why}"
        found = (Finding("stop.not-read", DENY, "stop", said),)
    if not found:
        return walk
    decision = Decision(walk.decision.id, found, coverage="partial")
    return walk.replace(decision=decision, is_stopped=True)


def remember(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Find out what the session did before; what cannot be read is unknown."""
    ledger, session = guard.ledger, walk.call.session
    if ledger is None:
        return walk.replace(remembered=SessionState())
    remembered = attempt("ledger", lambda: ledger.session(session), SessionState)
    history = (
        SessionMarks(None, session, forgotten=True)
        if isinstance(remembered, Failure)
        else ledger.history(session, remembered)
    )
    return walk.replace(
        remembered=remembered, history=history, facts=FactCache(guard.facts, history)
    )


def place(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Give the call its session's workspace, the folders and the tenant that the policy adds, and
    the hint that a tool nobody described is handed a secret.
    """
    known = walk.remembered or SessionState()
    call = place_call(walk.call, known, walk.facts, whole=guard.ask is NATIVE)
    policy = guard.policy
    if policy.roots or policy.tenant:
        call = call.replace(
            roots=widen_roots(call.roots, policy.roots, guard.facts.home()),
            tenant=policy.tenant or call.tenant,
        )
    return walk.replace(call=_hint_secret(call))


def _hint_secret(call: ToolCall) -> ToolCall:
    """Where it cannot be found out whether a secret is handed over, it counts as one."""
    if call.tool not in (MCP, OTHER):
        return call
    held = attempt("audit", lambda: redact.holds_secret(call.input), bool)
    return call.replace(hints=(*call.hints, "secret")) if held else call


def judge(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Read the call into effects, and judge them."""
    policy = guard.policy
    if policy.places:
        walk.facts.places = workspace_bound.places_in(policy.places, walk.call.roots)
    reading = attempt("reading", lambda: read(walk.call, walk.facts, policy.programs), Reading)
    if isinstance(reading, Failure):
        return _mark_unjudged(
            walk, "guard.reading-failed", f"This call could not be read: {reading.why}"
        )
    return judge_effects(guard, walk.replace(reading=reading))


def judge_effects(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Judge the effects by the policy's rules."""
    decision = attempt(
        "policy",
        lambda: decide(walk.call, walk.reading, guard.policy, walk.decision.id),
        Decision,
    )
    if isinstance(decision, Failure):
        said = f"The policy could not be applied: {decision.why}"
        return _mark_unjudged(walk, "guard.policy-failed", said)
    passed = ("policy",) if decision.action <= WARN else ()
    return walk.replace(decision=decision, checks=("reading", *passed))


def _mark_unjudged(walk: CallWalk, rule: str, why: str) -> CallWalk:
    return walk.replace(decision=make_refusal(walk.decision.id, rule, why, ASK))


def own_rules(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Hear what the embedder's own rules say."""
    for rule in guard.rules:
        name = getattr(rule, "__name__", type(rule).__name__)
        walk = walk.found(f"rule {name}", *_own(rule, name, walk))
    return walk


def _own(rule: EmbedderRule, name: str, walk: CallWalk) -> tuple[Finding, ...]:
    said = attempt("rule", lambda: rule(walk.call, walk.reading), (Finding, Action, type(None)))
    if isinstance(said, Failure):
        return (Finding("guard.rule-failed", ASK, "guard", f"The rule {name} failed: {said.why}"),)
    if isinstance(said, Finding):
        return (said.replace(settled=None),)
    if said is None or said == ALLOW:
        return ()
    return (Finding(f"embedder.{name}", said, message=f"The rule {name} says {said}."),)


def session(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Hear what the calls before this one say of it: it comes again and again, it reaches for what
    was refused, nothing is to run.
    """
    remembered, ledger = walk.remembered, guard.ledger
    if ledger is None or not isinstance(remembered, SessionState):
        return walk
    digest = remembered.digest
    ran = remembered.repeats + 1 if digest and digest == ledger.digest(walk.call) else 1
    if ran < MANY and not remembered.refusals and not remembered.stopped:
        return walk
    findings = goals.find_repeats(ran) + goals.refuse_stopped(remembered.stopped, walk.call.session)
    if remembered.refusals and walk.history is not None:
        findings += _find_retries(walk, walk.history, ledger, ran)
    return walk.found("session", *findings)


def _find_retries(
    walk: CallWalk, history: SessionMarks, ledger: Ledger, ran: int
) -> tuple[Finding, ...]:
    said = attempt(
        "ledger", lambda: goals.find_retries(walk.reading, walk.decision, history, ledger), tuple
    )
    if isinstance(said, Failure):
        why = f"What was refused before could not be compared: {said.why}"
        return (Finding("session.not-compared", ASK, "session", why),)
    if ran > 1 and walk.decision.verdict == VERDICT_ASK:
        # the very same call is no other way, and it is asked about anyway
        return tuple([one for one in said if one.action > ASK])
    return said


def intent(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Hold the call against what the person asked for, where that is known."""
    level = guard.policy.intent
    if not (walk.call.intent or walk.call.scope) or level == "off":
        return walk
    return walk.found("intent", *intent_stage.misfits(walk.call, walk.reading, level))


def presence(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Tell the session what of the guard itself is gone; that changes no answer."""
    said = (
        missing_stage.report_losses(guard, missing_stage.SESSION)
        if guard.presence is not None
        else ()
    )
    return walk.warned(missing_stage.MISSED, " ".join(said)) if said else walk


def doubt(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Apply what the policy says of calls that are not proven harmless."""
    return walk.after("proof", proof(guard, walk, add_doubts))


def prove(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Apply what the policy says of calls that are proven harmless."""
    return walk.replace(decision=proof(guard, walk, add_proof))


def proof(guard: GuardParts, walk: CallWalk, prover: Prover) -> Decision:
    """Return what it means for a call that it is proven harmless, or that it is not; one whose
    proof fails is not.
    """
    done = attempt(
        "proof", lambda: prover(walk.call, walk.reading, walk.decision, guard.policy), Decision
    )
    if not isinstance(done, Failure):
        return done
    return walk.decision.with_findings(Finding("proof.failed", ASK, "proof", done.why))


def limits(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Charge a call that may still run to the limits, where the policy has any."""
    if not guard.limited or walk.decision.verdict == VERDICT_DENY:
        return walk
    charged, charge = limit_stage.charge_call(guard, walk)
    return charged.replace(charge=charge)


def refund(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Give back what was charged for a call that does not run."""
    if walk.charge is None or walk.decision.verdict != VERDICT_DENY:
        return walk
    problems = limit_stage.refund_charge(guard, walk.charge)
    return walk.replace(charge=None).warned("limits.not-given-back", *problems)


def review(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Have a review settled, or made stricter."""
    validator = guard.validator
    if validator is None or walk.decision.action != REVIEW:
        return walk
    decision = review_stage.run_review(
        validator, walk.call, walk.reading, walk.decision, guard.policy
    )
    return walk.after("validator", decision)


def memory(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Say what could not be read of the session."""
    del guard
    if isinstance(walk.remembered, Failure):
        said = f"What this session did before is not known: {walk.remembered.why}"
        return walk.warned("ledger.not-read", said)
    if walk.history is not None and walk.history.problem:
        return walk.warned(
            "ledger.not-read", f"Its marks could not be read: {walk.history.problem}"
        )
    return walk


def fulfil(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Carry out what has to go with a call, where that can be done here."""
    if not walk.decision.obligations or walk.decision.verdict == VERDICT_DENY:
        return walk
    done = attempt("obligations", lambda: obligations.fulfil_duties(guard, walk), Decision)
    if not isinstance(done, Failure):
        return walk.replace(decision=done)
    said = f"What has to go with this call failed: {done.why}"
    finding = Finding("guard.not-carried-out", ASK, "guard", said)
    return walk.replace(decision=walk.decision.with_findings(finding))


def agreement(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Answer what a person said yes to before in this session."""
    history = walk.history
    if walk.decision.verdict != VERDICT_ASK or history is None:
        return walk
    done = attempt(
        "ledger",
        lambda: session_grants.apply_agreements(walk.decision, walk.call, guard.facts, history),
        Decision,
    )
    return walk.after("session", walk.decision if isinstance(done, Failure) else done)


def stake(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Find out, before asking, what would be lost and what a yes adds to the workspace."""
    if walk.decision.verdict != VERDICT_ASK:
        return walk
    decision = blast_radius.with_radius(walk.decision, walk.reading.effects, walk.facts)
    if guard.ask is NATIVE and walk.call.session:
        decision = offer_workspace(decision, walk.call, walk.facts)
    return walk.replace(decision=decision)


def checkpoint(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Take a checkpoint where it answers all that is asked."""
    if walk.decision.verdict != VERDICT_ASK or guard.checkpoints is None:
        return walk
    done = attempt("checkpoint", lambda: undo_stage.undoable(guard, walk), Decision)
    return walk.after("checkpoint", walk.decision if isinstance(done, Failure) else done)


def approve(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Ask a person, or pass the question on to the client, or deny where nobody can be asked."""
    if walk.decision.verdict != VERDICT_ASK:
        return walk
    return walk.after("approval", approval_stage.settle(guard, walk))


def trip(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Stop the session where the call trips what the policy stops it for."""
    stopping = guard.policy.stopping
    if stopping is None:
        return walk
    return walk.replace(decision=trigger_stage.check_triggers(guard, walk, stopping))


def record(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Write the decision down. Raises ``RuntimeError`` where that loosened it."""
    done = record_stage.record_decision(guard, walk)
    if done.decision.verdict < walk.decision.verdict:
        raise RuntimeError("recording a decision loosened it")
    return refund(guard, done)


def notify(guard: GuardParts, walk: CallWalk) -> CallWalk:
    """Have people told of a decision that obliges to it."""
    duties = walk.decision.obligations if guard.policy.notify else ()
    if not any(duty.name == NOTIFY for duty in duties):
        return walk
    return walk.replace(
        decision=walk.decision.with_findings(*trigger_stage.notify(guard, walk.decision))
    )


JUDGE: tuple[Stage, ...] = (
    remember,
    place,
    judge,
    own_rules,
    session,
    intent,
    presence,
)
"""What the policy, the embedder's rules, the session and the person's intent say of a call."""
CALL: tuple[Stage, ...] = (
    *JUDGE,
    doubt,
    limits,
    review,
    memory,
    fulfil,
    agreement,
    stake,
    checkpoint,
    approve,
    trip,
    refund,
    prove,
    record,
    notify,
)
"""The way of a call."""
OPERATION: tuple[Stage, ...] = (judge_effects, own_rules, intent)
"""The way of an operation of a program that runs: what is allowed ends here..."""
ANSWER: tuple[Stage, ...] = (fulfil, stake, approve)
"""... and what is not, here."""
RECORD: tuple[Stage, ...] = (record,)
"""All that is done with what is stopped."""
