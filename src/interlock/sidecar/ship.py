"""One batch sent, and what its answer means: acknowledged, sent from somewhere else, or later.

What this machine's own store no longer has is said to be missing; a record that the service knows
otherwise is sent from further back, until both agree, and the service keeps both.
"""

from __future__ import annotations

from collections.abc import Callable
from random import uniform

from interlock.model.record import Record
from interlock.sidecar.client import ServiceResponse, SidecarClient, UnreachableError, number
from interlock.sidecar.reading import Portion, ends, hash_of, portion
from interlock.sidecar.receipts import is_forged
from interlock.store.chain import now
from interlock.store.elsewhere import EnrolmentState, ShippingState, keep, load_progress
from interlock.store.protocol import Storage
from interlock.wire.batch import MOST_BYTES, MOST_LINES, pack_lines
from interlock.wire.receipt import Receipt

BACK = MOST_LINES - 1
FIRST_SECONDS, MOST_SECONDS = 1.0, 300.0
"""Between which a wait is drawn after a failure: at most twice as long with each that follows."""
LONG_SECONDS = 60.0
"""How long one waits where trying again changes nothing until a person does something."""
_ROW = ',"row":'


class ShipResult(Record):
    """What came of one try. ``wait``: seconds until the next one, 0: at once where more waits;
    ``done``: events were acknowledged; ``gone``: there was no answer.
    """

    wait: float
    done: bool = False
    gone: bool = False


class Shipper:
    """Sends one store's record to one service. ``drawn`` draws the length of a wait; ``heard``
    learns which stop or resumption is the service's newest.
    """

    def __init__(
        self,
        store: Storage,
        enrolled: EnrolmentState,
        drawn: Callable[[float, float], float] = uniform,
        heard: Callable[[int], None] | None = None,
    ) -> None:
        self._store, self.enrolled, self._drawn = store, enrolled, drawn
        self._heard_of = heard
        self._client = SidecarClient(enrolled.url, enrolled.pin, enrolled.credential)
        self.state = load_progress(store.folder)
        self._at = self.state.seq
        self._after: int | None = None
        self._back, self._failed = BACK, 0
        self._floor = 0
        self.pace = 1.0

    def waiting(self) -> Portion | None:
        """Return what is to be sent next; raises ``StoreError``."""
        self._compare()
        return portion(self._store, self._at)

    @property
    def behind(self) -> bool:
        """Whether it is on its way back to where both agree."""
        return self._at != self.state.seq

    def send(self, some: Portion) -> ShipResult:
        """Send it; raises ``StoreError``."""
        try:
            answer = self._client.send(
                f"/v1/chains/{self.enrolled.chain}/events", self._pack(some), self._headers(some)
            )
        except UnreachableError as error:
            return self._later(str(error)).replace(gone=True)
        self._learn(answer)
        return self._handle_answer(answer, some)

    def beat(self, head: int) -> ShipResult:
        """Say that this machine is there, though it has nothing to send; raises ``StoreError``."""
        try:
            answer = self._client.tell("/v1/beat", {"head": head})
        except UnreachableError as error:
            return self._later(str(error)).replace(gone=True)
        self._learn(answer)
        if answer.status != 200:
            return self._refused(
                str(answer.said.get("title", "")), str(answer.said.get("type", ""))
            )
        self._failed = 0
        self._keep(self.state.replace(failing="", why=""))
        return ShipResult(0.0)

    def _learn(self, answer: ServiceResponse) -> None:
        if self._heard_of is not None:
            self._heard_of(answer.epoch)

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()

    # -- what is sent ------------------------------------------------------------------------------

    def _compare(self) -> None:
        """Go back where this store is not the one that was sent: cut off, begun anew, or written
        anew.
        """
        if self._at != self.state.seq:
            return
        first, head = ends(self._store)
        kept = hash_of(self._store, self._at) if self._at >= first else self.state.hash
        if head and (head < self._at or kept not in ("", self.state.hash)):
            self._at = max(first - 1, min(self._at, head) - self._back)

    def _pack(self, some: Portion) -> bytes:
        lines = some.lines
        body = pack_lines(lines)
        while len(body) > MOST_BYTES and len(lines) > 1:
            lines = lines[: len(lines) // 2]
            body = pack_lines(lines)
        if len(body) > MOST_BYTES:
            # more than any service takes: its record goes without what was judged
            body = pack_lines([lines[0].partition(_ROW)[0] + "}\n"])
        return body

    def _headers(self, some: Portion) -> dict[str, str]:
        after = some.after if self._after is None else self._after
        known = {"After": str(after)} if after != some.first - 1 else {}
        return {
            "Content-Type": "application/jsonl",
            "Content-Encoding": "gzip",
            "From": str(some.first),
            "Previous": some.previous,
            "Head": str(some.head),
            **known,
        }

    # -- what its answer means ---------------------------------------------------------------------

    def _handle_answer(self, answer: ServiceResponse, some: Portion) -> ShipResult:
        if answer.status == 200:
            return self._take_receipt(answer)
        kind = str(answer.said.get("type", ""))
        if answer.status == 409 and kind == "gap":
            return self._gap(number(answer.said, "expected"), some)
        if answer.status == 409 and kind == "fork":
            return self._fork(some)
        title = str(answer.said.get("title") or f"it answered {answer.status}")
        if answer.status in (401, 404, 422):
            return self._refused(title, kind)
        return self._later(f"{self.enrolled.url}: {title}", answer.after)

    def _take_receipt(self, answer: ServiceResponse) -> ShipResult:
        said = answer.said
        seq, hashed = number(said, "acked"), str(said.get("hash", ""))
        words = [str(said.get(name, "")) for name in ("at", "receipt", "told")]
        receipt = Receipt(self.enrolled.chain, seq, hashed, *words[:2])
        if hash_of(self._store, seq) != hashed or is_forged(self.enrolled.service_key, receipt):
            return self._later(f"{self.enrolled.url}: what it acknowledged is not what was sent")
        self._at, self._after, self._back, self._failed = seq, None, BACK, 0
        self.pace = min(max(1, number(said, "pace")), MOST_SECONDS)
        self._keep(ShippingState(seq, hashed, words[0], words[1], told=words[2]))
        return ShipResult(0.0, done=True)

    def _gap(self, expected: int, some: Portion) -> ShipResult:
        if expected < 1 or expected > some.head:
            return self._refused(f"it expects record {expected}, which is not there", "gap")
        if expected > some.first:
            self._floor = expected  # it never had what came before
        self._after = expected - 1 if self._at == expected - 1 < some.first - 1 else None
        self._at = expected - 1
        return self._again()

    def _fork(self, some: Portion) -> ShipResult:
        first, _ = ends(self._store)
        if some.first > max(first, self._floor):
            self._at = max(first - 1, self._floor - 1, some.first - 1 - self._back)
            self._back *= 2
            return self._again()
        try:
            said = {"continues": self.enrolled.chain, "first": first}
            answer = self._client.tell("/v1/chains", said)
        except UnreachableError as error:
            return self._later(str(error)).replace(gone=True)
        if answer.status != 201:
            return self._later(f"{self.enrolled.url}: it answered {answer.status}")
        self.enrolled = self.enrolled.replace(chain=str(answer.said.get("chain", "")))
        self._at, self._after = first - 1, None
        keep(self._store.folder, ShippingState(seq=first - 1, told="begun anew"))
        keep(self._store.folder, self.enrolled)
        self.state = load_progress(self._store.folder)
        return ShipResult(0.0)

    def _again(self) -> ShipResult:
        """Try at once, and no longer where that does not lead anywhere."""
        self._failed += 1
        return ShipResult(0.0 if self._failed < 40 else LONG_SECONDS)

    def _refused(self, why: str, kind: str) -> ShipResult:
        self._keep(self.state.replace(failing=self.state.failing or now(), why=why, told=kind))
        return ShipResult(LONG_SECONDS)

    def _later(self, why: str, after: float = 0.0) -> ShipResult:
        most = min(MOST_SECONDS, FIRST_SECONDS * 2 ** min(self._failed, 20))
        self._failed += 1
        self._keep(self.state.replace(failing=self.state.failing or now(), why=why))
        return ShipResult(after + self._drawn(0.0, most))

    def _keep(self, state: ShippingState) -> None:
        if state != self.state:
            keep(self._store.folder, state)
            self.state = state
