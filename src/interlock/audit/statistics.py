"""What the record says of some days at a glance: how many calls, what was asked and how it was
answered, what was refused, which checkpoints were used, and which rules interrupted most.

Calls that ``interlock doctor`` made to try the guard are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.audit.replay import findings
from interlock.model.action import REVIEW
from interlock.model.call import PROVING
from interlock.model.codec import MalformedError
from interlock.model.record import Record
from interlock.store.protocol import Storage

MOST_ROWS = 200_000
"""Interrupted calls whose findings are read for the noisiest rules."""
MOST_AGENTS = 20
_REQUEST = '"rule":"approval.requested"'
"""In findings of a call refused with a request that a person answers elsewhere."""
_COUNTED = (
    f"FROM guardrail_audit_log WHERE session_id != '{PROVING}' AND timestamp >= ? AND timestamp < ?"
)
_ASKED = f"(verdict = 'ask' OR (verdict = 'deny' AND instr(findings, '{_REQUEST}')))"
_YES = """((verdict = 'ask' AND ifnull(status, '') IN ('ran', 'failed'))
    OR (verdict = 'deny' AND EXISTS (SELECT 1 FROM approval
    WHERE approval.decision_id = guardrail_audit_log.decision_id
    AND approval.state IN ('granted', 'spent'))))"""
_REFUSED = f"(verdict = 'deny' AND NOT instr(findings, '{_REQUEST}'))"


class Totals(Record):
    """Counts of calls. ``yes``: of those asked about, how many a person let run (at the client's
    prompt, or by ``interlock approve``). ``refused``: denied without a question that waits.
    ``proven``: known to be harmless; ``answered``: of those, whose question by the agent itself was
    answered. ``kept``: a checkpoint was taken before the call; ``undone``: uses of ``interlock
    undo``.
    """

    calls: int = 0
    asked: int = 0
    yes: int = 0
    refused: int = 0
    proven: int = 0
    answered: int = 0
    kept: int = 0
    undone: int = 0


class Day(Record):
    """One day in the zone of the machine: ``2026-01-31``, calls, asked, refused."""

    day: str
    calls: int
    asked: int
    refused: int


class Noise(Record):
    """How often a rule interrupted: by a question, how often the answer was yes, by a refusal."""

    rule: str
    asked: int = 0
    yes: int = 0
    refused: int = 0


def totals(store: Storage, since: str, until: str) -> Totals:
    """Return the counts from one UTC time up to another (ISO 8601); raises ``StoreError``."""
    wanted = (
        _ASKED,
        f"{_ASKED} AND {_YES}",
        _REFUSED,
        "proof IN ('proven', 'approved')",
        "proof = 'approved'",
        """instr(findings, '"rule":"checkpoint.taken"')""",
    )
    sums = ", ".join([f"coalesce(sum(CASE WHEN {one} THEN 1 ELSE 0 END), 0)" for one in wanted])
    sql = f"SELECT count(*), {sums} {_COUNTED}"
    undone = "SELECT count(*) FROM audit_event WHERE kind = 'undo' AND at >= ? AND at < ?"
    [row], [(undos,)] = store.query(sql, (since, until)), store.query(undone, (since, until))
    return Totals(*[int(number) for number in (*row, undos)])


def days(store: Storage, since: str, until: str) -> list[Day]:
    """Return the days on which there were calls, oldest first; raises ``StoreError``."""
    sql = f"""SELECT date(timestamp, 'localtime') AS day, count(*), sum({_ASKED}), sum({_REFUSED})
        {_COUNTED} GROUP BY day ORDER BY day"""
    return [
        Day(str(day), int(calls), int(asked), int(refused))
        for day, calls, asked, refused in store.query(sql, (since, until))
    ]


def agents(store: Storage, since: str, until: str) -> list[tuple[str, int]]:
    """Return each agent and how many calls it made, the busiest first; raises ``StoreError``."""
    sql = f"SELECT agent, count(*) {_COUNTED} GROUP BY agent ORDER BY 2 DESC, 1 LIMIT {MOST_AGENTS}"
    return [
        (str(agent) or "unknown", int(count)) for agent, count in store.query(sql, (since, until))
    ]


def noisiest(store: Storage, since: str, until: str, most: int) -> list[Noise]:
    """Return the rules that interrupted most, the noisiest first; raises ``StoreError``."""
    counts: dict[str, list[int]] = {}
    sql = f"""SELECT findings, {_ASKED}, {_ASKED} AND {_YES}, {_REFUSED} {_COUNTED}
        AND verdict IN ('ask', 'deny') ORDER BY id DESC LIMIT {MOST_ROWS}"""
    for text, *numbers in store.query(sql, (since, until)):
        for rule in _interrupting(str(text)):
            kept = counts.setdefault(rule, [0, 0, 0])
            for at, number in enumerate(numbers):
                kept[at] += int(number)
    found = [Noise(rule, *kept) for rule, kept in counts.items()]
    return sorted(found, key=lambda one: (-one.asked - one.refused, one.rule))[:most]


def _interrupting(text: str) -> Iterator[str]:
    """Yield, each once, the rules for which a call was asked about or refused; a row that another
    version wrote so that it cannot be read names none.
    """
    try:
        found = findings({"findings": text})
    except MalformedError:
        return
    spoke = [one.rule for one in found if one.effective >= REVIEW and one.stage != "approval"]
    yield from dict.fromkeys(spoke)
