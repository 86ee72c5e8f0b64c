"""What a team's service answers, as this store takes it: a yes is spent by the agent's retry as any
other, a no ends the request. Whether the service said so at all is for whoever hands it in.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from time import time

from interlock.approvals import answers, requests
from interlock.approvals.requests import GRANTED, PENDING, SPENT, ApprovalRequest
from interlock.facts import processes
from interlock.model.blake import blake2b
from interlock.model.record import Record
from interlock.store.protocol import Connection, Storage

_OPEN = "SELECT id, state, settled_by, expires FROM approval WHERE state IN ('pending', 'granted')"
_ONE = "SELECT id, state, settled_by, expires FROM approval WHERE id = ?"


class RequestStatus(Record):
    """How a request stands. ``by``: who settled it; ``expires``: Unix seconds."""

    id: str
    state: str
    by: str
    expires: float


class TeamApproval(Record):
    """A team's yes. ``roles``, ``quorum`` and ``second_person``: on what terms people gave it;
    ``expires``: Unix seconds, by the service's clock; ``service``: its address.
    """

    request: str
    digest: str
    roles: tuple[str, ...]
    quorum: int
    second_person: bool
    by: str
    expires: float
    service: str


def standing(store: Storage, known: Iterable[str] = ()) -> list[RequestStatus]:
    """Return how the open requests stand, and those that are ``known``; raises ``StoreError``.

    What is late is let go first, and no write is made where nothing is.
    """
    rows = store.query(_OPEN)
    if any(row[3] <= time() for row in rows):
        answers.late(store)
        rows = store.query(_OPEN)
    names = {row[0] for row in rows}
    rows += [row for name in known if name not in names for row in store.query(_ONE, (name,))]
    return [RequestStatus(*row) for row in rows]


def request(store: Storage, name: str) -> ApprovalRequest | None:
    """Return a request; raises ``StoreError``."""
    found = store.view(lambda connection: requests.select(connection, "id = ?", (name,)))
    return found[0] if found else None


def grant(store: Storage, yes: TeamApproval) -> str:
    """Grant what the team approved; return why not, empty where it is granted, also where it was
    already. Raises ``StoreError``.
    """
    return store.transact(lambda connection: _apply_yes(connection, yes))


def _apply_yes(connection: Connection, yes: TeamApproval) -> str:
    found = requests.select(connection, "id = ?", (yes.request,))
    if not found:
        return "there is no such request on this machine"
    one = found[0]
    if one.state in (GRANTED, SPENT):
        return ""
    if one.state != PENDING:
        return f"it is {one.state} on this machine"
    needed = one.terms
    terms = (tuple(sorted(needed.roles)), needed.quorum, needed.second_person)
    if one.digest != yes.digest or terms != (yes.roles, yes.quorum, yes.second_person):
        return "what was approved is not what waits on this machine"
    now = time()
    expires = min(now + needed.seconds, yes.expires)
    if one.expires <= now or expires <= now:
        return "it came too late by this machine's clock"
    body = {"by": yes.by, "scope": "once", "service": yes.service}
    requests.move(connection, one, GRANTED, now, body, settled_by=yes.by, expires=expires)
    return ""


def holder(store: Storage) -> str:
    """Return what this machine is to the service: a copy of the folder elsewhere is another, and so
    is this one after its next start.
    """
    found = os.stat(f"{store.folder}/interlock.db")
    said = f"{processes.boot()} {found.st_dev} {found.st_ino}"
    return blake2b(said.encode(), digest_size=16).hexdigest()
