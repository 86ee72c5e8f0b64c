"""A fleet in one process for the laws of leases: the code of both sides, with a network between
that loses, doubles and delays, machines that are killed and whose clocks are set, and a time that
only passes when somebody says so.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Self

from interlock.limits import gcra, leases
from interlock.limits.leases import LeaseTimes
from interlock.limits.shared import charge_shared
from interlock.limits.shared_budgets import SharedTerm
from interlock.model.leases import PLACES, RATE, TOKENS, SharedLimit
from interlock.service.limits.leases import end, give, renew
from interlock.service.store.leases_sql import LeaseCommands
from interlock.service.store.rows import Machine
from interlock.service.store.tables import STEPS
from interlock.sidecar.leases import apply_answer, note_plan, plan_limit, read_states
from interlock.sidecar.leases import is_due as is_due_at
from interlock.store.migrations import read_steps
from interlock.wire.leases import plain, return_of, wish_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.sidecar.leases import LeasePlan

RATE_LIMIT = SharedLimit("organisation", RATE, "*", 12, 2_000_000)
PLACES_LIMIT = SharedLimit("organisation", PLACES, "*", 4, hold=60)
BUDGET = SharedLimit("organisation", TOKENS, "*", 1000)
_TABLES = ("shared_limit", "shared_use", "lease", "hold")
OF_MACHINES, OF_SERVICE = [
    [
        one
        for step in steps
        for one in step
        if any(f"TABLE {name} (" in one or f" ON {name}(" in one for name in _TABLES)
    ]
    for steps in (read_steps(), STEPS)
]
START = 1_800_000_000.0


class Keeping(LeaseCommands):
    """The service's tables of leases, by a clock of the test's."""

    now = START

    def clock(self) -> int:
        """Return the database's time."""
        return int(self.now * gcra.SECOND)


class FleetMachine:
    """One machine: a store with its leases, clocks, and what its calls did."""

    def __init__(self, name: str, fleet: SimulatedFleet) -> None:
        self.name, self.fleet = name, fleet
        self.row = Machine(name, name, "", "", name, "", "", "", 0)
        self.skew, self.starts = 0.0, 0
        self.store = sqlite3.connect(":memory:", isolation_level=None)
        for statement in OF_MACHINES:
            self.store.execute(statement)
        self.calls = 0

    @property
    def times(self) -> LeaseTimes:
        """This machine's moment: its clock may be wrong, its time since the start is not."""
        return LeaseTimes(self.fleet.now + self.skew, self.fleet.now - START, str(self.starts))

    def call(self, limit: SharedLimit, spent: int = 0, *, runs: bool = False) -> bool:
        """Make a call that meets a limit; tell whether it went on. ``spent``: what it uses of a
        budget, at once or where it ``runs`` when it ends.
        """
        with written(self.store):
            term = SharedTerm(limit.replace(reserve=spent))
            charge = charge_shared(self.store, "/nowhere", [term], self.times)
            if not (charge.leases or charge.holds):
                return False
            for name in charge.leases:
                leases.use(self.store, name)
            if spent and not runs:
                leases.spend(self.store, limit, spent)
                return True
            for one in charge.holds:
                self.calls += 1
                until = self.times.wall + (limit.hold or 3600)
                self.store.execute(
                    "INSERT INTO hold (scope, what, id, amount, expires, session_id, call) VALUES"
                    " (?, ?, ?, ?, ?, '', '')",
                    (one.scope, one.what, f"d{self.calls}", one.amount, until),
                )
        return True

    def note(self, limit: SharedLimit) -> None:
        """Have a call meet a limit and not go on, for whatever other reason."""
        with written(self.store):
            leases.note_met(self.store, limit, self.times.wall)

    def finish(self, limit: SharedLimit) -> int:
        """Have all calls end that run, which use what they set aside; return how much that was."""
        with written(self.store):
            held = self.store.execute("SELECT coalesce(sum(amount), 0) FROM hold").fetchone()[0]
            self.store.execute("DELETE FROM hold")
            if limit.kind == TOKENS:
                leases.spend(self.store, limit, held)
        return int(held)

    def begin(self, *, last: bool = False) -> tuple[LeasePlan, LeaseTimes] | None:
        """Return what the sidecar would send now."""
        now = self.times
        states = read_states(self.store, now)
        if not any(is_due_at(one, plan_limit(one, now, last=last)) for one in states):
            return None
        with written(self.store):
            return note_plan(self.store, now, last=last), now

    def take(self, said: LeasePlan, answer: dict[str, Any], asked: LeaseTimes) -> None:
        """Take an answer in."""
        with written(self.store):
            apply_answer(self.store, said, answer, asked)


class SimulatedFleet:
    """Machines, one service, and the time."""

    def __init__(self, machines: int) -> None:
        self.database = sqlite3.connect(":memory:", isolation_level=None)
        for statement in OF_SERVICE:
            self.database.execute(statement)
        self.keeping = Keeping(self.database)
        self.now, self.spent = START, 0
        self.machines = [FleetMachine(f"m{number}", self) for number in range(machines)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for one in self.machines:
            one.store.close()
        self.database.close()

    def serve(self, machine: FleetMachine, said: LeasePlan) -> dict[str, Any]:
        """Do what a message asks for, as the route does."""
        self.keeping.now = self.now
        sent = json.loads(json.dumps([[plain(one) for one in some] for some in said_of(said)]))
        with written(self.database):
            for one in sent[0]:
                end(self.keeping, machine.row, return_of(one))
            kept = {name: renew(self.keeping, machine.row, name) for name in said.keep}
            given = [plain(give(self.keeping, machine.row, wish_of(one))) for one in sent[1]]
        return {"back": [one.id for one in said.back], "kept": kept, "leases": given}

    def talk(self, machine: FleetMachine, fault: str = "", *, last: bool = False) -> None:
        """Have a machine's sidecar say what there is. ``fault``: ``lost``: nothing comes;
        ``unheard``: no answer comes; ``twice``: it comes twice. ``last``: the machine ends.
        """
        begun = machine.begin(last=last)
        if begun is None:
            return
        said, asked = begun
        if fault == "lost":
            return
        answer = self.serve(machine, said)
        if fault == "twice":
            answer = self.serve(machine, said)
        if fault != "unheard":
            machine.take(said, answer, asked)


def said_of(said: LeasePlan) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the parts of a message that are records."""
    return said.back, said.want


@contextmanager
def written(connection: sqlite3.Connection) -> Iterator[None]:
    """Do it in one transaction."""
    with closing(connection.cursor()) as cursor:
        cursor.execute("BEGIN IMMEDIATE")
        try:
            yield
            cursor.execute("COMMIT")
        finally:
            if connection.in_transaction:
                cursor.execute("ROLLBACK")
