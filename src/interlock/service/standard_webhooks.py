"""What a receiver of Standard Webhooks 1.0 checks: secrets and signatures."""

from __future__ import annotations

import hmac
from base64 import b64encode
from hashlib import sha256
from time import time


def format_secret(key: bytes) -> str:
    """Return a key as receivers are given it."""
    return "whsec_" + b64encode(key).decode()


def sign(key: bytes, name: str, body: bytes) -> dict[str, str]:
    """Return the headers of a message that is sent now; ``name``: the same each time it is sent."""
    at = str(int(time()))
    mark = hmac.new(key, f"{name}.{at}.".encode() + body, sha256).digest()
    return {
        "webhook-id": name,
        "webhook-timestamp": at,
        "webhook-signature": f"v1,{b64encode(mark).decode()}",
    }
