"""Signing in by a link that works once, and the visit that begins with it.

Whoever can start the service on this machine can make such a link. It shows what its person may
see, and does nothing: to vote, stop or admit people takes a second factor.
"""

from __future__ import annotations

import hmac
from contextlib import suppress

from interlock.service.people.owner import OWNER, SignInError, first, live
from interlock.service.secrets import hash_secret, later, new_secret
from interlock.service.store.protocol import (
    ServiceReader,
    ServiceStore,
    ServiceStoreError,
    ServiceWriter,
)
from interlock.service.store.rows import LINK, PASSKEY, PASSWORD, SECOND, Link, Person, Visit
from interlock.service.viewer import Viewer, viewer
from interlock.store.chain import now

LINK_SECONDS = 600
VISIT_SECONDS, IDLE_SECONDS = 12 * 3600, 2 * 3600
ENDED = "This visit has ended: sign in again."
SEEN_SECONDS = 60
"""How exactly it is kept when a visit was last used."""
SIGN_IN, IN_PERSON = "sign-in", "in-person"
"""Kinds of links: one that lets look, and that of a demo, which counts as somebody in person for as
long as the visit lasts.
"""


def link(keeping: ServiceWriter, name: str = "", owner: str = OWNER, kind: str = SIGN_IN) -> str:
    """Return the secret of a new link that signs a person in: the first one, unless named.
    ``owner``: what the first one is called where there is nobody yet. Raises ``SignInError``.
    """
    person = name or first(keeping, owner)
    live(keeping, person)
    secret = new_secret()
    keeping.add_link(Link(hash_secret(secret), person, kind, later(LINK_SECONDS)))
    return secret


def begin(keeping: ServiceWriter, secret: str) -> tuple[str, Visit] | None:
    """Use a link; return the cookie's value and the visit, None where it does not count (any
    more).
    """
    found = keeping.spend_link(hash_secret(secret), now())
    person = keeping.person(found.person) if found is not None else None
    known = found is not None and found.kind in (SIGN_IN, IN_PERSON)
    if found is None or not known or person is None or person.ended:
        keeping.note("sign-in-refused", "", {})
        return None
    if found.kind == IN_PERSON:
        return enter(keeping, person, SECOND, later(VISIT_SECONDS))
    return enter(keeping, person, LINK)


def enter(
    keeping: ServiceWriter, person: Person, strength: str, proved: str = ""
) -> tuple[str, Visit]:
    """Begin a visit; return the cookie's value, too."""
    cookie, at = new_secret(), now()
    visit = Visit(
        hash_secret(cookie),
        new_secret(),
        person.name,
        at,
        later(VISIT_SECONDS),
        at,
        strength,
        proved,
    )
    keeping.add_visit(visit)
    keeping.note("sign-in", person.name, {"by": strength})
    return cookie, visit


def proven(steps: ServiceWriter, visit: Visit, how: str) -> str:
    """Put a visit of somebody there in person in the place of one; the page's proof stays. Raises
    ``SignInError`` where that one ended meanwhile: what was signed out stays so.
    """
    if steps.visit(visit.token, now()) is None:
        raise SignInError(ENDED)
    cookie, at = new_secret(), now()
    steps.end_visit(visit.token)
    steps.add_visit(visit.replace(token=hash_secret(cookie), seen=at, strength=SECOND, proved=at))
    steps.note("proved", visit.person, {"by": how})
    return cookie


def end(keeping: ServiceWriter, visit: Visit) -> None:
    """End a visit."""
    keeping.end_visit(visit.token)
    keeping.note("sign-out", visit.person, {})


def end_all(keeping: ServiceWriter, visit: Visit) -> None:
    """End all visits of a person but this one."""
    count = keeping.end_visits(visit.person, visit.token)
    keeping.note("sign-out-everywhere", visit.person, {"visits": count})


def find_viewer(keeping: ServiceStore, cookie: str) -> Viewer | None:
    """Return who a cookie's visit is of, with what they may do by now; None where it has ended, or
    was not used for ``IDLE_SECONDS``.
    """
    if not cookie:
        return None
    token, at = hash_secret(cookie), now()
    found = keeping.read(lambda asked: _viewer(asked, token, at))
    if found is None or found.visit is None:
        return None
    if found.visit.seen <= later(-SEEN_SECONDS):
        used = found.visit.replace(seen=at)
        with suppress(ServiceStoreError):  # a page is no less to be seen where nothing can be kept
            keeping.write(lambda steps: steps.put_visit(used))
    return found


def goes_on(keeping: ServiceStore, token: str, permission: str) -> bool:
    """Tell whether a visit goes on and its person may still see what is shown as it comes; that it
    is shown is no use of the visit.
    """
    found = keeping.read(lambda asked: _viewer(asked, token, now()))
    return found is not None and found.may(permission)


def _viewer(known: ServiceReader, token: str, at: str) -> Viewer | None:
    visit = known.visit(token, at)
    person = known.person(visit.person) if visit is not None else None
    if visit is None or visit.seen <= later(-IDLE_SECONDS) or person is None or person.ended:
        return None
    return viewer(person, known.memberships(person.name), visit)


def has_passwords(known: ServiceReader) -> bool:
    """Tell whether anybody signs in by a password."""
    return any(known.credential(one.name, PASSWORD) is not None for one in known.persons())


def has_passkeys(known: ServiceReader) -> bool:
    """Tell whether anybody signs in by a passkey."""
    return any(
        one.kind.startswith(PASSKEY)
        for person in known.persons()
        for one in known.credentials(person.name)
    )


def need_no_link(known: ServiceReader) -> bool:
    """Tell whether people come in by a password or a provider."""
    return (
        has_passwords(known) or has_passkeys(known) or any(one.subject for one in known.persons())
    )


def proves(visit: Visit, proof: str) -> bool:
    """Tell whether a form came from a page of this visit."""
    return hmac.compare_digest(visit.proof.encode(), proof.encode("utf-8", "replace"))
