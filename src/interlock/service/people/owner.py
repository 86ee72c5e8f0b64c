"""The first person: whoever has the service run. A team of one holds every role."""

from __future__ import annotations

import re

from interlock.service.roles import ADMIN, APPROVER, EVERY, ROLES
from interlock.service.store.protocol import ServiceReader, ServiceWriter
from interlock.service.store.rows import Membership, Person
from interlock.store.chain import now

OWNER = "owner"
"""What the first person is called where nobody says."""
NAME = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")


class SignInError(Exception):
    """It is not done; the sentence says why."""


def first(keeping: ServiceWriter, name: str = OWNER) -> str:
    """Return the name of the first person who may admit others, making one where there is none."""
    admins = {one.person for one in keeping.memberships() if one.role == ADMIN}
    found = sorted((one.made, one.name) for one in keeping.persons() if one.name in admins)
    return found[0][1] if found else _create_owner(keeping, name)


def _create_owner(keeping: ServiceWriter, name: str) -> str:
    name, at = clean_name(name) or OWNER, now()
    keeping.add_person(Person(name, name, at))
    keeping.note("person", name, {"by": "the first start"})
    for role in ROLES:
        give_role(keeping, Membership(name, role, EVERY if role == APPROVER else "", name, at))
    return name


def give_role(keeping: ServiceWriter, membership: Membership) -> bool:
    """Give a role, and record it; tell whether that is new."""
    new = keeping.add_membership(membership)
    if new:
        body = {"by": membership.by, "for": membership.name, "role": membership.role}
        keeping.note("role", membership.person, body)
    return new


def take_role(keeping: ServiceWriter, membership: Membership, by: str) -> bool:
    """Take a role, and record it; tell whether it was held."""
    held = keeping.end_membership(membership.person, membership.role, membership.name)
    if held:
        body = {"by": by, "for": membership.name, "role": membership.role}
        keeping.note("role-taken", membership.person, body)
    return held


def live(known: ServiceReader, name: str) -> Person:
    """Return a person who may sign in; raises ``SignInError``."""
    person = known.person(name)
    if person is None or person.ended:
        raise SignInError(f"{name} is nobody here.")
    return person


def clean_name(text: str) -> str:
    """Return a name as it is kept, empty where it is none."""
    name = text.strip().lower()
    return name if NAME.fullmatch(name) else ""
