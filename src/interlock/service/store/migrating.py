"""The steps that bring a PostgreSQL database up to date, each a file of plain SQL.

A file's name says its number and its kind. One that *expands* adds what older nodes do not know and
need not: they go on beside newer ones. One that *contracts* takes away what no released node uses
any more: a node that does not know it stays away from the database.
"""

from __future__ import annotations

import os
from typing import Any

import psycopg

from interlock.model.record import Record
from interlock.service.store.protocol import ServiceStoreError

FOLDER = f"{os.path.dirname(os.path.abspath(__file__))}/migrations"
EXPAND, CONTRACT = "expand", "contract"
_LOCK = 0x1A7E410C
_BEGIN = """CREATE SCHEMA IF NOT EXISTS interlock; CREATE TABLE interlock.migration (
    number integer PRIMARY KEY, kind text NOT NULL, at timestamptz NOT NULL DEFAULT now())"""


class Migration(Record):
    """One step. ``kind``: ``EXPAND`` or ``CONTRACT``; ``path``: where its SQL is."""

    number: int
    kind: str
    path: str

    @property
    def text(self) -> bytes:
        """Return its SQL."""
        with open(self.path, "rb") as file:
            return file.read()


def list_migrations(folder: str = FOLDER) -> list[Migration]:
    """Return the steps of a folder, in order."""
    found = []
    for name in sorted(one for one in os.listdir(folder) if one.endswith(".sql")):
        number, _, kind = name.removesuffix(".sql").partition("-")
        found.append(Migration(int(number), kind, f"{folder}/{name}"))
    return found


def bring_up(connection: psycopg.Connection[Any], where: str, folder: str = FOLDER) -> None:
    """Do what was not done yet, within a transaction and one node at a time; raises
    ``ServiceStoreError`` where a newer node took something away.
    """
    connection.execute("SELECT pg_advisory_xact_lock($1)", (_LOCK,))
    if connection.execute("SELECT to_regclass('interlock.migration')").fetchone() == (None,):
        connection.execute(_BEGIN, prepare=False)
    done = dict(connection.execute("SELECT number, kind FROM interlock.migration").fetchall())
    steps = list_migrations(folder)
    known = {one.number for one in steps}
    if any(kind == CONTRACT and number not in known for number, kind in done.items()):
        raise ServiceStoreError(
            f"{where} was changed by a newer interlock so that this one cannot use it any more:"
            " upgrade interlock"
        )
    for step in steps:
        if step.number not in done:
            connection.execute(step.text, prepare=False)
            connection.execute(
                "INSERT INTO interlock.migration (number, kind) VALUES ($1, $2)",
                (step.number, step.kind),
            )
