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
from interlock.engine import bound
from interlock.engine.decide import decide
from interlock.engine.proving import doubted, proved
from interlock.guard import (
    approval,
    blast,
    charging,
    intention,
    missing,
    obligations,
    recording,
    reviewing,
    triggers,
    undoable,
)
from interlock.guard.attempt import Failure, attempt
from interlock.guard.factcache import FactCache
from interlock.guard.parts import Parts
from interlock.guard.services import NATIVE, EmbedderRule
from interlock.guard.walk import Walk
from interlock.guard.workspace import offered, placed, widened
from interlock.ledger import agreed, goals
from interlock.ledger.history import History
from interlock.ledger.sessions import Ledger, Remembered
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
from interlock.model.decision import NOTIFY, Decision, Finding, refused
from interlock.model.effect import Reading
from interlock.model.policy import Policy

Stage = Callable[[Parts, Walk], Walk]
Prover = Callable[[ToolCall, Reading, Decision, Policy], Decision]

MANY = 5
"""Equal calls in a row from which on they are worth a look."""


def stop(guard: Parts, walk: Walk) -> Walk:
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


def remember(guard: Parts, walk: Walk) -> Walk:
    """Find out what the session did before; where that cannot be read, what came before counts as
    unknown.
    """
    ledger, session = guard.ledger, walk.call.session
    if ledger is None:
        return walk.replace(remembered=Remembered())
    remembered = attempt("ledger", lambda: ledger.session(session), Remembered)
    history = (
        History(None, session, forgotten=True)
        if isinstance(remembered, Failure)
        else ledger.history(session, remembered)
    )
    return walk.replace(
        remembered=remembered, history=history, facts=FactCache(guard.facts, history)
    )


def place(guard: Parts, walk: Walk) -> Walk:
    """Give the call its session's workspace, the folders and the tenant that the policy adds, and
    the hint that a tool nobody described is handed a secret.
    """
    known = walk.remembered or Remembered()
    call = placed(walk.call, known, walk.facts, whole=guard.ask is NATIVE)
    policy = guard.policy
    if policy.roots or policy.tenant:
        call = call.replace(
            roots=widened(call.roots, policy.roots, guard.facts.home()),
            tenant=policy.tenant or call.tenant,
        )
    return walk.replace(call=_hinted(call))


def _hinted(call: ToolCall) -> ToolCall:
    """Where it cannot be found out whether a secret is handed over, it counts as one."""
    if call.tool not in (MCP, OTHER):
        return call
    held = attempt("audit", lambda: redact.holds_secret(call.input), bool)
    return call.replace(hints=(*call.hints, "secret")) if held else call


def judge(guard: Parts, walk: Walk) -> Walk:
    """Read the call into effects, and judge them."""
    policy = guard.policy
    if policy.places:
        walk.facts.places = bound.places_in(policy.places, walk.call.roots)
    reading = attempt("reading", lambda: read(walk.call, walk.facts, policy.programs), Reading)
    if isinstance(reading, Failure):
        return _unjudged(
            walk, "guard.reading-failed", f"This call could not be read: {reading.why}"
        )
    return judge_effects(guard, walk.replace(reading=reading))


def judge_effects(guard: Parts, walk: Walk) -> Walk:
    """Judge the effects by the policy's rules."""
    decision = attempt(
        "policy",
        lambda: decide(walk.call, walk.reading, guard.policy, walk.decision.id),
        Decision,
    )
    if isinstance(decision, Failure):
        said = f"The policy could not be applied: {decision.why}"
        return _unjudged(walk, "guard.policy-failed", said)
    passed = ("policy",) if decision.action <= WARN else ()
    return walk.replace(decision=decision, checks=("reading", *passed))


def _unjudged(walk: Walk, rule: str, why: str) -> Walk:
    return walk.replace(decision=refused(walk.decision.id, rule, why, ASK))


def own_rules(guard: Parts, walk: Walk) -> Walk:
    """Hear what the embedder's own rules say."""
    for rule in guard.rules:
        name = getattr(rule, "__name__", type(rule).__name__)
        walk = walk.found(f"rule {name}", *_own(rule, name, walk))
    return walk


def _own(rule: EmbedderRule, name: str, walk: Walk) -> tuple[Finding, ...]:
    said = attempt("rule", lambda: rule(walk.call, walk.reading), (Finding, Action, type(None)))
    if isinstance(said, Failure):
        return (Finding("guard.rule-failed", ASK, "guard", f"The rule {name} failed: {said.why}"),)
    if isinstance(said, Finding):
        return (said.replace(settled=None),)
    if said is None or said == ALLOW:
        return ()
    return (Finding(f"embedder.{name}", said, message=f"The rule {name} says {said}."),)


def session(guard: Parts, walk: Walk) -> Walk:
    """Hear what the calls before this one say of it: it comes again and again, it reaches for what
    was refused, nothing is to run.
    """
    remembered, ledger = walk.remembered, guard.ledger
    if ledger is None or not isinstance(remembered, Remembered):
        return walk
    digest = remembered.digest
    ran = remembered.repeats + 1 if digest and digest == ledger.digest(walk.call) else 1
    if ran < MANY and not remembered.refusals and not remembered.stopped:
        return walk
    findings = goals.repeated(ran) + goals.stopped(remembered.stopped, walk.call.session)
    if remembered.refusals and walk.history is not None:
        findings += _retried(walk, walk.history, ledger, ran)
    return walk.found("session", *findings)


def _retried(walk: Walk, history: History, ledger: Ledger, ran: int) -> tuple[Finding, ...]:
    said = attempt(
        "ledger", lambda: goals.retried(walk.reading, walk.decision, history, ledger), tuple
    )
    if isinstance(said, Failure):
        why = f"What was refused before could not be compared: {said.why}"
        return (Finding("session.not-compared", ASK, "session", why),)
    if ran > 1 and walk.decision.verdict == VERDICT_ASK:
        # the very same call is no other way, and it is asked about anyway
        return tuple([one for one in said if one.action > ASK])
    return said


def intent(guard: Parts, walk: Walk) -> Walk:
    """Hold the call against what the person asked for, where that is known."""
    level = guard.policy.intent
    if not (walk.call.intent or walk.call.scope) or level == "off":
        return walk
    return walk.found("intent", *intention.misfits(walk.call, walk.reading, level))


def presence(guard: Parts, walk: Walk) -> Walk:
    """Tell the session what of the guard itself is gone; that changes no answer."""
    said = missing.missed(guard, missing.SESSION) if guard.presence is not None else ()
    return walk.warned(missing.MISSED, " ".join(said)) if said else walk


def doubt(guard: Parts, walk: Walk) -> Walk:
    """Apply what the policy says of calls that are not proven harmless."""
    return walk.after("proof", proof(guard, walk, doubted))


def prove(guard: Parts, walk: Walk) -> Walk:
    """Apply what the policy says of calls that are proven harmless."""
    return walk.replace(decision=proof(guard, walk, proved))


def proof(guard: Parts, walk: Walk, prover: Prover) -> Decision:
    """Return what it means for a call that it is proven harmless, or that it is not; one whose
    proof fails is not.
    """
    done = attempt(
        "proof", lambda: prover(walk.call, walk.reading, walk.decision, guard.policy), Decision
    )
    if not isinstance(done, Failure):
        return done
    return walk.decision.with_findings(Finding("proof.failed", ASK, "proof", done.why))


def limits(guard: Parts, walk: Walk) -> Walk:
    """Charge a call that may still run to the limits, where the policy has any."""
    if not guard.limited or walk.decision.verdict == VERDICT_DENY:
        return walk
    charged, charge = charging.charged(guard, walk)
    return charged.replace(charge=charge)


def refund(guard: Parts, walk: Walk) -> Walk:
    """Give back what was charged for a call that does not run."""
    if walk.charge is None or walk.decision.verdict != VERDICT_DENY:
        return walk
    problems = charging.given_back(guard, walk.charge)
    return walk.replace(charge=None).warned("limits.not-given-back", *problems)


def review(guard: Parts, walk: Walk) -> Walk:
    """Have a review settled, or made stricter."""
    validator = guard.validator
    if validator is None or walk.decision.action != REVIEW:
        return walk
    decision = reviewing.reviewed(validator, walk.call, walk.reading, walk.decision, guard.policy)
    return walk.after("validator", decision)


def memory(guard: Parts, walk: Walk) -> Walk:
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


def fulfil(guard: Parts, walk: Walk) -> Walk:
    """Carry out what has to go with a call, where that can be done here."""
    if not walk.decision.obligations or walk.decision.verdict == VERDICT_DENY:
        return walk
    done = attempt("obligations", lambda: obligations.fulfilled(guard, walk), Decision)
    if not isinstance(done, Failure):
        return walk.replace(decision=done)
    said = f"What has to go with this call failed: {done.why}"
    finding = Finding("guard.not-carried-out", ASK, "guard", said)
    return walk.replace(decision=walk.decision.with_findings(finding))


def agreement(guard: Parts, walk: Walk) -> Walk:
    """Answer what a person said yes to before in this session."""
    history = walk.history
    if walk.decision.verdict != VERDICT_ASK or history is None:
        return walk
    done = attempt(
        "ledger",
        lambda: agreed.settled(walk.decision, walk.call, guard.facts, history),
        Decision,
    )
    return walk.after("session", walk.decision if isinstance(done, Failure) else done)


def stake(guard: Parts, walk: Walk) -> Walk:
    """Find out what would be lost, and what a yes to the client adds to the workspace, before
    anybody is asked.
    """
    if walk.decision.verdict != VERDICT_ASK:
        return walk
    decision = blast.with_radius(walk.decision, walk.reading.effects, walk.facts)
    if guard.ask is NATIVE and walk.call.session:
        decision = offered(decision, walk.call, walk.facts)
    return walk.replace(decision=decision)


def checkpoint(guard: Parts, walk: Walk) -> Walk:
    """Take a checkpoint where it answers all that is asked."""
    if walk.decision.verdict != VERDICT_ASK or guard.checkpoints is None:
        return walk
    done = attempt("checkpoint", lambda: undoable.undoable(guard, walk), Decision)
    return walk.after("checkpoint", walk.decision if isinstance(done, Failure) else done)


def approve(guard: Parts, walk: Walk) -> Walk:
    """Ask a person, or pass the question on to the client, or deny where nobody can be asked."""
    if walk.decision.verdict != VERDICT_ASK:
        return walk
    return walk.after("approval", approval.settle(guard, walk))


def trip(guard: Parts, walk: Walk) -> Walk:
    """Stop the session where the call trips what the policy stops it for."""
    stopping = guard.policy.stopping
    if stopping is None:
        return walk
    return walk.replace(decision=triggers.tripped(guard, walk, stopping))


def record(guard: Parts, walk: Walk) -> Walk:
    """Write the decision down. Raises ``RuntimeError`` where that loosened it."""
    done = recording.recorded(guard, walk)
    if done.decision.verdict < walk.decision.verdict:
        raise RuntimeError("recording a decision loosened it")
    return refund(guard, done)


def notify(guard: Parts, walk: Walk) -> Walk:
    """Have people told of a decision that obliges to it."""
    duties = walk.decision.obligations if guard.policy.notify else ()
    if not any(duty.name == NOTIFY for duty in duties):
        return walk
    return walk.replace(
        decision=walk.decision.with_findings(*triggers.notify(guard, walk.decision))
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
