"""The desk of callers: their guard, with what it takes of the tenant's inbox and stops."""

from __future__ import annotations

from datetime import datetime
from time import monotonic

from interlock.approvals.requests import GRANTED, PENDING, SPENT
from interlock.guard.services import SessionAlarm
from interlock.model.call import ToolCall
from interlock.model.decision import Finding
from interlock.service import notices
from interlock.service.approvals import inbox
from interlock.service.callers.group import GroupWriter
from interlock.service.callers.judging import CallerGuard
from interlock.service.callers.policy import TenantPolicy
from interlock.service.callers.record import Caller, find_branch
from interlock.service.notifier import Notifier
from interlock.service.signing import Signer
from interlock.service.stops.stops import StopRequest, ring, stop
from interlock.service.store.protocol import ServiceReader, ServiceStore, ServiceWriter
from interlock.service.store.rows import RequestRow, StopRow
from interlock.stop.flags import Flag, covers, refusal
from interlock.store.chain import now
from interlock.wire import orders
from interlock.wire.asks import WireRequest

LOOK_SECONDS = 1.0
"""How old what is known of stops may be, where nobody rang."""


def make_desk(
    folder: str, keeping: ServiceStore, signer: Signer, bell: Notifier, url: str
) -> tuple[CallerGuard, GroupWriter]:
    """Return what judges the calls of a tenant's callers, and what records them."""
    book = TenantBook(keeping, url)
    stops = TenantStops(keeping, signer, bell)
    guard = CallerGuard(folder, keeping, TenantPolicy(folder), book, stops)
    return guard, GroupWriter(keeping, guard)


class TenantBook:
    """``callers.asking.RequestBook`` of a tenant."""

    def __init__(self, keeping: ServiceStore, url: str) -> None:
        self._keeping, self._url = keeping, url

    def find(self, caller: Caller, session: str, digest: str) -> RequestRow | None:
        """Return the request of a caller's very call that waits or was granted."""

        def work(known: ServiceReader) -> list[RequestRow]:
            return known.requests(machine=caller.id, most=inbox.MOST)

        at = now()
        alike = [
            one
            for one in self._keeping.read(work)
            if (one.session, one.digest) == (session, digest) and one.expires > at
        ]
        return next((one for one in alike if one.state in (GRANTED, PENDING)), None)

    def file(self, caller: Caller, ask: WireRequest) -> bool:
        """File a request; tell whether there was room."""
        at = now()

        def work(keeping: ServiceWriter) -> None:
            find_branch(keeping, caller, at)
            inbox.take(keeping, caller.machine, caller.chain, ask, at)

        try:
            self._keeping.write(work)
        except inbox.FullError:
            return False
        return True

    def spend(self, request: RequestRow) -> bool:
        """Use a yes up; tell whether it still counted."""
        spent = request.replace(state=SPENT, settled=now())
        return self._keeping.write(lambda keeping: inbox.settle(keeping, spent, GRANTED))

    def page(self, caller: Caller, request: str) -> str:
        """Return where people answer it."""
        return f"{self._url}/inbox/{caller.id}/{request}"

    def left(self, request: RequestRow) -> int:
        """Return how many seconds it still waits, or counts."""
        return max(0, int(_seconds(request.expires) - _seconds(now())))


class TenantStops:
    """``callers.judging.CallerStops`` of a tenant."""

    def __init__(self, keeping: ServiceStore, signer: Signer, bell: Notifier) -> None:
        self._keeping, self._signer, self._bell = keeping, signer, bell
        self._standing: list[StopRow] = []
        self._epoch, self._until = -1, 0.0

    def refuse(self, caller: Caller, call: ToolCall) -> tuple[Finding, ...]:
        """Return the refusal of a call that belongs to something that is stopped."""
        if self._epoch != self._bell.epoch or monotonic() >= self._until:
            self._epoch = self._bell.epoch
            self._standing = self._keeping.read(lambda known: known.stops(0, standing=True))
            self._until = monotonic() + LOOK_SECONDS
        return tuple(
            refusal(Flag(one.scope, one.why, one.by, _seconds(one.at), one.epoch))
            for one in self._standing
            if orders.covers(one.place, caller.id, "") and covers(one.scope, call)
        )

    def alarm(self, caller: Caller) -> SessionAlarm:
        """Return what stops sessions of a caller, and tells people."""
        return CallerAlarm(self._keeping, self._signer, self._bell, caller)


class CallerAlarm:
    """Stops a caller's session as people stop one: it stands among the stops, and is resumed
    there.
    """

    def __init__(
        self, keeping: ServiceStore, signer: Signer, bell: Notifier, caller: Caller
    ) -> None:
        self._keeping, self._signer, self._bell, self._caller = keeping, signer, bell, caller

    def tell(self, title: str, text: str) -> tuple[str, ...]:
        """Have web hooks told."""
        path, data = f"/machines/{self._caller.id}", {"caller": self._caller.id}
        said = f"{title}: {text}"
        self._keeping.write(lambda keeping: notices.tell(keeping, notices.NOTICE, path, said, data))
        return ()

    def halt(self, session: str, why: str, *, kill: bool) -> tuple[str, ...]:
        """Stop a session; there are no processes of it here to end."""
        del kill
        place = f"{orders.MACHINE}{self._caller.id}"
        asked = StopRequest(place, f"session:{session}", f"the policy: {why}", "the policy")
        made = self._keeping.write(lambda keeping: stop(keeping, self._signer, asked))
        ring(self._bell, made.order, place)
        return ()


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
