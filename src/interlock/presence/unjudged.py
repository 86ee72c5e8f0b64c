"""Calls that nobody judged: what a client's own transcript tells of the time in which the guard was gone, and no record tells of.

Only the transcripts of clients are read so of which it is known how they note a call (``transcripts``). Everything is bounded: the newest losses, the
folders in which known transcripts lie, and of each file its end.
"""

from __future__ import annotations

import os
from time import gmtime, strftime, time

from interlock.model.record import Record
from interlock.presence.atwork import transcript_of, written
from interlock.presence.transcripts import FORMS, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from interlock.store.protocol import Storage

GONE, INSTALLED = "guard-gone", "guard-installed"
"""Kinds of the audit's events: something that was installed is gone, or back; and a person said anew what is to be there."""
MOST_EVENTS = 100
MOST_FILES = 8
MOST_BYTES = 2 << 20
"""Bytes at the end of one transcript that are read."""
MOST_CALLS = 200
MARGIN = 60.0
"""Seconds before the last judged call: of calls that are made at once some are judged before the guard goes, and some never."""
_EVENTS = f"""SELECT kind, subject, body, (julianday(at) - 2440587.5) * 86400.0 FROM audit_event
    WHERE seq > (SELECT ifnull(max(seq), 0) FROM audit_event) - 200000 AND kind IN ('{GONE}', '{INSTALLED}') ORDER BY seq DESC LIMIT {MOST_EVENTS}"""  # noqa: S608 - our own words
_TRANSCRIPTS = """SELECT call, max(id) FROM guardrail_audit_log WHERE agent = ? AND timestamp >= ? GROUP BY session_id ORDER BY 2 DESC LIMIT 64"""


class Gap(Record):
    """A time in which calls of a client may have been judged by nobody, in Unix seconds; ``until`` is 0 where it lasts."""

    since: float
    until: float = 0.0
    agent: str = "claude-code"


class Unjudged(Record):
    """One such call: when and in which session (as the transcript says), the tool, what it was given, and whose it was."""

    at: str
    session: str
    name: str
    id: str
    given: Mapping[str, object]
    agent: str = "claude-code"


def gaps(store: Storage, days: float = 7.0) -> list[Gap]:
    """Return the times without the guard that began within some days, the oldest first; raises ``StoreError``."""
    found: list[Gap] = []
    lasting: dict[str, Gap] = {}
    for kind, subject, text, at in reversed(store.query(_EVENTS)):
        body = said(text)
        since, agent = body.get("since"), body.get("disarms")
        if isinstance(agent, str) and agent in FORMS and at > time() - days * 86400.0:
            lasting.setdefault(subject, Gap(since if isinstance(since, float) else at, agent=agent))
        if kind == INSTALLED or body.get("back"):
            over = list(lasting) if kind == INSTALLED else [subject] if subject in lasting else []
            found += [lasting.pop(key).replace(until=at) for key in over]
    return sorted([*found, *lasting.values()], key=lambda gap: gap.since)


def calls(store: Storage, wanted: list[Gap]) -> list[Unjudged]:
    """Return the calls of those times that no record tells of, the oldest first; raises ``StoreError``."""
    noted: dict[str, Unjudged] = {}
    for agent in dict.fromkeys(gap.agent for gap in wanted):
        own = [gap for gap in wanted if gap.agent == agent]
        noted.update({one.id: one for path in _files(store, agent, own[0].since) for one in _noted(path, agent) if _within(one, own)})
    known = _judged(store, list(noted))
    return sorted([one for one in noted.values() if one.id not in known], key=lambda one: one.at)[-MOST_CALLS:]


def _within(one: Unjudged, wanted: Iterable[Gap]) -> bool:
    """Tell whether a call was made in one of these times; their words sort as times do."""
    return any(_iso(gap.since - MARGIN) <= one.at and (not gap.until or one.at <= _iso(gap.until)) for gap in wanted)


def _iso(when: float) -> str:
    return f"{strftime('%Y-%m-%dT%H:%M:%S', gmtime(when))}.{int(when * 1000) % 1000:03d}Z"


def _judged(store: Storage, names: list[str]) -> set[str]:
    found: set[str] = set()
    for start in range(0, len(names), 500):
        some = names[start : start + 500]
        sql = f"SELECT call_id FROM guardrail_audit_log WHERE call_id IN ({', '.join('?' * len(some))})"  # noqa: S608 - question marks
        found |= {str(row[0]) for row in store.query(sql, some)}
    return found


def _files(store: Storage, agent: str, since: float) -> list[str]:
    """Return a client's transcripts that were written since, the newest first: those that are known, and those of other sessions around them."""
    rows = store.query(_TRANSCRIPTS, (agent, _iso(since - 7 * 86400.0)))
    known = [path for path in dict.fromkeys(transcript_of(row[0]) for row in rows) if path.endswith(".jsonl")]
    every = sorted({*known, *FORMS[agent].others(known, since)}, key=written, reverse=True)
    return [path for path in every[:MOST_FILES] if written(path) >= since - MARGIN]


def _noted(path: str, agent: str) -> Iterator[Unjudged]:
    """Yield the calls that the end of a transcript notes; a line that is none is passed over."""
    form = FORMS[agent]
    for line in _end(path).split(b"\n"):
        if form.cue in line:
            yield from (Unjudged(*one, agent) for one in form.noted(said(line.decode("utf-8", "replace")), path))


def _end(path: str) -> bytes:
    """Return the whole lines at a transcript's end."""
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - MOST_BYTES))
            data = file.read(MOST_BYTES)
    except (OSError, ValueError):
        return b""
    return data if size <= MOST_BYTES else data.partition(b"\n")[2]
