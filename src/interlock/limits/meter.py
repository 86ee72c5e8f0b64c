"""``Meter``: charges a call to every limit in one atomic step, gives back what did not run, and
settles what did.

A call that one limit refuses is counted by none. Time is the clock of the machine that the store is
on. If it goes back, nothing loosens: rates count as used up for their burst, periods and sessions
go on from what they lasted. If it jumps ahead, rates are paid off, periods end and leases expire at
once: once, for what lay before the jump.
"""

from __future__ import annotations

import time
from binascii import crc32
from collections.abc import Callable, Sequence

from interlock.limits import counts, gcra
from interlock.limits.counts import Bucket, LimitHold
from interlock.limits.figures import TranscriptReading
from interlock.limits.scopes import Scopes, agent, concerns, guard, scopes
from interlock.limits.shared import SharedCharge
from interlock.limits.spending import (
    APPROVED,
    Pause,
    amounts,
    approve,
    begin_anew,
    budgets_of,
    count_failure,
    note_context,
    spend,
    spend_in,
    stop,
)
from interlock.model.action import ALLOW, THROTTLE
from interlock.model.call import TASK, Outcome, ToolCall
from interlock.model.decision import Finding, Obligation
from interlock.model.effect import Reading
from interlock.model.limits import ALL, Limits
from interlock.model.policy import Policy
from interlock.model.record import Record
from interlock.model.usage import Usage
from interlock.store.protocol import Connection, Storage

NO_LIMITS = Limits()


class Charge(Record):
    """What the limits say of a call, and what was taken for it (nothing if refused)."""

    decision: str
    findings: tuple[Finding, ...] = ()
    obligations: tuple[Obligation, ...] = ()
    rates: tuple[Bucket, ...] = ()
    holds: tuple[LimitHold, ...] = ()
    leases: tuple[str, ...] = ()


class Meter:
    """The limits of one store. ``clock``: Unix seconds. Every method raises ``StoreError`` where it
    could not be counted.
    """

    def __init__(self, store: Storage, clock: Callable[[], float] = time.time) -> None:
        self.store = store
        self.clock = clock

    def charge(self, call: ToolCall, reading: Reading, policy: Policy, decision: str) -> Charge:
        """Charge a call, all of it or nothing. A policy that only observes pauses nobody."""
        limits = policy.limits or NO_LIMITS
        found: list[TranscriptReading] = []
        if limits.budgets:
            from interlock.limits import figures  # rates alone need none

            found = figures.read_on(self.store.query(*figures.marks_query(call)), call)
        return self.store.transact(
            lambda connection: self._charge(connection, (call, reading), policy, decision, found)
        )

    def _charge(
        self,
        connection: Connection,
        asked: tuple[ToolCall, Reading],
        policy: Policy,
        decision: str,
        found: list[TranscriptReading],
    ) -> Charge:
        (call, reading), limits, now = asked, policy.limits or NO_LIMITS, self.clock()
        of, problems = scopes(connection, call), list[str]()
        if limits.budgets:
            from interlock.limits import figures

            problems = figures.count(connection, limits, call, found, now)
        stopped = _find_stops(connection, of)
        if stopped:
            return Charge(decision, stopped)
        counts.reap(connection, now, limits.lease)
        micros = int(now * gcra.SECOND)
        rates = counts.steady(
            connection, counts.buckets(connection, limits, of, call, reading), micros
        )
        budgets = budgets_of(connection, limits, of, frozenset(policy.roles or ()), now)
        running, holds = _at_once(connection, limits, of, asked, now)
        shared = self._charge_shared(connection, limits, asked) if limits.shared else None
        duties = budgets.obligations
        if shared is not None:
            known = frozenset(policy.roles or ())
            duties += tuple([duty for duty in shared.obligations if duty.detail in known])
        findings = (
            *counts.find_exceeded(rates, micros),
            *running,
            *(shared.findings if shared is not None else ()),
            *budgets.findings,
            *[count_failure(why) for why in problems],
        )
        if max([finding.action for finding in findings], default=ALLOW) >= THROTTLE:
            if not policy.observe:
                _pause(connection, budgets.pauses, call.session)
            return Charge(decision, findings, duties)
        counts.take(connection, rates, micros)
        holds += budgets.holds
        leases = shared.leases if shared is not None else ()
        if shared is not None:
            holds += shared.holds
            _spend_leases(connection, leases)
        counts.hold(connection, holds, (decision, call.session, _call_of(call)), now + limits.lease)
        return Charge(decision, findings, duties, tuple(rates), holds, leases)

    def _charge_shared(
        self, connection: Connection, limits: Limits, asked: tuple[ToolCall, Reading]
    ) -> SharedCharge:
        """Return what limits that machines share say, and what the call would take of them."""
        from interlock.limits import leases, shared  # where nothing is shared, none of it is loaded

        met, now = shared.shared_terms(limits, *asked), leases.read_times(self.store, self.clock)
        return shared.charge_shared(connection, self.store.folder, met, now)

    def release(self, charge: Charge) -> None:
        """Give back what was taken for a call that does not run after all."""
        if charge.rates or charge.holds or charge.leases:
            self.store.transact(lambda connection: _release(connection, charge))

    def settle(self, outcome: Outcome, policy: Policy) -> None:
        """End what a call held, and count what it used: once, however often its outcome is told.
        Raises ``ValueError`` for figures that are none.
        """
        _figures(outcome.usage)
        self.store.transact(
            lambda connection: self._settle_holds(connection, outcome, policy.limits or NO_LIMITS)
        )

    def _settle_holds(self, connection: Connection, outcome: Outcome, limits: Limits) -> None:
        call = outcome.call
        rows = connection.execute(
            "SELECT id, scope, what, amount FROM hold WHERE session_id = ? AND call = ? ORDER BY"
            " expires, id",
            (call.session, _call_of(call)),
        ).fetchall()
        if not call.call_id:
            # of calls that look alike the oldest
            rows = [row for row in rows if row[0] == rows[0][0]]
        for decision, scope, what, amount in rows:
            connection.execute(
                "DELETE FROM hold WHERE scope = ? AND what = ? AND id = ?", (scope, what, decision)
            )
            kind, _, terms = what.partition(" ")
            if kind == APPROVED and outcome.status != "refused":
                every, _, threshold = terms.partition(" ")
                approve(connection, scope, int(every), int(threshold), amount)
        if rows and outcome.usage is not None:
            spend(connection, limits, scopes(connection, call), outcome.usage, self.clock())

    def spent(self, call: ToolCall, usage: Usage, policy: Policy) -> None:
        """Count what an agent used, told by whoever runs it; of ``call`` only session, agent, user
        and tenant are looked at.

        Raises ``ValueError`` for figures that are none.
        """
        _figures(usage)
        held = usage.input + usage.output + usage.cached + usage.written

        def work(connection: Connection) -> None:
            of, limits = scopes(connection, call), policy.limits or NO_LIMITS
            spend(connection, limits, of, usage, self.clock())
            note_context(connection, limits, of, held, self.clock())

        self.store.transact(work)

    def reviewed(self, call: ToolCall, usage: Usage, policy: Policy) -> None:
        """Count what the guard's own model used for a call, apart from what the agent uses."""
        terms = amounts(usage, policy.limits or NO_LIMITS)
        self.store.transact(
            lambda connection: spend_in(connection, guard(call.session), 0, terms, self.clock())
        )

    def resume(self, scope: str, by: str) -> bool:
        """Set a scope free and let its budgets begin anew, those of its agents too where it is a
        session; tell whether it was stopped.

        ``by``: who says so, for the audit. What could not be read in its transcripts counts as seen
        by that person.
        """

        def work(connection: Connection) -> bool:
            kind, _, name = scope.partition(":")
            below = agent(name, "") if kind == "session" else scope
            within = (scope, below, below + "\U0010ffff" if kind == "session" else below)
            freed = connection.execute(
                "DELETE FROM stopped WHERE scope = ? OR scope BETWEEN ? AND ?", within
            ).rowcount
            rows = connection.execute(
                "SELECT scope, every FROM spending WHERE scope = ? OR scope BETWEEN ? AND ?", within
            ).fetchall()
            for found, every in rows:
                begin_anew(connection, found, every, self.clock())
            if kind == "session":
                connection.execute(
                    "UPDATE transcript SET unread = '' WHERE session_id = ?", (name,)
                )
            from interlock.store import chain

            chain.extend(
                connection,
                "limit-resume",
                scope,
                {"by": by, "freed": freed},
                name if kind == "session" else "",
            )
            return freed > 0

        return self.store.transact(work)


def _figures(usage: Usage | None) -> None:
    """Raise ``ValueError`` for what nobody can have used: a negative figure would give back."""
    if usage is not None and usage.wrong:
        raise ValueError(usage.wrong)


def _find_stops(connection: Connection, of: Scopes) -> tuple[Finding, ...]:
    marks = ", ".join("?" * len(of.all))
    rows = connection.execute(
        f"SELECT scope, why FROM stopped WHERE scope IN ({marks})",  # noqa: S608 - question marks
        of.all,
    ).fetchall()
    return tuple([stop("limits.paused", scope, why) for scope, why in rows])


def _pause(connection: Connection, pauses: Sequence[Pause], session: str) -> None:
    """Stop scopes, one event of the audit for each."""
    from interlock.store import chain  # not on the way of a call that is within its limits

    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    for pause in pauses:
        sql = "INSERT OR IGNORE INTO stopped (scope, since, why, by) VALUES (?, ?, ?, 'limits')"
        if connection.execute(sql, (pause.scope, since, pause.why)).rowcount:
            chain.extend(connection, "limit-pause", pause.scope, {"why": pause.why}, session)


def _at_once(
    connection: Connection, limits: Limits, of: Scopes, asked: tuple[ToolCall, Reading], now: float
) -> tuple[list[Finding], tuple[LimitHold, ...]]:
    """Return what limits of calls at once say, and what the call would hold of them.

    A call that starts a sub-agent waits while that one works: it counts where it is named, and not
    among all calls, or its sub-agent could never make one.
    """
    concerned = [
        limit
        for limit in limits.concurrent
        if concerns(limit.tools, *asked) and not (limit.tools == ALL and asked[0].tool == TASK)
    ]
    said = [counts.at_once(connection, limit, of.of(limit.per), now) for limit in concerned]
    holds = [counts.LimitHold(of.of(limit.per), counts.running_of(limit), 1) for limit in concerned]
    return [finding for finding in said if finding is not None], tuple(dict.fromkeys(holds))


def _spend_leases(connection: Connection, names: Sequence[str]) -> None:
    from interlock.limits import leases  # where nothing is shared, none of it is loaded

    for name in names:
        leases.use(connection, name)


def _release(connection: Connection, charge: Charge) -> None:
    counts.give_back(connection, charge.rates)
    if charge.leases:
        from interlock.limits import leases  # as above

        for name in charge.leases:
            leases.unuse(connection, name)
    connection.execute("DELETE FROM hold WHERE id = ?", (charge.decision,))


def _call_of(call: ToolCall) -> str:
    """Return what an outcome knows its call by: the client's id, else a checksum of both."""
    return (
        call.call_id
        or f"like {crc32(f'{call.name} {call.input!r}'.encode('utf-8', 'surrogatepass')):08x}"
    )
