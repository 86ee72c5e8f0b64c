"""What a session is remembered by: its workspace, the person's last words (as a hash), and marks on
what earlier calls touched.

Marks are looked up when they are asked for, by their key, so that a call costs the same whether ten
or ten thousand came before it. Marks that loosen (``made``, ``started``) count only after the
client said that their very call ran, by its id.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from interlock.ledger import (
    AGREED,
    COMMITTED,
    DOWNLOADED,
    FORGOTTEN,
    JOINED,
    MADE,
    NAMED,
    PID_FILE,
    SECRET_READ,
    STARTED,
    STARTING,
    name_of,
)
from interlock.ledger.history import SessionMarks
from interlock.model.blake import blake2s
from interlock.model.call import Outcome, ToolCall
from interlock.model.effect import Reading
from interlock.model.facts import Process
from interlock.model.jsontext import dumps, loads
from interlock.model.record import Record
from interlock.store.place import StoreError
from interlock.store.protocol import Storage
from interlock.store.schema import Write

_LOOSENING = (MADE, STARTING, PID_FILE, AGREED, JOINED)
_PENDING = (*_LOOSENING, COMMITTED)
"""Labels that count when the call is known to have run. One that tightens counts at once where a
call has no id by which that could be told.
"""
MOST_NEW = 100
"""Marks that one call may leave; one more, and all that this session runs counts as downloaded."""
KEPT_DAYS = 30
_SESSION = """SELECT roots, prompt_hash, intent, scope, marks, refusals, digest, repeats, (SELECT
    why FROM stopped WHERE scope = 'session:' || id)
    FROM session WHERE id = ?"""


class SessionState(Record):
    """A session as it was before this call. ``known``: it was seen before, so its roots are fixed.

    ``marks``: it has some. ``refusals``: calls of it were refused. ``digest``, ``repeats``: its
    last call, and how often it came in a row.
    ``forgotten``: it may be older than the store (``older``), or something of it still waits in the
    spool, so not all that it did before is known.
    ``stopped``: why nothing of it runs until a person sets it free, or ``""``. ``intent``,
    ``scope``: what the person asked for.
    """

    known: bool = False
    roots: tuple[str, ...] = ()
    prompt_hash: str = ""
    intent: str = ""
    marks: bool = False
    refusals: bool = False
    digest: str = ""
    repeats: int = 0
    forgotten: bool = False
    stopped: str = ""
    scope: str = ""
    older: bool = False


class PromptRecord(Record):
    """What a person asked for, as far as it is kept: a keyed hash, the folders they named, the
    words (free of secrets) only if the policy says so.
    """

    digest: str
    intent: str = ""
    scope: str = ""
    words: str = ""
    folders: tuple[str, ...] = ()


class Ledger:
    """The ledger of one store; reads at once, writes together with the audit."""

    def __init__(self, store: Storage) -> None:
        self.store = store
        self._key: bytes | None = None

    def session(self, session: str) -> SessionState:
        """Return what is remembered of a session; raises ``StoreError``."""
        if not session:
            return SessionState()
        waits = self.store.waiting() and not self._flush_spool()
        rows = self.store.query(_SESSION, (session,))
        if not rows:
            older = bool(self.store.notices) or bool(
                self.store.query(
                    "SELECT 1 FROM label WHERE session_id = '' AND since > ?", (_now(-86400),)
                )
            )
            return SessionState(forgotten=older or waits, older=older)
        roots, prompt, intent, scope, marks, refusals, digest, repeats, stopped = rows[0]
        return SessionState(
            True,
            tuple(loads(roots)),
            prompt,
            intent,
            marks > 0,
            refusals > 0,
            digest,
            repeats,
            waits,
            stopped or "",
            scope,
        )

    def _flush_spool(self) -> bool:
        """Have what waits in the spool written, for it is part of what was before; tell whether
        nothing waits any more.
        """
        try:
            self.store.commit([])
        except StoreError:
            # somebody holds the database, and until they let go all that waits counts as not known
            return False
        return not self.store.waiting()

    def history(self, session: str, remembered: SessionState) -> SessionMarks | None:
        """Return the marks of a session, to be asked one by one; None where there are none."""
        if not remembered.marks and not remembered.forgotten:
            return None
        from interlock.ledger.history import SessionMarks

        return SessionMarks(
            self.store if remembered.marks else None, session, forgotten=remembered.forgotten
        )

    def goal(self, text: str) -> str:
        """Return what stands for a refused goal; raises ``StoreError``."""
        if self._key is None:
            from interlock.store.secret import key  # only refusals ask for it

            self._key = key(self.store.folder)
        return (
            "goal"
            f" {blake2s(text.encode('utf-8', 'surrogatepass'), key=self._key, digest_size=12).hexdigest()}"
        )

    @staticmethod
    def digest(call: ToolCall) -> str:
        """Return what tells a call from the one before it: no proof, only four bytes, so that
        nothing of the input is kept.
        """
        text = f"{call.name} {call.input!r}"
        return f"{blake2s(text.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}-{len(text)}"

    def seen(
        self,
        call: ToolCall,
        reading: Reading,
        *,
        runs: bool,
        refused: Iterable[tuple[str, str]] = (),
        agreed: Iterable[tuple[str, str]] = (),
    ) -> list[Write]:
        """Return the writes that remember a call: its session, what it marks where it may run, and
        the goals it was ``refused``.

        ``agreed``: what a person says yes to who lets it run.
        """
        if not call.session:
            return []
        when = _now()
        writes: list[Write] = [
            ("call", (call.session, when, dumps(list(call.roots)), self.digest(call)))
        ]
        marks = (
            [mark for mark in reading.marks if call.call_id or mark[1] not in _LOOSENING]
            if runs
            else []
        )
        if len(marks) > MOST_NEW:
            marks = [("/", DOWNLOADED), ("", SECRET_READ)]
        found = [*marks, *refused, *(agreed if call.call_id else ())]
        if found:
            writes += [
                (
                    "mark",
                    (
                        call.session,
                        subject,
                        label,
                        when,
                        call.call_id if name_of(label) in _PENDING else "",
                    ),
                )
                for subject, label in found
            ]
            writes.append(("marked", (len(found), int(bool(refused)), call.session)))
        return writes

    @staticmethod
    def begun(call: ToolCall, remembered: SessionState) -> list[Write]:
        """Return the writes of a session's first call: old marks go, and that the session may be
        older than the store is remembered.
        """
        writes: list[Write] = [("expired", (_now(-86400 * KEPT_DAYS),))]
        if remembered.older and call.session:
            writes += [
                ("label", (call.session, "", FORGOTTEN, _now())),
                ("label", ("", "", FORGOTTEN, _now())),
                ("marked", (1, 0, call.session)),
            ]
        return writes

    def ran(self, outcome: Outcome, began: Iterable[tuple[str, Process]] = ()) -> list[Write]:
        """Return the writes that make what a call made this session's own, and the processes it
        started: numbers and when they began.
        """
        call = outcome.call
        if not call.session or not call.call_id or outcome.status == "refused":
            return []
        if outcome.status != "ran":  # what went wrong may have been what came after the commit
            return [("confirmed-commit", (call.session, call.call_id))]
        when = _now()
        started: list[Write] = [
            ("mark", (call.session, f"pid {pid}", f"{STARTED} {process.ticks}", when, ""))
            for pid, process in began
        ]
        joined: Write = ("joined", (call.call_id, call.session, call.session, call.call_id))
        return [
            joined,
            ("confirmed", (call.session, call.call_id)),
            *started,
            *([("marked", (len(started), 0, call.session))] if started else []),
        ]

    def began(self, call: ToolCall) -> tuple[float, list[str]]:
        """Return when a call that may have started processes was judged, in Unix seconds, and the
        files that it wrote their numbers to.

        0 where it was no such call; raises ``StoreError``.
        """
        sql = (
            "SELECT subject, label, CAST(strftime('%s', since) AS REAL) FROM label WHERE session_id"
            " = ? AND call = ? AND label IN (?, ?)"
        )
        rows = self.store.query(sql, (call.session, call.call_id, STARTING, PID_FILE))
        return max([since for _, _, since in rows], default=0.0), [
            path for path, label, _ in rows if label == PID_FILE
        ]

    def asked(self, session: str, roots: tuple[str, ...], prompt: PromptRecord) -> list[Write]:
        """Return the writes that remember what a person asked for."""
        if not session:
            return []
        when = _now()
        told: list[Write] = [
            (
                "prompt",
                (
                    session,
                    when,
                    dumps(list(roots)),
                    prompt.digest,
                    prompt.intent,
                    prompt.scope,
                    prompt.words,
                ),
            )
        ]
        if prompt.folders:
            told += [("mark", (session, folder, NAMED, when, "")) for folder in prompt.folders]
            told.append(("marked", (len(prompt.folders), 0, session)))
        return told


def _now(shift: float = 0) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + shift))
