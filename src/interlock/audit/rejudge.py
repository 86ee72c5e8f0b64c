"""The recorded history judged by another policy: each distinct call once, by the engine that judges
calls, in as many processes as there are.

What stages said that hang on what was then (limits, grants, the session) is not judged again: the
rules and the intent of a row are held against the same of today. A row that cannot be judged again
is counted with the reason, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from interlock.audit.replay import JUDGED_AGAIN, remember, replay
from interlock.engine.decide import decide
from interlock.engine.proving import add_doubts
from interlock.model.action import ALLOW, Action, Verdict
from interlock.model.call import SHELL, ToolCall
from interlock.model.codec import MalformedError
from interlock.model.decision import Finding
from interlock.model.effect import Reading
from interlock.model.jsontext import JsonError, loads
from interlock.model.policy import Policy
from interlock.model.record import Record
from interlock.store.protocol import Storage
from interlock.store.schema import Value

Misfits = Callable[[ToolCall, Reading, str], tuple[Finding, ...]]
Commands = Callable[[ToolCall], tuple[tuple[str, ...], ...]]

JUDGED = tuple(
    (
        "schema action parameters call cwd roots intent effects coverage findings commands doubts"
    ).split()
)
"""What two rows share that are judged alike."""
NOTICES = frozenset({"policy.not-loaded", "policy.not-carried-out"})
"""What is said of the policy's own state, and of no call."""
CHUNK = 500


class HistoryCall(Record):
    """A distinct call of the history: the values of ``JUDGED``, how often it was made, and the name
    of its last decision.
    """

    values: tuple[Value, ...]
    times: int
    decision: str


class CallFlip(Record):
    """A call whose rules answer otherwise now. ``rules``: those that speak on one side only, or say
    something else.
    """

    decision: str
    text: str
    old: str
    new: str
    rules: tuple[str, ...]
    times: int


class RejudgeReport(Record):
    """What came of some rows. ``rules``: of each rule the calls it changes its word on; ``unread``:
    reasons, and how many calls each kept out.
    """

    distinct: int = 0
    calls: int = 0
    flips: tuple[CallFlip, ...] = ()
    rules: tuple[tuple[str, int], ...] = ()
    unread: tuple[tuple[str, int], ...] = ()

    def with_(self, other: RejudgeReport) -> RejudgeReport:
        """Return both together."""
        return RejudgeReport(
            self.distinct + other.distinct,
            self.calls + other.calls,
            self.flips + other.flips,
            _sum_counts(self.rules, other.rules),
            _sum_counts(self.unread, other.unread),
        )


def _sum_counts(*several: tuple[tuple[str, int], ...]) -> tuple[tuple[str, int], ...]:
    found: dict[str, int] = {}
    for some in several:
        for name, count in some:
            found[name] = found.get(name, 0) + count
    return tuple(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))


def history(store: Storage, since: str) -> list[HistoryCall]:
    """Return the distinct calls from a time on (``2026-01-31T00:00:00``, UTC); raises
    ``StoreError``.
    """
    columns = ", ".join(JUDGED)
    sql = f"SELECT {columns}, count(*), max(decision_id) FROM guardrail_audit_log WHERE timestamp >= ? GROUP BY {columns}"  # noqa: S608 - our own words
    return [
        HistoryCall(tuple(found[:-2]), int(found[-2]), str(found[-1]))
        for found in store.query(sql, (since,))
    ]


def chunks(rows: Sequence[HistoryCall]) -> Iterator[Sequence[HistoryCall]]:
    """Yield the rows in parts, one for each errand of a process."""
    return (rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK))


def judge_rows(
    rows: Iterable[HistoryCall], policy: Policy, misfits: Misfits, commands: Commands
) -> RejudgeReport:
    """Judge rows by a policy. ``commands``: those of a call, read from its text; asked where a rule
    looks at them and the row keeps none.
    """
    words = (
        commands
        if any(rule.match.commands or rule.match.outside for rule in policy.rules)
        else None
    )
    distinct = calls = 0
    flips: list[CallFlip] = []
    changed: dict[str, int] = {}
    unread: dict[str, int] = {}
    for row in rows:
        distinct += 1
        calls += row.times
        try:
            flip, rules = _judge_row(row, policy, misfits, words)
        except MalformedError as error:
            why = str(error) if isinstance(error, _UnreadableRow) else "the row cannot be read"
            unread[why] = unread.get(why, 0) + row.times
            continue
        flips += flip
        for rule in rules:
            changed[rule] = changed.get(rule, 0) + row.times
    return RejudgeReport(
        distinct, calls, tuple(flips), _sum_counts(tuple(changed.items())), tuple(unread.items())
    )


class _UnreadableRow(MalformedError):
    """A row that is readable, and still says too little."""


def _judge_row(
    row: HistoryCall, policy: Policy, misfits: Misfits, words: Commands | None
) -> tuple[list[CallFlip], list[str]]:
    columns = dict(zip(JUDGED, row.values, strict=True))
    columns.update({"session_id": "", "agent": "", "agent_id": "", "call_id": ""})
    was, stages = _parse_findings(str(columns["findings"]))
    if "guard" in stages:
        raise _UnreadableRow("it was refused before it was read")
    call, reading = replay(columns)
    if words is not None and call.tool == SHELL and not reading.commands:
        reading = reading.replace(commands=words(call))
    decision = add_doubts(call, reading, decide(call, reading, policy, row.decision), policy)
    now: dict[str, Action] = {}
    for one in (*decision.findings, *misfits(call, reading, policy.intent)):
        if one.rule not in NOTICES:
            now[one.rule] = max(one.action, now.get(one.rule, ALLOW))
    if was == now:
        return [], []
    rules = sorted(rule for rule in {**was, **now} if was.get(rule) != now.get(rule))
    old, new = [_answer(max(said.values(), default=ALLOW)) for said in (was, now)]
    flip = CallFlip(
        row.decision,
        f"{columns['action']}: {columns['parameters']}",
        old,
        new,
        tuple(rules),
        row.times,
    )
    return [flip] if old != new else [], rules


def _answer(action: Action) -> str:
    return "warn" if str(action) == "warn" else str(Verdict.of(action))


@remember
def _parse_findings(text: str) -> tuple[Mapping[str, Action], frozenset[str]]:
    """Return what the rules of a row said, without what settled it, and the stages that spoke."""
    said: dict[str, Action] = {}
    stages: set[str] = set()
    try:
        for one in loads(text):
            stage, rule = one.get("stage", "policy"), one["rule"]
            stages.add(stage)
            if stage in JUDGED_AGAIN and rule not in NOTICES:
                said[rule] = max(Action.of(one["action"]), said.get(rule, ALLOW))
    except (JsonError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise MalformedError(f"the findings of this row are not readable: {error}") from error
    return MappingProxyType(said), frozenset(stages)
