"""The record of callers: each token has a chain of its own in the tenant's database, of the same
rows and hashes as a machine's. What arrives together is one transaction, on the disk before anybody
hears of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import urandom
from time import gmtime, strftime

from interlock.model.jsontext import dumps
from interlock.model.record import Record
from interlock.service.store.protocol import ServiceWriter
from interlock.service.store.rows import CALLER, MAIN, ApiToken, Branch, Chain, Machine
from interlock.store.chain import GENESIS, digest, link, now, of_row
from interlock.store.schema import AUDIT_COLUMNS, Value
from interlock.wire.batch import KEPT, BatchLine

_AT = {name: AUDIT_COLUMNS.index(name) for name in AUDIT_COLUMNS}
_KEPT = [_AT[name] for name in KEPT[2:]]
_FACTS = _AT["facts"]
CLAIMED = '{"claimed":true'
"""Begins what is recorded of facts that nobody but the caller vouches for."""


class Caller(Record):
    """A program that asks: its token's id, what it is called, whose it is."""

    id: str
    name: str
    owner: str

    @property
    def chain(self) -> str:
        """The chain of its record."""
        return f"c-{self.id}"

    @property
    def machine(self) -> Machine:
        """What stands for it among those whose record is here. Its secret is no hash, so no
        credential leads to it.
        """
        at = now()
        return Machine(self.id, self.name, CALLER, "", f"token {self.id}", at, at, owner=self.owner)


def caller_of(token: ApiToken) -> Caller:
    """Return the caller that a token stands for."""
    return Caller(token.id, token.said, token.person)


class RecordEntry(Record):
    """One event to be: ``values`` of a judgement (``AUDIT_COLUMNS``), or of an outcome
    (``SETTLED_COLUMNS``) with the ``subject``, its ``number`` and the ``session`` that it is of.
    """

    kind: str
    values: tuple[Value, ...]
    subject: str = ""
    session: str = ""
    number: int = 0


def enter_judgement(values: tuple[Value, ...]) -> RecordEntry:
    """Return the entry of a judgement by its audit's row; its facts are marked as claimed."""
    facts = str(values[_FACTS])
    marked = CLAIMED + ("," if len(facts) > 2 else "") + facts[1:]
    return RecordEntry("decision", (*values[:_FACTS], marked, *values[_FACTS + 1 :]))


def append(
    keeping: ServiceWriter, caller: Caller, entries: Sequence[RecordEntry], at: str
) -> tuple[int, int]:
    """Add events to a caller's chain; return where it ended, and where it ends by now."""
    branch = find_branch(keeping, caller, at)
    lines = list(_lines(branch, entries))
    keeping.add_events(caller.chain, MAIN, lines)
    last = lines[-1]
    keeping.put_branch(branch.replace(seq=last.seq, hash=last.hash, grown=at))
    keeping.note_contact(caller.id, at, last.seq)
    return branch.seq, last.seq


def find_branch(keeping: ServiceWriter, caller: Caller, at: str) -> Branch:
    """Return where a caller's chain ends; the first time it is made, and what stands for the
    caller.
    """
    for one in keeping.branches(caller.chain):
        return one
    keeping.add_machine(caller.machine)
    keeping.add_chain(Chain(caller.chain, caller.id, 1, GENESIS))
    keeping.note("caller", caller.id, {"name": caller.name, "owner": caller.owner})
    begun = Branch(caller.chain, MAIN, MAIN, 0, GENESIS, 0, GENESIS, "", at, at)
    keeping.put_branch(begun)
    return begun


def _lines(branch: Branch, entries: Iterable[RecordEntry]) -> Iterable[BatchLine]:
    seq, previous = branch.seq, branch.hash
    for entry in entries:
        seq += 1
        fields, row = _WRITERS[entry.kind](seq, entry)
        previous = link(previous, fields)
        yield BatchLine(fields, previous, row)


Written = tuple[tuple[Value, ...], tuple[Value, ...]]


def _write_judgement(seq: int, entry: RecordEntry) -> Written:
    values = entry.values
    created = strftime("%Y-%m-%d %H:%M:%S", gmtime())
    said: Mapping[str, object] = {
        "digest": of_row(seq, created, values), "row": seq, "status": values[_AT["status"]],
    }  # fmt: skip
    name = values[_AT["decision_id"]]
    fields = (
        seq, name, values[_AT["timestamp"]], "decision", values[_AT["session_id"]], name,
        dumps(said),
    )  # fmt: skip
    return fields, (seq, created, *[values[at] for at in _KEPT])


def _write_outcome(seq: int, entry: RecordEntry) -> Written:
    status, _, duration = entry.values
    said = {
        "status": status, "duration_ms": duration, "digest": digest(entry.values),
        "row": entry.number,
    }  # fmt: skip
    body = dumps(said, sort_keys=True)
    key = f"e-{urandom(8).hex()}"
    return (seq, key, now(), "outcome", entry.session, entry.subject, body), entry.values


_WRITERS = {"decision": _write_judgement, "outcome": _write_outcome}
