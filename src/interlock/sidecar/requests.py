"""Calls that wait for people, sent to the team's service; and what people there answered, taken
here: a yes that the service signed for this very machine, and a no.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from threading import RLock
from time import time
from typing import Any

from interlock.approvals import answers, team
from interlock.approvals.answers import AnswerError
from interlock.approvals.requests import GRANTED, PENDING, REFUSED, ApprovalRequest
from interlock.approvals.team import TeamApproval
from interlock.audit.log import Audit
from interlock.sidecar.client import SidecarClient, UnreachableError
from interlock.sidecar.receipts import is_signed
from interlock.store.elsewhere import EnrolmentState, load_enrolment
from interlock.store.protocol import Storage
from interlock.wire.asks import (
    WireGrant,
    WireRequest,
    WireRequestError,
    bytes_to_sign,
    grant_of,
    plain,
)

TAKEN = (200, 201, 400, 404, 409, 413)
"""Answers after which sending the same again changes nothing."""
TEAM = " (team)"


class SidecarRequests:
    """The requests of one store at one service; safe for threads."""

    def __init__(self, store: Storage, where: EnrolmentState) -> None:
        self._store, self._where = store, where
        self._lock = RLock()
        self._told: dict[str, str] = {}
        self._why: dict[str, str] = {}
        self.owes = False

    def look(self, client: SidecarClient) -> None:
        """Send what is new, and say what became of the rest; raises ``UnreachableError`` and
        ``StoreError``.
        """
        with self._lock:
            self.owes = True
            for one in team.standing(self._store, [*self._told]):
                if self._told.get(one.id) != one.state:
                    self._say(client, one)
            self.owes = False

    def fetch(self, client: SidecarClient) -> None:
        """Take what people answered; raises ``UnreachableError`` and ``StoreError``."""
        answer = client.ask("/v1/requests")
        given = answer.said.get("requests")
        with self._lock:
            here = {one.id: one.state for one in team.standing(self._store)}
            for one in given if isinstance(given, list) else []:
                if isinstance(one, dict):
                    self._take(client, one, here)
            self.look(client)

    # -- the parts of it ---------------------------------------------------------------------------

    def _say(self, client: SidecarClient, one: team.RequestStatus) -> None:
        if one.state == PENDING:
            found = team.request(self._store, one.id)
            if found is None:
                return
            body = {**plain(_ask(found)), "chain": self._chain()}
            answer = client.tell("/v1/requests", body)
            status = answer.status
            if answer.said.get("state") == GRANTED:  # of the same call elsewhere
                self._claim(client, one.id)
        else:
            said_of = {"state": one.state, "by": one.by.removesuffix(TEAM)}
            status = client.tell(f"/v1/requests/{one.id}", said_of).status
        if status not in TAKEN:
            raise UnreachableError(f"{self._where.url} answered {status}")
        self._told[one.id] = one.state
        if one.state not in (PENDING, GRANTED):
            self._told.pop(one.id, None)

    def _take(self, client: SidecarClient, given: dict[str, Any], here: dict[str, str]) -> None:
        name, state = str(given.get("id", "")), given.get("state")
        if state == GRANTED and here.get(name) == PENDING:
            self._claim(client, name)
        elif state == REFUSED and name in here:
            by = f"{given.get('by', '')}{TEAM}"
            with suppress(AnswerError):  # it was settled here just now, and that is said next
                answers.deny(self._store, name, by, str(given.get("reason", "")))
        elif state in (PENDING, GRANTED) and name not in here:
            for one in team.standing(self._store, [name]):
                if one.id == name:
                    self._say(client, one)  # it was settled here while nobody listened

    def _claim(self, client: SidecarClient, name: str) -> None:
        """Ask for a yes, and grant the call by it."""
        mine = {"chain": self._chain(), "holder": team.holder(self._store)}
        answer = client.tell(f"/v1/requests/{name}/claim", mine)
        if answer.status != 200:
            self._refused(name, str(answer.said.get("title") or f"it answered {answer.status}"))
            return
        try:
            grant = grant_of(dict(answer.said))
        except WireRequestError as error:
            self._refused(name, str(error))
            return
        right = {**mine, "request": name}
        meant = all(getattr(grant, what) == value for what, value in right.items())
        if not meant or not is_signed(
            self._where.service_key, bytes_to_sign(grant), grant.signature
        ):
            self._refused(name, "the service that this machine knows did not sign it")
            return
        why = team.grant(self._store, _yes(grant, self._where.url))
        if why:
            self._refused(name, why)

    def _refused(self, name: str, why: str) -> None:
        """Record, once, that a team's yes was not taken here."""
        if self._why.get(name) != why:
            self._why[name] = why
            body = {"service": self._where.url, "why": why}
            event = Audit(self._store).event("approval-not-taken", name, body)
            self._store.commit([event])

    def _chain(self) -> str:
        """Return the store's name there: a store that is begun anew gets another."""
        found = load_enrolment(self._store.folder)
        return found.chain if found is not None else self._where.chain


def _yes(grant: WireGrant, service: str) -> TeamApproval:
    roles = tuple([one for one in grant.roles.split(", ") if one])
    return TeamApproval(
        grant.request, grant.digest, roles, grant.quorum, bool(grant.second_person),
        grant.by + TEAM, _seconds(grant.expires), service,
    )  # fmt: skip


def _ask(found: ApprovalRequest) -> WireRequest:
    left = int(max(0.0, found.expires - time()))
    return WireRequest(
        found.id, found.digest, found.decision, found.session, found.project, found.requester,
        found.agent, found.terms.roles, found.terms.quorum, found.terms.second_person,
        found.terms.seconds, left, found.shown, found.fleet,
    )  # fmt: skip


def _seconds(at: str) -> float:
    try:
        return datetime.fromisoformat(at).timestamp()
    except ValueError:
        return 0.0
