"""The rows that the service keeps, as records. Times are UTC as they sort,
``2026-01-31T23:59:59.123Z``; secrets are kept as SHA-256 in hex, never themselves.
"""

from __future__ import annotations

from interlock.model.record import Record
from interlock.store.schema import Value


class Machine(Record):
    """An enrolled computer or runner. ``seen``: when it last said anything, ``head``: the last
    event that it has itself; ``retired``: from when on its credential counts no more, empty while
    it does.
    """

    id: str
    name: str
    platform: str
    version: str
    secret: str
    enrolled: str
    seen: str = ""
    retired: str = ""
    head: int = 0


class Check(Record):
    """What a machine said of its guard. ``kind``: doctor or status; ``rows``: as JSON."""

    machine: str
    kind: str
    at: str
    rows: str


class Chain(Record):
    """One store's record. ``first``: the number of its first event that is kept here, ``base`` the
    hash before that; ``continues``: the chain that it goes on from.
    """

    id: str
    machine: str
    first: int
    base: str = ""
    continues: str = ""


MAIN = 0
FORK, CLONE = "fork", "clone"


class Branch(Record):
    """A way along a chain; the first is ``MAIN``. It leaves ``parent`` behind the event ``left``,
    and ``base`` is the hash that its own first event follows from; ``seq`` and ``hash`` are its
    last event's.

    ``kind``: empty for the main one, ``fork`` where the record was written anew from there,
    ``clone`` where both ways went on growing. ``since``: when it began, ``grown``: when it last
    grew.
    """

    chain: str
    number: int
    parent: int
    left: int
    base: str
    seq: int
    hash: str
    kind: str
    since: str
    grown: str


class Kept(Record):
    """One event that is kept. ``fields``: from ``seq`` to ``body``; ``row``: as
    ``wire.batch.Line``; ``id``: in the order of arrival.
    """

    id: int
    chain: str
    branch: int
    fields: tuple[Value, ...]
    hash: str
    row: tuple[Value, ...] | None


class Problem(Record):
    """Something wrong with a chain, told to people. ``kind``: changed, removed, fork, clone or
    cut.
    """

    chain: str
    branch: int
    seq: int
    kind: str
    said: str
    at: str


class Root(Record):
    """The state of all chains at the end of a minute (``2026-01-31T23:59``). ``heads``: those that
    grew since the root before, as JSON; ``hash``: over that and the root before.
    """

    minute: str
    hash: str
    heads: str


class Visit(Record):
    """A person's visit to the console. ``token``: SHA-256 of the cookie; ``proof``: what a form has
    to bring along; ``expires``: UTC.
    """

    token: str
    proof: str
    person: str
    made: str
    expires: str
