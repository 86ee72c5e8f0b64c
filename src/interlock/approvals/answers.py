"""What people say to requests, and to what they granted. Each answer is one step of the store, and
an event of the audit.
"""

from __future__ import annotations

from time import time

from interlock.approvals import requests
from interlock.approvals.covers import EVERYWHERE, ONCE, SESSION, Cover, lasting, widened
from interlock.approvals.projects import project_of
from interlock.approvals.requests import GRANTED, PENDING, REFUSED, Request
from interlock.approvals.service import Grant, cover_of, fresh_grant, grant_of, keep_grant
from interlock.approvals.terms import Vote, enough, held
from interlock.model.jsontext import dumps
from interlock.model.policy import Policy
from interlock.model.record import Record
from interlock.store.chain import extend
from interlock.store.protocol import Connection, Storage

SHORTEST = 3
"""Characters of an id at least, ``a-`` or ``g-`` not counted."""


class AnswerError(Exception):
    """What a person said cannot be done; the text is one sentence that says why and what to do."""


class Answer(Record):
    """A yes. ``person`` gives it, as ``role`` (``""``: every role that they hold), for ``scope``;
    ``below``: a folder to widen a grant to.
    """

    person: str
    role: str = ""
    scope: str = ONCE
    below: str = ""


class Said(Record):
    """What came of a yes: the request as it is now, the grant that was made, and how many more
    people are needed of which role.
    """

    request: Request
    grant: Grant | None = None
    missing: str = ""


def listed(store: Storage, *, every: bool = False) -> list[Request]:
    """Return the requests that are open, with their votes, or all that are kept; raises
    ``StoreError``.
    """
    late(store)

    def work(connection: Connection) -> list[Request]:
        found = requests.select(connection, "1" if every else "state IN ('pending', 'granted')")
        return [
            request.replace(votes=requests.votes_of(connection, request.id)) for request in found
        ]

    return store.view(work)


def late(store: Storage) -> None:
    """Let go what is too late, in steps of its own: that it is, is recorded even where the answer
    is refused for it.
    """
    while store.transact(lambda connection: requests.expire(connection, time())):
        continue


def find(store: Storage, name: str) -> Request:
    """Return the request of a shortened id; raises ``AnswerError`` or ``StoreError``."""
    return store.view(lambda connection: _found(connection, name))


def approve(store: Storage, name: str, answer: Answer, policy: Policy) -> Said:
    """Say yes; raises ``AnswerError`` or ``StoreError``. The request is granted when everybody has
    said yes whom its rules need.
    """
    late(store)

    def work(connection: Connection) -> Said:
        request = _pending(connection, name)
        roles = _allowed(request, answer, policy)
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
            return Said(request.replace(votes=votes), missing=_missing(request, votes))
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
        grant = _granted(connection, request, answer, grants, policy)
        return Said(
            request.replace(state=GRANTED, by=everybody, expires=expires, votes=votes), grant
        )

    return store.transact(work)


def grant(store: Storage, request: Request, answer: Answer, policy: Policy) -> Grant:
    """Grant for longer what a client asked about at its own prompt, by a request that nobody filed;
    raises ``AnswerError`` or ``StoreError``.
    """

    def work(connection: Connection) -> Grant | None:
        return _granted(connection, request, answer, _covers(request, answer), policy)

    made = store.transact(work)
    if made is None:
        raise AnswerError(
            f"answer {request.id} in the agent itself; to stop being asked: interlock approve"
            f" {request.id} --for session (or --for project)"
        )
    return made


def deny(store: Storage, name: str, person: str, reason: str = "") -> Request:
    """Say no; raises ``AnswerError`` or ``StoreError``. An approval that was not spent yet is taken
    back by it.
    """
    late(store)

    def work(connection: Connection) -> Request:
        request = _found(connection, name)
        if request.state not in (PENDING, GRANTED):
            raise AnswerError(_done(request))
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


def _allowed(request: Request, answer: Answer, policy: Policy) -> frozenset[str]:
    """Return the roles in which this person approves; raises ``AnswerError`` where they may not."""
    if request.terms.second_person and answer.person == request.requester:
        raise AnswerError(
            f"{request.id} was asked for on your behalf ({answer.person}): somebody else has to"
            " approve it"
        )
    mine = held(answer.person, policy.roles)
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


def _missing(request: Request, votes: tuple[Vote, ...]) -> str:
    needed = request.terms
    if not needed.roles:
        return f"{needed.quorum - len(votes)} more"
    left = {
        role: needed.quorum - sum(role in vote.roles for vote in votes) for role in needed.roles
    }
    return ", ".join([f"{count} more of {role}" for role, count in left.items() if count > 0])


def _covers(request: Request, answer: Answer) -> tuple[Cover, ...]:
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
    wide = [widened(cover, answer.below) for cover in covers]
    if None in wide:
        raise AnswerError(
            f"what {request.id} asks about does not lie in {answer.below}, or a link leads out of"
            " it: give a folder that holds all of it"
        )
    return tuple([cover for cover in wide if cover is not None])


def _owner(request: Request, scope: str) -> str:
    return (
        request.session
        if scope == SESSION
        else project_of(request.project)
        if request.project
        else ""
    )


def _granted(
    connection: Connection,
    request: Request,
    answer: Answer,
    covers: tuple[Cover, ...],
    policy: Policy,
) -> Grant | None:
    if not covers:
        return None
    grant = fresh_grant(policy, answer.scope, _owner(request, answer.scope), covers, answer.person)
    keep_grant(connection, grant, request.decision, request.session)
    return grant


# -- finding by an id, which may be shortened ------------------------------------------------------


def _pending(connection: Connection, name: str) -> Request:
    request = _found(connection, name)
    if request.state != PENDING:
        raise AnswerError(_done(request))
    return request


def _found(connection: Connection, name: str) -> Request:
    found = requests.select(connection, "substr(id, 1, ?) = ?", shortened(name, "a-", "request"))
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


def shortened(name: str, head: str, what: str) -> tuple[int, str]:
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


def _done(request: Request) -> str:
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
            f"{_GRANT} WHERE revoked = 0 AND substr(id, 1, ?) = ?", shortened(name, "g-", "grant")
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


def told(grant: Grant) -> str:
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
