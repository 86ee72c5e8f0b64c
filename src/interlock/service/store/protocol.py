"""What the service asks of its database: named operations, in transactions. SQLite's file is one
such database; a server's can be another, and both keep the same contract.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from interlock.service.store.exports_protocol import ExportReader, ExportWriter
from interlock.service.store.hooks_protocol import HookReader, HookWriter
from interlock.service.store.insights_sql import InsightReader
from interlock.service.store.leases_protocol import LeaseReader, LeaseWriter
from interlock.service.store.people_protocol import PeopleReader, PeopleWriter
from interlock.service.store.policy_protocol import PolicyReader, PolicyWriter
from interlock.service.store.requests_protocol import RequestReader, RequestWriter
from interlock.service.store.rows import (
    Branch,
    Chain,
    ChainProblem,
    Check,
    EnrolmentTokenRow,
    EventRow,
    Machine,
    Root,
)
from interlock.service.store.stops_protocol import StopReader, StopWriter
from interlock.service.store.views import (
    DecisionDetail,
    DecisionLine,
    DecisionQuery,
    MinuteCounts,
    SessionEvent,
    SessionLine,
)
from interlock.store.schema import Value
from interlock.wire.batch import BatchLine

T = TypeVar("T")


class ServiceStoreError(Exception):
    """The database could not be read or written; one sentence says what and where."""


class NoRoomError(ServiceStoreError):
    """There is no room on the disk for what was to be kept."""


class ServiceReader(
    PeopleReader,
    StopReader,
    RequestReader,
    HookReader,
    LeaseReader,
    PolicyReader,
    ExportReader,
    InsightReader,
    Protocol,
):
    """Questions; those of one transaction see one state."""

    def setting(self, name: str) -> str:
        """Return a setting, empty where there is none."""

    def machine(self, name: str) -> Machine | None:
        """Return a machine by its id."""

    def machine_of(self, secret: str) -> Machine | None:
        """Return the machine of a credential, given its hash."""

    def machines(self) -> list[Machine]:
        """Return all machines, by name."""

    def machine_count(self) -> int:
        """Return how many there are: what each batch and each stream asks, of however many."""

    def checks(self, machine: str) -> list[Check]:
        """Return what a machine last said of its guard, one of each kind."""

    def chain(self, name: str) -> Chain | None:
        """Return a chain by its id."""

    def chains(self) -> list[Chain]:
        """Return all chains, by id."""

    def branches(self, chain: str) -> list[Branch]:
        """Return a chain's branches, the main one first; none while it is empty."""

    def nodes(self, chain: str, first: int, last: int) -> dict[tuple[int, str], int]:
        """Return the events that are kept of some positions: number and hash, and their branch."""

    def events(self, chain: str, branch: int, after: int, most: int) -> list[EventRow]:
        """Return a branch's own events past a number, oldest first."""

    def settled(self, chain: str, names: Sequence[str]) -> dict[str, tuple[Value, ...]]:
        """Return what became of decisions, by their names: status, result, duration in ms."""

    def holds_session(self, chain: str, name: str) -> bool:
        """Tell whether a chain has events of a session."""

    def problems(self, most: int) -> list[ChainProblem]:
        """Return what is wrong, the newest first."""

    def roots(self) -> list[Root]:
        """Return all roots, oldest first."""

    def last_root(self) -> Root | None:
        """Return the newest root."""

    def grown(self, since: str) -> list[Branch]:
        """Return the branches that grew from a time on, by chain and number."""

    def decisions(self, wanted: DecisionQuery) -> list[DecisionLine]:
        """Return decisions, the newest first."""

    def lines(self, numbers: Sequence[int]) -> list[DecisionLine]:
        """Return decisions by their numbers, in any order."""

    def last_judged(self, before: str) -> int:
        """Return the number of the newest decision that was judged before a time, 0 for none."""

    def session(self, chain: str, name: str) -> list[SessionEvent]:
        """Return a session's events, oldest first."""

    def decision(self, chain: str, name: str) -> DecisionDetail | None:
        """Return a decision in full."""

    def find_arrived(self, after: int) -> tuple[int, list[DecisionLine]]:
        """Return the newest number, and the decisions that came or ended since an earlier one."""

    def minutes(self, since: str, without: str) -> list[MinuteCounts]:
        """Return the counts of each minute from a time on, of all chains but one."""

    def sessions(self, since: str, most: int) -> list[SessionLine]:
        """Return the sessions since a time, the newest first."""

    def token(self, secret: str) -> EnrolmentTokenRow | None:
        """Return a token of enrolment, given its hash."""

    def proven(self, chain: str, since: str) -> str:
        """Return when a guard last refused its own trial."""

    def noted(self, kinds: Sequence[str], most: int) -> list[SessionEvent]:
        """Return events of the service's own chain, the newest first."""


class ServiceWriter(
    ServiceReader,
    PeopleWriter,
    StopWriter,
    RequestWriter,
    HookWriter,
    LeaseWriter,
    PolicyWriter,
    ExportWriter,
    Protocol,
):
    """One transaction: all of it or nothing."""

    def set(self, name: str, value: str) -> None:
        """Keep a setting."""

    def add_machine(self, machine: Machine) -> None:
        """Add a machine."""

    def note_contact(self, machine: str, at: str, head: int) -> None:
        """Note that a machine said something, and its own last event."""

    def put_check(self, check: Check) -> None:
        """Keep what a machine says of its guard, instead of what it said before."""

    def retire(self, machine: str, at: str) -> bool:
        """Have a credential count no more; tell whether it did before."""

    def add_token(self, token: EnrolmentTokenRow) -> None:
        """Add a token of enrolment."""

    def spend_token(self, secret: str, at: str) -> bool:
        """Use a token once; tell whether that was still possible."""

    def add_chain(self, chain: Chain) -> None:
        """Add an empty chain."""

    def begin(self, chain: str, base: str) -> None:
        """Note the hash before a chain's first event."""

    def put_branch(self, branch: Branch) -> None:
        """Add a branch, or note how far it goes by now."""

    def add_events(self, chain: str, branch: int, lines: Sequence[BatchLine]) -> None:
        """Add events to the end of a branch."""

    def add_problem(self, problem: ChainProblem) -> bool:
        """Note what is wrong; tell whether that is new."""

    def add_root(self, root: Root) -> None:
        """Add a root."""

    def note(self, kind: str, subject: str, body: Mapping[str, object]) -> None:
        """Record an event in the service's own chain; no secrets."""


class ServiceStore(Protocol):
    """Both raise ``ServiceStoreError``; an error in ``work`` undoes the transaction. ``near``: a
    question is answered without a network, and waits for nobody.
    """

    near: bool

    def read(self, work: Callable[[ServiceReader], T]) -> T:
        """Return what ``work`` found in one state."""

    def write(self, work: Callable[[ServiceWriter], T]) -> T:
        """Return what ``work`` did, once it is on the disk."""

    def listen(self, heard: Callable[[], None]) -> None:
        """Have it called soon after another process may have written something that machines are
        told of, from a thread of its own, until ``close``. A hint: it may fail to come.
        """

    def close(self) -> None:
        """Let go of the database."""


def heads(branches: Iterable[Branch]) -> list[list[object]]:
    """Return the ends of branches as plain data: chain, number, last event, its hash."""
    return [[one.chain, one.number, one.seq, one.hash] for one in branches]
