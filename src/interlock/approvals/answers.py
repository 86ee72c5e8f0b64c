"""What people say to requests, and to what they granted. Each answer is one step of the store, and
an event of the audit.
"""

from __future__ import annotations

from time import time

from interlock.approvals import requests
from interlock.approvals.grant_scope import EVERYWHERE, ONCE, SESSION, Cover, lasting, widen_cover
from interlock.approvals.projects import project_of
from interlock.approvals.requests import GRANTED, PENDING, REFUSED, ApprovalRequest
from interlock.approvals.service import Grant, cover_of, fresh_grant, grant_of, keep_grant
from interlock.approvals.terms import Vote, enough, find_roles
from interlock.model.jsontext import dumps
from interlock.model.policy import Policy
from interlock.model.record import Record
from interlock.store.chain import extend
from interlock.store.protocol import Connection, Storage

SHORTEST = 3
"""Characters of an id at least, ``a-`` or ``g-`` not counted."""


class AnswerError(Exception):
    """What a person said cannot be done; the text is one sentence that says why and what to do."""


class ApprovalAnswer(Record):
    """A yes. ``person`` gives it, as ``role`` (``""``: every role that they hold), for ``scope``;
    ``below``: a folder to widen a grant to.
    """

    person: str
    role: str = ""
    scope: str = ONCE
    below: str = ""


class AnswerOutcome(Record):
    """What came of a yes: the request as it is now, the grant that was made, and how many more
    people are needed of which role.
    """

    request: ApprovalRequest
    grant: Grant | None = None
    missing: str = ""


def list_requests(store: Storage, *, every: bool = False) -> list[ApprovalRequest]:
    """Return the requests that are open, with votes, or all kept; raises ``StoreError``."""
    late(store)

    def work(connection: Connection) -> list[ApprovalRequest]:
        found = requests.select(connection, "1" if every else "state IN ('pending', 'granted')")
        return [
            request.replace(votes=requests.votes_of(connection, request.id)) for request in found
        ]

    return store.view(work)


def late(store: Storage) -> None:
    """Let go what is too late, as a step: it is recorded even where the answer is refused."""
    while store.transact(lambda connection: requests.expire(connection, time())):
        continue


def find(store: Storage, name: str) -> ApprovalRequest:
    """Return the request of a shortened id; raises ``AnswerError`` or ``StoreError``."""
    return store.view(lambda connection: _find_request(connection, name))


def approve(store: Storage, name: str, answer: ApprovalAnswer, policy: Policy) -> AnswerOutcome:
    """Say yes; raises ``AnswerError`` or ``StoreError``. The request is granted when everybody has
    said yes whom its rules need.
    """
    late(store)

    def work(connection: Connection) -> AnswerOutcome:
        request = _pending(connection, name)
        roles = _require_roles(request, answer, policy)
        votes = requests.votes_of(connection, request.id)
        if any(vote.person == answer.person for vote in votes):
            raise AnswerError(
                f"you ({answer.person}) have approved {request.id} already; it needs"
                f" {_missing(request, votes)}"
            )
        grants = _covers(request, answer)
        now = time()
        vote = (request.id, answer.person, dumps(sorted(roles)), now)
        connection.execute(
            "INSERT INTO approval_vote (request, person, roles, at) VALUES (?, ?, ?, ?)", vote
        )
        body = {"by": answer.person, "roles": sorted(roles), "scope": answer.scope}
        votes = (*votes, Vote(answer.person, roles))
        if not enough(request.terms, votes):
            extend(connection, "approval-vote", request.id, body, request.session)
            return AnswerOutcome(request.replace(votes=votes), missing=_missing(request, votes))
        everybody = ", ".join([vote.person for vote in votes])
        expires = now + request.terms.seconds
        if not requests.move(
            connection,
            request,
            GRANTED,
            now,
            {**body, "by": everybody},
            settled_by=everybody,
            expires=expires,
        ):
            raise AnswerError(f"{request.id} was answered by somebody else just now")
        grant = _create_grant(connection, request, answer, grants, policy)
        return AnswerOutcome(
            request.replace(state=GRANTED, by=everybody, expires=expires, votes=votes), grant
        )

    return store.transact(work)


def grant(
    store: Storage, request: ApprovalRequest, answer: ApprovalAnswer, policy: Policy
) -> Grant:
    """Grant for longer what a client asked about at its own prompt, by a request that nobody filed;
    raises ``AnswerError`` or ``StoreError``.
    """

    def work(connection: Connection) -> Grant | None:
        return _create_grant(connection, request, answer, _covers(request, answer), policy)

    made = store.transact(work)
    if made is None:
        raise AnswerError(
            f"answer {request.id} in the agent itself; to stop being asked: interlock approve"
            f" {request.id} --for session (or --for project)"
        )
    return made


def deny(store: Storage, name: str, person: str, reason: str = "") -> ApprovalRequest:
    """Say no; raises ``AnswerError`` or ``StoreError``. It takes an unspent approval back."""
    late(store)

    def work(connection: Connection) -> ApprovalRequest:
        request = _find_request(connection, name)
        if request.state not in (PENDING, GRANTED):
            raise AnswerError(_describe_state(request))
        requests.move(
            connection,
            request,
            REFUSED,
            time(),
            {"by": person, "reason": reason, "was": request.state},
            settled_by=person,
            reason=reason,
        )
        return request.replace(state=REFUSED, by=person, reason=reason)

    return store.transact(work)


def _require_roles(
    request: ApprovalRequest, answer: ApprovalAnswer, policy: Policy
) -> frozenset[str]:
    """Return the roles in which this person approves; raises ``AnswerError`` where they may not."""
    if request.terms.second_person and answer.person == request.requester:
        raise AnswerError(
            f"{request.id} was asked for on your behalf ({answer.person}): somebody else has to"
            " approve it"
        )
    mine = find_roles(answer.person, policy.roles)
    if answer.role and answer.role not in mine:
        holds = f"you hold {', '.join(sorted(mine))}" if mine else "you hold no role"
        raise AnswerError(f"{answer.person} does not hold the role {answer.role!r}; {holds}")
    roles = frozenset({answer.role} if answer.role else mine) & frozenset(request.terms.roles)
    if request.terms.roles and not roles:
        raise AnswerError(
            f"{request.id} needs the approval of {' and '.join(request.terms.roles)}, and"
            f" {answer.person} does not hold that role"
        )
    return roles


def _missing(request: ApprovalRequest, votes: tuple[Vote, ...]) -> str:
    needed = request.terms
    if not needed.roles:
        return f"{needed.quorum - len(votes)} more"
    left = {
        role: needed.quorum - sum(role in vote.roles for vote in votes) for role in needed.roles
    }
    return ", ".join([f"{count} more of {role}" for role, count in left.items() if count > 0])


def _covers(request: ApprovalRequest, answer: ApprovalAnswer) -> tuple[Cover, ...]:
    """Return what a grant of the answer's scope covers; nothing for once. Raises ``AnswerError``
    where there can be none.
    """
    if answer.scope == ONCE:
        if answer.below:
            raise AnswerError(
                "a folder goes with a grant for the session or the project, not with an approval of"
                " one call"
            )
        return ()
    if not request.covers:
        raise AnswerError(f"{request.id} can only be approved once: {request.no_grant}")
    if request.terms.roles or request.terms.several:
        raise AnswerError(
            f"{request.id} can only be approved once: it needs more than one person's word each"
            " time"
        )
    if not _owner(request, answer.scope):
        raise AnswerError(
            f"{request.id} can only be approved once: it belongs to no {answer.scope}"
        )
    covers = tuple([cover_of(cover) for cover in request.covers])
    if not lasting(covers, answer.scope):
        raise AnswerError(
            f"{request.id} can be approved once or for the session: what it asks about hangs on the"
            " present task, or on its words"
        )
    if not answer.below:
        return covers
    wide = [widen_cover(cover, answer.below) for cover in covers]
    if None in wide:
        raise AnswerError(
            f"what {request.id} asks about does not lie in {answer.below}, or a link leads out of"
            " it: give a folder that holds all of it"
        )
    return tuple([cover for cover in wide if cover is not None])


def _owner(request: ApprovalRequest, scope: str) -> str:
    return (
        request.session
        if scope == SESSION
        else project_of(request.project)
        if request.project
        else ""
    )


def _create_grant(
    connection: Connection,
    request: ApprovalRequest,
    answer: ApprovalAnswer,
    covers: tuple[Cover, ...],
    policy: Policy,
) -> Grant | None:
    if not covers:
        return None
    grant = fresh_grant(policy, answer.scope, _owner(request, answer.scope), covers, answer.person)
    keep_grant(connection, grant, request.decision, request.session)
    return grant


# -- finding by an id, which may be shortened ------------------------------------------------------


def _pending(connection: Connection, name: str) -> ApprovalRequest:
    request = _find_request(connection, name)
    if request.state != PENDING:
        raise AnswerError(_describe_state(request))
    return request


def _find_request(connection: Connection, name: str) -> ApprovalRequest:
    found = requests.select(
        connection, "substr(id, 1, ?) = ?", parse_short_id(name, "a-", "request")
    )
    if not found:
        raise AnswerError(
            f"there is no request {name!r}; `interlock approvals list` shows those that wait"
        )
    if len(found) > 1:
        raise AnswerError(
            f"{name!r} is short for {len(found)} requests"
            f" ({', '.join([one.id for one in found[:4]])}): give more of it"
        )
    return found[0]


def parse_short_id(name: str, head: str, what: str) -> tuple[int, str]:
    """Return the length of a shortened id and the id with its ``head``; raises ``AnswerError``
    where it is too short.
    """
    short = head + name.strip().removeprefix(head)
    if len(short) < SHORTEST + len(head):
        raise AnswerError(
            f"{name!r} is too short for the id of a {what}: give at least {SHORTEST} characters"
            f" after {head}, such as {head}1f2"
        )
    return len(short), short


def _describe_state(request: ApprovalRequest) -> str:
    who = f" by {request.by}" if request.by else ""
    ends = {
        "granted": f"is approved already{who}; the agent only has to retry the call",
        "refused": f"was refused{who}",
        "expired": "expired; let the agent retry the call, which makes a new request",
        "spent": f"was approved{who}, and the call ran by it",
    }
    return f"{request.id} {ends[request.state]}"


# -- grants ----------------------------------------------------------------------------------------

_GRANT = "SELECT id, scope, owner, covers, granted_by, expires, uses FROM approval_grant"


def grants(store: Storage) -> list[Grant]:
    """Return the grants that count, the newest first; raises ``StoreError``."""
    rows = store.query(
        f"{_GRANT} WHERE revoked = 0 AND uses > 0 AND expires > ? ORDER BY created DESC, rowid"
        " DESC",
        (time(),),
    )
    return [grant_of(row) for row in rows]


def revoke(store: Storage, name: str, person: str) -> Grant:
    """Take a grant back; raises ``AnswerError`` or ``StoreError``."""

    def work(connection: Connection) -> Grant:
        rows = connection.execute(
            f"{_GRANT} WHERE revoked = 0 AND substr(id, 1, ?) = ?",
            parse_short_id(name, "g-", "grant"),
        ).fetchall()
        if len(rows) != 1:
            which = (
                f"{name!r} is short for {len(rows)} grants: give more of it"
                if rows
                else f"there is no grant {name!r} to take back"
            )
            raise AnswerError(f"{which}; `interlock grants list` shows those that count")
        grant = grant_of(rows[0])
        connection.execute("UPDATE approval_grant SET revoked = 1 WHERE id = ?", (grant.id,))
        extend(
            connection,
            "grant-revoked",
            grant.id,
            {"by": person, "scope": grant.scope, "owner": grant.owner},
        )
        return grant

    return store.transact(work)


def describe_grant(grant: Grant) -> str:
    """Say in one line how far a grant goes."""
    if grant.owner == EVERYWHERE:
        return f"{grant.id}: what is asked about only warns, everywhere"
    where = "this session" if grant.scope == SESSION else f"the project {grant.owner}"
    return f"{grant.id}: for {where}, {grant.uses} times at most"


def agents(store: Storage) -> list[tuple[int, int, str, float]]:
    """Return the recorded processes of agents, as ``origin.Recorded``; raises ``StoreError``."""
    return [
        (pid, ticks, boot, since)
        for pid, ticks, boot, since in store.query(
            "SELECT pid, ticks, boot, since FROM agent_process"
        )
    ]
