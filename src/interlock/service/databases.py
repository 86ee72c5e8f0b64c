"""Where a folder's service keeps what it keeps: in SQLite's file there, or in a database of a
PostgreSQL server that the folder names.
"""

from __future__ import annotations

import os

from interlock.model.jsontext import JsonError, dumps, loads
from interlock.service.signing import Signer
from interlock.service.store.protocol import ServiceStore, ServiceStoreError
from interlock.service.store.sqlite import FILE as SQLITE_FILE
from interlock.service.store.sqlite import Database
from interlock.store.place import StoreError, prepare

FILE = "database.json"
KINDS = ("postgresql://", "postgres://")
_LACKING = (
    "psycopg is not installed here; `pip install 'interlock[postgres]'` (or `make install"
    " EXTRAS=serve,postgres`) brings it"
)


def name_database(folder: str, url: str, tenant: str) -> None:
    """Have a folder's service keep what it keeps in a server's database from now on; raises
    ``ServiceStoreError``.
    """
    if not url.startswith(KINDS):
        raise ServiceStoreError(f"--database is no address that begins with {KINDS[0]}")
    if os.path.exists(f"{folder}/{SQLITE_FILE}"):
        raise ServiceStoreError(
            f"{folder}/{SQLITE_FILE} holds what a service kept, and is not carried over: begin with"
            " a folder that has none"
        )
    try:
        prepare(folder)
        descriptor = os.open(f"{folder}/{FILE}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(dumps({"url": url, "tenant": tenant}))
    except (OSError, StoreError) as error:
        raise ServiceStoreError(f"{folder}/{FILE} cannot be written: {error}") from error


def is_begun(folder: str) -> bool:
    """Tell whether a service keeps something for this folder."""
    return is_shared(folder) or os.path.exists(f"{folder}/{SQLITE_FILE}")


def is_shared(folder: str) -> bool:
    """Tell whether other nodes may serve what this folder's does."""
    return os.path.exists(f"{folder}/{FILE}")


def open_store(folder: str) -> ServiceStore:
    """Return the database of a folder's service; raises ``ServiceStoreError``."""
    if not is_shared(folder):
        return Database(folder)
    try:
        with open(f"{folder}/{FILE}", encoding="utf-8") as file:
            said = loads(file.read())
        url, tenant = str(said["url"]), str(said["tenant"])
    except (OSError, JsonError, KeyError, TypeError) as error:
        raise ServiceStoreError(f"{folder}/{FILE} cannot be read: {error}") from error
    try:
        from interlock.service.store.postgres import PostgresDatabase  # an extra brings its driver
    except ImportError as error:
        raise ServiceStoreError(_LACKING) from error
    return PostgresDatabase(url, tenant, Signer(folder).derive_secret("database"))
