"""The inbox: what waits for people, one request, and what they answer."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from starlette.responses import RedirectResponse, Response

from interlock.approvals.requests import PENDING
from interlock.approvals.summary import ApprovalSummary, FindingSummary
from interlock.model.jsontext import loads
from interlock.model.record import Record
from interlock.service.answers import json_response
from interlock.service.approvals.anywhere import find_giver
from interlock.service.approvals.claims import find_heirs
from interlock.service.approvals.inbox import OPEN, terms
from interlock.service.approvals.use_counts import MOST_USES, is_live
from interlock.service.approvals.votes import (
    VoteAnswer,
    VoteError,
    concerns,
    missing,
    over,
    require_roles,
    vote,
    yeses,
)
from interlock.service.console.page_answer import render_page
from interlock.service.context import ServiceContext
from interlock.service.notifier import Hint
from interlock.service.request import ServiceRequest
from interlock.service.roles import SEE, VOTE
from interlock.service.store.protocol import ServiceReader
from interlock.service.store.rows import Machine, RequestRow
from interlock.service.viewer import Viewer

SHOWN = 100
BEFORE = 20
UNREAD = "This machine's interlock says it in words that this one does not read."


class QuotedLine(Record):
    """A line of a call, and what of it is meant."""

    before: str
    meant: str
    after: str


class Card(Record):
    """A request as it is shown. ``yes``: how many said so; ``why``: why this person may not
    approve, empty where they may.
    """

    row: RequestRow
    machine: str
    asked: ApprovalSummary | None
    yes: int
    missing: str
    left: int
    why: str

    @property
    def first(self) -> str:
        """What it is about, in a line."""
        if self.asked is None or not self.asked.items:
            return UNREAD
        return self.asked.items[0].message

    @property
    def line(self) -> str:
        """The words of the call that it is about."""
        if self.asked is None:
            return ""
        return next((one.line for one in self.asked.items if one.line), "")


def inbox(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Show what waits, and what was answered last."""
    waiting, before = scene.keeping.read(lambda known: _all(known, asking))
    return render_page(
        asking, "inbox.html", here="inbox", waiting=waiting, before=before,
        lacks=asking.who.lacks(VOTE),
    )  # fmt: skip


def waiting(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Return what ``inbox`` shows, as JSON."""
    found = scene.keeping.read(lambda known: _all(known, asking))
    now, before = [[_plain(one) for one in some] for some in found]
    return json_response({"waiting": now, "before": before})


def _plain(card: Card) -> dict[str, object]:
    row = card.row
    names = ("id", "machine", "agent", "requester", "state", "at", "expires", "by", "reason")
    return {
        **{name: getattr(row, name) for name in names},
        "name": card.machine, "roles": loads(row.roles), "quorum": row.quorum,
        "second_person": row.second_person, "yes": card.yes, "shown": loads(row.shown),
    }  # fmt: skip


def _all(known: ServiceReader, asking: ServiceRequest) -> tuple[list[Card], list[Card]]:
    names = {one.id: one for one in known.machines()}
    rows = [one for one in known.requests(opened=True, most=SHOWN) if _may_see(one, asking.who)]
    cards = [_card(known, asking, one, names) for one in rows]
    mine = sorted(cards, key=lambda one: (bool(one.why), one.row.expires))
    before = [one for one in known.requests(most=SHOWN) if one.state != PENDING]
    done = [one for one in before if _may_see(one, asking.who)][:BEFORE]
    return mine, [_card(known, asking, one, names) for one in done]


def _may_see(row: RequestRow, who: Viewer) -> bool:
    """Tell whether somebody may look at a request: at all of them, or at their own role's."""
    return who.may(SEE) or concerns(row, who)


def _card(
    known: ServiceReader, asking: ServiceRequest, row: RequestRow, names: dict[str, Machine]
) -> Card:
    votes = yeses(known, row)
    why = ""
    try:
        require_roles(known, row, asking.who)
    except VoteError as error:
        why = str(error)
    if asking.who.person.name in {one.person for one in votes}:
        why = "You have approved this; it takes somebody else now."
    name = names[row.machine].name if row.machine in names else row.machine
    return Card(
        row,
        name,
        _load_asked(row),
        len(votes),
        missing(row, votes),
        _seconds_left(row, asking),
        why,
    )


def _load_asked(row: RequestRow) -> ApprovalSummary | None:
    """Return what is shown of a call, None where it is not as this interlock writes it."""
    try:
        found = ApprovalSummary.of(loads(row.shown))
    except (ValueError, TypeError, KeyError):
        return None
    return found if all(isinstance(one, FindingSummary) for one in found.items) else None


def _seconds_left(row: RequestRow, asking: ServiceRequest) -> int:
    ends, at = [datetime.fromisoformat(one).timestamp() for one in (row.expires, asking.at)]
    return max(0, int(ends - at))


def split_line(item: FindingSummary) -> QuotedLine:
    """Return an item's line in three parts."""
    start, end = max(0, item.start), max(item.start, item.end)
    return QuotedLine(item.line[:start], item.line[start:end], item.line[end:])


def request(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Show one request, with the buttons that answer it."""
    return _show_request(scene, asking)


def _show_request(
    scene: ServiceContext, asking: ServiceRequest, wrong: str = "", status: int = 200
) -> Response:
    return scene.keeping.read(lambda known: _page(known, asking, wrong, status))


def _page(known: ServiceReader, asking: ServiceRequest, wrong: str, status: int) -> Response:
    row = known.request(asking.names["machine"], asking.names["request"])
    if row is None or not _may_see(row, asking.who):
        return render_page(asking, "missing.html", status=404, why="There is no such request.")
    machines = {one.id: one for one in known.machines()}
    names = {one.id: one.name for one in machines.values()}
    card = _card(known, asking, row, machines)
    items = [(one, split_line(one)) for one in card.asked.items] if card.asked else []
    record = known.decision(row.chain, row.decision)
    is_open = row.state in OPEN and row.expires > asking.at
    grant = known.use_grant(row.machine, row.id)
    return render_page(
        asking, "request.html", status=status, here="inbox", one=card, items=items, wrong=wrong,
        terms=terms(row), votes=known.votes(row.machine, row.id), lacks=asking.who.lacks(VOTE),
        record=record.seen if record is not None else None, open=is_open,
        done="" if is_open else over(row, asking.at),
        claim=known.claim(row.machine, row.id), unread=UNREAD, grant=grant,
        live=is_live(known, row, asking.at), most_uses=MOST_USES,
        heir=next(iter(find_heirs(known, row)), None), giver=find_giver(known, row), names=names,
    )  # fmt: skip


def _find_meant(
    known: ServiceReader, names: Mapping[str, str]
) -> tuple[RequestRow | None, frozenset[str]]:
    """Return a request, and the machines for which an answer to it is one."""
    found = known.request(names["machine"], names["request"])
    twins = known.find_twins(found.fleet) if found is not None else []
    return found, frozenset([names["machine"], *(one.machine for one in twins)])


def answer(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Take what somebody answers, and show the request as it is then."""
    form, names = asking.form, asking.names
    found, meant = scene.keeping.read(lambda known: _find_meant(known, names))
    if found is None or not _may_see(found, asking.who):
        return _show_request(scene, asking)
    word = form.get("answer", "")
    if word not in ("approve", "deny"):
        return _show_request(scene, asking, "Say approve or deny.", 400)
    uses = form.get("uses", "1").strip()
    if not (uses.isdecimal() and len(uses) < 4 and 0 < int(uses) <= MOST_USES):
        return _show_request(scene, asking, f"A yes counts once to {MOST_USES} times.", 400)
    reason = form.get("reason", "").strip()
    given = VoteAnswer(asking.who, word == "approve", asking.at, reason, int(uses))
    try:
        scene.keeping.write(
            lambda keeping: vote(keeping, names["machine"], names["request"], given)
        )
    except VoteError as error:
        return _show_request(scene, asking, str(error), 409)
    scene.bell.answered = max(scene.bell.answered, asking.at)
    hint = Hint("approval", {"request": names["request"]})
    scene.bell.ring(hint, lambda stream: stream.machine in meant)
    return RedirectResponse(f"/inbox/{names['machine']}/{names['request']}", 303)
