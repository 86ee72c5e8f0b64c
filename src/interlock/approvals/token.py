"""The person's token: made once at a terminal, shown once, kept as a salted hash. It stands for the
person where no terminal can be told.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time

from interlock.approvals.user import me
from interlock.store.chain import extend
from interlock.store.protocol import Connection, Storage

PREFIX = "interlock-token-"


def make(store: Storage) -> str:
    """Return a new token of this user, 160 random bits; an older one counts no more. Raises
    ``StoreError``.
    """
    token, person, salt = PREFIX + secrets.token_hex(20), me(), secrets.token_bytes(16)

    def work(connection: Connection) -> None:
        connection.execute(
            "INSERT OR REPLACE INTO approval_token (person, salt, hash) VALUES (?, ?, ?)",
            (person, salt.hex(), _hash_token(token, salt)),
        )
        extend(connection, "approval-token", person, {"by": person, "at": time.time()})

    store.transact(work)
    return token


def there(store: Storage) -> bool:
    """Tell whether this user has a token; raises ``StoreError``."""
    return bool(store.query("SELECT 1 FROM approval_token WHERE person = ?", (me(),)))


def valid(store: Storage, token: str) -> bool:
    """Tell whether this is the token of this user; raises ``StoreError``."""
    rows = store.query("SELECT salt, hash FROM approval_token WHERE person = ?", (me(),))
    return bool(rows) and hmac.compare_digest(
        _hash_token(token.strip(), bytes.fromhex(rows[0][0])), rows[0][1]
    )


def _hash_token(token: str, salt: bytes) -> str:
    return hashlib.scrypt(token.encode("utf-8", "replace"), salt=salt, n=2**12, r=8, p=1).hex()
