"""``Guard``: the walk of one tool call, from the call to its decision. The only place that orders
the organs.

A failure of reading, policy or an embedder's rule is ASK, and DENY where nobody can be asked. A
failure of the audit or the ledger leaves the verdict standing, with a warning and a line in the
spool (ASK where the policy says ``audit_required``). Every stage adds findings and none takes one
away.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter_ns

from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.engine.proving import doubted, proved
from interlock.guard.attempt import Failure, attempt
from interlock.guard.organs import (
    NATIVE,
    EmbedderRule,
    Validator,
)
from interlock.guard.parts import Parts, Walk
from interlock.guard.witness import Witness
from interlock.guard.workspace import joins, offered, placed, widened
from interlock.ledger import JOINED, TIGHTENING, name_of
from interlock.ledger.history import History
from interlock.ledger.sessions import Ledger, Remembered
from interlock.limits.meter import Charge
from interlock.model.action import (
    ALLOW,
    ASK,
    DENY,
    REVIEW,
    VERDICT_ALLOW,
    VERDICT_ASK,
    VERDICT_DENY,
    WARN,
    Action,
)
from interlock.model.call import MCP, OTHER, Outcome, ToolCall
from interlock.model.decision import NOTIFY, Decision, Finding, refused
from interlock.model.effect import Effect, Reading
from interlock.model.facts import Facts
from interlock.model.policy import Policy, Stopping
from interlock.model.usage import Usage
from interlock.store.schema import Write

if sys.platform == "win32":
    from nt import urandom
else:
    from posix import urandom


MANY = 5
"""Equal calls in a row from which on they are worth a look."""


class Guard(Parts):
    """Judges tool calls by one policy.

    ``rules``: an embedder's own, either rows (``Rule``) or callables that take the call and its
    reading and return a finding, an action, or None to
    abstain. ``ask``: asks a person and returns their ``Approval`` or None; ``NATIVE`` passes an ASK
    on to the client, ``QUEUE`` denies it
    with a request that a person approves elsewhere; without it an ASK is a DENY.
    ``validator``: settles what is to be reviewed; without it a REVIEW is an ASK. ``facts`` is
    needed, ``audit`` and ``ledger`` may be missing.
    Raises ``TypeError`` for parts it does not know, ``ValueError`` for limits or a level of intent
    that mean nothing; ``check`` never raises.
    """

    def check(self, call: ToolCall) -> Decision:
        """Return the decision on a call. Total: whatever fails, there is one, and it is never an
        allow for having failed.
        """
        decision = attempt("guard", lambda: self._check(call), Decision)
        if isinstance(decision, Failure):
            return refused(
                _new_id(),
                "guard.failed",
                f"The guard failed, so this call does not run: {decision.why}",
            )
        return decision

    def check_effects(self, call: ToolCall, effects: tuple[Effect, ...]) -> Decision:
        """Return the decision on one operation of a program that runs already, its effects known.
        Total, as ``check`` is.

        ``call`` says what it does and where it works. What is allowed leaves no record, for a
        program does it thousands of times; anything else goes the way of every call: a person may
        be asked, and it is recorded.
        """
        decision = attempt("guard", lambda: self._check_effects(call, Reading(effects)), Decision)
        if isinstance(decision, Failure):
            return refused(
                _new_id(), "guard.failed", f"The guard failed, so this is not done: {decision.why}"
            )
        return decision

    def outcome(self, outcome: Outcome) -> tuple[str, ...]:
        """Record what became of a call; returns sentences about what could not be recorded, and
        never raises.
        """
        from interlock.guard.outcome import record_outcome

        return record_outcome(self, outcome)

    def approved(self, call: ToolCall, *, judged: bool = True) -> bool:
        """Tell whether the client's own question about a call is answered with yes: by the decision
        of a moment ago, or before it is ``judged``.

        Never raises, and records nothing.
        """
        from interlock.guard.outcome import was_approved

        return (
            was_approved(self, call)
            if judged
            else attempt("proof", lambda: self._would_be(call), bool) is True
        )

    def _would_be(self, call: ToolCall) -> bool:
        remembered = self._remembered(call)
        if isinstance(remembered, Failure) or self._stopped(call) is not None:
            return False
        history = self._history(call, remembered)
        return self._proof(
            proved, self._looked(call, remembered, history, Witness(self.facts, history))
        ).approves

    def prompted(self, call: ToolCall, words: str) -> tuple[str, ...]:
        """Record what a person asked for, with the session and workspace of ``call``; returns as
        ``outcome`` does.
        """
        from interlock.guard.outcome import record_prompt

        return record_prompt(self, call, words)

    def spent(self, call: ToolCall, usage: Usage) -> tuple[str, ...]:
        """Count what an agent used of its model, where no transcript says it; returns as
        ``outcome`` does.

        Of ``call`` only the session, the agent, the user and the tenant are looked at.
        """
        from interlock.guard.charging import spent

        return spent(self, call, usage)

    def began(self, call: ToolCall) -> tuple[str, ...]:
        """Note that a session begins or goes on, with the process it runs in; returns as
        ``outcome`` does.
        """
        from interlock.guard.outcome import record_session

        return record_session(self, call)

    # -- the walk ----------------------------------------------------------------------------------

    def _check(self, call: ToolCall) -> Decision:
        began = perf_counter_ns()
        stopped = self._stopped(call)
        if stopped is not None:
            return self._recorded(stopped, Witness(self.facts), (perf_counter_ns() - began) // 1000)
        remembered = self._remembered(call)
        history = self._history(call, remembered)
        witness = Witness(self.facts, history)
        walk = self._looked(call, remembered, history, witness)
        walk = walk.after("proof", self._proof(doubted, walk))
        walk, charge = self._charged(walk)
        if self.validator is not None and walk.decision.action == REVIEW:
            walk = walk.after("validator", self._reviewed(walk, self.validator))
        if isinstance(remembered, Failure):
            walk = walk.replace(
                decision=_noted(
                    walk.decision,
                    "ledger.not-read",
                    f"What this session did before is not known: {remembered.why}",
                )
            )
        else:
            walk = walk.replace(prompt_hash=remembered.prompt_hash, remembered=remembered)
            if history is not None and history.problem:
                walk = walk.replace(
                    decision=_noted(
                        walk.decision,
                        "ledger.not-read",
                        f"Its marks could not be read: {history.problem}",
                    )
                )
        if walk.decision.obligations and walk.decision.verdict != VERDICT_DENY:
            walk = walk.replace(decision=self._carried(walk))
        if walk.decision.verdict == VERDICT_ASK and history is not None:
            walk = walk.after("session", self._agreed(walk, history))
        if walk.decision.verdict == VERDICT_ASK:
            walk = self._at_stake(walk, witness)
            if self.checkpoints is not None:
                walk = walk.after("checkpoint", self._undoable(walk, witness))
            walk = walk.after("approval", self._settled(walk))
        if self.policy.stopping is not None:
            walk = walk.replace(decision=self._tripped(walk, self.policy.stopping))
        verdict = walk.decision.verdict
        walk = self._given_back(walk, charge)
        walk = walk.replace(decision=self._proof(proved, walk))
        decision = self._recorded(walk, witness, (perf_counter_ns() - began) // 1000)
        if verdict < decision.verdict == VERDICT_DENY:
            self._given_back(walk.replace(decision=decision), charge)
        if decision.verdict < verdict:
            raise RuntimeError("recording a decision loosened it")
        return self._told(decision) if decision.obligations and self.policy.notify else decision

    def _looked(
        self,
        call: ToolCall,
        remembered: Remembered | Failure,
        history: History | None,
        witness: Witness,
    ) -> Walk:
        """Return what the policy, the embedder's rules, the session and the person's intent say of
        a call.
        """
        walk = self._own_rules(
            self._read(
                _hinted(
                    self._as_policy_says(
                        placed(call, remembered, witness, whole=self.ask is NATIVE)
                    )
                ),
                witness,
            )
        )
        if self.ledger is not None and not isinstance(remembered, Failure):
            walk = self._in_session(walk, remembered, history, self.ledger)
        return self._missed(self._intended(walk))

    def _check_effects(self, call: ToolCall, reading: Reading) -> Decision:
        began = perf_counter_ns()
        stopped = self._stopped(call)
        if stopped is not None:
            return self._recorded(stopped, Witness(self.facts), (perf_counter_ns() - began) // 1000)
        walk = self._intended(self._own_rules(self._decided(call, reading)))
        if walk.decision.verdict == VERDICT_ALLOW:
            return walk.decision
        witness = Witness(self.facts)
        if walk.decision.obligations and walk.decision.verdict != VERDICT_DENY:
            walk = walk.replace(decision=self._carried(walk))
        if walk.decision.verdict == VERDICT_ASK:
            walk = self._at_stake(walk, witness)
            walk = walk.after("approval", self._settled(walk))
        return self._recorded(walk, witness, (perf_counter_ns() - began) // 1000)

    def _told(self, decision: Decision) -> Decision:
        """Have people told of a decision that obliges to it."""
        if not any(duty.name == NOTIFY for duty in decision.obligations):
            return decision
        from interlock.guard.tripping import told

        return decision.with_findings(*told(self, decision))

    def _tripped(self, walk: Walk, triggers: Stopping) -> Decision:
        """Stop the session where the call trips what the policy stops it for."""
        from interlock.guard.tripping import tripped

        return tripped(self, walk, triggers)

    def _stopped(self, call: ToolCall) -> Walk | None:
        """Return the refusal of a call that belongs to something that is stopped; nothing more is
        found out about it.
        """
        flags = self.flags
        if flags is None:
            return None
        found = attempt(
            "stop",
            lambda: flags(call if call.tenant else call.replace(tenant=self.policy.tenant)),
            tuple,
        )
        if not found:
            return None
        if isinstance(found, Failure):
            found = (
                Finding(
                    "stop.not-read",
                    DENY,
                    "stop",
                    f"Whether this session is stopped could not be found out: {found.why}",
                ),
            )
        return Walk(call, Decision(_new_id(), found, coverage="partial"))

    def _remembered(self, call: ToolCall) -> Remembered | Failure:
        from interlock.ledger.sessions import Remembered

        ledger = self.ledger
        if ledger is None:
            return Remembered()
        return attempt("ledger", lambda: ledger.session(call.session), Remembered)

    def _history(self, call: ToolCall, remembered: Remembered | Failure) -> History | None:
        """Return the marks of the session; where it could not be read, what came before counts as
        unknown.
        """
        if self.ledger is None:
            return None
        if isinstance(remembered, Failure):
            from interlock.ledger.history import History

            return History(None, call.session, forgotten=True)
        return self.ledger.history(call.session, remembered)

    @staticmethod
    def _in_session(
        walk: Walk, remembered: Remembered, history: History | None, ledger: Ledger
    ) -> Walk:
        """Add what the calls before this one say of it: it comes again and again, it reaches for
        what was refused, nothing is to run.
        """
        digest = remembered.digest
        ran = remembered.repeats + 1 if digest and digest == ledger.digest(walk.call) else 1
        if ran < MANY and not remembered.refusals and not remembered.stopped:
            return walk
        from interlock.ledger.goals import repeated, retried, stopped

        findings = repeated(ran) + stopped(remembered.stopped, walk.call.session)
        if remembered.refusals and history is not None:
            said = attempt(
                "ledger", lambda: retried(walk.reading, walk.decision, history, ledger), tuple
            )
            if not isinstance(said, Failure) and ran > 1 and walk.decision.verdict == VERDICT_ASK:
                # the very same call is no other way, and it is asked about anyway
                said = tuple([one for one in said if one.action > ASK])
            failed = (
                f"What was refused before could not be compared: {said.why}"
                if isinstance(said, Failure)
                else ""
            )
            findings += (
                (Finding("session.not-compared", ASK, "session", failed),)
                if isinstance(said, Failure)
                else said
            )
        return walk.after("session", walk.decision.with_findings(*findings))

    def _as_policy_says(self, call: ToolCall) -> ToolCall:
        """Return the call with the folders that the policy adds to its workspace, and the tenant
        the policy is for.
        """
        policy = self.policy
        if not policy.roots and not policy.tenant:
            return call
        return call.replace(
            roots=widened(call.roots, policy.roots, self.facts.home()),
            tenant=policy.tenant or call.tenant,
        )

    def _read(self, call: ToolCall, facts: Witness) -> Walk:
        if self.policy.places:
            from interlock.engine.bound import places_in

            facts.places = places_in(self.policy.places, call.roots)
        reading = attempt("reading", lambda: read(call, facts, self.policy.programs), Reading)
        if isinstance(reading, Failure):
            return Walk(
                call,
                refused(
                    _new_id(),
                    "guard.reading-failed",
                    f"This call could not be read: {reading.why}",
                    ASK,
                ),
            )
        return self._decided(call, reading)

    def _decided(self, call: ToolCall, reading: Reading) -> Walk:
        decision_id = _new_id()
        decision = attempt(
            "policy", lambda: decide(call, reading, self.policy, decision_id), Decision
        )
        if isinstance(decision, Failure):
            return Walk(
                call,
                refused(
                    decision_id,
                    "guard.policy-failed",
                    f"The policy could not be applied: {decision.why}",
                    ASK,
                ),
                reading,
            )
        return Walk(
            call,
            decision,
            reading,
            checks=("reading", "policy") if decision.action <= WARN else ("reading",),
        )

    def _own_rules(self, walk: Walk) -> Walk:
        for rule in self.rules:
            name = getattr(rule, "__name__", type(rule).__name__)
            walk = walk.after(
                f"rule {name}", walk.decision.with_findings(*self._own(rule, name, walk))
            )
        return walk

    def _intended(self, walk: Walk) -> Walk:
        """Hold a call against what the person asked for, where that is known."""
        if not (walk.call.intent or walk.call.scope) or self.policy.intent == "off":
            return walk
        from interlock.guard.intention import misfits

        return walk.after(
            "intent",
            walk.decision.with_findings(*misfits(walk.call, walk.reading, self.policy.intent)),
        )

    def _proof(
        self, stage: Callable[[ToolCall, Reading, Decision, Policy], Decision], walk: Walk
    ) -> Decision:
        """Say what it means for a call that it is proven harmless, or that it is not; one whose
        proof fails is not.
        """
        done = attempt(
            "proof", lambda: stage(walk.call, walk.reading, walk.decision, self.policy), Decision
        )
        return (
            walk.decision.with_findings(Finding("proof.failed", ASK, "proof", done.why))
            if isinstance(done, Failure)
            else done
        )

    def _missed(self, walk: Walk) -> Walk:
        """Tell the session what of the guard itself is gone; that changes no answer."""
        if self.presence is None:
            return walk
        from interlock.guard.missing import MISSED, SESSION, missed

        said = missed(self, SESSION)
        return (
            walk.replace(
                decision=walk.decision.with_findings(
                    Finding(MISSED, WARN, "presence", " ".join(said))
                )
            )
            if said
            else walk
        )

    @staticmethod
    def _own(rule: EmbedderRule, name: str, walk: Walk) -> tuple[Finding, ...]:
        said = attempt("rule", lambda: rule(walk.call, walk.reading), (Finding, Action, type(None)))
        if isinstance(said, Failure):
            return (
                Finding("guard.rule-failed", ASK, "guard", f"The rule {name} failed: {said.why}"),
            )
        if isinstance(said, Finding):
            return (said.replace(settled=None),)
        return (
            ()
            if said is None or said == ALLOW
            else (Finding(f"embedder.{name}", said, message=f"The rule {name} says {said}."),)
        )

    def _reviewed(self, walk: Walk, validator: Validator) -> Decision:
        """Have a review settled, or made stricter."""
        from interlock.guard.reviewing import reviewed  # few calls are reviewed

        return reviewed(validator, walk.call, walk.reading, walk.decision, self.policy)

    def _charged(self, walk: Walk) -> tuple[Walk, Charge | None]:
        """Charge a call that may still run to the limits, where the policy has any."""
        if not self.limited or walk.decision.verdict == VERDICT_DENY:
            return walk, None
        from interlock.guard.charging import charged

        return charged(self, walk)

    def _given_back(self, walk: Walk, charge: Charge | None) -> Walk:
        if charge is None or walk.decision.verdict != VERDICT_DENY:
            return walk
        from interlock.guard.charging import given_back

        return walk.replace(
            decision=_noted(walk.decision, "limits.not-given-back", *given_back(self, charge))
        )

    def _carried(self, walk: Walk) -> Decision:
        """Carry out what has to go with a call, where that can be done here."""
        from interlock.guard.carrying import carried  # few policies oblige to anything

        done = attempt("obligations", lambda: carried(self, walk), Decision)
        if isinstance(done, Failure):
            return walk.decision.with_findings(
                Finding(
                    "guard.not-carried-out",
                    ASK,
                    "guard",
                    f"What has to go with this call failed: {done.why}",
                )
            )
        return done

    def _undoable(self, walk: Walk, facts: Facts) -> Decision:
        """Take a checkpoint where it answers all that is asked."""
        from interlock.guard.undoable import undoable

        done = attempt("checkpoint", lambda: undoable(self, walk, facts), Decision)
        return walk.decision if isinstance(done, Failure) else done

    def _at_stake(self, walk: Walk, facts: Facts) -> Walk:
        """Find out what would be lost, and what a yes to the client adds to the workspace, before
        anybody is asked.
        """
        from interlock.guard.blast import with_radius

        decision = with_radius(walk.decision, walk.reading.effects, facts)
        return walk.replace(
            decision=(
                offered(decision, walk.call, facts)
                if self.ask is NATIVE and walk.call.session
                else decision
            )
        )

    def _agreed(self, walk: Walk, history: History) -> Decision:
        """Answer what a person said yes to before in this session."""
        from interlock.ledger.agreed import settled

        done = attempt(
            "ledger", lambda: settled(walk.decision, walk.call, self.facts, history), Decision
        )
        return walk.decision if isinstance(done, Failure) else done

    def _settled(self, walk: Walk) -> Decision:
        if walk.decision.verdict != VERDICT_ASK:
            return walk.decision
        from interlock.guard.approval import settle  # most calls are not asked about

        return settle(self, walk)

    def _recorded(self, walk: Walk, witness: Witness, judged_us: int) -> Decision:
        store, decision = self.store, walk.decision
        if store is None:
            return decision
        failure = attempt(
            "audit", lambda: store.commit(self._writes(walk, witness, judged_us)), type(None)
        )
        if not isinstance(failure, Failure):
            notices, store.notices[:] = tuple(store.notices), ()
            return _noted(decision, "audit.mended", *notices) if notices else decision
        action = ASK if self.policy.audit_required else WARN
        unwritten = decision.with_findings(
            Finding(
                "audit.not-written",
                action,
                "audit",
                f"This decision could not be recorded: {failure.why}",
            )
        )
        spooled = attempt(
            "spool",
            lambda: store.spool(self._writes(walk.replace(decision=unwritten), witness, judged_us)),
            type(None),
        )
        fate = (
            "it waits in the spool"
            if not isinstance(spooled, Failure)
            else f"and it is lost: {spooled.why}"
        )
        if (
            isinstance(spooled, Failure)
            and self.ledger is not None
            and any(name_of(label) in TIGHTENING for _, label in walk.reading.marks)
        ):
            action, fate = ASK, f"{fate}; later calls would not know what this one read or fetched"
        finding = Finding(
            "audit.not-written",
            action,
            "audit",
            f"This decision could not be recorded ({failure.why}); {fate}.",
        )
        return self._settled(walk.replace(decision=decision.with_findings(finding)))

    def _writes(self, walk: Walk, witness: Witness, judged_us: int) -> list[Write]:
        from interlock.audit.entry import Judged

        writes: list[Write] = []
        if self.audit is not None:
            facts = witness.noted()
            judged = Judged(
                walk.call,
                walk.reading,
                walk.decision,
                self.policy,
                walk.checks,
                facts,
                walk.prompt_hash,
                judged_us,
            )
            writes.append(self.audit.judged(judged))
        if self.ledger is not None:
            runs = walk.decision.verdict <= VERDICT_ASK
            refused = () if runs else self._refused(walk, self.ledger)
            writes += self.ledger.seen(
                walk.call, walk.reading, runs=runs, refused=refused, agreed=self._asked(walk)
            )
            if walk.remembered is not None and not walk.remembered.known:
                writes += self.ledger.begun(walk.call, walk.remembered)
        return writes

    def _asked(self, walk: Walk) -> list[tuple[str, str]]:
        """Return what a person says yes to who lets this call run at the client's own prompt."""
        if walk.decision.verdict != VERDICT_ASK or self.ask is not NATIVE:
            return []
        from interlock.ledger.agreed import marks

        folder = attempt("facts", lambda: joins(walk.decision, walk.call, self.facts), str)
        joined = [(folder, JOINED)] if folder and not isinstance(folder, Failure) else []
        return joined + marks(walk.decision, walk.call, self.facts)

    @staticmethod
    def _refused(walk: Walk, ledger: Ledger) -> list[tuple[str, str]]:
        from interlock.ledger.goals import refused

        return refused(walk.decision, ledger)


def _hinted(call: ToolCall) -> ToolCall:
    """Return the call with the hint that a tool nobody described is handed a secret. Where that
    cannot be found out, it counts as one.
    """
    if call.tool not in (MCP, OTHER):
        return call
    from interlock.audit.redact import holds_secret

    held = attempt("audit", lambda: holds_secret(call.input), bool)
    return call.replace(hints=(*call.hints, "secret")) if held else call


def _noted(decision: Decision, rule: str, *messages: str) -> Decision:
    """Return the decision with a warning; a warning never loosens and never stops a call."""
    return decision.with_findings(
        *[Finding(rule, WARN, rule.partition(".")[0], message) for message in messages]
    )


def _new_id() -> str:
    """Return a decision's name: 64 random bits."""
    return f"d-{urandom(8).hex()}"
