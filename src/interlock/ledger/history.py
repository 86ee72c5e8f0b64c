"""The marks of one session, asked one by one."""

from __future__ import annotations

from typing import Any

from interlock.ledger import (
    AGREED,
    CHANGED_HOOK,
    COMMITTED,
    DOWNLOADED,
    FORGOTTEN,
    MADE,
    MOUNTED,
    MOVED_IN,
    NAMED,
    SECRET,
    SECRET_READ,
    STARTED,
    UNPACKED,
    name_of,
)  # fmt: skip
from interlock.model.facts import UNKNOWN, Process, Unknown
from interlock.store.place import StoreError
from interlock.store.protocol import Storage

_TOLD = frozenset({SECRET_READ, DOWNLOADED, UNPACKED, SECRET, CHANGED_HOOK, COMMITTED})
"""Labels about a path that is run, read or sent; the others have questions of their own."""
MOST_ABOVE = 64


class SessionMarks:
    """The marks of one session, looked up as they are asked for. Without a store there are none.

    ``forgotten``: what came before is not known, so a secret may have been read and every file may
    be a download.
    """

    def __init__(self, store: Storage | None, session: str, *, forgotten: bool = False) -> None:
        self._store = store
        self._session = session
        self._forgotten = forgotten
        self.problem = ""
        """Why the marks could not be read, or ``""``."""

    def labels(self, subject: str) -> frozenset[str]:
        """Return the marks on a path and on the folders above it, or on the session (``""``)."""
        rows = self._rows([*_above(subject), ""])
        forgotten = ("", FORGOTTEN) in rows
        found = {
            label
            for marked, label in rows
            if name_of(label) in _TOLD and bool(marked) == bool(subject)
        }
        if self._forgotten or forgotten:
            found |= {UNPACKED} if subject else {SECRET_READ}
        return frozenset(found)

    def made(self, path: str) -> bool:
        """Tell whether a path or a folder above it was made by a call of this session that ran, and
        holds nothing from elsewhere.
        """
        rows = self._rows([*_above(path), ""])
        return (
            any(label == MADE for _, label in rows)
            and ("", MOUNTED) not in rows
            and not self._was_moved_in(path)
        )

    def _was_moved_in(self, path: str) -> bool:
        """Tell whether a call moved something there, or into it, that was elsewhere before."""
        if self._store is None:
            return False
        try:
            # what begins with the folder lies between these two
            values = (self._session, MOVED_IN, path, path + "/", path + "0")
            sql = (
                "SELECT 1 FROM label WHERE session_id = ? AND label = ? AND (subject = ? OR"
                " (subject > ? AND subject < ?)) LIMIT 1"
            )
            return bool(self._store.query(sql, values))
        except StoreError as error:
            self.problem = str(error)
            return True

    def started(self, pid: str, process: Process | Unknown) -> bool:
        """Tell whether a running process was started by a call of this session."""
        if process is UNKNOWN or not self._store:
            return False
        return any(label == f"{STARTED} {process.ticks}" for _, label in self._rows([f"pid {pid}"]))  # type: ignore[union-attr]

    def agreed(self, subject: str, rule: str) -> bool:
        """Tell whether a person said yes to what this rule asks of a subject, or of a folder above
        it, in a call that then ran.
        """
        return any(label == f"{AGREED} {rule}" for _, label in self._rows(_above(subject)))

    def named(self, path: str) -> bool:
        """Tell whether the person named a path, or a folder above it, in a prompt."""
        return any(label == NAMED for _, label in self._rows(_above(path)))

    def refused(self, goals: list[str]) -> frozenset[tuple[str, str]]:
        """Return which of some goals were refused before, each with its label."""
        return frozenset(self._rows(goals))

    def _rows(self, subjects: list[str]) -> list[tuple[Any, ...]]:
        if self._store is None:
            return []
        marks = ", ".join("?" * len(subjects))
        try:
            return self._store.query(
                "SELECT subject, label FROM label WHERE session_id = ? AND call = '' AND subject"  # noqa: S608 - question marks
                f" IN ({marks})",
                (self._session, *subjects),
            )
        except StoreError as error:
            self.problem, self._forgotten = str(error), True
            return []


def _above(path: str) -> list[str]:
    """Return a path and the folders above it."""
    found = [path]
    while path.startswith("/") and path != "/" and len(found) < MOST_ABOVE:
        path = path.rpartition("/")[0] or "/"
        found.append(path)
    return found
