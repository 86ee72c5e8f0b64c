"""What a session, its agents, a user and a tenant have used up: tokens, money and time, and what
that means for one call more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interlock.limits.counts import LimitHold, count_held
from interlock.limits.prices import DOLLAR, cost
from interlock.limits.scopes import Scopes, describe_scope
from interlock.model.action import ASK, DENY, WARN
from interlock.model.decision import Finding, Obligation
from interlock.model.limits import CONTEXT, SHARED, CostBudget, Limits, TokenBudget
from interlock.model.record import Record
from interlock.model.usage import Usage
from interlock.store.protocol import Connection

PAUSED = frozenset({"GR-006"})
COSTLY = frozenset({"GR-010"})
APPROVED = "approved"
"""What a call holds that was asked about for its cost, with the period and the threshold: when it
ran, somebody said yes.
"""
_COLUMNS = "since, input, output, cached, written, cost, unpriced, context, reports"

KEPT = 90 * 86400
"""Seconds after which a session that was not seen is forgotten, unless it is paused."""
_FORGET = """DELETE FROM spending WHERE seen < ? AND (scope LIKE 'session:%' OR scope LIKE
    'agent:%' OR scope LIKE 'guard:%')
    AND scope NOT IN (SELECT scope FROM stopped)"""
_SPEND = """UPDATE spending SET input = input + ?, output = output + ?, cached = cached + ?,
    written = written + ?, cost = cost + ?,
    unpriced = CASE ? WHEN '' THEN unpriced ELSE ? END, reports = reports + 1 WHERE scope = ? AND
    every = ?"""


class PeriodSpending(Record):
    """A scope's use in its period. Times in Unix seconds, ``cost`` in millionths of a dollar."""

    since: float
    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0
    cost: int = 0
    unpriced: str = ""
    context: int = 0
    reports: int = 0


class Pause(Record):
    """A scope that is to stop until a person sets it free, and why."""

    scope: str
    why: str


class BudgetResult(Record):
    """What budgets say of a call: findings, duties, holds if it runs, what is to stop."""

    findings: tuple[Finding, ...] = ()
    obligations: tuple[Obligation, ...] = ()
    holds: tuple[LimitHold, ...] = ()
    pauses: tuple[Pause, ...] = ()


# -- the table -------------------------------------------------------------------------------------


def get_spent(connection: Connection, scope: str, every: int, now: float) -> PeriodSpending:
    """Return what a scope used up in its period, which begins anew when it is over.

    Where the clock went back the period is moved with it: neither longer nor forgotten.
    """
    row = connection.execute(
        f"SELECT seen, {_COLUMNS} FROM spending WHERE scope = ? AND every = ?",  # noqa: S608 - our own words
        (scope, every),
    ).fetchone()
    if row is None:
        connection.execute(
            "INSERT INTO spending (scope, every, since, seen) VALUES (?, ?, ?, ?)",
            (scope, every, now, now),
        )
        if connection.execute(_FORGET, (now - KEPT,)).rowcount:
            connection.execute(
                "DELETE FROM transcript WHERE 'session:' || session_id NOT IN (SELECT scope FROM"
                " spending)"
            )
            connection.execute(
                "DELETE FROM agent WHERE 'session:' || session_id NOT IN (SELECT scope FROM"
                " spending)"
            )
        return PeriodSpending(now)
    since = row[1]
    if now < row[0]:
        since -= row[0] - now
        connection.execute(
            "UPDATE spending SET since = ?, seen = ? WHERE scope = ? AND every = ?",
            (since, now, scope, every),
        )
    elif every and now >= since + every:
        begin_anew(connection, scope, every, now)
        return PeriodSpending(now, reports=row[9])
    elif now > row[0] + 1:
        connection.execute(
            "UPDATE spending SET seen = ? WHERE scope = ? AND every = ?", (now, scope, every)
        )
    return PeriodSpending(since, *row[2:])


def begin_anew(connection: Connection, scope: str, every: int, now: float) -> None:
    """Begin a scope's period again from nothing; what it used before is kept for people."""
    connection.execute(
        """UPDATE spending SET tokens_before = tokens_before + input + output + cached + written,
            cost_before = cost_before + cost,
            since = ?, seen = ?, input = 0, output = 0, cached = 0, written = 0, cost = 0, unpriced
            = '', context = 0
            WHERE scope = ? AND every = ?""",
        (now, now, scope, every),
    )
    connection.execute("DELETE FROM cost_approval WHERE scope = ? AND every = ?", (scope, every))


def approve(connection: Connection, scope: str, every: int, threshold: int, cost_then: int) -> None:
    """Remember that a person approved a scope's cost for one threshold (millionths of a dollar)."""
    connection.execute(
        """INSERT INTO cost_approval (scope, every, threshold, approved) VALUES (?, ?, ?, ?)
            ON CONFLICT (scope, every, threshold) DO UPDATE SET approved = max(approved,
            excluded.approved)""",
        (scope, every, threshold, cost_then),
    )


def _read_approved(connection: Connection, scope: str, every: int, threshold: int) -> int:
    sql = "SELECT approved FROM cost_approval WHERE scope = ? AND every = ? AND threshold = ?"
    row = connection.execute(sql, (scope, every, threshold)).fetchone()
    return row[0] if row is not None else 0


def spend(connection: Connection, limits: Limits, scopes: Scopes, usage: Usage, now: float) -> None:
    """Count usage for the session, the agent and every agent above it, the user and the tenant, in
    every period that a budget has.
    """
    wanted = scopes.counted(frozenset([budget.per for budget in limits.budgets]))
    for every in sorted({0, *[budget.every for budget in limits.budgets]}):
        for scope in wanted:
            if every:
                get_spent(connection, scope, every, now)  # its period may be over
            spend_in(connection, scope, every, amounts(usage, limits), now)
    if limits.shared:
        from interlock.limits import shared_budgets  # where nothing is shared, it is not loaded

        shared_budgets.spend_shared(connection, limits, usage)


def amounts(usage: Usage, limits: Limits) -> tuple[int | str, ...]:
    """Return what is counted of usage, in the order of ``_SPEND``."""
    money = cost(usage, limits.prices)
    unpriced = "" if money is not None else usage.model or "a model without a name"
    return (usage.input, usage.output, usage.cached, usage.written, money or 0, unpriced, unpriced)


def spend_in(
    connection: Connection, scope: str, every: int, counted: tuple[int | str, ...], now: float
) -> None:
    """Count amounts for one scope and period."""
    if not connection.execute(_SPEND, (*counted, scope, every)).rowcount:
        get_spent(connection, scope, every, now)
        connection.execute(_SPEND, (*counted, scope, every))


def note_context(
    connection: Connection, limits: Limits, scopes: Scopes, tokens: int, now: float
) -> None:
    """Remember how much an agent's last request held, where a budget asks for that."""
    if not any(budget.of == CONTEXT for budget in limits.tokens):
        return
    get_spent(connection, scopes.above[0], 0, now)
    connection.execute(
        "UPDATE spending SET context = ? WHERE scope = ? AND every = 0", (tokens, scopes.above[0])
    )


# -- what it means for a call ----------------------------------------------------------------------


class _Books:
    """What the budgets of one call look at: each scope is looked up once."""

    def __init__(self, connection: Connection, scopes: Scopes, now: float) -> None:
        self.connection = connection
        self.scopes = scopes
        self.now = now
        self._count_usage: dict[tuple[str, int], PeriodSpending] = {}

    def spent(self, scope: str, every: int) -> PeriodSpending:
        """Return what a scope used up in its period."""
        key = (scope, every)
        if key not in self._count_usage:
            self._count_usage[key] = get_spent(self.connection, scope, every, self.now)
        return self._count_usage[key]

    def held(self, scope: str, what: str) -> int:
        """Return how much of something calls without an outcome hold."""
        return count_held(self.connection, scope, what, self.now)[0]


def budgets_of(
    connection: Connection, limits: Limits, scopes: Scopes, roles: frozenset[str], now: float
) -> BudgetResult:
    """Return what all budgets and durations say of one call more."""
    books = _Books(connection, scopes, now)
    found = [
        *_tokens(books, limits.tokens),
        *_costs(books, limits.costs, roles),
        *_durations(books, limits),
    ]
    return BudgetResult(
        tuple([finding for one in found for finding in one.findings]),
        tuple(dict.fromkeys([duty for one in found for duty in one.obligations])),
        # a call under budgets holds something, be it nothing: by that its outcome is counted once
        (
            *[hold for one in found for hold in one.holds],
            *([LimitHold(scopes.session, "call", 0)] if limits.budgets else []),
        ),
        tuple([pause for one in found for pause in one.pauses]),
    )


def _tokens(books: _Books, budgets: Sequence[TokenBudget]) -> Iterator[BudgetResult]:
    scopes = books.scopes
    for number, budget in enumerate(budgets):
        if budget.per in SHARED:
            continue  # what a machine may spend of it is lent: ``shared``
        for scope in scopes.above[:1] if budget.of == CONTEXT else scopes.budget_scopes(budget.per):
            known, what = (
                books.spent(scope, 0 if budget.of == CONTEXT else budget.every),
                f"tokens {number}",
            )
            used = (
                known.context
                if budget.of == CONTEXT
                else known.input
                + known.output
                + known.written
                + (known.cached if budget.cached else 0)
            )
            holds = (LimitHold(scope, what, budget.reserve),) if budget.reserve else ()
            used += books.held(scope, what) + budget.reserve if holds else 0
            said = (
                f"{used} of {budget.limit} tokens of"
                f" {'the context' if budget.of == CONTEXT else describe_scope(scope)} are used up"
            )
            if used >= budget.limit * budget.hard:
                # who talks to the person is the session
                yield _make_pause(
                    "limits.tokens", scopes.session if scope == scopes.above[-1] else scope, said
                )
            elif used >= budget.limit * budget.warning:
                warned = (
                    f"{said}; at {int(budget.limit * budget.hard)} it is paused until a person"
                    " lifts that."
                )
                yield BudgetResult(
                    (Finding("limits.tokens", WARN, "limits", warned, tags=PAUSED),), holds=holds
                )
            elif holds:
                yield BudgetResult(holds=holds)


def _make_pause(rule: str, scope: str, said: str) -> BudgetResult:
    return BudgetResult(
        (stop(rule, scope, said),),
        (Obligation("notify", f"{describe_scope(scope)} is paused: {said}"),),
        pauses=(Pause(scope, said),),
    )


def stop(rule: str, scope: str, why: str) -> Finding:
    """Return the refusal of a call in a scope that is stopped."""
    kind, _, name = scope.partition(":")
    target = name if kind == "session" else scope
    message = (
        f"{why}, so {describe_scope(scope)} is paused until a person runs `interlock limits resume"
        f" {target}`."
    )
    return Finding(
        rule,
        DENY,
        "limits",
        message[:1].upper() + message[1:],
        "Stop here and tell the user; nothing you do lifts it.",
        tags=PAUSED,
    )


def _costs(
    books: _Books, budgets: Sequence[CostBudget], roles: frozenset[str]
) -> Iterator[BudgetResult]:
    for number, budget in enumerate(budgets):
        if budget.per in SHARED:  # as with tokens
            yield from _check_price(books.spent(books.scopes.session, 0))
            continue
        for scope in books.scopes.budget_scopes(budget.per):
            known, what = books.spent(scope, budget.every), f"cost {number}"
            reserve = int(budget.reserve * DOLLAR)
            holds = (LimitHold(scope, what, reserve),) if reserve else ()
            total = known.cost + (books.held(scope, what) + reserve if holds else 0)
            yield from _check_price(known)
            threshold = int(budget.threshold * DOLLAR)
            approved = (
                _read_approved(books.connection, scope, budget.every, threshold)
                if total >= threshold
                else 0
            )
            if total - approved < threshold:
                yield BudgetResult(holds=holds)
                continue
            allowed = approved / DOLLAR + budget.threshold
            message = (
                f"The estimated cost of {describe_scope(scope)} is ${total / DOLLAR:.2f}, and a"
                f" person has to approve what is over ${allowed:.2f}."
            )
            duty = (Obligation("approver", budget.approver),) if budget.approver in roles else ()
            # when the call ran, somebody approved: so much is then approved, and the next question
            # comes a threshold later
            holds = (*holds, LimitHold(scope, f"{APPROVED} {budget.every} {threshold}", total))
            yield BudgetResult(
                (Finding("limits.cost", ASK, "limits", message, tags=COSTLY),), duty, holds
            )


def _check_price(known: PeriodSpending) -> Iterator[BudgetResult]:
    if known.unpriced:
        why = f"nobody knows what {known.unpriced} costs; name its price in the policy"
        yield BudgetResult((count_failure(why),))


def _durations(books: _Books, limits: Limits) -> Iterator[BudgetResult]:
    for limit in limits.durations:
        lasted = int(books.now - books.spent(books.scopes.session, 0).since)
        said = f"this session has lasted {lasted} of {limit.seconds} seconds"
        if lasted >= limit.seconds:
            yield _make_pause("limits.duration", books.scopes.session, said)
        elif lasted >= limit.seconds * limit.warning:
            yield BudgetResult(
                (
                    Finding(
                        "limits.duration",
                        WARN,
                        "limits",
                        said[:1].upper() + said[1:] + ".",
                        tags=PAUSED,
                    ),
                )
            )


def count_failure(why: str) -> Finding:
    """Return the question that is asked where a limit cannot be counted."""
    return Finding(
        "limits.not-counted", ASK, "limits", f"A limit of the policy cannot be counted: {why}."
    )
