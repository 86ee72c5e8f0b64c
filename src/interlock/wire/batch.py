"""A batch: a run of one chain's events, in the lines of ``interlock audit export``, gzipped.

``From`` is the number of its first event, ``Previous`` the hash of the event before it. What a
judgement's outcome fills is no part of its line here: that changes, and the outcome's own event
tells it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from itertools import pairwise
from json import JSONDecoder
from operator import itemgetter
from typing import Any

from interlock.model.jsontext import dumps, loads, object_of
from interlock.model.record import Record
from interlock.store.chain import FIELDS, digest, link, of_kept
from interlock.store.schema import AUDIT_COLUMNS, SETTLED_COLUMNS, Value

MOST_LINES = 500
MOST_BYTES = 4 << 20
"""Bytes of a packed batch."""
MOST_UNPACKED = 64 << 20
"""Bytes of an unpacked one: what packs better than this is no record."""
ROW = ("id", "created_at", *AUDIT_COLUMNS)
"""The columns of a judgement, as an export names them."""
KEPT = tuple([name for name in ROW if name not in SETTLED_COLUMNS])
_GZIP = 31  # zlib's window for a stream with gzip's header
CHANGED, REMOVED = "changed", "removed"


class BatchError(ValueError):
    """What came is no batch; one sentence says where and why."""


class BatchLine(Record):
    """One event as it was sent. ``fields``: from ``seq`` to ``body``. ``row``: of a decision the
    values of ``KEPT``, of an outcome those of ``SETTLED_COLUMNS``; None where the line has none.
    """

    fields: tuple[Value, ...]
    hash: str
    row: tuple[Value, ...] | None = None

    @property
    def seq(self) -> int:
        """Its number in the chain."""
        return int(self.fields[0] or 0)

    @property
    def kind(self) -> str:
        """What it tells of: ``decision``, ``outcome``, ``stop`` ..."""
        return str(self.fields[3])

    @property
    def body(self) -> dict[str, Any]:
        """What it tells; empty where that is not readable."""
        return object_of(str(self.fields[6]))


def pack_lines(lines: Iterable[str]) -> bytes:
    """Return lines, each with its end, as a gzip stream."""
    packer = zlib.compressobj(6, zlib.DEFLATED, _GZIP)
    return packer.compress("".join(lines).encode("utf-8")) + packer.flush()


def unpack_lines(data: bytes) -> list[BatchLine]:
    """Return the lines of a gzip stream; raises ``BatchError``."""
    unpacker = zlib.decompressobj(_GZIP)
    try:
        text = unpacker.decompress(data, MOST_UNPACKED)
    except zlib.error as error:
        raise BatchError(f"the batch is no gzip stream: {error}") from error
    if unpacker.unconsumed_tail or not unpacker.eof or unpacker.unused_data:
        raise BatchError(
            f"the batch is no whole gzip stream, or holds more than {MOST_UNPACKED} bytes"
        )
    return lines(text)


def lines(text: bytes) -> list[BatchLine]:
    """Return the lines of an export, in order and one behind the other; raises ``BatchError``."""
    given = [one for one in text.split(b"\n") if one.strip()]
    if not 0 < len(given) <= MOST_LINES:
        raise BatchError(f"the batch holds {len(given)} lines; expected 1 to {MOST_LINES}")
    found = [_line(number, one) for number, one in enumerate(given, 1)]
    for before, after in pairwise(found):
        if after.seq != before.seq + 1:
            raise BatchError(f"event {after.seq} stands behind event {before.seq}")
    return found


def _line(number: int, text: bytes) -> BatchLine:
    try:
        # half a surrogate pair is no character: the careful reader replaces it
        said = loads(text) if b"\\u" in text else _object(text.decode())
        fields, hashed, row = _fields(said), said["hash"], said.get("row")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BatchError(f"line {number} is no line of an export: {error}") from error
    plain = set(map(type, (*fields[1:], hashed))) == {str}
    seq, more = fields[0], len(said) != len(FIELDS) + ("row" in said)
    if more or type(seq) is not int or not 0 < seq < _MOST or not plain or len(hashed) != 64:
        raise BatchError(f"line {number} is no line of an export: its fields are not those of one")
    return BatchLine(fields, hashed, _row(number, str(fields[3]), row))


def _object(text: str) -> Any:
    """Return what a line holds, which nothing surrounds where an export wrote it."""
    if text[:1] == "{":
        found, end = _READER.raw_decode(text)
        if end == len(text):
            return found
    return _READER.decode(text)


def _row(number: int, kind: str, row: object) -> tuple[Value, ...] | None:
    """Return a row's values by their columns; one that an older interlock wrote lacks the last."""
    if row is None:
        return None
    names, known = (KEPT, _ROW) if kind == "decision" else (SETTLED_COLUMNS, _SETTLED)
    if not isinstance(row, dict) or not known.issuperset(row):
        raise BatchError(f"line {number} is no line of an export: its row has other columns")
    values = _kept(row) if len(row) == len(ROW) else tuple(map(row.get, names))
    kinds = set(map(type, values))
    numbers = [abs(value) for value in values if type(value) is int] if int in kinds else ()
    if not _PLAIN.issuperset(kinds) or max(numbers, default=0) >= _MOST:
        raise BatchError(f"line {number} is no line of an export: its row holds more than values")
    return values


def _none(name: str) -> object:
    raise BatchError(f"{name} is not JSON")


_fields, _kept = itemgetter(*FIELDS[:-1]), itemgetter(*KEPT)
_READER = JSONDecoder(parse_constant=_none)
_MOST = 2**63
_PLAIN = frozenset({str, int, float, type(None)})
_ROW, _SETTLED = frozenset(ROW), frozenset(SETTLED_COLUMNS)


def wrong(line: BatchLine, previous: str) -> str:
    """Return what is wrong with a line that stands behind the event of this hash: a sentence, empty
    where it is as it was written.
    """
    if line.hash != link(previous, line.fields):
        return (
            f"record {line.seq} ({line.kind}) was changed, or stands where another stood: it does"
            " not follow from the one before"
        )
    kind = line.kind
    if kind == "decision":
        return _judgement(line)
    if kind == "outcome" and line.row is not None:
        digests = line.body.get("digest")
        if digests is not None and digests != digest(line.row):
            return f"what became of {line.fields[5]} (record {line.seq}) was changed"
    return ""


def _judgement(line: BatchLine) -> str:
    if line.row is None:
        return f"the judgement of record {line.seq} ({line.fields[5]}) is missing"
    if of_kept(line.row) != line.body.get("digest"):
        return f"the judgement of record {line.seq} ({line.fields[5]}) was changed"
    return ""


def export_line(line: BatchLine, settled: Sequence[Value] = (None, None, None)) -> str:
    """Return a line as an export has it, its end included. ``settled``: of a decision what became
    of it (status, result, duration), as far as it is known.
    """
    said: dict[str, object] = {
        **dict(zip(FIELDS, line.fields, strict=False)),
        "hash": line.hash,
    }
    if line.row is not None and line.kind == "decision":
        kept = dict(zip(KEPT, line.row, strict=False))  # an older interlock kept fewer
        row = {**dict.fromkeys(ROW), **kept}
        said["row"] = {**row, **dict(zip(SETTLED_COLUMNS, settled, strict=True))}
    elif line.row is not None:
        said["row"] = dict(zip(SETTLED_COLUMNS, line.row, strict=True))
    return dumps(said) + "\n"
