"""People in SQL: the questions and steps of ``people_protocol``, in one transaction."""

from __future__ import annotations

from interlock.service.store.rows import ApiToken, Credential, Link, Membership, Person, Visit
from interlock.service.store.statements import Statements

Statements.tables.update(
    {
        Person: ("person", 1),
        Membership: ("membership", 3),
        Credential: ("credential", 2),
        Link: ("link", 1),
        Visit: ("web_session", 1),
        ApiToken: ("api_token", 1),
    }
)


class PeopleQueries(Statements):
    """``persons.PersonsReading``."""

    def person(self, name: str) -> Person | None:
        """Return a person."""
        return self._row(Person, "name = ?", name)

    def person_of(self, subject: str) -> Person | None:
        """Return the person of a provider's subject."""
        return self._row(Person, "subject = ? AND subject != ''", subject)

    def persons(self) -> list[Person]:
        """Return all people."""
        return self._rows(Person, "true ORDER BY name")

    def memberships(self, person: str = "") -> list[Membership]:
        """Return roles that are held."""
        where = """(person = ?1 OR ?1 = '') AND person IN (SELECT name FROM person
            WHERE ended = '') ORDER BY person, role, name"""
        return self._rows(Membership, where, person)

    def credential(self, person: str, kind: str) -> Credential | None:
        """Return what a person signs in with."""
        return self._row(Credential, "person = ? AND kind = ?", person, kind)

    def credentials(self, person: str) -> list[Credential]:
        """Return all that a person signs in with."""
        return self._rows(Credential, "person = ? ORDER BY made, kind", person)

    def credential_of(self, kind: str) -> Credential | None:
        """Return a credential of a kind that only one person has."""
        return self._row(Credential, "kind = ?", kind)

    def link(self, token: str, at: str) -> Link | None:
        """Return a link that still works."""
        return self._row(Link, "token = ? AND expires > ?", token, at)

    def visit(self, token: str, at: str) -> Visit | None:
        """Return a visit that goes on."""
        return self._row(Visit, "token = ? AND expires > ?", token, at)

    def visits(self, person: str, at: str) -> list[Visit]:
        """Return a person's visits."""
        return self._rows(Visit, "person = ? AND expires > ? ORDER BY made DESC", person, at)

    def api_token(self, secret: str, at: str) -> ApiToken | None:
        """Return a program's credential."""
        return self._row(ApiToken, "secret = ? AND expires > ? AND ended = ''", secret, at)

    def api_tokens(self) -> list[ApiToken]:
        """Return all of them."""
        return self._rows(ApiToken, "true ORDER BY made DESC, id")


class PeopleCommands(PeopleQueries):
    """``persons.PersonsWriting``."""

    def add_person(self, person: Person) -> None:
        """Add a person."""
        self._add(person)

    def end_person(self, name: str, at: str) -> bool:
        """Have a person be one no more."""
        if not self._did("UPDATE person SET ended = ? WHERE name = ? AND ended = ''", at, name):
            return False
        for table in ("membership", "credential", "link", "web_session"):
            self._did(f"DELETE FROM {table} WHERE person = ?", name)
        self._did("UPDATE api_token SET ended = ? WHERE person = ? AND ended = ''", at, name)
        return True

    def name_person(self, name: str, shown: str) -> None:
        """Note how a person is called."""
        self._did("UPDATE person SET shown = ? WHERE name = ?", shown, name)

    def add_membership(self, membership: Membership) -> bool:
        """Give a role."""
        return self._add_new(membership)

    def end_membership(self, person: str, role: str, name: str) -> bool:
        """Take a role."""
        where = "person = ? AND role = ? AND name = ?"
        return self._did(f"DELETE FROM membership WHERE {where}", person, role, name) == 1

    def put_credential(self, credential: Credential) -> None:
        """Keep what a person signs in with."""
        self._put(credential)

    def end_credential(self, person: str, kind: str) -> None:
        """Have it count no more."""
        self._did("DELETE FROM credential WHERE person = ? AND kind = ?", person, kind)

    def use_code(self, person: str, kind: str, step: int) -> bool:
        """Note that a code was used."""
        sql = "UPDATE credential SET last = ?1 WHERE person = ?2 AND kind = ?3 AND last < ?1"
        return self._did(sql, step, person, kind) == 1

    def add_link(self, link: Link) -> None:
        """Add a link."""
        self._add(link)

    def spend_link(self, token: str, at: str) -> Link | None:
        """Use a link; those that expired go."""
        self._did("DELETE FROM link WHERE expires <= ?", at)
        found = self.link(token, at)
        self._did("DELETE FROM link WHERE token = ?", token)
        return found

    def end_links(self, person: str) -> None:
        """Have a person's links work no more."""
        self._did("DELETE FROM link WHERE person = ?", person)

    def add_visit(self, visit: Visit) -> None:
        """Add a visit; those that expired go."""
        self._did("DELETE FROM web_session WHERE expires <= ?", visit.made)
        self._add(visit)

    def put_visit(self, visit: Visit) -> None:
        """Note how a visit stands."""
        sql = "UPDATE web_session SET seen = ?, strength = ?, proved = ? WHERE token = ?"
        self._did(sql, visit.seen, visit.strength, visit.proved, visit.token)

    def end_visit(self, token: str) -> None:
        """End a visit."""
        self._did("DELETE FROM web_session WHERE token = ?", token)

    def end_visits(self, person: str, kept: str = "") -> int:
        """End a person's visits but for one."""
        return self._did("DELETE FROM web_session WHERE person = ? AND token != ?", person, kept)

    def add_api_token(self, token: ApiToken) -> None:
        """Add a program's credential."""
        self._add(token)

    def end_api_token(self, name: str, at: str) -> bool:
        """Have it count no more."""
        return (
            self._did("UPDATE api_token SET ended = ? WHERE id = ? AND ended = ''", at, name) == 1
        )
