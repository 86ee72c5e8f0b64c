"""What the service asks of its database about people: the part of ``protocol`` that is theirs."""

from __future__ import annotations

from typing import Protocol

from interlock.service.store.rows import ApiToken, Credential, Link, Membership, Person, Visit


class PeopleReader(Protocol):
    """Questions about people."""

    def person(self, name: str) -> Person | None:
        """Return a person, ended or not."""

    def person_of(self, subject: str) -> Person | None:
        """Return the person of a provider's subject."""

    def persons(self) -> list[Person]:
        """Return all people, by name."""

    def memberships(self, person: str = "") -> list[Membership]:
        """Return the roles of a person, or of all; those of people who ended count no more."""

    def credential(self, person: str, kind: str) -> Credential | None:
        """Return what a person signs in with."""

    def credentials(self, person: str) -> list[Credential]:
        """Return all that a person signs in with, the oldest first."""

    def credential_of(self, kind: str) -> Credential | None:
        """Return a credential of a kind that only one person has."""

    def link(self, token: str, at: str) -> Link | None:
        """Return a link, given its hash, that still works."""

    def visit(self, token: str, at: str) -> Visit | None:
        """Return the visit of a cookie, given its hash, that has not expired."""

    def visits(self, person: str, at: str) -> list[Visit]:
        """Return a person's visits that have not expired, the newest first."""

    def api_token(self, secret: str, at: str) -> ApiToken | None:
        """Return a program's credential, given its keyed hash, that still counts."""

    def api_tokens(self) -> list[ApiToken]:
        """Return all of them, the newest first."""


class PeopleWriter(Protocol):
    """Steps about people."""

    def add_person(self, person: Person) -> None:
        """Add a person."""

    def end_person(self, name: str, at: str) -> bool:
        """Have a person be one no more, with all that they sign in with; tell whether they were."""

    def name_person(self, name: str, shown: str) -> None:
        """Note how a person is called on pages."""

    def add_membership(self, membership: Membership) -> bool:
        """Give a role; tell whether that is new."""

    def end_membership(self, person: str, role: str, name: str) -> bool:
        """Take a role; tell whether it was held."""

    def put_credential(self, credential: Credential) -> None:
        """Keep what a person signs in with, instead of what was there before."""

    def end_credential(self, person: str, kind: str) -> None:
        """Have it count no more."""

    def use_code(self, person: str, kind: str, step: int) -> bool:
        """Note that a code was used; tell whether it was later than the last one."""

    def add_link(self, link: Link) -> None:
        """Add a link that works once."""

    def spend_link(self, token: str, at: str) -> Link | None:
        """Use a link; return it where that was still possible."""

    def end_links(self, person: str) -> None:
        """Have a person's links work no more."""

    def add_visit(self, visit: Visit) -> None:
        """Add a visit."""

    def put_visit(self, visit: Visit) -> None:
        """Note how a visit stands by now, where it still goes on."""

    def end_visit(self, token: str) -> None:
        """End a visit."""

    def end_visits(self, person: str, kept: str = "") -> int:
        """End a person's visits but for one; return how many."""

    def add_api_token(self, token: ApiToken) -> None:
        """Add a program's credential."""

    def end_api_token(self, name: str, at: str) -> bool:
        """Have it count no more; tell whether it did before."""
