"""``Guard``: judges one tool call, stage by stage (``interlock.guard.stages``), from the call to
its decision.

A failure of reading, policy or an embedder's rule is ASK, and DENY where nobody can be asked. A
failure of the audit or the ledger leaves the verdict standing, with a warning and a line in the
spool (ASK where the policy says ``audit_required``). Every stage adds findings and none takes one
away.
"""

from __future__ import annotations

from time import perf_counter_ns

from interlock.engine.proving import add_proof
from interlock.guard import limit_stage, stages
from interlock.guard import outcome as outcomes
from interlock.guard.factcache import FactCache
from interlock.guard.failures import Failure, attempt
from interlock.guard.parts import GuardParts
from interlock.guard.walk import CallWalk, begin_walk, new_id
from interlock.model.action import VERDICT_ALLOW
from interlock.model.call import Outcome, ToolCall
from interlock.model.decision import Decision, make_refusal
from interlock.model.effect import Effect, Reading
from interlock.model.usage import Usage


class Guard(GuardParts):
    """Judges tool calls by one policy.

    ``rules``: an embedder's own, either rows (``Rule``) or callables that take the call and its
    reading and return a finding, an action, or None to abstain. ``ask``: asks a person and returns
    their ``Approval`` or None; ``NATIVE`` passes an ASK on to the client, ``QUEUE`` denies it with
    a request that a person approves elsewhere; without it an ASK is a DENY.
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
        return _ensure_decision(decision, "this call does not run")

    def check_effects(self, call: ToolCall, effects: tuple[Effect, ...]) -> Decision:
        """Return the decision on one operation of a program that runs already, its effects known.
        Total, as ``check`` is.

        ``call`` says what it does and where it works. What is allowed leaves no record, for a
        program does it thousands of times; anything else goes the way of every call: a person may
        be asked, and it is recorded.
        """
        decision = attempt("guard", lambda: self._check_effects(call, Reading(effects)), Decision)
        return _ensure_decision(decision, "this is not done")

    def outcome(self, outcome: Outcome) -> tuple[str, ...]:
        """Record what became of a call; return sentences about what was not recorded. Total."""
        return outcomes.record_outcome(self, outcome)

    def approved(self, call: ToolCall, *, judged: bool = True) -> bool:
        """Tell whether the client's own question about a call is answered with yes: by the decision
        of a moment ago, or before it is ``judged``.

        Never raises, and records nothing.
        """
        if judged:
            return outcomes.was_approved(self, call)
        return attempt("proof", lambda: self._would_be(call), bool) is True

    def prompted(self, call: ToolCall, words: str) -> tuple[str, ...]:
        """Record what a person asked for, with the session and workspace of ``call``; returns as
        ``outcome`` does.
        """
        return outcomes.record_prompt(self, call, words)

    def spent(self, call: ToolCall, usage: Usage) -> tuple[str, ...]:
        """Count what an agent used of its model, where no transcript says it; returns as
        ``outcome`` does.

        Of ``call`` only the session, the agent, the user and the tenant are looked at.
        """
        return limit_stage.count_usage(self, call, usage)

    def began(self, call: ToolCall) -> tuple[str, ...]:
        """Note that a session begins or goes on, with the process it runs in; returns as
        ``outcome`` does.
        """
        return outcomes.record_session(self, call)

    def _check(self, call: ToolCall) -> Decision:
        walk = self._begin_walk(call)
        return self._through(stages.RECORD if walk.is_stopped else stages.CALL, walk).decision

    def _check_effects(self, call: ToolCall, reading: Reading) -> Decision:
        walk = self._begin_walk(call, reading)
        if not walk.is_stopped:
            walk = self._through(stages.OPERATION, walk)
            if walk.decision.verdict == VERDICT_ALLOW:
                return walk.decision
            walk = self._through(stages.ANSWER, walk)
        return self._through(stages.RECORD, walk).decision

    def _would_be(self, call: ToolCall) -> bool:
        walk = self._begin_walk(call)
        if walk.is_stopped:
            return False
        walk = self._through(stages.JUDGE, walk)
        return (
            not isinstance(walk.remembered, Failure)
            and stages.proof(self, walk, add_proof).approves
        )

    def _begin_walk(self, call: ToolCall, reading: Reading | None = None) -> CallWalk:
        return stages.stop(
            self, begin_walk(call, FactCache(self.facts), perf_counter_ns(), reading)
        )

    def _through(self, some: tuple[stages.Stage, ...], walk: CallWalk) -> CallWalk:
        for stage in some:
            walk = stage(self, walk)
        return walk


def _ensure_decision(decision: Decision | Failure, so: str) -> Decision:
    if not isinstance(decision, Failure):
        return decision
    return make_refusal(new_id(), "guard.failed", f"The guard failed, so {so}: {decision.why}")
