"""Answers that the guard agent gave before, so that the same call under the same policy is not paid
for twice.

What an answer hung on is in its key: the call to the letter, its effects, why it is reviewed, the
policy, the model and the bounds, the skills and the instructions. What it asked for on the way is
kept with a digest of what it was told, and asked again: an answer counts only while all of that is
told the same. Failures and unclear answers are not kept. The key is a keyed hash, so that nobody
can guess a call from it.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2s
from time import time

from interlock.model.action import Action
from interlock.model.decision import Finding
from interlock.model.jsontext import dumps, loads
from interlock.model.record import Record
from interlock.store.place import StoreError
from interlock.store.protocol import Connection, Storage
from interlock.store.secret import key
from interlock.validator.answer import STAGE

MOST_KEPT = 5000
_INTO = (
    "INSERT OR REPLACE INTO review (key, made, rule, action, message, asked) VALUES (?, ?, ?, ?,"
    " ?, ?)"
)
_OLD = (
    "DELETE FROM review WHERE made < ? OR made > ? OR key NOT IN (SELECT key FROM review ORDER BY"
    " made DESC LIMIT ?)"
)


class StoredAnswer(Record):
    """An answer, and what was asked before it: pairs of a request and a digest of the reply."""

    said: Finding
    asked: tuple[tuple[str, str], ...] = ()


class Memory:
    """The answers in a store that are at most ``seconds`` old. What the store cannot do is not
    remembered: then the model is asked.

    ``keeps``: new answers are added.
    """

    def __init__(
        self, store: Storage, seconds: int, clock: Callable[[], float] = time, *, keeps: bool = True
    ) -> None:
        self._store = store
        self._seconds = seconds
        self._keeps = keeps
        self._clock = clock

    def name(self, *parts: str) -> str:
        """Return the key of all that an answer hangs on, or ``""`` where there is none."""
        try:
            secret = key(self._store.folder)
        except StoreError:
            return ""
        return blake2s(dumps(list(parts)).encode("utf-8", "surrogatepass"), key=secret).hexdigest()

    def recall(self, name: str) -> StoredAnswer | None:
        """Return an answer that is young enough, not of the future, and readable."""
        now = self._clock()
        try:
            rows = self._store.query(
                "SELECT rule, action, message, asked FROM review WHERE key = ? AND made > ? AND"
                " made <= ?",
                (name, now - self._seconds, now),
            )
        except StoreError:
            return None
        if not name or not rows:
            return None
        rule, action, message, asked = rows[0]
        try:
            return StoredAnswer(
                Finding(rule, Action.of(action), STAGE, message),
                tuple([(request, digest) for request, digest in loads(asked)]),
            )
        except (ValueError, TypeError):
            return None

    def keep(self, name: str, kept: StoredAnswer) -> None:
        """Remember an answer, where the store can."""
        now, said = self._clock(), kept.said

        def work(connection: Connection) -> None:
            connection.execute(
                _INTO,
                (
                    name,
                    now,
                    said.rule,
                    str(said.action),
                    said.message,
                    dumps([list(pair) for pair in kept.asked]),
                ),
            )
            connection.execute(_OLD, (now - self._seconds, now, MOST_KEPT))

        if not name or not self._keeps:
            return
        try:
            self._store.transact(work)
        except StoreError:
            return  # then it is asked anew the next time
