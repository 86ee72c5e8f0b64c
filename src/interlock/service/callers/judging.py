"""The guard of callers: the tenant's policy, facts as they are claimed, the caller's own memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import urandom
from threading import Lock
from typing import Protocol

from interlock.approvals.service import RequestTicket
from interlock.audit.entry import EXCERPT_LIMIT, Judgement
from interlock.audit.log import Audit
from interlock.guard.check import Guard
from interlock.guard.services import QUEUE, SessionAlarm
from interlock.limits.meter import Meter
from interlock.model.action import ASK
from interlock.model.call import Outcome, ToolCall
from interlock.model.decision import Decision, Finding
from interlock.model.effect import Executes, Reading, RunsCode
from interlock.model.policy import Policy
from interlock.model.record import Record
from interlock.service.callers.asked import AskedCall
from interlock.service.callers.asking import CallerApprovals, RequestBook
from interlock.service.callers.claims import ClaimedFacts
from interlock.service.callers.following import RecordFollower
from interlock.service.callers.memory import CallerLedger, CallerMemory
from interlock.service.callers.record import Caller, RecordEntry, enter_judgement
from interlock.service.store.protocol import ServiceStore, ServiceStoreError
from interlock.store.place import StoreError

FOLDER = "callers"
"""Where the memory of callers is kept, below a service's folder."""


class JudgedCall(Record):
    """What was decided. ``filed``: where its request waits, None without one; ``entry``: what is
    recorded of it.
    """

    call: ToolCall
    decision: Decision
    filed: RequestTicket | None
    entry: RecordEntry


class CallerStops(Protocol):
    """The tenant's stops, as far as callers need them."""

    def refuse(self, caller: Caller, call: ToolCall) -> tuple[Finding, ...]:
        """Return the refusal of a call that belongs to something that is stopped."""

    def alarm(self, caller: Caller) -> SessionAlarm:
        """Return what stops sessions of a caller, and tells people."""


RUNNING = (Executes, RunsCode)
UNSHOWN = "facts.not-shown"
"""The rule of the question about code that would run and that nobody showed."""


def ask_to_be_shown(facts: ClaimedFacts, reading: Reading) -> Finding | None:
    """Return the question about code that a call would run and whose text was not claimed: a guard
    on the machine would have read it.
    """
    if not facts.unread or not any(effect.kind in RUNNING for effect in reading.effects):
        return None
    some = list(facts.unread)[:MOST_UNSHOWN]
    said, more = ", ".join(some), len(facts.unread) - len(some)
    said += f" and {more} more" if more else ""
    instead = "Say in `facts.text` what that holds, or in `facts.names` that it is not there."
    return Finding(UNSHOWN, ASK, "facts", f"runs code that was not shown: {said}", instead)


MOST_UNSHOWN = 5


class CallerGuard:
    """Judges the calls of all callers of a tenant; one thread at a time. ``policy``: the tenant's,
    as it is now.
    """

    def __init__(
        self,
        folder: str,
        keeping: ServiceStore,
        policy: Callable[[], Policy],
        book: RequestBook,
        stops: CallerStops,
    ) -> None:
        self._folder, self._keeping, self._policy = folder, keeping, policy
        self._book, self._stops = book, stops
        self._memories: dict[str, CallerMemory] = {}
        self._follower = RecordFollower(keeping)
        self._turn = Lock()

    def judge(self, caller: Caller, asked: AskedCall) -> JudgedCall:
        """Return the decision on a call; raises ``ServiceStoreError`` where it could not be
        remembered, and then there is none.
        """
        call = asked.call.replace(
            agent=asked.call.agent or caller.name,
            call_id=asked.call.call_id or f"h-{urandom(8).hex()}",
        )
        with self._turn:
            memory, policy = self._memory(caller), self._policy()
            self._catch_up(caller, memory)
            memory.counting = policy.stopping is not None
            audit = Audit(memory, policy.redacted)
            approvals = CallerApprovals(memory, audit.redactor, caller, self._book)
            guard = self._guard(caller, policy, audit, approvals, asked)
            decision = guard.check(call)
            rows, failed = memory.take_judged(), memory.failed
            memory.failed = ""
        if failed:
            raise ServiceStoreError(failed)
        unrecorded = Judgement(call, Reading((), coverage="partial"), decision, policy)
        values = rows[-1] if rows else audit.judged(unrecorded)[1]
        return JudgedCall(call, decision, approvals.filed, enter_judgement(values))

    def settle(self, caller: Caller, outcome: Outcome) -> str:
        """Remember what became of a call; return what it printed without secrets. Raises
        ``ServiceStoreError``.
        """
        with self._turn:
            memory, policy = self._memory(caller), self._policy()
            audit = Audit(memory, policy.redacted)
            self._guard(caller, policy, audit).outcome(outcome)
            cleaned = audit.redactor.text(outcome.excerpt, EXCERPT_LIMIT)
            failed, memory.failed = memory.failed, ""
        if failed:
            raise ServiceStoreError(failed)
        return cleaned

    def begin_group(self) -> None:
        """Look anew at what other nodes recorded."""
        self._follower.begin()

    def end_group(self, written: Mapping[Caller, tuple[int, int]]) -> None:
        """Note what this node recorded; raises ``ServiceStoreError``."""
        with self._turn:
            for caller, (before, after) in written.items():
                folder = self._memory(caller).folder
                try:
                    self._follower.note_written(caller, folder, before, after)
                except OSError as error:
                    raise ServiceStoreError(str(error)) from error

    def tidy(self) -> None:
        """Empty what grew, while nobody waits."""
        with self._turn:
            for memory in self._memories.values():
                memory.tidy()

    def close(self) -> None:
        """Close the memories."""
        with self._turn:
            for memory in self._memories.values():
                memory.close()
            self._memories.clear()

    def _guard(
        self,
        caller: Caller,
        policy: Policy,
        audit: Audit,
        approvals: CallerApprovals | None = None,
        asked: AskedCall | None = None,
    ) -> Guard:
        memory = self._memory(caller)
        facts = ClaimedFacts(asked.claims if asked is not None else {})
        return Guard(
            policy,
            ask=QUEUE,
            facts=facts,
            rules=(lambda _, reading: ask_to_be_shown(facts, reading),),
            audit=audit,
            ledger=CallerLedger(memory, lambda session: self._in_record(caller, session)),
            approvals=None if approvals is None else lambda: approvals,
            limits=lambda: Meter(memory),
            carries=asked.carries if asked is not None else frozenset(),
            flags=lambda call: self._stops.refuse(caller, call),
            alarm=lambda: self._stops.alarm(caller),
        )

    def _catch_up(self, caller: Caller, memory: CallerMemory) -> None:
        try:
            self._follower.catch_up(caller, memory)
        except (StoreError, OSError) as error:
            raise ServiceStoreError(str(error)) from error

    def _memory(self, caller: Caller) -> CallerMemory:
        found = self._memories.get(caller.id)
        if found is None:
            found = self._memories[caller.id] = CallerMemory(f"{self._folder}/{FOLDER}/{caller.id}")
        return found

    def _in_record(self, caller: Caller, session: str) -> bool:
        return self._keeping.read(lambda known: known.holds_session(caller.chain, session))
