"""People whom a provider vouches for: known by its subject, admitted by their groups, which say
anew at each sign-in what they may do.
"""

from __future__ import annotations

from collections.abc import Mapping

from interlock.service.people.admit import display_name
from interlock.service.people.owner import SignInError, clean_name, give_role, take_role
from interlock.service.people.signin import enter
from interlock.service.provider import IdentityProvider
from interlock.service.roles import ADMIN
from interlock.service.store.protocol import ServiceReader, ServiceWriter
from interlock.service.store.rows import PASSWORD, SECOND, Membership, Person, Visit
from interlock.store.chain import now

BY = "provider:"
"""Begins who gave a role, of one that a provider's group stands for."""
FACTORS = "mfa"
"""What a provider says (``amr``, RFC 8176) where it asked for more than one factor."""


def come(
    steps: ServiceWriter, provider: IdentityProvider, claims: Mapping[str, object]
) -> tuple[str, Visit]:
    """Let somebody in; return the cookie's value and the visit. Raises ``SignInError``."""
    wanted = roles_of(provider, claims)
    subject = f"{provider.issuer} {claims['sub']}"
    person = steps.person_of(subject)
    if person is None:
        person = _admit_person(steps, provider, claims, subject, bool(wanted))
    if person.ended:
        raise SignInError("You do not belong to this service any more.")
    _follow(steps, person.name, f"{BY}{provider.host}", wanted)
    factors = claims.get("amr")
    strong = isinstance(factors, list) and FACTORS in factors
    return enter(steps, person, SECOND if strong else PASSWORD, now() if strong else "")


def roles_of(provider: IdentityProvider, claims: Mapping[str, object]) -> set[tuple[str, str]]:
    """Return the roles that somebody's groups stand for."""
    said = claims.get(provider.groups)
    groups = said if isinstance(said, list) else [said]
    return {pair for one in groups for pair in provider.roles.get(str(one), ())}


def _admit_person(
    steps: ServiceWriter,
    provider: IdentityProvider,
    claims: Mapping[str, object],
    subject: str,
    holds: bool,
) -> Person:
    if not holds:
        raise SignInError("No group of yours has a role here: ask whoever admits people.")
    name = clean_name(str(claims.get(provider.name) or claims.get("email") or claims["sub"]))
    if not name:
        raise SignInError(f"{provider.host} gives you no name that can be one here.")
    if steps.person(name) is not None:
        raise SignInError(f"{name} is somebody else here already: ask whoever admits people.")
    person = Person(name, display_name(str(claims.get("name") or "")) or name, now(), "", subject)
    steps.add_person(person)
    steps.note("person", name, {"by": f"{BY}{provider.host}"})
    return person


def _follow(steps: ServiceWriter, name: str, by: str, wanted: set[tuple[str, str]]) -> None:
    """Give and take what groups stand for; what people gave stays, and so does the last admin."""
    held = steps.memberships(name)
    for role, what in sorted(wanted):
        give_role(steps, Membership(name, role, what, by, now()))
    for one in held:
        gone = one.by == by and (one.role, one.name) not in wanted
        if gone and (one.role != ADMIN or _others(steps, name)):
            take_role(steps, one, by)


def _others(known: ServiceReader, name: str) -> bool:
    return any(one.role == ADMIN and one.person != name for one in known.memberships())
