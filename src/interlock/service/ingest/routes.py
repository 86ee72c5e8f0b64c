"""The one door for batches: ``POST /v1/chains/{chain}/events``."""

from __future__ import annotations

from starlette.responses import Response

from interlock.service.answers import RequestEnd, json_response, problem
from interlock.service.context import ServiceContext
from interlock.service.ingest.accept import BatchOutcome, accept
from interlock.service.ingest.position import Batch, BatchRefusedError
from interlock.service.pace import pace
from interlock.service.request import ServiceRequest
from interlock.service.store.protocol import ServiceWriter
from interlock.wire.batch import MOST_BYTES, BatchError, unpack_lines
from interlock.wire.receipt import Receipt

BUSY_SECONDS = 2
TITLES = {
    "gap": "events are missing before these",
    "fork": "the event before these is another one here",
}


def events(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Take a batch in, and sign that it is here."""
    if not scene.room.acquire(blocking=False):
        return problem(429, "busy", "too many batches at once: try again", after=BUSY_SECONDS)
    try:
        batch = _batch(asking)
        taken, machines = scene.keeping.write(lambda keeping: _accept_batch(keeping, asking, batch))
    except BatchRefusedError as refused:
        return problem(409, refused.kind, TITLES[refused.kind], **refused.said)
    finally:
        scene.room.release()
    scene.metrics.count_events(taken.new)
    receipt = scene.signer.signed(Receipt(batch.chain, taken.seq, taken.hash, asking.at))
    return json_response(
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


def _accept_batch(
    keeping: ServiceWriter, asking: ServiceRequest, batch: Batch
) -> tuple[BatchOutcome, int]:
    chain = keeping.chain(batch.chain)
    machine = asking.machine
    if chain is None or machine is None or chain.machine != machine.id:
        raise RequestEnd(problem(404, "unknown", "this machine has no such chain"))
    taken = accept(keeping, chain, batch, asking.at)
    keeping.note_contact(machine.id, asking.at, batch.head)
    return taken, keeping.machine_count()


def _batch(asking: ServiceRequest) -> Batch:
    """Return what was sent; raises ``RequestEnd``."""
    if len(asking.body) > MOST_BYTES:
        raise RequestEnd(problem(413, "large", f"a batch has at most {MOST_BYTES} bytes"))
    try:
        lines = tuple(unpack_lines(asking.body))
        first = _number(asking, "from", lines[0].seq)
        after = _number(asking, "after", first - 1)
        head = _number(asking, "head", lines[-1].seq)
    except BatchError as error:
        raise RequestEnd(problem(422, "malformed", str(error))) from error
    previous = asking.headers.get("previous", "")
    if first != lines[0].seq or after >= first or len(previous) != 64:
        text = "`From` is the number of the first event, `Previous` the hash of the one before"
        raise RequestEnd(problem(422, "malformed", text))
    return Batch(asking.names["chain"], previous, after, head, lines)


def _number(asking: ServiceRequest, name: str, usual: int) -> int:
    text = asking.headers.get(name, str(usual))
    if not text.isascii() or not text.isdecimal() or len(text) > 16:
        raise BatchError(f"the header {name.capitalize()} is {text[:20]!r}; expected a number")
    return int(text)
