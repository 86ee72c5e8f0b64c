"""The inbox: what waits for people, one request, and what they answer."""

from __future__ import annotations

from datetime import datetime

from starlette.responses import RedirectResponse, Response

from interlock.approvals.asked import Asked, Item
from interlock.approvals.requests import PENDING
from interlock.model.jsontext import loads
from interlock.model.record import Record
from interlock.service.answers import said
from interlock.service.approvals.inbox import OPEN, terms
from interlock.service.approvals.votes import (
    Answer,
    VoteError,
    allowed,
    concerns,
    missing,
    over,
    vote,
    yeses,
)
from interlock.service.asked import Asking
from interlock.service.bell import Hint
from interlock.service.console.answering import answered
from interlock.service.roles import SEE, VOTE
from interlock.service.scene import Scene
from interlock.service.store.protocol import Reading
from interlock.service.store.rows import Machine, Waiting
from interlock.service.viewer import Viewer

SHOWN = 100
BEFORE = 20
UNREAD = "This machine's interlock says it in words that this one does not read."


class Quoted(Record):
    """A line of a call, and what of it is meant."""

    before: str
    meant: str
    after: str


class Card(Record):
    """A request as it is shown. ``yes``: how many said so; ``why``: why this person may not
    approve, empty where they may.
    """

    row: Waiting
    machine: str
    asked: Asked | None
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


def inbox(scene: Scene, asking: Asking) -> Response:
    """Show what waits, and what was answered last."""
    waiting, before = scene.keeping.read(lambda known: _all(known, asking))
    return answered(
        asking, "inbox.html", here="inbox", waiting=waiting, before=before,
        lacks=asking.who.lacks(VOTE),
    )  # fmt: skip


def waiting(scene: Scene, asking: Asking) -> Response:
    """Return what ``inbox`` shows, as JSON."""
    found = scene.keeping.read(lambda known: _all(known, asking))
    now, before = [[_plain(one) for one in some] for some in found]
    return said({"waiting": now, "before": before})


def _plain(card: Card) -> dict[str, object]:
    row = card.row
    names = ("id", "machine", "agent", "requester", "state", "at", "expires", "by", "reason")
    return {
        **{name: getattr(row, name) for name in names},
        "name": card.machine, "roles": loads(row.roles), "quorum": row.quorum,
        "second_person": row.second_person, "yes": card.yes, "shown": loads(row.shown),
    }  # fmt: skip


def _all(known: Reading, asking: Asking) -> tuple[list[Card], list[Card]]:
    names = {one.id: one for one in known.machines()}
    rows = [one for one in known.requests(opened=True, most=SHOWN) if _seen(one, asking.who)]
    cards = [_card(known, asking, one, names) for one in rows]
    mine = sorted(cards, key=lambda one: (bool(one.why), one.row.expires))
    before = [one for one in known.requests(most=SHOWN) if one.state != PENDING]
    done = [one for one in before if _seen(one, asking.who)][:BEFORE]
    return mine, [_card(known, asking, one, names) for one in done]


def _seen(row: Waiting, who: Viewer) -> bool:
    """Tell whether somebody may look at a request: at all of them, or at their own role's."""
    return who.may(SEE) or concerns(row, who)


def _card(known: Reading, asking: Asking, row: Waiting, names: dict[str, Machine]) -> Card:
    votes = yeses(known, row)
    why = ""
    try:
        allowed(known, row, asking.who)
    except VoteError as error:
        why = str(error)
    if asking.who.person.name in {one.person for one in votes}:
        why = "You have approved this; it takes somebody else now."
    name = names[row.machine].name if row.machine in names else row.machine
    return Card(row, name, _asked(row), len(votes), missing(row, votes), _left(row, asking), why)


def _asked(row: Waiting) -> Asked | None:
    """Return what is shown of a call, None where it is not as this interlock writes it."""
    try:
        found = Asked.of(loads(row.shown))
    except (ValueError, TypeError, KeyError):
        return None
    return found if all(isinstance(one, Item) for one in found.items) else None


def _left(row: Waiting, asking: Asking) -> int:
    ends, at = [datetime.fromisoformat(one).timestamp() for one in (row.expires, asking.at)]
    return max(0, int(ends - at))


def quoted(item: Item) -> Quoted:
    """Return an item's line in three parts."""
    start, end = max(0, item.start), max(item.start, item.end)
    return Quoted(item.line[:start], item.line[start:end], item.line[end:])


def request(scene: Scene, asking: Asking) -> Response:
    """Show one request, with the buttons that answer it."""
    return _shown(scene, asking)


def _shown(scene: Scene, asking: Asking, wrong: str = "", status: int = 200) -> Response:
    return scene.keeping.read(lambda known: _page(known, asking, wrong, status))


def _page(known: Reading, asking: Asking, wrong: str, status: int) -> Response:
    row = known.request(asking.names["machine"], asking.names["request"])
    if row is None or not _seen(row, asking.who):
        return answered(asking, "missing.html", status=404, why="There is no such request.")
    card = _card(known, asking, row, {one.id: one for one in known.machines()})
    items = [(one, quoted(one)) for one in card.asked.items] if card.asked else []
    record = known.decision(row.chain, row.decision)
    is_open = row.state in OPEN and row.expires > asking.at
    return answered(
        asking, "request.html", status=status, here="inbox", one=card, items=items, wrong=wrong,
        terms=terms(row), votes=known.votes(row.machine, row.id), lacks=asking.who.lacks(VOTE),
        record=record.seen if record is not None else None, open=is_open,
        done="" if is_open else over(row, asking.at),
        claim=known.claim(row.machine, row.id), unread=UNREAD,
    )  # fmt: skip


def answer(scene: Scene, asking: Asking) -> Response:
    """Take what somebody answers, and show the request as it is then."""
    form, names = asking.form, asking.names
    found = scene.keeping.read(lambda known: known.request(names["machine"], names["request"]))
    if found is None or not _seen(found, asking.who):
        return _shown(scene, asking)
    word = form.get("answer", "")
    if word not in ("approve", "deny"):
        return _shown(scene, asking, "Say approve or deny.", 400)
    given = Answer(asking.who, word == "approve", asking.at, form.get("reason", "").strip())
    try:
        scene.keeping.write(
            lambda keeping: vote(keeping, names["machine"], names["request"], given)
        )
    except VoteError as error:
        return _shown(scene, asking, str(error), 409)
    scene.bell.answered = max(scene.bell.answered, asking.at)
    hint = Hint("approval", {"request": names["request"]})
    scene.bell.ring(hint, lambda machine: machine == names["machine"])
    return RedirectResponse(f"/inbox/{names['machine']}/{names['request']}", 303)
