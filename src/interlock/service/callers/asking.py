"""What asks, for callers: the request goes to the tenant's inbox, and the yes counts for one retry
of the very same call.
"""

from __future__ import annotations

from typing import Protocol

from interlock.approvals.grant_scope import Cover
from interlock.approvals.requests import GRANTED, ApprovalRequest
from interlock.approvals.service import (
    ApprovalCase,
    Approvals,
    RequestTicket,
    TextRedactor,
    settle_decision,
)
from interlock.approvals.terms import ApprovalTerms
from interlock.model.decision import Decision
from interlock.service.callers.record import Caller
from interlock.service.store.rows import RequestRow
from interlock.store.protocol import Storage
from interlock.wire.asks import MOST_TEXT, WireRequest


class RequestBook(Protocol):
    """The tenant's inbox, as far as callers need it. Raises ``ServiceStoreError``."""

    def find(self, caller: Caller, session: str, digest: str) -> RequestRow | None:
        """Return the request of a caller's very call that waits or was granted."""

    def file(self, caller: Caller, ask: WireRequest) -> bool:
        """File a request; tell whether there was room."""

    def spend(self, request: RequestRow) -> bool:
        """Use a yes up; tell whether it still counted."""

    def page(self, caller: Caller, request: str) -> str:
        """Return where people answer it."""

    def left(self, request: RequestRow) -> int:
        """Return how many seconds it still waits, or counts."""


class CallerApprovals(Approvals):
    """The approvals of one call. ``filed``: where its request waits, None without one."""

    def __init__(
        self, memory: Storage, redactor: TextRedactor, caller: Caller, book: RequestBook
    ) -> None:
        super().__init__(memory, redactor)
        self._caller, self._book = caller, book
        self.filed: RequestTicket | None = None

    def spend(self, matter: ApprovalCase) -> Decision | None:
        """Return the decision settled by a yes to this very call, which is used up; None without
        one.
        """
        found = self._book.find(self._caller, matter.call.session, self.digest(matter))
        if found is None or found.state != GRANTED or not self._book.spend(found):
            return None
        return settle_decision(matter.decision, found.by)

    def request(self, matter: ApprovalCase, needed: ApprovalTerms) -> RequestTicket:
        """File the request of a call, or find the one that waits already."""
        found = self._book.find(self._caller, matter.call.session, self.digest(matter))
        if found is None:
            self.filed = self._file(matter, needed)
        else:
            self.filed = self._ticket(found.id, self._book.left(found), found.state == GRANTED)
        return self.filed

    def grantable(self, matter: ApprovalCase) -> tuple[tuple[Cover, ...], str]:
        """A yes that is given here counts once; what it would cover is not looked up on any
        disk.
        """
        del matter
        return (), "a yes to a caller counts once"

    def _file(self, matter: ApprovalCase, needed: ApprovalTerms) -> RequestTicket:
        who = matter.call.user or self._caller.name
        fresh = self.fresh(matter.replace(call=matter.call.replace(user=who)), needed)
        filed = self._book.file(self._caller, _wire(fresh, self.digest(matter)))
        return self._ticket(fresh.id if filed else "", needed.seconds)

    def _ticket(self, name: str, seconds: int, granted: bool = False) -> RequestTicket:
        page = self._book.page(self._caller, name) if name else ""
        return RequestTicket(name, seconds, granted, page, elsewhere=True)


def _wire(request: ApprovalRequest, digest: str) -> WireRequest:
    """Return a request as machines send theirs."""
    needed = request.terms
    decision, session, project, requester, agent = [
        one[:MOST_TEXT]
        for one in (
            request.decision, request.session, request.project, request.requester, request.agent,
        )
    ]  # fmt: skip
    return WireRequest(
        request.id, digest, decision, session, project, requester, agent, needed.roles,
        needed.quorum, needed.second_person, needed.seconds, needed.seconds, request.shown,
    )  # fmt: skip
