"""Admitting people: an invitation by a link that works once, roles, and an end to both.

Nobody gives themselves a role, and somebody always remains who can admit others.
"""

from __future__ import annotations

from interlock.service.people.owner import SignInError, clean_name, give_role, live, take_role
from interlock.service.people.signin import enter
from interlock.service.roles import ADMIN, APPROVER, ROLES
from interlock.service.secrets import hash_secret, later, new_secret
from interlock.service.store.protocol import ServiceReader, ServiceWriter
from interlock.service.store.rows import PASSWORD, Credential, Link, Membership, Person, Visit
from interlock.store.chain import now

INVITE = "invite"
INVITE_SECONDS = 3 * 24 * 3600
MOST_SHOWN = 80
NAMELESS = "A name has small letters, digits and . _ @ + -, 64 at most, and begins with one of the first two."  # noqa: E501 - a sentence
LAST = "Nobody else could admit people then: make another admin first."


def invite(keeping: ServiceWriter, name: str, roles: list[tuple[str, str]], by: str) -> str:
    """Add a person with roles; return the secret of their link. Raises ``SignInError``."""
    found = clean_name(name)
    if not found:
        raise SignInError(NAMELESS)
    if keeping.person(found) is not None:
        raise SignInError(f"{found} is somebody already, or was: a name is never another's.")
    keeping.add_person(Person(found, found, now()))
    keeping.note("person", found, {"by": by})
    for role, what in roles:
        give(keeping, found, role, what, by)
    return make_link(keeping, found)


def make_link(keeping: ServiceWriter, name: str) -> str:
    """Return the secret of a link by which a person sets their password; an older one is none."""
    secret = new_secret()
    keeping.end_links(name)
    keeping.add_link(Link(hash_secret(secret), name, INVITE, later(INVITE_SECONDS)))
    return secret


def reset(keeping: ServiceWriter, name: str, by: str) -> str:
    """Take all that a person signs in with here; return the secret of a link to set it anew, empty
    for one who signs in with a provider. Raises ``SignInError``.
    """
    person = live(keeping, name)
    for one in keeping.credentials(name):
        keeping.end_credential(name, one.kind)
    keeping.end_visits(name)
    keeping.note("reset", name, {"by": by})
    return "" if person.subject else make_link(keeping, name)


def find_invited(known: ServiceReader, secret: str) -> Person | None:
    """Return whom a link invites, while it does."""
    found = known.link(hash_secret(secret), now())
    return known.person(found.person) if found is not None and found.kind == INVITE else None


def join(keeping: ServiceWriter, secret: str, shown: str, hashed: str) -> tuple[str, Visit] | None:
    """Use an invitation, with the hash of the password that was chosen; return the first visit and
    its cookie's value, None where the link counts no more.
    """
    person = find_invited(keeping, secret)
    if person is None or person.ended or keeping.spend_link(hash_secret(secret), now()) is None:
        return None
    called = display_name(shown) or person.shown
    keeping.name_person(person.name, called)
    keeping.put_credential(Credential(person.name, PASSWORD, hashed, now()))
    keeping.note("joined", person.name, {"shown": called})
    return enter(keeping, person, PASSWORD)


def display_name(text: str) -> str:
    """Return how somebody wants to be called, in one line."""
    return " ".join(text.split())[:MOST_SHOWN]


def give(keeping: ServiceWriter, name: str, role: str, what: str, by: str) -> None:
    """Give a role; raises ``SignInError``."""
    live(keeping, name)
    if role not in ROLES:
        raise SignInError(f"{role} is no role; expected one of {', '.join(ROLES)}.")
    if name == by:
        raise SignInError("Nobody gives themselves a role: ask another admin.")
    if role == APPROVER and not what:
        raise SignInError("An approver is one for something: name it, or * for everything.")
    give_role(keeping, Membership(name, role, what if role == APPROVER else "", by, now()))


def take(keeping: ServiceWriter, name: str, role: str, what: str, by: str) -> None:
    """Take a role; raises ``SignInError`` where nobody would be left to admit people."""
    if role == ADMIN:
        _another(keeping, name)
    take_role(keeping, Membership(name, role, what, by, now()), by)


def end(keeping: ServiceWriter, name: str, by: str) -> None:
    """Have a person be one no more, at once and everywhere; raises ``SignInError``."""
    live(keeping, name)
    if any(one.role == ADMIN for one in keeping.memberships(name)):
        _another(keeping, name)
    keeping.end_person(name, now())
    keeping.note("ended", name, {"by": by})


def _another(known: ServiceReader, name: str) -> None:
    if not any(one.role == ADMIN and one.person != name for one in known.memberships()):
        raise SignInError(LAST)
