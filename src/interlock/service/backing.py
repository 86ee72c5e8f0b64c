"""A backup: all that a service keeps, as it is at one moment, in another folder that can be put in
its place. The service may run meanwhile.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing

from interlock.service.databases import FILE as DATABASE_FILE
from interlock.service.databases import is_shared
from interlock.service.store.protocol import ServiceStoreError
from interlock.service.store.sqlite import FILE
from interlock.service.tenants import OIDC_FILE, folder_of, tenants
from interlock.store.place import prepare

PAGES = 1000
"""How much is copied at once, between two writes of the service."""


def backup(folder: str, target: str) -> int:
    """Copy the service and its tenants; return how many bytes. Raises ``ServiceStoreError`` or
    ``OSError``.
    """
    if os.path.exists(target) and os.listdir(target):
        raise ServiceStoreError(f"{target} is not empty: name a new folder for each backup")
    size = 0
    for name in ("", *tenants(folder)):
        here, there = (folder_of(one, name) if name else one for one in (folder, target))
        size += 0 if is_shared(here) else _copy_database(here, there)
        _copy_keys(here, there)
    return size


def _copy_database(folder: str, target: str) -> int:
    """Copy one database; return its bytes."""
    prepare(target)
    path = f"{target}/{FILE}"
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with (
            closing(sqlite3.connect(f"{folder}/{FILE}")) as source,
            closing(sqlite3.connect(path)) as copy,
        ):
            source.backup(copy, pages=PAGES)
            [found] = copy.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        raise ServiceStoreError(f"{folder}/{FILE} cannot be copied: {error}") from error
    if found != "ok":
        raise ServiceStoreError(f"{folder}/{FILE} is damaged: {found}")
    return os.path.getsize(path)


def _copy_keys(folder: str, target: str) -> None:
    """Copy what a node has of its own, whichever database it uses."""
    prepare(target)
    for name in os.listdir(folder):
        if name.endswith(".key") or name in (OIDC_FILE, DATABASE_FILE):
            shutil.copy2(f"{folder}/{name}", f"{target}/{name}")
