"""The leases of this machine: what their team's service lets it use up by itself of limits that
machines share. Calls spend them without asking anybody; the sidecar gets them, has them renewed and
gives back what is left.

A lease holds while two clocks say so, the machine's own and its time since it was started, which
nobody can set; and only in the file that it was lent to, on this start of the machine.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence

from interlock.facts import processes
from interlock.model.jsontext import dumps, loads
from interlock.model.leases import MOST_WAIT, LeaseAnswer, LeaseReturn, SharedLimit
from interlock.model.record import Record
from interlock.store.protocol import Connection, Storage

ASKED, OPEN, ENDED = "asked", "open", "ended"
_NOTE_SECONDS = 5.0
"""How exactly it is known when a limit was last met."""


class LeaseTimes(Record):
    """One moment of this machine. ``wall``: Unix seconds; ``up``: seconds since it was started;
    ``holder``: which start, and which file.
    """

    wall: float
    up: float
    holder: str


class Lease(Record):
    """A lease of this machine, as its row has it."""

    id: str
    scope: str
    what: str
    amount: int
    used: int
    state: str
    holder: str
    begins: float
    ends: float
    since: float
    until: float

    @property
    def rest(self) -> int:
        """What is left of it; never less than nothing."""
        return max(0, self.amount - self.used)


class MetLimit(Record):
    """A shared limit that calls met here, as its row has it."""

    limit: SharedLimit
    wanted: float
    lacking: float
    again: float
    left: int


def read_times(store: Storage, clock: Callable[[], float] = time.time) -> LeaseTimes:
    """Return this moment; raises ``OSError`` where the store's file is gone."""
    file = os.stat(f"{store.folder}/interlock.db")
    start = processes.boot().partition(" ")[0]
    return LeaseTimes(clock(), _uptime(), f"{start} {file.st_dev} {file.st_ino}")


def _uptime() -> float:
    """Return the seconds since this machine was started, those in which it slept among them."""
    which = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
    return time.monotonic() if which is None else time.clock_gettime(which)


def holds(lease: Lease, now: LeaseTimes) -> bool:
    """Tell whether a lease may be used."""
    in_time = lease.begins <= now.up < lease.ends and lease.since <= now.wall < lease.until
    return lease.state == OPEN and lease.holder == now.holder and in_time


def count_free(found: Sequence[Lease], held: int, now: LeaseTimes) -> int:
    """Return what one call more may take of the leases of a limit: what is left of those that hold,
    less what calls hold of it that have no outcome yet, and what was used beyond a lease.
    """
    beyond = sum(one.used - one.amount for one in found if one.used > one.amount)
    return sum(one.rest for one in found if holds(one, now)) - beyond - held


def leases_of(connection: Connection, limit: SharedLimit) -> list[Lease]:
    """Return all leases of a limit that are not settled, those that end first first."""
    rows = connection.execute(
        f"SELECT {', '.join(Lease.fields)} FROM lease WHERE scope = ? AND what = ?"  # noqa: S608
        " ORDER BY ends, id",
        (limit.scope, limit.what),
    ).fetchall()
    return [Lease(*row) for row in rows]


# -- what calls do ---------------------------------------------------------------------------------


def note_met(connection: Connection, limit: SharedLimit, wall: float) -> MetLimit:
    """Note that a call met a limit, for whoever asks for leases; return it."""
    row = connection.execute(
        "SELECT terms, wanted, lacking, again, left_there FROM shared_limit WHERE scope = ? AND"
        " what = ?",
        (limit.scope, limit.what),
    ).fetchone()
    terms = dumps({name: getattr(limit, name) for name in SharedLimit.fields})
    if row is None or row[0] != terms or not 0 <= wall - row[1] < _NOTE_SECONDS:
        connection.execute(
            "INSERT INTO shared_limit (scope, what, terms, wanted) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (scope, what) DO UPDATE SET terms = excluded.terms,"
            " wanted = excluded.wanted",
            (limit.scope, limit.what, terms, wall),
        )
    return MetLimit(limit, wall, *(row[2:] if row is not None else (0.0, 0.0, -1)))


def note_lack(connection: Connection, met: MetLimit) -> float:
    """Note that nothing is left; return for how many seconds that is so and nobody said why."""
    if 0 < met.lacking <= met.wanted:
        return met.wanted - met.lacking
    connection.execute(
        "UPDATE shared_limit SET lacking = ? WHERE scope = ? AND what = ?",
        (met.wanted, met.limit.scope, met.limit.what),
    )
    return 0.0


def use(connection: Connection, name: str, amount: int = 1) -> None:
    """Use up a part of a lease."""
    connection.execute("UPDATE lease SET used = used + ? WHERE id = ?", (amount, name))


def unuse(connection: Connection, name: str) -> None:
    """Undo one use for a call that does not run, unless what was used is told already."""
    connection.execute(
        "UPDATE lease SET used = used - 1 WHERE id = ? AND state = ? AND used > 0", (name, OPEN)
    )


def spend(connection: Connection, limit: SharedLimit, amount: int) -> None:
    """Count what was used of a budget: of the leases that are open, the first to end first. What
    is more than they are is told with the last of them, or by itself: it was used.
    """
    opened = [one for one in leases_of(connection, limit) if one.state == OPEN]
    for one in opened:
        part = min(one.rest, amount)
        if part:
            use(connection, one.id, part)
        amount -= part
    if amount and opened:
        use(connection, opened[-1].id, amount)
    elif amount:
        connection.execute(
            "INSERT INTO lease (id, scope, what, amount, used, state) VALUES (?, ?, ?, 0, ?, ?)",
            (f"l-{os.urandom(8).hex()}", limit.scope, limit.what, amount, ENDED),
        )


# -- what the sidecar does -------------------------------------------------------------------------


def met_limits(connection: Connection) -> list[MetLimit]:
    """Return the shared limits that calls met here."""
    rows = connection.execute(
        "SELECT terms, wanted, lacking, again, left_there FROM shared_limit ORDER BY scope, what"
    ).fetchall()
    return [MetLimit(SharedLimit(**loads(row[0])), *row[1:]) for row in rows]


def ask(connection: Connection, limit: SharedLimit, name: str) -> None:
    """Note the name of a lease before it is asked for."""
    connection.execute(
        "INSERT INTO lease (id, scope, what, amount, used, state) VALUES (?, ?, ?, 0, 0, ?)",
        (name, limit.scope, limit.what, ASKED),
    )


def end(connection: Connection, name: str) -> None:
    """Have nobody use a lease from now on; what was used of it can be told."""
    connection.execute("UPDATE lease SET state = ? WHERE id = ?", (ENDED, name))


def make_return(limit: SharedLimit, lease: Lease) -> LeaseReturn:
    """Return what is told of a lease that has ended."""
    return LeaseReturn(limit, lease.id, lease.amount, lease.used)


def settle(connection: Connection, name: str) -> None:
    """Forget a lease whose end the service knows."""
    connection.execute("DELETE FROM lease WHERE id = ? AND state = ?", (name, ENDED))


def renew(connection: Connection, name: str, seconds: int, asked: LeaseTimes) -> None:
    """Have a lease hold so long from when that was asked for; no time: it is over."""
    connection.execute(
        "UPDATE lease SET begins = ?, ends = ?, since = ?, until = ? WHERE id = ? AND state = ?"
        " AND holder = ?",
        (*_span(seconds, asked), name, OPEN, asked.holder),
    )


def take(
    connection: Connection, limit: SharedLimit, answer: LeaseAnswer, asked: LeaseTimes
) -> None:
    """Take what came of a wish, from when it was asked for."""
    if answer.amount:
        connection.execute(
            "UPDATE lease SET amount = ?, state = ?, holder = ?, begins = ?, ends = ?, since = ?,"
            " until = ? WHERE id = ? AND state = ?",
            (answer.amount, OPEN, asked.holder, *_span(answer.seconds, asked), answer.id, ASKED),
        )
    else:
        connection.execute("DELETE FROM lease WHERE id = ? AND state = ?", (answer.id, ASKED))
    again = 0.0 if answer.amount else asked.wall + min(answer.wait, MOST_WAIT)
    connection.execute(
        "UPDATE shared_limit SET lacking = 0, again = ?, left_there = ? WHERE scope = ? AND"
        " what = ?",
        (again, answer.left, limit.scope, limit.what),
    )


def _span(seconds: int, asked: LeaseTimes) -> tuple[float, float, float, float]:
    return asked.up, asked.up + seconds, asked.wall, asked.wall + seconds
