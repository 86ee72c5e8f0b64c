"""``Decision``: the record of one judgement. Its verdict is computed from findings, not stored."""

from __future__ import annotations

from interlock.model.action import ALLOW, DENY, THROTTLE, WARN, Action, Verdict
from interlock.model.effect import Effect, Span
from interlock.model.radius import Radius
from interlock.model.record import Record

NOTIFY = "notify"
"""The one obligation that comes after the call: somebody is told, and nothing waits for it."""


PROVEN, APPROVED = "proven", "approved"
"""What a decision says of a call that is harmless for sure."""


CHECKPOINT_TAKEN = "checkpoint.taken"
"""The rule that speaks where a checkpoint was taken before a call."""
TAMPER = "tamper"
"""The tag of rules that guard the guard: they hold where a policy only observes and while questions
are paused, too.
"""


class Settled(Record):
    """What loosened a finding: the action that stands now, and who or what settled it."""

    action: Action
    by: str


class Finding(Record):
    """One rule matched one effect, or one stage spoke.

    ``rule``: the rule's id (or ``stage.what``). ``message``: one sentence for a person.
    ``retry_after``: seconds, with THROTTLE.
    """

    rule: str
    action: Action
    stage: str = "policy"
    message: str = ""
    instead: str = ""
    effect: Effect | None = None
    settled: Settled | None = None
    retry_after: int = 0
    tags: frozenset[str] = frozenset()

    @property
    def effective(self) -> Action:
        """The action that counts: settled if it was, else raw. DENY and THROTTLE never are."""
        if self.settled is None or self.action >= THROTTLE:
            return self.action
        return self.settled.action

    @property
    def span(self) -> Span | None:
        """Where in the call's texts, if known."""
        return self.effect.span if self.effect else None


class Obligation(Record):
    """What the enforcement point must also do: ``sandbox``, ``checkpoint``, ``redact``, ``notify``,
    ``approver`` (with the role in ``detail``).

    ``met``: who met it already; then there is nothing left to do.
    """

    name: str
    detail: str = ""
    met: str = ""


class Approval(Record):
    """A person's answer to an ASK: who, for how long (``once``, ``session``, ``project``), until
    when (Unix seconds), in which roles.
    """

    decision: str
    by: str
    scope: str = "once"
    expires: float = 0.0
    roles: frozenset[str] = frozenset()


class Decision(Record):
    """The record of one judgement.

    ``observed``: the policy only observes, so the answer is allow, whatever ``would`` says.
    ``radius``: what would be lost, where somebody is to be asked; it informs and changes no
    verdict. ``proof``: ``proven`` where the call is proven harmless, ``approved`` where the policy
    has the client's own question answered with yes for that.
    """

    id: str
    findings: tuple[Finding, ...] = ()
    obligations: tuple[Obligation, ...] = ()
    coverage: str = "full"
    observed: bool = False
    radius: Radius | None = None
    proof: str = ""

    @property
    def action(self) -> Action:
        """The strictest of the findings' effective actions; ALLOW without any."""
        if not self.findings:
            return ALLOW
        return max([finding.effective for finding in self.findings])

    @property
    def would(self) -> Verdict:
        """The verdict of the findings alone."""
        return Verdict.of(self.action)

    @property
    def verdict(self) -> Verdict:
        """What the caller gets."""
        return Verdict.of(ALLOW) if self.observed else self.would

    @property
    def approves(self) -> bool:
        """Whether the client's own question is answered with yes: the policy says so of what is
        proven, and nothing at all was found.
        """
        quiet = not self.observed and all(finding.action == ALLOW for finding in self.findings)
        return self.proof == APPROVED and quiet and all(duty.met for duty in self.obligations)

    @property
    def warned(self) -> bool:
        """Whether an allow comes with a warning."""
        return self.action == WARN

    @property
    def deciding(self) -> tuple[Finding, ...]:
        """The findings that made the verdict, in order: those as strict as the strictest."""
        top = self.action
        return tuple(finding for finding in self.findings if finding.effective == top)

    def with_findings(self, *more: Finding) -> Decision:
        """Return a decision with findings added; it can only be as strict or stricter."""
        return self.replace(findings=self.findings + more) if more else self


def make_refusal(decision_id: str, rule: str, message: str, action: Action = DENY) -> Decision:
    """Return a decision of one finding, for what went wrong before anything could be judged."""
    return Decision(
        decision_id, (Finding(rule, action, stage="guard", message=message),), coverage="partial"
    )
