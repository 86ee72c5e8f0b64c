"""The one line that enrols a machine: where the service is, by what it is known, and a secret that
works once (or as often as whoever made it said).
"""

from __future__ import annotations

from binascii import Error, a2b_base64, b2a_base64

from interlock.model.jsontext import JsonError, dumps, loads
from interlock.model.record import Record

MARK = "il1_"
_ALIKE = bytes.maketrans(b"+/", b"-_")
_BACK = bytes.maketrans(b"-_", b"+/")


class TokenError(ValueError):
    """The text is no token; one sentence says what was expected."""


class EnrolmentToken(Record):
    """``url``: the service's address, without a slash at its end. ``pin``: SHA-256 of its
    certificate in hex, empty where the system's own authorities vouch for it or there is no TLS.
    """

    url: str
    secret: str
    pin: str = ""


def format_token(token: EnrolmentToken) -> str:
    """Return the token as one word."""
    text = dumps({name: getattr(token, name) for name in EnrolmentToken.fields}).encode()
    return MARK + b2a_base64(text, newline=False).translate(_ALIKE).rstrip(b"=").decode()


def read(text: str) -> EnrolmentToken:
    """Return what a token says; raises ``TokenError``."""
    given = text.strip()
    rest = given.removeprefix(MARK).encode("ascii", "replace").translate(_BACK)
    try:
        said = loads(a2b_base64(rest + b"=" * (-len(rest) % 4)))
        token = EnrolmentToken(**{name: said[name] for name in EnrolmentToken.fields})
    except (JsonError, KeyError, TypeError, Error, ValueError) as error:
        raise TokenError(_describe_expected()) from error
    whole = all(isinstance(getattr(token, name), str) for name in EnrolmentToken.fields)
    if not given.startswith(MARK) or not whole or not token.url.startswith(("http://", "https://")):
        raise TokenError(_describe_expected())
    return token


def _describe_expected() -> str:
    return f"that is no token: expected one word that begins with {MARK}, as the service printed it"
