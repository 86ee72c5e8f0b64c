"""What MCP servers said of their tools when they were first seen: a description that is another one
later is seen to be.

A server is known by the name its client gives it and by a digest of the command or address behind
it: two projects may each have a ``db``.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from interlock.model.record import Record
from interlock.store.chain import digest, extend
from interlock.store.place import StoreError
from interlock.store.protocol import Connection, Storage

MAX_BODY = 256 * 1024
"""Characters of a description that are kept; of a longer one the digest alone."""
MAX_PINS = 10_000
"""Tools of one server that are pinned; what comes beyond counts as changed."""
_FIELDS = "server, source, tool, digest, body, since, other, other_body, other_since"


class PinsError(ValueError):
    """What is pinned could not be read or written; the text is one sentence."""


class Pin(Record):
    """One tool as it was pinned, and as it is now where that differs (``other`` is ``""`` where it
    does not). Times are ISO 8601 in UTC.
    """

    server: str
    source: str
    tool: str
    digest: str
    body: str
    since: str
    other: str = ""
    other_body: str = ""
    other_since: str = ""


class Pins:
    """The pins of one server. ``told``: what the digest of its command or address is taken of."""

    def __init__(self, store: Storage, server: str, told: str) -> None:
        self.store = store
        self.server = server
        self.source = digest([told])[:16]

    def held(self, seen: Mapping[str, str]) -> Mapping[str, str | None]:
        """Pin what is seen for the first time; of what is not as it was pinned, return what was
        (None: too long to be kept). Raises ``PinsError``.
        """
        try:
            return self.store.transact(lambda connection: self._held(connection, seen))
        except StoreError as error:
            raise PinsError(str(error)) from error

    def _held(self, connection: Connection, seen: Mapping[str, str]) -> Mapping[str, str | None]:
        rows = connection.execute(
            "SELECT tool, digest, body, other FROM mcp_pin WHERE server = ? AND source = ?",
            (self.server, self.source),
        )
        pinned = {tool: (first, body, other) for tool, first, body, other in rows.fetchall()}
        new: list[str] = []
        changed: dict[str, str | None] = {}
        now = _now()
        for tool, body in seen.items():
            mark = digest([body])
            first, was, other = pinned.get(tool, ("", "", ""))
            kept = body if len(body) <= MAX_BODY else ""
            if not first and len(pinned) + len(new) >= MAX_PINS:
                changed[tool] = None
            elif not first:
                values = (self.server, self.source, tool, mark, kept, now)
                connection.execute(
                    "INSERT INTO mcp_pin (server, source, tool, digest, body, since) VALUES (?, ?,"
                    " ?, ?, ?, ?)",
                    values,
                )
                new.append(tool)
            elif mark != first:
                changed[tool] = was or None
                if mark != other:
                    self._note(connection, tool, (mark, kept, now))
            elif other:
                self._note(connection, tool, ("", "", ""))
        if new:
            extend(
                connection,
                "pinned",
                self.server,
                {"source": self.source, "tools": sorted(new)[:200], "count": len(new)},
            )
        return changed

    def _note(self, connection: Connection, tool: str, other: tuple[str, str, str]) -> None:
        """Keep what the server says of a pinned tool by now."""
        values = (*other, self.server, self.source, tool)
        connection.execute(
            "UPDATE mcp_pin SET other = ?, other_body = ?, other_since = ? WHERE server = ? AND"
            " source = ? AND tool = ?",
            values,
        )
        if other[0]:
            extend(
                connection,
                "pin-differs",
                self.server,
                {"source": self.source, "tool": tool, "digest": other[0]},
            )

    def known(self, tool: str) -> tuple[str, str, str]:
        """Return the digest and the text that a tool is pinned by, and the digest of what it was
        last seen to be where that differs.

        Empty where there is no such thing. Raises ``PinsError``.
        """
        try:
            sql = (
                "SELECT digest, body, other FROM mcp_pin WHERE server = ? AND source = ? AND"
                " tool = ?"
            )
            rows = self.store.query(sql, (self.server, self.source, tool))
        except StoreError as error:
            raise PinsError(str(error)) from error
        return (str(rows[0][0]), str(rows[0][1]), str(rows[0][2])) if rows else ("", "", "")

    @staticmethod
    def mark(body: str) -> str:
        """Return the digest of a text."""
        return digest([body])


def every(store: Storage, server: str = "") -> list[Pin]:
    """Return the pins of all servers, or of those of one name; raises ``StoreError``."""
    where, values = (" WHERE server = ?", (server,)) if server else ("", ())
    return [
        Pin(*row)
        for row in store.query(
            f"SELECT {_FIELDS} FROM mcp_pin{where} ORDER BY server, source, tool",  # noqa: S608 - our own words
            values,
        )
    ]


def accept(store: Storage, pins: list[Pin], by: str) -> int:
    """Pin what servers say by now, unless it changed since it was shown, and return of how many
    tools. Raises ``StoreError``.
    """

    def work(connection: Connection) -> int:
        done = 0
        for pin in pins:
            sql = """UPDATE mcp_pin SET digest = other, body = other_body, since = other_since,
                other = '', other_body = '', other_since = ''
                WHERE server = ? AND source = ? AND tool = ? AND other = ? AND other != ''"""
            if connection.execute(sql, (pin.server, pin.source, pin.tool, pin.other)).rowcount == 1:
                done += 1
                extend(
                    connection,
                    "pin-accepted",
                    pin.server,
                    {"source": pin.source, "tool": pin.tool, "digest": pin.other, "by": by},
                )
        return done

    return store.transact(work)


def forget(store: Storage, pins: list[Pin], by: str) -> int:
    """Forget pins: what their servers say next is pinned anew. Raises ``StoreError``."""

    def work(connection: Connection) -> int:
        for pin in pins:
            values: tuple[Any, ...] = (pin.server, pin.source, pin.tool)
            connection.execute(
                "DELETE FROM mcp_pin WHERE server = ? AND source = ? AND tool = ?", values
            )
            extend(
                connection,
                "pin-forgotten",
                pin.server,
                {"source": pin.source, "tool": pin.tool, "by": by},
            )
        return len(pins)

    return store.transact(work)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
