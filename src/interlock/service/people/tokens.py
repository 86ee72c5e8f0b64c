"""Programs' credentials: each acts with one role, until a day, and never as somebody in person."""

from __future__ import annotations

from secrets import token_hex

from interlock.service.keys import ServiceKeys
from interlock.service.people.owner import SignInError
from interlock.service.roles import PROGRAMS
from interlock.service.secrets import later, new_secret
from interlock.service.store.protocol import ServiceReader, ServiceStore, ServiceWriter
from interlock.service.store.rows import ApiToken, Membership
from interlock.service.viewer import Viewer, viewer
from interlock.store.chain import now

MARK = "ilt_"
DAY, MOST_DAYS = 86400, 366
MOST_SAID = 80


def make(
    keeping: ServiceWriter, keys: ServiceKeys, role: str, said: str, days: str, by: str
) -> str:
    """Return a new token, which is kept as a keyed hash; raises ``SignInError``."""
    if role not in PROGRAMS:
        raise SignInError(f"A program's role is one of {', '.join(PROGRAMS)}.")
    if not days.isdecimal() or not 0 < int(days) <= MOST_DAYS:
        raise SignInError(f"A token lasts 1 to {MOST_DAYS} days.")
    secret, name = MARK + new_secret(), f"t-{token_hex(6)}"
    said = " ".join(said.split())[:MOST_SAID] or name
    until = later(int(days) * DAY)
    keeping.add_api_token(ApiToken(name, keys.hash_text(secret), by, role, said, now(), until))
    keeping.note("api-token", name, {"by": by, "role": role, "said": said, "until": until})
    return secret


def end(keeping: ServiceWriter, name: str, by: str) -> None:
    """Have a token count no more."""
    if keeping.end_api_token(name, now()):
        keeping.retire(name, now())  # of a caller, what stood for it
        keeping.note("api-token-ended", name, {"by": by})


def find_viewer(keeping: ServiceStore, keys: ServiceKeys, secret: str) -> Viewer | None:
    """Return for whom a program acts, with the token's role and no other; None where its token
    counts no more.
    """
    hashed, at = keys.hash_text(secret), now()
    return keeping.read(lambda asked: _viewer(asked, hashed, at))


def _viewer(known: ServiceReader, hashed: str, at: str) -> Viewer | None:
    token = known.api_token(hashed, at)
    person = known.person(token.person) if token is not None else None
    if token is None or person is None or person.ended:
        return None
    held = [Membership(person.name, token.role, "", "", token.made)]
    return viewer(person, held).replace(token=token)
