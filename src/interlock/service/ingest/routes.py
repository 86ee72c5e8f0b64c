"""The one door for batches: ``POST /v1/chains/{chain}/events``."""

from __future__ import annotations

from starlette.responses import Response

from interlock.service.answers import Stop, problem, said
from interlock.service.asked import Asking
from interlock.service.ingest.accept import Taken, accept
from interlock.service.ingest.place import Batch, Refused
from interlock.service.pace import pace
from interlock.service.scene import Scene
from interlock.service.store.protocol import Writing
from interlock.wire.batch import MOST_BYTES, BatchError, unpacked
from interlock.wire.receipt import Receipt

BUSY_SECONDS = 2
TITLES = {
    "gap": "events are missing before these",
    "fork": "the event before these is another one here",
}


def events(scene: Scene, asking: Asking) -> Response:
    """Take a batch in, and sign that it is here."""
    if not scene.room.acquire(blocking=False):
        return problem(429, "busy", "too many batches at once: try again", after=BUSY_SECONDS)
    try:
        batch = _batch(asking)
        taken, machines = scene.keeping.write(lambda keeping: _taken(keeping, asking, batch))
    except Refused as refused:
        return problem(409, refused.kind, TITLES[refused.kind], **refused.said)
    finally:
        scene.room.release()
    receipt = scene.signer.signed(Receipt(batch.chain, taken.seq, taken.hash, asking.at))
    return said(
        {
            "acked": taken.seq,
            "hash": taken.hash,
            "at": receipt.at,
            "receipt": receipt.signature,
            "branch": taken.branch,
            "told": taken.told,
            "pace": pace(machines),
        }
    )


def _taken(keeping: Writing, asking: Asking, batch: Batch) -> tuple[Taken, int]:
    chain = keeping.chain(batch.chain)
    machine = asking.machine
    if chain is None or machine is None or chain.machine != machine.id:
        raise Stop(problem(404, "unknown", "this machine has no such chain"))
    taken = accept(keeping, chain, batch, asking.at)
    keeping.saw(machine.id, asking.at, batch.head)
    return taken, keeping.machine_count()


def _batch(asking: Asking) -> Batch:
    """Return what was sent; raises ``Stop``."""
    if len(asking.body) > MOST_BYTES:
        raise Stop(problem(413, "large", f"a batch has at most {MOST_BYTES} bytes"))
    try:
        lines = tuple(unpacked(asking.body))
        first = _number(asking, "from", lines[0].seq)
        after = _number(asking, "after", first - 1)
        head = _number(asking, "head", lines[-1].seq)
    except BatchError as error:
        raise Stop(problem(422, "malformed", str(error))) from error
    previous = asking.headers.get("previous", "")
    if first != lines[0].seq or after >= first or len(previous) != 64:
        text = "`From` is the number of the first event, `Previous` the hash of the one before"
        raise Stop(problem(422, "malformed", text))
    return Batch(asking.names["chain"], previous, after, head, lines)


def _number(asking: Asking, name: str, usual: int) -> int:
    text = asking.headers.get(name, str(usual))
    if not text.isascii() or not text.isdecimal() or len(text) > 16:
        raise BatchError(f"the header {name.capitalize()} is {text[:20]!r}; expected a number")
    return int(text)
