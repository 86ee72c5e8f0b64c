"""Calls that nobody judged: what a client's own transcript tells of the time in which the guard was
gone, and no record tells of.

Only the transcripts of clients are read so of which it is known how they note a call
(``transcripts``). Everything is bounded: the newest losses, the folders in which known transcripts
lie, and of each file its end.
"""

from __future__ import annotations

from calendar import timegm
from collections.abc import Callable, Iterable, Iterator, Mapping
from time import strptime, time

from interlock.model.record import Record
from interlock.presence.agent_activity import last_write, transcript_of
from interlock.presence.transcripts import FORMS, iso, parse_object
from interlock.store.protocol import Storage

GONE, INSTALLED = "guard-gone", "guard-installed"
"""Kinds of the audit's events: something that was installed is gone, or back; and a person said
anew what is to be there.
"""
MOST_EVENTS = 100
MOST_FILES = 8
MOST_CALLS = 200
MARGIN = 60.0
"""Seconds before the last judged call: of calls that are made at once some are judged before the
guard goes, and some never.
"""
_EVENTS = f"""SELECT kind, subject, body, (julianday(at) - 2440587.5) * 86400.0 FROM audit_event
    WHERE seq > (SELECT ifnull(max(seq), 0) FROM audit_event) - 200000 AND kind IN ('{GONE}', '{INSTALLED}') ORDER BY seq DESC LIMIT {MOST_EVENTS}"""  # noqa: S608 - our own words
LONGEST = 600.0
"""Seconds that may lie between a call in a transcript and its record: one waits for its person."""
_WORDS = """SELECT timestamp, parameters FROM guardrail_audit_log
    WHERE agent = ? AND timestamp >= ? ORDER BY timestamp LIMIT 20000"""
_TRANSCRIPTS = """SELECT call, max(id) FROM guardrail_audit_log WHERE agent = ? AND timestamp >= ? GROUP BY session_id ORDER BY 2 DESC LIMIT 64"""


class Gap(Record):
    """A time in which calls of a client may have been judged by nobody, in Unix seconds; ``until``
    is 0 where it lasts.
    """

    since: float
    until: float = 0.0
    agent: str = "claude-code"


class UnjudgedCall(Record):
    """One such call: when and in which session (as the transcript says), the tool, what it was
    given, and whose it was.
    """

    at: str
    session: str
    name: str
    id: str
    given: Mapping[str, object]
    agent: str = "claude-code"


def gaps(store: Storage, days: float = 7.0) -> list[Gap]:
    """Return the times without the guard of some days, oldest first; raises ``StoreError``."""
    found: list[Gap] = []
    lasting: dict[str, Gap] = {}
    for kind, subject, text, at in reversed(store.query(_EVENTS)):
        body = parse_object(text)
        since, agent = body.get("since"), body.get("disarms")
        if isinstance(agent, str) and agent in FORMS and at > time() - days * 86400.0:
            lasting.setdefault(subject, Gap(since if isinstance(since, float) else at, agent=agent))
        if kind == INSTALLED or body.get("back"):
            over = list(lasting) if kind == INSTALLED else [subject] if subject in lasting else []
            found += [lasting.pop(key).replace(until=at) for key in over]
    return sorted([*found, *lasting.values()], key=lambda gap: gap.since)


def calls(
    store: Storage, wanted: list[Gap], told: Callable[[Mapping[str, object]], str]
) -> list[UnjudgedCall]:
    """Return the calls of those times that no record tells of, the oldest first; raises
    ``StoreError``. ``told``: what a tool was given, as records have it.
    """
    found: list[UnjudgedCall] = []
    for agent in dict.fromkeys(gap.agent for gap in wanted):
        own = [gap for gap in wanted if gap.agent == agent]
        since = own[0].since - MARGIN
        noted = {
            (one.session, one.id): one
            for path in _files(store, agent, since)
            for one in _read_calls(path, agent, since)
        }
        every = sorted(noted.values(), key=lambda one: one.at)
        judged = _by_id(store, every) if FORMS[agent].told else _by_words(store, every, told)
        found += [one for one in every if (one.session, one.id) not in judged and _within(one, own)]
    return sorted(found, key=lambda one: one.at)[-MOST_CALLS:]


def _within(one: UnjudgedCall, wanted: Iterable[Gap]) -> bool:
    """Tell whether a call was made in one of these times; their words sort as times do."""
    return any(
        iso(gap.since - MARGIN) <= one.at and (not gap.until or one.at <= iso(gap.until))
        for gap in wanted
    )


def _by_id(store: Storage, noted: list[UnjudgedCall]) -> set[tuple[str, str]]:
    """Return those of which a record tells, by their ids."""
    names = [one.id for one in noted]
    known: set[str] = set()
    for start in range(0, len(names), 500):
        some = names[start : start + 500]
        sql = f"SELECT call_id FROM guardrail_audit_log WHERE call_id IN ({', '.join('?' * len(some))})"  # noqa: S608 - question marks
        known |= {str(row[0]) for row in store.query(sql, some)}
    return {(one.session, one.id) for one in noted if one.id in known}


def _by_words(
    store: Storage, noted: list[UnjudgedCall], told: Callable[[Mapping[str, object]], str]
) -> set[tuple[str, str]]:
    """Return those of which a record tells, by what the tool was given: each record is of the call
    that was made nearest to it and is no other record's.
    """
    if not noted:
        return set()
    calls: dict[str, list[UnjudgedCall]] = {}
    for one in noted:
        calls.setdefault(told(one.given), []).append(one)
    since = iso(seconds(noted[0].at) - MARGIN)
    found: set[tuple[str, str]] = set()
    for at, words in store.query(_WORDS, (noted[0].agent, since)):
        like = [one for one in calls.get(words, ()) if (one.session, one.id) not in found]
        near = min(like, key=lambda one: abs(seconds(one.at) - seconds(at)), default=None)
        if near is not None and abs(seconds(near.at) - seconds(at)) <= LONGEST:
            found.add((near.session, near.id))
    return found


def seconds(at: str) -> float:
    """Return a time as it is told in Unix seconds, 0 for what is none."""
    try:
        return timegm(strptime(at[:19], "%Y-%m-%dT%H:%M:%S")) + float(f"0{at[19:].rstrip('Z')}")
    except (ValueError, OverflowError):
        return 0.0


def _files(store: Storage, agent: str, since: float) -> list[str]:
    """Return a client's transcripts that were written since, the newest first: those that are
    known, and those of other sessions around them.
    """
    rows = store.query(_TRANSCRIPTS, (agent, iso(since - 7 * 86400.0)))
    known = [
        path
        for path in dict.fromkeys(transcript_of(row[0]) for row in rows)
        if path.endswith(FORMS[agent].suffix)
    ]
    every = sorted({*known, *FORMS[agent].others(known, since)}, key=last_write, reverse=True)
    return [path for path in every[:MOST_FILES] if last_write(path) >= since]


def _read_calls(path: str, agent: str, since: float) -> Iterator[UnjudgedCall]:
    """Yield the calls that a transcript notes."""
    yield from (UnjudgedCall(*one, agent) for one in FORMS[agent].noted(path, since))
