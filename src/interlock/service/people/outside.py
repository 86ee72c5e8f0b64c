"""People whom a provider vouches for: known by its subject, admitted by their groups, which say
anew at each sign-in what they may do.
"""

from __future__ import annotations

from collections.abc import Mapping

from interlock.service.people.admit import shown_as
from interlock.service.people.first import Refused, given, named, taken
from interlock.service.people.signin import enter
from interlock.service.provider import Provider
from interlock.service.roles import ADMIN
from interlock.service.store.protocol import Reading, Writing
from interlock.service.store.rows import PASSWORD, SECOND, Membership, Person, Visit
from interlock.store.chain import now

BY = "provider:"
"""Begins who gave a role, of one that a provider's group stands for."""
FACTORS = "mfa"
"""What a provider says (``amr``, RFC 8176) where it asked for more than one factor."""


def come(steps: Writing, provider: Provider, claims: Mapping[str, object]) -> tuple[str, Visit]:
    """Let somebody in; return the cookie's value and the visit. Raises ``Refused``."""
    wanted = roles_of(provider, claims)
    subject = f"{provider.issuer} {claims['sub']}"
    person = steps.person_of(subject)
    if person is None:
        person = _admitted(steps, provider, claims, subject, bool(wanted))
    if person.ended:
        raise Refused("You do not belong to this service any more.")
    _follow(steps, person.name, f"{BY}{provider.host}", wanted)
    factors = claims.get("amr")
    strong = isinstance(factors, list) and FACTORS in factors
    return enter(steps, person, SECOND if strong else PASSWORD, now() if strong else "")


def roles_of(provider: Provider, claims: Mapping[str, object]) -> set[tuple[str, str]]:
    """Return the roles that somebody's groups stand for."""
    said = claims.get(provider.groups)
    groups = said if isinstance(said, list) else [said]
    return {pair for one in groups for pair in provider.roles.get(str(one), ())}


def _admitted(
    steps: Writing, provider: Provider, claims: Mapping[str, object], subject: str, holds: bool
) -> Person:
    if not holds:
        raise Refused("No group of yours has a role here: ask whoever admits people.")
    name = named(str(claims.get(provider.name) or claims.get("email") or claims["sub"]))
    if not name:
        raise Refused(f"{provider.host} gives you no name that can be one here.")
    if steps.person(name) is not None:
        raise Refused(f"{name} is somebody else here already: ask whoever admits people.")
    person = Person(name, shown_as(str(claims.get("name") or "")) or name, now(), "", subject)
    steps.add_person(person)
    steps.note("person", name, {"by": f"{BY}{provider.host}"})
    return person


def _follow(steps: Writing, name: str, by: str, wanted: set[tuple[str, str]]) -> None:
    """Give and take what groups stand for; what people gave stays, and so does the last admin."""
    held = steps.memberships(name)
    for role, what in sorted(wanted):
        given(steps, Membership(name, role, what, by, now()))
    for one in held:
        gone = one.by == by and (one.role, one.name) not in wanted
        if gone and (one.role != ADMIN or _others(steps, name)):
            taken(steps, one, by)


def _others(known: Reading, name: str) -> bool:
    return any(one.role == ADMIN and one.person != name for one in known.memberships())
