"""What a service says where it was started: what keeps it from its work, and as lines of JSON each
answer, too. Neither holds what somebody sent: a route's own path stands for the address, an id for
who asks.
"""

from __future__ import annotations

import logging
import sys
from threading import Lock
from time import monotonic

from interlock.model.jsontext import dumps
from interlock.store.chain import now

AGAIN_SECONDS = 15 * 60
TEXT, JSON = "text", "json"
FORMS = (TEXT, JSON)


class ServiceFailures:
    """Each sentence once, and again where it still holds much later; safe for threads. ``form``:
    ``text``, or ``json`` with a line for each answer.
    """

    def __init__(self, form: str = TEXT) -> None:
        self.form = form
        self._said: dict[str, float] = {}
        self._turn = Lock()

    def say(self, why: str) -> bool:
        """Say it, unless that was done just now; tell whether it was said."""
        at = monotonic()
        with self._turn:
            self._said = {one: when for one, when in self._said.items() if when > at}
            if why in self._said:
                return False
            self._said[why] = at + AGAIN_SECONDS
        if self.form == JSON:
            write_line("error", "failure", said=why)
        else:
            sys.stderr.write(f"interlock serve: {why}\n")
            sys.stderr.flush()
        return True

    def note_answer(self, method: str, route: str, status: int, seconds: float, who: str) -> None:
        """Say that something was answered, where that is wanted."""
        if self.form == JSON:
            level = "info" if status < 500 else "error"
            write_line(
                level, "answer", method=method, route=route, status=status,
                ms=round(1000 * seconds, 1), who=who,
            )  # fmt: skip


def write_line(level: str, event: str, **more: object) -> None:
    """Write a line of JSON to standard error, at once and whole."""
    sys.stderr.write(dumps({"at": now(), "level": level, "event": event, **more}) + "\n")
    sys.stderr.flush()


class JsonLines(logging.Handler):
    """What the server below says by itself, as such lines: of an error its kind and where it was,
    not its words, which may quote what was sent.
    """

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        kind, where = "", ""
        if record.exc_info and record.exc_info[1] is not None:
            error, trace = record.exc_info[1], record.exc_info[2]
            while trace is not None and trace.tb_next is not None:
                trace = trace.tb_next
            kind = type(error).__name__
            where = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else ""
        write_line(record.levelname.lower(), "server", said=str(record.msg), kind=kind, where=where)
