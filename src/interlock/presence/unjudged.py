"""Calls that nobody judged: what a client's own transcript tells of the time in which the guard was gone, and no record tells of.

Only Claude Code's transcripts are read so: of the other clients' it is not known how they note a call. Everything is bounded: the newest losses,
the folders in which known transcripts lie, and of each file its end.
"""

from __future__ import annotations

import os
from time import gmtime, strftime, time

from interlock.model.jsontext import JsonError, loads
from interlock.model.record import Record
from interlock.presence.atwork import transcript_of, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from interlock.store.protocol import Storage

GONE, INSTALLED = "guard-gone", "guard-installed"
"""Kinds of the audit's events: something that was installed is gone, or back; and a person said anew what is to be there."""
AGENT = "claude-code"
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
    """A time in which calls of Claude Code may have been judged by nobody, in Unix seconds; ``until`` is 0 where it lasts."""

    since: float
    until: float = 0.0


class Unjudged(Record):
    """One such call: when and in which session (as the transcript says), the tool, and what it was given."""

    at: str
    session: str
    name: str
    id: str
    given: Mapping[str, object]


def gaps(store: Storage, days: float = 7.0) -> list[Gap]:
    """Return the times without the guard that began within some days, the oldest first; raises ``StoreError``."""
    found: list[Gap] = []
    lasting: dict[str, Gap] = {}
    for kind, subject, text, at in reversed(store.query(_EVENTS)):
        said = _object(text)
        since = said.get("since")
        if said.get("disarms") == AGENT and at > time() - days * 86400.0:
            lasting.setdefault(subject, Gap(since if isinstance(since, float) else at))
        if kind == INSTALLED or said.get("back"):
            over = list(lasting) if kind == INSTALLED else [subject] if subject in lasting else []
            found += [lasting.pop(key).replace(until=at) for key in over]
    return sorted([*found, *lasting.values()], key=lambda gap: gap.since)


def _object(text: object) -> dict[str, object]:
    try:
        said = loads(str(text))
    except JsonError:
        return {}
    return said if isinstance(said, dict) else {}


def calls(store: Storage, wanted: list[Gap]) -> list[Unjudged]:
    """Return the calls of those times that no record tells of, the oldest first; raises ``StoreError``."""
    if not wanted:
        return []
    noted = {one.id: one for path in _files(store, wanted[0].since) for one in _noted(path) if _within(one, wanted)}
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


def _files(store: Storage, since: float) -> list[str]:
    """Return the transcripts that were written since, the newest first: those that are known, and those of other sessions beside them."""
    rows = store.query(_TRANSCRIPTS, (AGENT, _iso(since - 7 * 86400.0)))
    known = [path for path in dict.fromkeys(transcript_of(row[0]) for row in rows) if path.endswith(".jsonl")]
    beside = [path for folder in dict.fromkeys(map(os.path.dirname, known)) for path in _in(folder)]
    below = [path for stem in {*known, *beside} for path in _in(os.path.join(stem.removesuffix(".jsonl"), "subagents"))]
    every = sorted({*known, *beside, *below}, key=written, reverse=True)
    return [path for path in every[:MOST_FILES] if written(path) >= since - MARGIN]


def _in(folder: str) -> Iterator[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return
    yield from (os.path.join(folder, name) for name in names if name.endswith(".jsonl"))


def _noted(path: str) -> Iterator[Unjudged]:
    """Yield the calls that the end of a transcript notes; a line that is none is passed over."""
    for line in _end(path).split(b"\n"):
        if b'"tool_use"' not in line:
            continue
        said = _object(line.decode("utf-8", "replace"))
        message = said.get("message")
        parts = message.get("content") if isinstance(message, dict) else None
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, dict) and part.get("type") == "tool_use" and isinstance(part.get("input"), dict):
                yield Unjudged(*_texts(said, "timestamp", "sessionId"), *_texts(part, "name", "id"), part["input"])


def _texts(said: Mapping[str, object], first: str, second: str) -> tuple[str, str]:
    return str(said.get(first, ""))[:200], str(said.get(second, ""))[:200]


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
