"""Who asks: what is approved already is spent, a person is asked where one can be, a request is
filed where nobody can, and all else is refused.

====================================================
================================================================== the case
the answer ====================================================
================================================================== an approval of this call, or
grants, were given       allow, and what was given is used up nobody is there (``headless``, no way
to ask)         deny a quorum or a second person, or a role at a client    deny, with a request for
the queue the client asks natively                              passed on to it; its outcome records
that it was granted the client cannot ask                                 deny, with a request:
approve it elsewhere, then retry our own loop                                          the person at
its prompt ====================================================
==================================================================
"""

from __future__ import annotations

from time import time

from interlock.approvals.service import ApprovalCase, Approvals, RequestTicket
from interlock.approvals.terms import ApprovalTerms
from interlock.guard.failures import Failure, attempt
from interlock.guard.parts import GuardParts
from interlock.guard.services import NATIVE, QUEUE, Ask, Sentinel
from interlock.guard.walk import CallWalk
from interlock.model.action import DENY, WARN
from interlock.model.decision import Approval, Decision, Finding


def settle(guard: GuardParts, walk: CallWalk) -> Decision:
    """Return the decision after a person was asked, or passed on where the client asks, or denied
    where nobody can be asked.
    """
    from interlock.approvals.service import ApprovalCase
    from interlock.approvals.terms import terms

    decision, ask, service = (
        walk.decision,
        guard.ask,
        guard.approvals() if guard.approvals is not None else None,
    )
    matter = ApprovalCase(walk.call, walk.reading, decision, guard.policy, guard.facts)
    if service is not None:
        spent = attempt("approvals", lambda: service.spend(matter), (Decision, type(None)))
        if isinstance(spent, Failure):
            note = Finding(
                "approval.not-read",
                WARN,
                "approval",
                f"What was approved before could not be read: {spent.why}",
            )
            matter = matter.replace(decision=decision.with_findings(note))
        elif spent is not None:
            return spent
    if ask is None or (isinstance(ask, Sentinel) and walk.call.headless):
        message = (
            "This needs the user's approval, and nobody can be asked"
            f" here.{_grantable(service, matter)}"
        )
        return _deny(matter.decision, "approval.nobody-to-ask", message)
    needed = terms(decision, guard.policy)
    if needed.several or ask is QUEUE or (ask is NATIVE and needed.roles):
        return _queue_request(service, matter, needed)
    return (
        matter.decision if isinstance(ask, Sentinel) else _at_prompt(ask, service, matter, needed)
    )


def _grantable(service: Approvals | None, matter: ApprovalCase) -> str:
    """Say how a person lets such calls run from now on, where a grant can cover them."""
    from interlock.approvals.grant_scope import PROJECT, lasting

    found = attempt(
        "approvals", lambda: service.grantable(matter)[0] if service is not None else (), tuple
    )
    if isinstance(found, Failure) or not found or not matter.project or not lasting(found, PROJECT):
        return ""
    return (
        f" To let such calls run from now on: interlock approve {matter.decision.id} --for project"
    )


def _queue_request(
    service: Approvals | None, matter: ApprovalCase, needed: ApprovalTerms
) -> Decision:
    """Deny, and say where the request waits."""
    whose = (
        f"the approval of {' and '.join(needed.roles)}" if needed.roles else "the user's approval"
    )
    if service is None:
        rule = "approval.role-needed" if needed.roles else "approval.nobody-to-ask"
        return _deny(matter.decision, rule, f"This needs {whose}, which cannot be given here.")
    from interlock.approvals.service import RequestTicket

    filed = attempt("approvals", lambda: service.request(matter, needed), RequestTicket)
    if isinstance(filed, Failure):
        return _deny(
            matter.decision,
            "approval.not-filed",
            f"This needs {whose}, and the request could not be filed: {filed.why}",
        )
    if not filed.id:
        return _deny(
            matter.decision,
            "approval.too-many",
            f"This needs {whose}, and too many requests of this session wait already.",
        )
    whose += f", of {needed.quorum} people" if needed.quorum > 1 else ""
    whose += ", not of who asks" if needed.second_person else ""
    if filed.granted:
        message = f"{filed.id} is approved already: retry this very call."
    else:
        message = f"This needs {whose}: {_ways(filed)}, then retry this very call."
    return _deny(matter.decision, "approval.requested", message)


def _ways(filed: RequestTicket) -> str:
    """Say where a request can be answered, and how long."""
    within = f"within {_long(filed.seconds)}"
    if filed.elsewhere:
        return f"have it approved at {filed.page} {within}"
    or_team = f", or have it approved at {filed.page}" if filed.page else ""
    return f"run `interlock approve {filed.id}` in a terminal you opened yourself {within}{or_team}"


def _long(seconds: int) -> str:
    if seconds < 120:
        return f"{seconds} seconds"
    return f"{seconds // 60} minutes" if seconds < 7200 else f"{seconds // 3600} hours"


def _at_prompt(
    ask: Ask, service: Approvals | None, matter: ApprovalCase, needed: ApprovalTerms
) -> Decision:
    decision = matter.decision
    said = attempt(
        "approval", lambda: ask(decision, matter.call, matter.reading), (Approval, type(None))
    )
    if isinstance(said, Failure):
        return _deny(decision, "approval.failed", f"Asking for approval failed: {said.why}")
    if said is None:
        return _deny(decision, "approval.refused", "The user did not approve this call.")
    if said.decision != decision.id:
        return _deny(decision, "approval.of-another", "The approval was given for another call.")
    if said.expires and said.expires < time():
        return _deny(decision, "approval.expired", "The approval came too late.")
    if not said.roles.issuperset(needed.roles):
        why = (
            f"This needs the approval of {' and '.join(needed.roles)}, and {said.by} does not hold"
            " that role."
        )
        return _deny(decision, "approval.role-needed", why)
    from interlock.approvals.service import settle_decision

    return settle_decision(
        decision if said.scope == "once" else _keep_grant(service, matter, said), said.by
    )


def _keep_grant(service: Approvals | None, matter: ApprovalCase, said: Approval) -> Decision:
    """Keep what was approved for longer. This call runs anyway; an unkept grant is told."""
    from interlock.approvals.service import Grant

    kept = (
        attempt(
            "approvals", lambda: service.grant(matter, said.scope, said.by), (Grant, type(None))
        )
        if service is not None
        else None
    )
    if isinstance(kept, Grant):
        return matter.decision
    why = kept.why if isinstance(kept, Failure) else "this call may only be approved once"
    return matter.decision.with_findings(
        Finding(
            "approval.once-only",
            WARN,
            "approval",
            f"It was approved once and not for longer: {why}",
        )
    )


def _deny(decision: Decision, rule: str, message: str) -> Decision:
    return decision.with_findings(Finding(rule, DENY, "approval", message))
