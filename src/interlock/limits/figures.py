"""Where the figures of usage come from: the client's transcripts, read on at every call, or whoever
runs the agent (``Guard.spent``).
"""

from __future__ import annotations

from typing import Any

from interlock.limits.formats import FORMATS, Format
from interlock.limits.scopes import scopes, session
from interlock.limits.spending import get_spent, note_context, spend
from interlock.limits.transcripts import Mark, Progress, advance, mark_of
from interlock.model.call import ToolCall
from interlock.model.limits import Limits
from interlock.model.record import Record
from interlock.model.usage import Usage
from interlock.store.protocol import Connection

MOST_FILES = 33
"""Transcripts of one session that are read on for one call: its own, and those of the sub-agents
that were heard of last.
"""
_ROWS = "SELECT path, inode, head, offset, state, unread, agent_id FROM transcript WHERE"


class TranscriptReading(Record):
    """A transcript of some agent, its row (None: never read), and what was found since."""

    agent_id: str
    row: tuple[Any, ...] | None
    progress: Progress


def read_on(rows: list[tuple[Any, ...]], call: ToolCall) -> list[TranscriptReading]:
    """Read every transcript of the session on from the marks in ``rows``, in no transaction."""
    form = FORMATS.get(call.agent)
    if form is None or not call.transcript:
        return []
    files: dict[str, tuple[str, tuple[Any, ...] | None]] = {
        row[0]: (row[6], row) for row in rows[:MOST_FILES]
    }
    for path, agent_id in _own(call, form):
        files.setdefault(path, (agent_id, None))
    return [
        TranscriptReading(agent_id, row, advance(_mark(path, row), form))
        for path, (agent_id, row) in files.items()
    ]


def _mark(path: str, row: tuple[Any, ...] | None) -> Mark:
    return Mark(path) if row is None else mark_of(path, row[1], row[2], row[3], (row[4], row[5]))


def marks_query(call: ToolCall) -> tuple[str, tuple[str, ...]]:
    """Return the question for the marks of a call's session, and its values."""
    own = call.transcript
    return (
        (
            f"{_ROWS} session_id = ? OR path = ? ORDER BY (path = ?) DESC, rowid DESC LIMIT"
            f" {MOST_FILES}"
        ),
        (call.session, own, own),
    )


def _own(call: ToolCall, form: Format) -> list[tuple[str, str]]:
    """Return the paths of the call's own agent and of the session's, with the agents' ids."""
    if not call.agent_id or not form.child:
        return [(call.transcript, call.agent_id)]
    name = "".join([char if char.isalnum() or char in "-_" else "_" for char in call.agent_id])
    return [
        (call.transcript, ""),
        (form.child.format(stem=call.transcript.removesuffix(".jsonl"), agent=name), call.agent_id),
    ]


def count(
    connection: Connection,
    limits: Limits,
    call: ToolCall,
    found: list[TranscriptReading],
    now: float,
) -> list[str]:
    """Count what was read, unless another process was quicker: then it is read on from where that
    one left it. Return what could not be counted.
    """
    if call.agent not in FORMATS:
        reported = get_spent(connection, session(call.session), 0, now).reports
        return (
            []
            if reported
            else [
                (
                    f"nobody has said what this session uses; whoever runs {call.agent or 'the agent'}"
                    " has to call Guard.spent"
                )
            ]
        )
    if not call.transcript:
        return [f"{call.agent} named no transcript"]
    problems = []
    for read in found:
        progress, path = read.progress, read.progress.mark.path
        row = connection.execute(f"{_ROWS} path = ?", (path,)).fetchone()
        if row != read.row:
            progress = advance(_mark(path, row), FORMATS[call.agent])
        # Claude Code may write the first lines of a transcript just after the first call; if there
        # still is none at the next one, that is a problem
        if progress.problem and not (progress.missing and row is None):
            problems.append(progress.problem)
        if (
            row is None
            or progress.mark.offset != row[3]
            or progress.mark.unread != row[5]
            or progress.mark.inode != row[1]
        ):
            _note(connection, call.session, read.agent_id, progress.mark)
            of = scopes(
                connection,
                call.replace(
                    agent_id=read.agent_id,
                    parent_id=call.parent_id if read.agent_id == call.agent_id else "",
                ),
            )
            for usage in _by_model(progress.usages):
                spend(connection, limits, of, usage, now)
            if progress.context >= 0:
                note_context(connection, limits, of, progress.context, now)
    return problems


def _by_model(usages: tuple[Usage, ...]) -> list[Usage]:
    """Return the sum of each model."""
    sums: dict[str, Usage] = {}
    for one in usages:
        had = sums.get(one.model)
        sums[one.model] = had.plus(one) if had is not None else one
    return list(sums.values())


def _note(connection: Connection, session_id: str, agent_id: str, mark: Mark) -> None:
    connection.execute(
        """INSERT INTO transcript (path, session_id, agent_id, inode, head, offset, state, unread)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (path) DO UPDATE SET inode = excluded.inode, head = excluded.head, offset =
            excluded.offset, state = excluded.state,
            unread = excluded.unread""",
        (
            mark.path,
            session_id,
            agent_id,
            mark.inode,
            mark.head,
            mark.offset,
            mark.state,
            mark.unread,
        ),
    )
