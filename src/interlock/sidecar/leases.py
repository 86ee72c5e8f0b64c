"""Leases of limits that machines share: asked for as soon as calls meet such a limit, one ahead of
what is used up, renewed while calls go on, and given back when they do not.

What ends is noted in the store before it is told, so that no call uses what was given back; a lease
has its name before it is asked for, so that an answer that was lost costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from random import uniform
from secrets import token_hex
from threading import Event, Thread
from time import monotonic
from typing import Any

from interlock.limits import leases
from interlock.limits.counts import count_held
from interlock.limits.leases import ASKED, ENDED, OPEN, Lease, LeaseTimes, MetLimit
from interlock.model.leases import MOST_WAIT, LeaseReturn, LeaseWish
from interlock.model.record import Record
from interlock.sidecar.client import SidecarClient, UnreachableError, number
from interlock.store.elsewhere import EnrolmentState
from interlock.store.place import StoreError
from interlock.store.protocol import Connection, Storage
from interlock.wire.leases import MOST_ENTRIES, LeaseError, answer_of, plain

LOOK_SECONDS = 0.25
IDLE_SECONDS = 20.0
"""Seconds without a call that meets a limit after which what is left of it is given back."""
RENEW_SECONDS = 30.0
"""What a lease holds at least while calls go on."""
MOST_PAUSE = 5.0
"""Seconds between tries while the service does not answer, at most."""


class LimitState(Record):
    """A shared limit that calls met here: its leases, and what calls hold of it that have no
    outcome yet.
    """

    met: MetLimit
    leases: tuple[Lease, ...]
    held: int


class LimitPlan(Record):
    """What is to be done about one limit. ``over``: leases that end now; ``keep``: those that are
    to hold on; ``ask``: whether one more is wanted.
    """

    over: tuple[Lease, ...] = ()
    keep: tuple[str, ...] = ()
    ask: bool = False


class LeasePlan(Record):
    """What is to be said: leases that have ended, are wanted, and are to hold on."""

    back: tuple[LeaseReturn, ...] = ()
    want: tuple[LeaseWish, ...] = ()
    keep: tuple[str, ...] = ()


class SidecarLeases:
    """The leases of one store at one service. ``read``: the moment, as this machine has it."""

    def __init__(
        self,
        store: Storage,
        where: EnrolmentState,
        read: Callable[[Storage], LeaseTimes] = leases.read_times,
        drawn: Callable[[float, float], float] = uniform,
    ) -> None:
        self._store, self._read, self._drawn = store, read, drawn
        self._client = SidecarClient(where.url, where.pin, where.credential)
        self._failed, self._pause = 0, 0.0

    def begin(self, ended: Event) -> None:
        """Look after them from now on, in a thread of its own."""
        Thread(target=self.run, args=(ended,), daemon=True).start()

    def run(self, ended: Event) -> None:
        """Look after them until that is to end."""
        while not ended.wait(LOOK_SECONDS):
            if monotonic() >= self._pause:
                self.step()
        self.close()

    def step(self) -> None:
        """Say what there is to say; where that fails, it is tried again."""
        try:
            self.exchange()
            self._failed = 0
        except (UnreachableError, StoreError, OSError):
            most = min(MOST_PAUSE, 2.0 ** min(self._failed, 9))
            self._failed += 1
            self._pause = monotonic() + self._drawn(0.0, most)

    def exchange(self, *, last: bool = False) -> bool:
        """Say what there is to say; tell whether there was anything. ``last``: all is given back.
        Raises ``UnreachableError``, ``StoreError`` and ``OSError``.
        """
        if not self._store.query("SELECT 1 FROM shared_limit LIMIT 1"):
            return False
        asked = self._read(self._store)
        states = self._store.view(lambda connection: read_states(connection, asked))
        if not any(is_due(one, plan_limit(one, asked, last=last)) for one in states):
            return False
        said = self._store.transact(lambda connection: note_plan(connection, asked, last=last))
        answer = self._client.tell("/v1/leases", _body(said))
        if answer.status != 200:
            raise UnreachableError(f"it answered {answer.status}")
        self._store.transact(lambda connection: apply_answer(connection, said, answer.said, asked))
        return True

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()


def give_back_all(store: Storage, where: EnrolmentState) -> None:
    """Give back all that is left, once: a machine that ends. What cannot be told counts as used."""
    found = SidecarLeases(store, where)
    with suppress(UnreachableError, StoreError, OSError):  # the record that waits is told of that
        found.exchange(last=True)
    found.close()


def _body(said: LeasePlan) -> dict[str, Any]:
    back, want = [[plain(one) for one in some] for some in (said.back, said.want)]
    return {"back": back, "want": want, "keep": list(said.keep)}


# -- what is to be said ----------------------------------------------------------------------------


def read_states(connection: Connection, now: LeaseTimes) -> list[LimitState]:
    """Return how all shared limits stand here."""
    return [
        LimitState(
            one,
            tuple(leases.leases_of(connection, one.limit)),
            count_held(connection, one.limit.scope, one.limit.what, now.wall)[0],
        )
        for one in leases.met_limits(connection)
    ]


def plan_limit(state: LimitState, now: LeaseTimes, *, last: bool = False) -> LimitPlan:
    """Return what is to be done about a limit."""
    idle = last or not 0 <= now.wall - state.met.wanted < IDLE_SECONDS
    opened = [one for one in state.leases if one.state == OPEN]
    done = [one for one in opened if idle or not one.rest or not leases.holds(one, now)]
    over = _without_held(done, state.held - sum(one.rest for one in opened if one not in done))
    live = [one for one in opened if one not in over and leases.holds(one, now)]
    keep = [one.id for one in live if one.ends - now.up < RENEW_SECONDS]
    # what was asked for and nobody wants any more is over, too: its answer may have been lost
    over += [one for one in state.leases if idle and one.state == ASKED]
    return LimitPlan(tuple(over), tuple(keep), not idle and _wants_more(state, live, now))


def _without_held(done: Sequence[Lease], held: int) -> list[Lease]:
    """Return those of them that no running call may need, which hold so much of them."""
    over = list[Lease]()
    for one in reversed(done):
        if held > 0 and one.rest:
            held -= one.rest
        else:
            over.append(one)
    return over[::-1]


def is_due(state: LimitState, found: LimitPlan) -> bool:
    """Tell whether there is something to say about a limit."""
    waiting = any(one.state in (ASKED, ENDED) for one in state.leases)
    return waiting or bool(found.over or found.keep or found.ask)


def _wants_more(state: LimitState, live: Sequence[Lease], now: LeaseTimes) -> bool:
    """Tell whether one call more finds too little, or what is left lasts no longer than what was
    used, and more may be had.
    """
    limit, again = state.met.limit, state.met.again
    if any(one.state == ASKED for one in state.leases) or 0 < again - now.wall <= MOST_WAIT:
        return False
    free = leases.count_free(state.leases, state.held, now)
    return free < max(1, limit.reserve) or (len(live) == 1 and free * 2 < live[0].amount)


def note_plan(connection: Connection, now: LeaseTimes, *, last: bool = False) -> LeasePlan:
    """Note what is to be said, and return it: what ended is used no more, what is asked for has
    its name.
    """
    back, want, keep = list[LeaseReturn](), list[LeaseWish](), list[str]()
    for state in read_states(connection, now):
        limit, found = state.met.limit, plan_limit(state, now, last=last)
        for one in found.over:
            leases.end(connection, one.id)
        if found.ask:
            leases.ask(connection, limit, f"l-{token_hex(8)}")
        for one in leases.leases_of(connection, limit):
            if one.state == ENDED:
                back.append(leases.make_return(limit, one))
            elif one.state == ASKED:
                want.append(LeaseWish(limit, one.id, limit.most))
        keep += found.keep
    return LeasePlan(
        tuple(back[:MOST_ENTRIES]), tuple(want[:MOST_ENTRIES]), tuple(keep[:MOST_ENTRIES])
    )


def apply_answer(
    connection: Connection, said: LeasePlan, answer: Mapping[str, Any], asked: LeaseTimes
) -> None:
    """Note what the service answered; what it did not answer is said again."""
    for done in [one for one in said.back if one.id in _list(answer, "back")]:
        leases.settle(connection, done.id)
    limits = {one.id: one.limit for one in said.want}
    for given in _list(answer, "leases"):
        with suppress(LeaseError):  # that was no answer
            found = answer_of(given)
            if found.id in limits:
                leases.take(connection, limits[found.id], found, asked)
    kept = answer.get("kept")
    for name in said.keep:
        seconds = number(kept, name) if isinstance(kept, dict) else 0
        leases.renew(connection, name, seconds, asked)


def _list(answer: Mapping[str, Any], name: str) -> list[Any]:
    found = answer.get(name)
    return found if isinstance(found, list) else []
