"""A policy tried before it is published: every error with its line, every case, and the recorded
history of all machines judged again by this very text. What came of it is kept by the text's hash.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from interlock.audit.rejudge import (
    JUDGED,
    CallFlip,
    HistoryCall,
    RejudgeReport,
    chunks,
    judge_rows,
)
from interlock.model.jsontext import dumps
from interlock.model.policy import Policy
from interlock.model.record import Record
from interlock.policy.builtin import builtin
from interlock.policy.cases import Case, cases, unmet
from interlock.policy.compare import of_file
from interlock.policy.problem import PolicyError, PolicyProblem, PolicyProblems
from interlock.policy.schema import FLEET
from interlock.policy.source import PolicySource
from interlock.service.store.protocol import ServiceReader
from interlock.service.store.rows import TrialRow
from interlock.service.store.sources import find_names, find_teams
from interlock.service.trial_tools import TrialTools
from interlock.wire.batch import KEPT
from interlock.wire.policy_state import hash_text

MOST_CALLS = 200_000
"""The newest calls that are judged again."""
MOST_SHOWN = 20
_AT = tuple(KEPT.index(name) for name in JUDGED)


class FailedCase(Record):
    """A case that a policy does not answer as it says. ``line``: of the file of cases."""

    line: int
    text: str
    why: str


class PolicyTrial(Record):
    """What came of trying a text. ``errors``: of the policy and of its cases; without them also
    the cases that fail, and the history: ``by_machine``: calls with another answer by the name of
    their machine, ``by_team`` by its team. ``cut``: there are more calls than were judged.
    """

    hash: str
    errors: tuple[PolicyProblem, ...] = ()
    cases: int = 0
    failed: tuple[FailedCase, ...] = ()
    report: RejudgeReport = RejudgeReport()
    by_machine: tuple[tuple[str, int], ...] = ()
    by_team: tuple[tuple[str, int], ...] = ()
    cut: bool = False

    @property
    def passed(self) -> bool:
        """Whether it may be published."""
        return not self.errors and not self.failed and self.cases > 0


class History(Record):
    """The calls of all machines: each distinct one once. ``makers``: how often each machine made
    it, by its chain; ``names`` and ``teams``: of the chains' machines.
    """

    calls: tuple[HistoryCall, ...] = ()
    makers: Mapping[str, Mapping[str, int]] = {}
    names: Mapping[str, str] = {}
    teams: Mapping[str, str] = {}
    cut: bool = False


def read_history(known: ServiceReader, since: str, most: int = MOST_CALLS) -> History:
    """Return what was judged from a time on."""
    rows = known.judged(since, most)
    times: dict[tuple[object, ...], int] = {}
    names: dict[tuple[object, ...], str] = {}
    makers: dict[str, dict[str, int]] = {}
    for row in rows:
        values = tuple([row.row[at] for at in _AT]) if row.row is not None else ()
        name = names.setdefault(values, str(row.fields[5]))
        times[values] = times.get(values, 0) + 1
        mine = makers.setdefault(name, {})
        mine[row.chain] = mine.get(row.chain, 0) + 1
    calls = [HistoryCall(values, times[values], name) for values, name in names.items() if values]  # type: ignore[arg-type]
    cut = len(rows) == most
    return History(tuple(calls), makers, find_names(known), find_teams(known), cut)


def try_policy(
    content: bytes, tests: bytes, past: History, tools: TrialTools, today: str
) -> PolicyTrial:
    """Return what comes of a policy's text, with the text of its cases. Total."""
    hashed = hash_text(content)
    known = {rule.id: rule for rule in builtin().rules}
    path = "policy.yaml"
    source = PolicySource(FLEET, path, "", known, tools.reader, PolicyProblems(path), loosens=True)
    errors: list[PolicyProblem] = []
    try:
        policy = of_file(content, source, today).policy
    except PolicyError as error:
        errors += error.problems
        policy = builtin()
    try:
        found = cases(tests, "cases.yaml", {rule.id for rule in policy.rules} | set(known))
    except PolicyError as error:
        errors, found = [*errors, *error.problems], ()
    if errors:
        return PolicyTrial(hashed, tuple(errors))
    failed = tuple([one for case in found for one in _failures(case, policy, tools)])
    report = _judge(past.calls, policy, tools)
    machines, teams = _count_makers(report.flips, past)
    return PolicyTrial(hashed, (), len(found), failed, report, machines, teams, past.cut)


def row_of(trial: PolicyTrial, tests: str, by: str, at: str) -> TrialRow:
    """Return what is kept of a trial."""
    return TrialRow(trial.hash, tests, by, at, dumps(describe_trial(trial)))


def describe_trial(trial: PolicyTrial) -> dict[str, object]:
    """Return what came of a trial as plain data."""
    report = trial.report
    shown = [
        {"call": one.text[:300], "old": one.old, "new": one.new, "rules": [*one.rules],
            "times": one.times}
        for one in report.flips[:MOST_SHOWN]
    ]  # fmt: skip
    return {
        "cases": trial.cases,
        "failed": [f"cases.yaml:{one.line}: {one.text}: {one.why}" for one in trial.failed],
        "errors": [one.text() for one in trial.errors],
        "calls": report.calls,
        "distinct": report.distinct,
        "unread": dict(report.unread),
        "answers": dict(count_flips(report.flips)),
        "rules": dict(report.rules),
        "machines": dict(trial.by_machine),
        "teams": dict(trial.by_team),
        "cut": trial.cut,
        "flips": shown,
    }


def count_flips(flips: Iterable[CallFlip]) -> tuple[tuple[str, int], ...]:
    """Return how many calls get another answer, by both (`allow -> ask`)."""
    return _sum((f"{one.old} -> {one.new}", one.times) for one in flips)


def _failures(case: Case, policy: Policy, tools: TrialTools) -> list[FailedCase]:
    decision = tools.judge(case, policy)
    return [FailedCase(case.line, case.text, why) for why in unmet(case, decision)]


def _judge(rows: Sequence[HistoryCall], policy: Policy, tools: TrialTools) -> RejudgeReport:
    report = RejudgeReport()
    for part in chunks(rows):
        report = report.with_(judge_rows(part, policy, tools.misfits, tools.commands))
    return report


def _count_makers(
    flips: Iterable[CallFlip], past: History
) -> tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]:
    made = [pair for one in flips for pair in past.makers.get(one.decision, {}).items()]
    by_machine = _sum((past.names.get(chain, chain), count) for chain, count in made)
    return by_machine, _sum((past.teams.get(chain) or "no team", count) for chain, count in made)


def _sum(pairs: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    found: dict[str, int] = {}
    for name, count in pairs:
        found[name] = found.get(name, 0) + count
    return tuple(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))
