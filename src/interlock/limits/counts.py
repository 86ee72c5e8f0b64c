"""Rates and calls at once: what a call would take, whether it may, and taking it, at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from interlock.limits import gcra
from interlock.limits.scopes import Scopes, concerns, describe_scope
from interlock.model.action import THROTTLE
from interlock.model.call import ToolCall
from interlock.model.decision import Finding
from interlock.model.effect import Reading
from interlock.model.limits import ALL, NAMED, SHARED, Concurrency, Limits, Rate, parse_rate
from interlock.model.record import Record
from interlock.store.protocol import Connection

THROTTLED = frozenset({"GR-007"})
STALE = 86400
"""Seconds after which a rate long paid off, and a hold long expired, is thrown away."""


class Bucket(Record):
    """One rate of one scope. ``paid``: microseconds; ``rate``: as the policy writes it."""

    scope: str
    what: str
    rate: Rate
    each: int
    burst: int
    paid: int = 0


class LimitHold(Record):
    """What a call holds of something until its outcome: ``amount`` of ``what`` in ``scope``."""

    scope: str
    what: str
    amount: int


def buckets(
    connection: Connection, limits: Limits, scopes: Scopes, call: ToolCall, reading: Reading
) -> list[Bucket]:
    """Return the rates that a call takes from, as they stand."""
    found: dict[tuple[str, str], Bucket] = {}
    for rate in limits.rates:
        if rate.per not in SHARED and concerns(rate.tools, call, reading):
            count, seconds = parse_rate(rate.rate)
            burst = rate.burst or count
            scope, what = scopes.of(rate.per), f"{rate.tools} {count}/{seconds} {burst}"
            found[scope, what] = Bucket(scope, what, rate, gcra.interval(count, seconds), burst)
    for row in connection.execute(
        f"SELECT scope, what, paid FROM rate WHERE {_any(found)}",  # noqa: S608 - question marks
        _flat(found),
    ).fetchall():
        found[row[0], row[1]] = found[row[0], row[1]].replace(paid=row[2])
    return list(found.values())


def _any(keys: Iterable[tuple[str, str]]) -> str:
    return " OR ".join(["(scope = ? AND what = ?)" for _ in keys]) or "0"


def _flat(keys: Iterable[tuple[str, str]]) -> list[str]:
    return [word for key in keys for word in key]


def steady(connection: Connection, rates: Sequence[Bucket], now: int) -> list[Bucket]:
    """Return the rates after a clock went back, and remember that their bursts are used up."""
    found = []
    for bucket in rates:
        paid = gcra.clamp_paid(bucket.paid, now, bucket.each, bucket.burst)
        if paid != bucket.paid:
            connection.execute(
                "UPDATE rate SET paid = ? WHERE scope = ? AND what = ?",
                (paid, bucket.scope, bucket.what),
            )
        found.append(bucket.replace(paid=paid))
    return found


def find_exceeded(rates: Sequence[Bucket], now: int) -> list[Finding]:
    """Return a finding for every rate that one call more would go over."""
    found = []
    for bucket in rates:
        wait = gcra.wait(bucket.paid, now, bucket.each, bucket.burst)
        if wait:
            seconds = -(-wait // gcra.SECOND)
            message = (
                f"The rate of {bucket.rate.rate} for {of_class(bucket.rate.tools)} of"
                f" {describe_scope(bucket.scope)} is used up; try again in {seconds}"
                f" {'second' if seconds == 1 else 'seconds'}."
            )
            found.append(
                Finding(
                    "limits.rate", THROTTLE, "limits", message, retry_after=seconds, tags=THROTTLED
                )
            )
    return found


def of_class(tools: str) -> str:
    """Return a class of tools in words."""
    return (
        "all calls"
        if tools == ALL
        else f"the tool {tools.removeprefix(NAMED)}"
        if tools.startswith(NAMED)
        else tools
    )


def take(connection: Connection, rates: Sequence[Bucket], now: int) -> None:
    """Take one call from every rate."""
    for bucket in rates:
        if not bucket.paid:
            connection.execute("DELETE FROM rate WHERE paid < ?", (now - STALE * gcra.SECOND,))
        paid = gcra.take_one(bucket.paid, now, bucket.each)
        connection.execute(
            "INSERT INTO rate (scope, what, paid) VALUES (?, ?, ?) ON CONFLICT (scope, what) DO"
            " UPDATE SET paid = excluded.paid",
            (bucket.scope, bucket.what, paid),
        )


def give_back(connection: Connection, rates: Sequence[Bucket]) -> None:
    """Undo ``take`` for a call that does not run: as if it had never come."""
    for bucket in rates:
        connection.execute(
            "UPDATE rate SET paid = paid - ? WHERE scope = ? AND what = ?",
            (bucket.each, bucket.scope, bucket.what),
        )


# -- calls at once, and what else is held until an outcome -----------------------------------------


def reap(connection: Connection, now: float, lease: int) -> None:
    """Throw away what expired long ago, and let nothing be held longer than a lease from now: a
    clock that went back must not hold it for ever.
    """
    if (
        connection.execute(
            "SELECT 1 FROM hold WHERE expires < ? OR expires > ? LIMIT 1",
            (now - STALE, now + lease),
        ).fetchone()
        is not None
    ):
        connection.execute("DELETE FROM hold WHERE expires < ?", (now - STALE,))
        connection.execute(
            "UPDATE hold SET expires = ? WHERE expires > ?", (now + lease, now + lease)
        )


def count_held(connection: Connection, scope: str, what: str, now: float) -> tuple[int, float]:
    """Return how much of something is held, and when the first of it expires. What expired counts
    no more, its call is taken for dead.
    """
    row = connection.execute(
        "SELECT sum(amount), min(expires) FROM hold WHERE scope = ? AND what = ? AND expires > ?",
        (scope, what, now),
    ).fetchone()
    return row[0] or 0, row[1] or now


def at_once(connection: Connection, limit: Concurrency, scope: str, now: float) -> Finding | None:
    """Return a finding where one call more would be too many at once."""
    running, first = count_held(connection, scope, running_of(limit), now)
    if running < limit.most:
        return None
    seconds = max(1, min(int(first - now) + 1, 5))
    message = (
        f"{running} calls ({of_class(limit.tools)}) of {describe_scope(scope)} run already, and"
        f" {limit.most} may at once; try again when one has ended, or in {seconds}"
        f" {'second' if seconds == 1 else 'seconds'}."
    )
    return Finding(
        "limits.concurrent", THROTTLE, "limits", message, retry_after=seconds, tags=THROTTLED
    )


def running_of(limit: Concurrency) -> str:
    """Return what calls at once are held as."""
    return f"calls {limit.tools}"


def hold(
    connection: Connection,
    holds: Iterable[LimitHold],
    named_as: tuple[str, str, str],
    expires: float,
) -> None:
    """Hold all of it for one call: ``named_as`` is the decision's id, the session, and what the
    outcome will know the call by.
    """
    decision, session, call = named_as
    for one in holds:
        connection.execute(
            "INSERT OR REPLACE INTO hold (scope, what, id, amount, expires, session_id, call)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (one.scope, one.what, decision, one.amount, expires, session, call),
        )
