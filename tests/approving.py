"""What tests of approvals share: a desk with a store of its own, a guard that files requests, and
calls that ask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.approvals import answers
from interlock.approvals.answers import ApprovalAnswer
from interlock.approvals.service import Approvals
from interlock.audit.log import Audit
from interlock.facts import Live
from interlock.guard.check import Guard
from interlock.guard.services import QUEUE
from interlock.ledger.sessions import Ledger
from interlock.model.call import SHELL, ToolCall
from interlock.policy.builtin import builtin
from interlock.store.database import Store

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.approvals.answers import AnswerOutcome
    from interlock.guard.services import Ask, Sentinel
    from interlock.model.decision import Decision
    from interlock.model.policy import Policy


class Desk:
    """A home with a project in it, a store, and a guard over both."""

    def __init__(
        self, folder: Path, ask: Ask | Sentinel | None = QUEUE, policy: Policy | None = None
    ) -> None:
        self.home = folder / "home"
        self.project = self.home / "work" / "project"
        self.project.mkdir(parents=True, exist_ok=True)
        self.store = Store(str(self.home / ".local/state/interlock"))
        self.policy = policy or builtin()
        self.guard = self.guarding(self.policy, ask)

    def guarding(self, policy: Policy, ask: Ask | Sentinel | None = QUEUE) -> Guard:
        """Return another guard over the same store."""
        audit = Audit(self.store)
        return Guard(
            policy,
            ask=ask,
            facts=Live(str(self.home)),
            audit=audit,
            ledger=Ledger(self.store),
            approvals=lambda: Approvals(self.store, audit.redactor),
        )

    def call(self, command: str = "rm -rf ~/photos", **fields: object) -> ToolCall:
        """Return a shell call of session ``s``."""
        call = ToolCall(
            SHELL,
            "Bash",
            {"command": command},
            cwd=str(self.project),
            roots=(str(self.project),),
            session="s",
        )
        return call.replace(**fields)

    def check(self, command: str = "rm -rf ~/photos", **fields: object) -> Decision:
        """Judge a call."""
        return self.guard.check(self.call(command, **fields))

    def requested(self, command: str = "rm -rf ~/photos", **fields: object) -> str:
        """Judge a call that has to be refused with a request; return the request's id."""
        return request_of(self.check(command, **fields))

    def approve(
        self, name: str, person: str = "alice", policy: Policy | None = None, **answer: str
    ) -> AnswerOutcome:
        """Say yes."""
        return answers.approve(
            self.store, name, ApprovalAnswer(person, **answer), policy or self.policy
        )

    def states(self) -> list[str]:
        """Return the states of all requests, the newest first."""
        return [request.state for request in answers.list_requests(self.store, every=True)]

    def events(self) -> list[str]:
        """Return the kinds of the approvals' events, in order."""
        return [
            str(kind)
            for (kind,) in self.store.query(
                "SELECT kind FROM audit_event WHERE kind GLOB 'approval-*' OR kind GLOB 'grant*' ORDER BY seq"
            )
        ]


def request_of(decision: Decision) -> str:
    """Return the id of the request that a refusal names."""
    found = [
        finding.message for finding in decision.findings if finding.rule == "approval.requested"
    ]
    assert len(found) == 1, decision
    return found[0].partition("`interlock approve ")[2].partition("`")[0]
