"""Programs' credentials: each acts with one role, until a day, and never as somebody in person."""

from __future__ import annotations

from secrets import token_hex

from interlock.service.keys import Keys
from interlock.service.people.first import Refused
from interlock.service.roles import PROGRAMS
from interlock.service.secrets import drawn, later
from interlock.service.store.protocol import Keeping, Reading, Writing
from interlock.service.store.rows import ApiToken, Membership
from interlock.service.viewer import Viewer, viewer
from interlock.store.chain import now

MARK = "ilt_"
DAY, MOST_DAYS = 86400, 366
MOST_SAID = 80


def make(keeping: Writing, keys: Keys, role: str, said: str, days: str, by: str) -> str:
    """Return a new token, which is kept as a keyed hash; raises ``Refused``."""
    if role not in PROGRAMS:
        raise Refused(f"A program's role is one of {', '.join(PROGRAMS)}.")
    if not days.isdecimal() or not 0 < int(days) <= MOST_DAYS:
        raise Refused(f"A token lasts 1 to {MOST_DAYS} days.")
    secret, name = MARK + drawn(), f"t-{token_hex(6)}"
    said = " ".join(said.split())[:MOST_SAID] or name
    until = later(int(days) * DAY)
    keeping.add_api_token(ApiToken(name, keys.hashed(secret), by, role, said, now(), until))
    keeping.note("api-token", name, {"by": by, "role": role, "said": said, "until": until})
    return secret


def end(keeping: Writing, name: str, by: str) -> None:
    """Have a token count no more."""
    if keeping.end_api_token(name, now()):
        keeping.note("api-token-ended", name, {"by": by})


def known(keeping: Keeping, keys: Keys, secret: str) -> Viewer | None:
    """Return for whom a program acts, with the token's role and no other; None where its token
    counts no more.
    """
    hashed, at = keys.hashed(secret), now()
    return keeping.read(lambda asked: _viewer(asked, hashed, at))


def _viewer(known: Reading, hashed: str, at: str) -> Viewer | None:
    token = known.api_token(hashed, at)
    person = known.person(token.person) if token is not None else None
    if token is None or person is None or person.ended:
        return None
    return viewer(person, [Membership(person.name, token.role, "", "", token.made)])
