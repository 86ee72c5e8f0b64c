"""Who is signed in, and what they may do."""

from __future__ import annotations

from interlock.model.record import Record
from interlock.service.roles import APPROVER, EVERY, PERMISSIONS, PROOF_SECONDS
from interlock.service.secrets import later
from interlock.service.store.rows import SECOND, ApiToken, Membership, Person, Visit

ROLE, FACTOR, AGAIN = "role", "factor", "again"
"""What may be lacking: the role, a second factor, or that it was shown within 15 minutes."""


class Viewer(Record):
    """A person by a visit, or by an API ``token`` (the other is None then). ``approves``: the names
    that the person is approver for.
    """

    person: Person
    roles: frozenset[str]
    approves: frozenset[str] = frozenset()
    visit: Visit | None = None
    token: ApiToken | None = None

    def may(self, permission: str) -> bool:
        """Tell whether a role of theirs holds a permission: what a page shows depends on it."""
        row = PERMISSIONS[permission]
        if self.visit is None and not row.token:
            return False
        return not row.roles or not self.roles.isdisjoint(row.roles)

    def lacks(self, permission: str) -> str:
        """Return what is missing to *do* what a permission is for, empty where nothing is."""
        row = PERMISSIONS[permission]
        if not self.may(permission):
            return ROLE
        if self.visit is None:
            return ""
        if row.second and self.visit.strength != SECOND:
            return FACTOR
        return AGAIN if row.recent and self.visit.proved <= later(-PROOF_SECONDS) else ""

    @property
    def in_person(self) -> bool:
        """Whether they showed a second factor within ``PROOF_SECONDS``."""
        visit = self.visit
        return (
            visit is not None and visit.strength == SECOND and visit.proved > later(-PROOF_SECONDS)
        )

    def approver_of(self, name: str) -> bool:
        """Tell whether they may vote where a rule's ``approver:`` says ``name``."""
        return APPROVER in self.roles and not self.approves.isdisjoint({name, EVERY})


def viewer(person: Person, held: list[Membership], visit: Visit | None = None) -> Viewer:
    """Return a person with the roles that they hold."""
    roles = frozenset(one.role for one in held)
    approves = frozenset(one.name for one in held if one.role == APPROVER)
    return Viewer(person, roles, approves, visit)
