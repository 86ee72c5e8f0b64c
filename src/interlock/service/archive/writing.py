"""Events as a file of Parquet: as they are kept, and beside them what is looked for in each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from typing import Any, BinaryIO

import pyarrow as pa
from pyarrow import parquet

from interlock.model.jsontext import dumps
from interlock.service.archive.files import UNFINISHED
from interlock.service.store.commands import COLUMNS, search_words, settled_words
from interlock.service.store.protocol import ServiceStoreError
from interlock.service.store.rows import EventRow
from interlock.store.chain import FIELDS
from interlock.wire.batch import BatchLine

AT_ONCE = 5000
"""Events that are in memory, and in one group of a file."""
_WORDS = COLUMNS["decision"].split()[4:]
_ENDED = COLUMNS["outcome"].split()[4:]
_ALIKE = ["chain", "kind", "session", *_WORDS[:-1], "status"]
_HOW: dict[str, Any] = {"compression": "zstd", "compression_level": 9, "use_dictionary": _ALIKE}
SCHEMA = pa.schema(
    [
        *[(name, pa.int64()) for name in ("id", "branch", "seq", "duration_ms")],
        *[(name, pa.string()) for name in ("chain", *FIELDS[1:], "row")],
        *[(name, pa.string()) for name in [*_WORDS, *_ENDED] if name not in
          ("session", "duration_ms")],
    ]
)  # fmt: skip


def write_file(path: str, events: Iterable[EventRow]) -> int:
    """Write events to a file that is there whole or not at all; return how many. Raises
    ``OSError``, and ``ServiceStoreError`` where what was written does not read back as it was.
    """
    unfinished = path + UNFINISHED
    try:
        written = _write(unfinished, events)
        if _read_back(unfinished) != written:
            raise ServiceStoreError(f"{unfinished} does not hold what was written to it")
        _put_in_place(unfinished, path)
    except pa.ArrowException as error:
        raise ServiceStoreError(f"{unfinished} cannot be written: {error}") from error
    finally:
        with suppress(FileNotFoundError):  # what failed would keep a full disk full
            os.unlink(unfinished)
    return written[0]


def _write(path: str, events: Iterable[EventRow]) -> tuple[int, bytes]:
    """Return how many events were written, and a digest over their hashes."""
    digest, count = sha256(), 0
    with _create_file(path) as file, parquet.ParquetWriter(file, SCHEMA, **_HOW) as writer:
        for some in _parts(events):
            writer.write_table(_table(some))
            count += len(some)
            digest.update("".join([one.hash for one in some]).encode())
    return count, digest.digest()


def _create_file(path: str) -> BinaryIO:
    """Return a new file that is its owner's alone."""
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")


def _parts(events: Iterable[EventRow]) -> Iterator[list[EventRow]]:
    found = iter(events)
    while some := list(islice(found, AT_ONCE)):
        yield some


def _table(events: list[EventRow]) -> pa.Table:
    rows = [_columns(one) for one in events]
    arrays = [pa.array([row.get(one.name) for row in rows], one.type) for one in SCHEMA]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def _columns(event: EventRow) -> dict[str, object]:
    """Return an event's values by the names of columns."""
    line = BatchLine(event.fields, event.hash, event.row)
    found: dict[str, object] = dict(zip(FIELDS, event.fields, strict=False))
    found.update(id=event.id, chain=event.chain, branch=event.branch)
    found["hash"] = event.hash
    if line.row is not None:
        found["row"] = dumps(list(line.row))
    if line.row is not None and line.kind == "decision":
        found.update(zip(_WORDS, search_words(line), strict=True))
    if line.row is not None and line.kind == "outcome":
        found.update(zip(_ENDED, settled_words(line), strict=True))
    return found


def _read_back(path: str) -> tuple[int, bytes]:
    """Return how many events a file holds, and a digest over their hashes."""
    digest, count = sha256(), 0
    with parquet.ParquetFile(path) as file:
        for some in file.iter_batches(AT_ONCE, columns=["hash"]):
            hashes = some.column(0).to_pylist()
            count += len(hashes)
            digest.update("".join(hashes).encode())
    return count, digest.digest()


def _put_in_place(unfinished: str, path: str) -> None:
    """Have a file outlast a power cut before it counts."""
    for name in (unfinished, os.path.dirname(path)):
        if name != unfinished:
            os.replace(unfinished, path)
        descriptor = os.open(name, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
