"""What the service asks of its database about requests, votes and claims; a part of
``protocol``.
"""

from __future__ import annotations

from typing import Protocol

from interlock.service.store.rows import Claim, RequestRow, UseGrant, VoteRow


class RequestReader(Protocol):
    """Questions about requests."""

    def request(self, machine: str, name: str) -> RequestRow | None:
        """Return a request."""

    def requests(self, *, machine: str = "", opened: bool = False, most: int) -> list[RequestRow]:
        """Return requests, the newest first; of one machine, or ``opened``: those that wait."""

    def session_requests(self, machine: str, session: str, most: int) -> list[RequestRow]:
        """Return the requests of a machine's session, the oldest first."""

    def find_twins(self, fleet: str) -> list[RequestRow]:
        """Return the open requests of one call on all machines, the oldest first."""

    def answered(self) -> str:
        """Return when somebody answered last, empty where nobody did."""

    def votes(self, machine: str, name: str) -> list[VoteRow]:
        """Return what people answered, in that order."""

    def claim(self, machine: str, name: str) -> Claim | None:
        """Return who has a request's yes."""

    def find_given(self, giver: str) -> list[Claim]:
        """Return the claims that came of a yes which counts several times."""

    def use_grant(self, machine: str, name: str) -> UseGrant | None:
        """Return how often the yes to a request counts, where that is more than once."""

    def use_grants(self, fleet: str) -> list[UseGrant]:
        """Return what counts several times for a call, where some of it is left."""


class RequestWriter(Protocol):
    """Steps about requests."""

    def add_request(self, request: RequestRow) -> bool:
        """Add a request; tell whether it is new."""

    def move_request(self, request: RequestRow, before: str) -> bool:
        """Note how a request stands, if it stood so before; tell whether it did."""

    def remind(self, machine: str, name: str, percent: int) -> bool:
        """Note that people were reminded; tell whether they had not been so far."""

    def put_vote(self, vote: VoteRow) -> None:
        """Note a person's answer, instead of an earlier one."""

    def add_claim(self, claim: Claim) -> None:
        """Add a yes that nobody has yet."""

    def take_claim(self, claim: Claim) -> bool:
        """Give a yes to a chain and its holder; tell whether they are those that have it."""

    def add_use_grant(self, grant: UseGrant) -> None:
        """Have a yes count several times."""

    def take_use(self, grant: UseGrant) -> bool:
        """Take one use of what is left; tell whether there was one."""

    def end_use_grant(self, machine: str, name: str) -> bool:
        """Have nothing be left of it; tell whether there was something."""

    def own(self, machine: str, person: str) -> bool:
        """Name whose machine it is; tell whether there is such a machine."""
