"""What people are shown of the limits: a policy in words, what was used, what is stopped."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.limits.counts import of_class
from interlock.limits.gcra import SECOND, interval
from interlock.limits.leases import holds, leases_of, met_limits, read_times
from interlock.limits.prices import DOLLAR
from interlock.model.leases import COST, PLACES, RATE, TOKENS
from interlock.model.limits import CONTEXT, SHARED, TENANT, USER, Limits
from interlock.model.record import Record
from interlock.store.protocol import Connection, Storage

DAY = 86400
MOST = 50


class ScopeUsage(Record):
    """What one scope used up: in its period (``every`` seconds, 0: for ever), and before it.
    ``stopped``: why, or ``""``. Money in dollars.
    """

    scope: str
    every: int
    since: float
    input: int
    output: int
    cached: int
    written: int
    cost: float
    unpriced: str
    tokens_before: int
    cost_before: float
    running: int = 0
    stopped: str = ""


def read_usage(store: Storage, scope: str = "") -> list[ScopeUsage]:
    """Return what scopes used up, the last seen first, ``MOST`` at most; with ``scope`` only that
    one and what is below it. Raises ``StoreError``.
    """

    def work(connection: Connection) -> list[ScopeUsage]:
        stops = dict(connection.execute("SELECT scope, why FROM stopped").fetchall())
        running = dict(
            connection.execute(
                "SELECT scope, count(DISTINCT id) FROM hold GROUP BY scope"
            ).fetchall()
        )
        rows = connection.execute(
            """SELECT scope, every, since, input, output, cached, written, cost, unpriced,
                tokens_before, cost_before FROM spending
                WHERE ? IN ('', scope) OR scope LIKE ? ESCAPE '\\' ORDER BY seen DESC, scope LIMIT
                ?""",
            (scope, _below(scope), MOST),
        ).fetchall()
        found = [
            _make_used(row, running.get(row[0], 0), stops.pop(row[0], ""))
            for row in rows
            if _tells(row)
        ]
        return found + [
            ScopeUsage(name, 0, 0, 0, 0, 0, 0, 0, "", 0, 0, 0, why)
            for name, why in sorted(stops.items())
            if scope in ("", name)
        ]

    return store.view(work)


class BurstUsage(Record):
    """How many calls of a rate's burst a scope has used up at this moment."""

    scope: str
    tools: str
    rate: str
    taken: int
    burst: int


def read_rates(store: Storage, now: float, scope: str = "") -> list[BurstUsage]:
    """Return the rates that are not paid off yet, ``MOST`` at most; ``now``: Unix seconds. Raises
    ``StoreError``.
    """
    micros = int(now * SECOND)
    sql = (
        "SELECT scope, what, paid FROM rate WHERE paid > ? AND (? IN ('', scope) OR scope LIKE ?"
        " ESCAPE '\\') ORDER BY paid DESC LIMIT ?"
    )
    return [
        _parse_rate(scope, what, paid, micros)
        for scope, what, paid in store.query(sql, (micros, scope, _below(scope), MOST))
    ]


def _parse_rate(scope: str, what: str, paid: int, now: int) -> BurstUsage:
    rest, _, burst = what.rpartition(" ")
    tools, _, rate = rest.rpartition(" ")
    count, _, seconds = rate.partition("/")
    most = int(burst)
    return BurstUsage(
        scope,
        tools,
        f"{rate}s",
        min(-(-(paid - now) // interval(int(count), int(seconds))), most),
        most,
    )


def _below(scope: str) -> str:
    kind, _, name = scope.partition(":")
    escaped = "".join(["\\" + char if char in "%_\\" else char for char in name])
    return f"agent:{escaped}/%" if kind == "session" else ""


def _make_used(
    row: tuple[str, int, float, int, int, int, int, int, str, int, int], running: int, stopped: str
) -> ScopeUsage:
    return ScopeUsage(*row[:7], row[7] / DOLLAR, row[8], row[9], row[10] / DOLLAR, running, stopped)


def _tells(row: tuple[str, ...]) -> bool:
    """Leave out users and tenants that nobody named and the session's own agent."""
    return row[0] not in (f"{USER}:", f"{TENANT}:") and not (
        row[0].startswith("agent:") and row[0].endswith("/")
    )


class SharedStatus(Record):
    """What this machine has of a shared limit, in words; ``lacking``: calls wait, and nobody says
    for how long.
    """

    said: str
    lacking: bool


def render_shared(store: Storage) -> Iterator[SharedStatus]:
    """Yield what this machine may still use of each limit that machines share and that calls met
    here; raises ``StoreError``.
    """
    now = read_times(store)
    for met in store.view(met_limits):
        limit = met.limit
        open_now = [
            one
            for one in store.view(lambda connection, of=limit: leases_of(connection, of))  # type: ignore[misc]
            if holds(one, now)
        ]
        unit = DOLLAR if limit.kind == COST else 1
        rest, most = sum(one.rest for one in open_now) / unit, limit.most / unit
        others = f", {met.left / unit:,g} that nobody has" if met.left >= 0 else ""
        yield SharedStatus(
            f"{_NAMES[limit.kind]} of the {limit.scope}: {rest:,g} of {most:,g} may be used here"
            f"{others}",
            met.lacking > 0,
        )


_NAMES = {RATE: "calls", PLACES: "calls at once", TOKENS: "tokens", COST: "dollars"}


def render_limits(limits: Limits | None) -> Iterator[str]:
    """Yield each limit of a policy as a sentence."""
    if limits is None:
        return
    for rate in limits.rates:
        yield f"{rate.rate} of {of_class(rate.tools)} {_whom(rate.per)}" + (
            f", {rate.burst} at once" if rate.burst else ""
        )
    for together in limits.concurrent:
        yield f"{together.most} calls at once of {of_class(together.tools)} {_whom(together.per)}"
    for tokens in limits.tokens:
        what = "tokens in the context" if tokens.of == CONTEXT else "tokens"
        yield (
            f"{tokens.limit} {what} {_whom(tokens.per)}{_every(tokens.every)}: a warning at"
            f" {tokens.warning:.0%}, "
            + ("then refused" if tokens.per in SHARED else f"paused at {tokens.hard:.0%}")
        )
    for cost in limits.costs:
        yield (
            f"${cost.threshold:.2f} {_whom(cost.per)}{_every(cost.every)}, then a person approves"
            f" each further ${cost.threshold:.2f}"
        )
    for duration in limits.durations:
        yield (
            f"{duration.seconds} seconds for each session: a warning at {duration.warning:.0%},"
            " then paused"
        )


def _whom(per: str) -> str:
    return f"for the {per}" if per in SHARED else f"for each {per}"


def _every(seconds: int) -> str:
    if not seconds:
        return ""
    return (
        f" in {seconds // DAY} days"
        if seconds % DAY == 0 and seconds > DAY
        else " a day"
        if seconds == DAY
        else f" in {seconds} seconds"
    )
