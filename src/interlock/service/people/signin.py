"""Signing in by a link that works once, and the visit that begins with it.

Whoever can start the service on this machine can make such a link: it stands in the place of a
password until there are people with names.
"""

from __future__ import annotations

import hmac

from interlock.service.secrets import drawn, kept, later
from interlock.service.store.protocol import Keeping, Writing
from interlock.service.store.rows import Visit
from interlock.store.chain import now

LINK_SECONDS = 600
VISIT_SECONDS = 12 * 3600
OWNER = "owner"
"""Who signs in by a link: there are no other people yet."""


def link(keeping: Writing) -> str:
    """Return the secret of a new link."""
    secret = drawn()
    keeping.add_link(kept(secret), later(LINK_SECONDS))
    return secret


def begin(keeping: Writing, secret: str) -> tuple[str, Visit] | None:
    """Use a link; return the cookie's value and the visit, None where it does not count (any
    more).
    """
    at = now()
    if not keeping.spend_link(kept(secret), at):
        keeping.note("sign-in-refused", "", {})
        return None
    cookie = drawn()
    visit = Visit(kept(cookie), drawn(), OWNER, at, later(VISIT_SECONDS))
    keeping.add_visit(visit)
    keeping.note("sign-in", OWNER, {})
    return cookie, visit


def end(keeping: Writing, visit: Visit) -> None:
    """End a visit."""
    keeping.end_visit(visit.token)
    keeping.note("sign-out", visit.person, {})


def visit(keeping: Keeping, cookie: str) -> Visit | None:
    """Return the visit of a cookie."""
    if not cookie:
        return None
    token, at = kept(cookie), now()
    return keeping.read(lambda known: known.visit(token, at))


def proves(visit: Visit, proof: str) -> bool:
    """Tell whether a form came from a page of this visit."""
    return hmac.compare_digest(visit.proof.encode(), proof.encode("utf-8", "replace"))
