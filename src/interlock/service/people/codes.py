"""Codes of an authenticator (TOTP, RFC 6238): six digits that change every 30 seconds."""

from __future__ import annotations

import hmac
from io import BytesIO
from time import time

import pyotp
import segno

STEP_SECONDS = 30
AROUND = (-1, 0, 1)
"""Steps that count around this one: clocks differ, and people type."""


def secret() -> str:
    """Return a new secret."""
    return pyotp.random_base32()


def address(secret: str, name: str, service: str) -> str:
    """Return the address that an authenticator takes in."""
    return pyotp.TOTP(secret).provisioning_uri(name=name, issuer_name=f"interlock {service}")


def picture(address: str) -> str:
    """Return an address as a QR code, in SVG without any style in it."""
    out = BytesIO()
    segno.make(address, error="m").save(
        out, kind="svg", border=4, xmldecl=False, svgns=True, svgclass="qr", lineclass="dots",
        omitsize=True, title="QR code for an authenticator",
    )  # fmt: skip
    return out.getvalue().decode()


def step_of(secret: str, code: str, at: float | None = None) -> int:
    """Return the step of the clock that a code is of, 0 where it is of none around now."""
    given = "".join(code.split())
    now = int((time() if at is None else at) // STEP_SECONDS)
    one = pyotp.TOTP(secret)
    found = 0
    for around in AROUND:
        if hmac.compare_digest(one.at((now + around) * STEP_SECONDS).encode(), given.encode()):
            found = now + around
    return found
