"""What the console shows of a record, and what of it may be asked for."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.model.record import Record
from interlock.service.store.rows import Destination, ExportCursor
from interlock.store.schema import Value

OWN = "here"
"""The name of the record of whoever runs the service, among the names of chains."""
MOST = 100


class DecisionLine(Record):
    """One decision in a line. ``source``: its chain, or ``OWN``; ``at``: UTC; ``status``: what
    became of the call, empty where that is not known; ``ms``: how long it took.
    """

    source: str
    name: str
    at: str
    session: str
    action: str
    verdict: str
    strictest: str
    rule: str
    cwd: str
    agent: str
    text: str
    status: str = ""
    ms: int = 0

    @property
    def answer(self) -> str:
        """Return the verdict, with ``warn`` for what was allowed with a warning."""
        return "warn" if (self.verdict, self.strictest) == ("allow", "warn") else self.verdict


class DecisionQuery(Record):
    """Which decisions, the newest first. Texts may hold ``*`` for anything; empty is all.

    ``words``: each stands somewhere in the call; ``since`` and ``before``: from a time on, and
    older than a decision (its time and name); ``own``: the session of interlock's own trials, too;
    ``beyond``: those alone that arrived behind an event of this number.
    """

    words: tuple[str, ...] = ()
    verdict: str = ""
    rule: str = ""
    session: str = ""
    agent: str = ""
    tool: str = ""
    folder: str = ""
    sources: tuple[str, ...] | None = None
    since: str = ""
    before: tuple[str, str] = ("", "")
    own: bool = False
    most: int = MOST
    beyond: int = 0

    @property
    def dear(self) -> bool:
        """Whether many decisions may have to be looked at for each that is found."""
        words = (self.rule, self.agent, self.tool, self.folder, self.verdict, *self.words)
        return any(words) or "*" in self.session


class SessionEvent(Record):
    """One event of a session. ``kind``: the record's; ``seen``: of a decision; ``body``: of any
    other.
    """

    source: str
    seq: int
    at: str
    kind: str
    subject: str
    body: Mapping[str, object]
    seen: DecisionLine | None = None


class DecisionDetail(Record):
    """A decision in full: its row by columns, and where its record stands."""

    seen: DecisionLine
    row: Mapping[str, Value]
    seq: int
    hash: str


class MinuteCounts(Record):
    """What was decided in a minute (``2026-01-31T23:59``)."""

    minute: str
    calls: int
    asked: int
    denied: int


class SessionLine(Record):
    """A session in a line. ``first``, ``last``: when its calls were judged, UTC."""

    source: str
    name: str
    agent: str
    cwd: str
    first: str
    last: str
    calls: int
    asked: int
    denied: int


class ExportState(Record):
    """How an export stands. ``behind``: how many events it does not have yet, ``MOST_BEHIND`` for
    that many or more.
    """

    destination: Destination
    cursor: ExportCursor
    behind: int


MOST_BEHIND = 100_000


def percent(part: int, whole: int) -> int:
    """Return how many of a hundred a part is; of nothing, as of one."""
    return 100 * part // max(1, whole)


class AskedCount(Record):
    """How often a rule asked of a source's calls, and how many of them ran then."""

    source: str
    rule: str
    asked: int
    ran: int


class RepeatedQuestion(Record):
    """A call by its words, how often it was asked about, and how often it ran then."""

    rule: str
    action: str
    text: str
    asked: int
    ran: int

    @property
    def share(self) -> int:
        """Return how many of a hundred ran."""
        return percent(self.ran, self.asked)


def glob(text: str) -> str:
    """Return a pattern of SQL's LIKE, its own signs escaped, for a text in which ``*`` stands
    for anything.
    """
    plain = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return plain.replace("*", "%")


def conditions(wanted: DecisionQuery, columns: Mapping[str, str]) -> tuple[str, list[Value]]:
    """Return what stands behind WHERE, and its values. ``columns``: the names of a table's columns
    by those of ``DecisionLine``.
    """
    parts: list[str] = []
    values: list[Value] = []
    for field, text in (
        ("rule", wanted.rule),
        ("session", wanted.session if "*" in wanted.session else ""),
        ("agent", wanted.agent),
        ("action", wanted.tool),
        ("cwd", wanted.folder),
    ):
        if text:
            parts.append(f"{columns[field]} LIKE ? ESCAPE '\\'")
            values.append(glob(text))
    if wanted.session and "*" not in wanted.session:
        parts.append(f"{columns['session']} = ?")  # whole, so that its index is used
        values.append(wanted.session)
    for word in wanted.words:
        parts.append(f"{columns['text']} LIKE ? ESCAPE '\\'")
        values.append(f"%{glob(word)}%")
    _filter_verdict(wanted, columns, parts, values)
    if wanted.since:
        parts.append(f"{columns['at']} >= ?")
        values.append(wanted.since)
    if wanted.before[0]:
        parts.append(f"({columns['at']}, {columns['name']}) < (?, ?)")
        values += wanted.before
    return " AND ".join(parts) or "true", values


def _filter_verdict(
    wanted: DecisionQuery, columns: Mapping[str, str], parts: list[str], values: list[Value]
) -> None:
    if wanted.verdict == "warn":
        parts.append(f"{columns['verdict']} = 'allow' AND {columns['strictest']} = 'warn'")
    elif wanted.verdict:
        parts.append(f"{columns['verdict']} = ?")
        values.append(wanted.verdict)
    if not wanted.own and not wanted.session:
        parts.append(f"{columns['session']} != 'interlock-doctor'")
