"""Whether an agent was at work when something was changed: what a person does meanwhile is their
own affair.

A session was at work that had begun by then, and made a call or wrote its transcript not long
before it or since. What runs on by itself, such as a client that waits for its person, is seen by
its process (``alive``).
"""

from __future__ import annotations

import os
from time import gmtime, strftime

from interlock.model.call import PROVING
from interlock.model.jsontext import JsonError, loads
from interlock.store.place import StoreError
from interlock.store.protocol import Storage

QUIET = 600.0
"""Seconds after its last sign of life that a session counts as at work, as a call may run."""
SPAN = 86400.0
"""Seconds before a change in which sessions are looked for."""
MOST = 16
"""Sessions that are looked at, the newest."""
_SESSIONS = f"""SELECT g.call, CAST(strftime('%s', s.started) AS REAL),
        (julianday(max(g.timestamp)) - 2440587.5) * 86400.0 + ifnull(g.duration_ms, 0) / 1000.0
    FROM guardrail_audit_log g LEFT JOIN session s ON s.id = g.session_id
    WHERE g.timestamp >= ? AND g.session_id NOT IN ('', '{PROVING}') GROUP BY g.session_id ORDER BY 3 DESC LIMIT {MOST}"""  # noqa: S608 - our own words

_LAST = "SELECT (julianday(max(timestamp)) - 2440587.5) * 86400.0 FROM guardrail_audit_log"


def at_work(store: Storage, when: float) -> bool:
    """Tell whether a session was at work at a time (Unix seconds); raises ``StoreError``."""
    since = strftime("%Y-%m-%dT%H:%M:%S", gmtime(max(0.0, when - SPAN)))
    for call, started, last in store.query(_SESSIONS, (since,)):
        if (started is None or started <= when) and max(
            last, last_write(transcript_of(call))
        ) >= when - QUIET:
            return True
    return False


def last_judged(store: Storage) -> float:
    """Return when a call was judged last, in Unix seconds; 0 where that is not known."""
    try:
        return float(store.query(_LAST)[0][0] or 0.0)
    except StoreError:
        return 0.0


def transcript_of(call: object) -> str:
    """Return the path of a session's transcript, by what the audit keeps of one of its calls;
    ``""`` where that is not known.
    """
    try:
        said = loads(str(call))
    except JsonError:
        return ""
    path = said.get("transcript") if isinstance(said, dict) else ""
    return path if isinstance(path, str) else ""


def last_write(path: str) -> float:
    """Return when a file was last written, in Unix seconds; 0 where there is none. A database's
    last words stand in its log.
    """
    names = (path, f"{path}-wal") if path.endswith(".db") else (path,)
    return max(map(_mtime, names))


def _mtime(path: str) -> float:
    try:
        return os.stat(path).st_mtime if path else 0.0
    except (OSError, ValueError):
        return 0.0
