"""What people answer. A request is granted with the last yes that it takes; a no ends it, also one
that comes after the last yes and before the call. So it does not matter who is first.
"""

from __future__ import annotations

from interlock.approvals.requests import GRANTED, PENDING, REFUSED
from interlock.approvals.terms import Vote, enough
from interlock.model.jsontext import dumps, loads
from interlock.model.record import Record
from interlock.service.approvals.claims import find_heirs
from interlock.service.approvals.inbox import OPEN, settle, terms
from interlock.service.approvals.use_counts import find_takers, grant_uses, is_live
from interlock.service.secrets import later
from interlock.service.store.protocol import ServiceReader, ServiceWriter
from interlock.service.store.rows import Claim, RequestRow, VoteRow
from interlock.service.viewer import Viewer, viewer

MOST_REASON = 300


class VoteError(Exception):
    """An answer that cannot be given; one sentence says why."""


class VoteAnswer(Record):
    """What somebody says. ``at``: the service's clock; ``uses``: how often a yes counts."""

    who: Viewer
    yes: bool
    at: str
    reason: str = ""
    uses: int = 1


def vote(keeping: ServiceWriter, machine: str, name: str, answer: VoteAnswer) -> RequestRow:
    """Take an answer; return the request as it is now. Raises ``VoteError``."""
    request = keeping.request(machine, name)
    if request is None:
        raise VoteError("There is no such request.")
    person = answer.who.person.name
    if not answer.yes and is_live(keeping, request, answer.at):
        return _refuse(keeping, request, answer)
    if request.state not in OPEN or request.expires <= answer.at:
        raise VoteError(over(request, answer.at))
    if not answer.yes:
        return _refuse(keeping, request, answer)
    if answer.uses > 1 and not request.fleet:
        raise VoteError("This counts on its machine alone, and once.")
    if request.state != PENDING:
        raise VoteError(over(request, answer.at))
    roles = require_roles(keeping, request, answer.who)
    if person in {one.person for one in keeping.votes(machine, name)}:
        raise VoteError("You have approved this already; it takes somebody else now.")
    given = dumps(sorted(roles))
    row = VoteRow(machine, name, person, given, yes=True, at=answer.at, uses=answer.uses)
    keeping.put_vote(row)
    if not enough(terms(request), yeses(keeping, request)):
        keeping.note("vote", name, {"by": person, "machine": machine, "roles": sorted(roles)})
        return request
    counted = [one.person for one in yeses(keeping, request)]
    granted = _settle_request(keeping, request, GRANTED, ", ".join(counted), answer)
    keeping.add_claim(Claim(machine, name, granted.by, granted.expires))
    # nobody's yes counts more often than they said
    said = [one.uses for one in keeping.votes(machine, name) if one.person in counted]
    grant_uses(keeping, granted, min(said))
    return granted


def _refuse(keeping: ServiceWriter, request: RequestRow, answer: VoteAnswer) -> RequestRow:
    """Take a no: for the request, for those that went on with its yes, and for what is left."""
    person, name = answer.who.person.name, request.id
    keeping.put_vote(VoteRow(request.machine, name, person, "[]", yes=False, at=answer.at))
    if keeping.end_use_grant(request.machine, name):
        keeping.note("uses-ended", name, {"by": person, "machine": request.machine})
    heirs = [*find_heirs(keeping, request), *find_takers(keeping, request)]
    for heir in [one for one in heirs if one.state in OPEN]:
        _settle_request(keeping, heir, REFUSED, person, answer)
    if request.state not in OPEN:
        return request
    return _settle_request(keeping, request, REFUSED, person, answer)


def _settle_request(
    keeping: ServiceWriter, request: RequestRow, state: str, by: str, answer: VoteAnswer
) -> RequestRow:
    expires = later(request.seconds) if state == GRANTED else request.expires
    reason = answer.reason[:MOST_REASON]
    moved = request.replace(state=state, by=by, settled=answer.at, reason=reason, expires=expires)
    settle(keeping, moved, request.state)
    return moved


def yeses(known: ServiceReader, request: RequestRow) -> list[Vote]:
    """Return who said yes so far, as far as they may do so still: a role that was taken counts no
    more.
    """
    found = [one for one in known.votes(request.machine, request.id) if one.yes]
    held = [Vote(one.person, _find_roles(known, one)) for one in found]
    anybody = not terms(request).roles
    return [one for one in held if one.roles or (anybody and _for_all(known, one.person))]


def _find_roles(known: ServiceReader, vote: VoteRow) -> frozenset[str]:
    """Return the roles of a vote that its person still holds."""
    who = _approver(known, vote.person)
    return frozenset(role for role in loads(vote.roles) if who and who.approver_of(role))


def _for_all(known: ServiceReader, person: str) -> bool:
    who = _approver(known, person)
    return who is not None and who.approver_of("")


def _approver(known: ServiceReader, name: str) -> Viewer | None:
    person = known.person(name)
    if person is None or person.ended:
        return None
    return viewer(person, known.memberships(name))


def require_roles(known: ServiceReader, request: RequestRow, who: Viewer) -> frozenset[str]:
    """Return the roles in which somebody approves; raises ``VoteError`` where they may not."""
    needed = terms(request)
    roles = frozenset(role for role in needed.roles if who.approver_of(role))
    if needed.roles and not roles:
        raise VoteError(f"It takes an approver for {' or '.join(needed.roles)}, and you are none.")
    if not needed.roles and not who.approver_of(""):
        raise VoteError(
            "Its rule names no approver, so it takes an approver for everything, and you are none."
        )
    if needed.second_person:
        require_second(known, request, who.person.name)
    return roles


def concerns(request: RequestRow, who: Viewer) -> bool:
    """Tell whether a request is for an approver such as this."""
    return any(who.approver_of(role) for role in terms(request).roles or ("",))


def require_second(known: ServiceReader, request: RequestRow, person: str) -> None:
    """Make sure that it was not asked for on somebody's own behalf; raises ``VoteError``."""
    machine = known.machine(request.machine)
    owner = machine.owner if machine is not None else ""
    if not owner:
        raise VoteError(
            "It takes somebody else than whoever asks, and whose machine this is nobody has said:"
            " an operator names its owner on the machine's page."
        )
    if person.lower() in (owner.lower(), request.requester.lower()):
        raise VoteError("It was asked for on your behalf: it takes somebody else.")


def missing(request: RequestRow, votes: list[Vote]) -> str:
    """Say how many more it takes, and of which role."""
    needed = terms(request)
    if not needed.roles:
        return f"{max(0, needed.quorum - len(votes))} more"
    left = {role: needed.quorum - sum(role in one.roles for one in votes) for role in needed.roles}
    return ", ".join([f"{count} more for {role}" for role, count in left.items() if count > 0])


def over(request: RequestRow, at: str) -> str:
    """Say why a request takes no answer any more."""
    by = f" by {request.by}" if request.by else ""
    if request.state in OPEN and request.expires <= at:
        return "It expired: let the agent try again, which asks anew."
    ends = {
        "granted": f"It was approved{by}; the agent only has to retry the call.",
        "refused": f"It was refused{by}.",
        "expired": "It expired: let the agent try again, which asks anew.",
        "spent": f"It was approved{by}, and the call ran by it.",
    }
    return ends.get(request.state, "It is done.")
