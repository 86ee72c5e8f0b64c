"""Behaviour as rows: every entry of the documents the guard was asked to cover, and every line of
the table of default answers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from interlock.approvals.grant_scope import covers_of, fits
from interlock.approvals.service import settle_decision
from interlock.approvals.terms import asking
from interlock.effects.read import read
from interlock.facts import Recorded
from interlock.guard.review_stage import run_review
from interlock.intent.judge import MISFIT, TAGS, findings
from interlock.limits.counts import THROTTLED
from interlock.limits.spending import COSTLY, PAUSED
from interlock.policy.builtin import builtin
from interlock.rules.catalogue import RULES
from interlock.validator.answer import read as answered
from tests.codemode.sources import verdict_of
from tests.judging import decided, shell, tool
from tests.limits.counting import LIMIT_RULES, used_up
from tests.policy.layering import guards, layers, merged

if TYPE_CHECKING:
    from interlock.model.decision import Decision
    from interlock.model.policy import Policy

CORPUS = Path(__file__).parent / "corpus"
POLICIES = Path(__file__).parent / "policy" / "sources"
RULES_BY_ID = {rule.id: rule for rule in RULES}
ROLES = dict.fromkeys(("lead", "admin"), frozenset({"ann"}))
"""Roles that somebody holds, so that a rule's demand for an approver shows."""
KEYS = frozenset(["id", "call", "profile", "expect", "warn", "rule", "tag", "approver", "facts", "differs", "policy", "intent", "granted",
                  "limit", "used", "reviewed", "operation"])  # fmt: skip
NEEDED = frozenset(["id", "call", "expect"])
ENTRIES = {"s1": 100, "s2": 25, "s3": 50, "s4": 60}
"""At least so many rows of each document: lists do not shrink unseen."""


@dataclass(frozen=True)
class Row:
    """One row under one profile."""

    id: str
    call: str | dict[str, Any]
    expect: str
    profile: str = "default"
    warn: bool = False
    rule: str = ""
    tag: str = ""
    approver: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    differs: str = ""
    intent: str = ""
    granted: bool = False
    policy: str = ""
    limit: dict[str, Any] = field(default_factory=dict)
    used: float = 0
    reviewed: str = ""
    operation: list[str] | None = None


def load(name: str) -> list[dict[str, Any]]:
    """Return the rows of a file as they are written."""
    rows: list[dict[str, Any]] = yaml.safe_load((CORPUS / name).read_text(encoding="utf-8"))
    return rows


def rows(name: str) -> list[Row]:
    """Return the rows of a file, one for each profile that a row names."""
    found = []
    for raw in load(name):
        profiles = raw.get("profile", "default")
        several = isinstance(profiles, list)
        for profile in profiles if several else [profiles]:
            row = {
                **raw,
                "profile": profile,
                "id": f"{raw['id']}@{profile}" if several else raw["id"],
            }
            found.append(Row(**row))
    return found


SOURCES, DEFAULTS = rows("sources.yaml"), rows("defaults.yaml")
ALL = SOURCES + DEFAULTS


def named(some: list[Row]) -> list[Any]:
    """Return rows as parameters that are shown by their id."""
    return [pytest.param(row, id=row.id) for row in some]


def always(decision: Decision, facts: Recorded) -> Decision:
    """Return the decision on a call for which a person said "always" before: what that covers is
    all that it asks about.
    """
    covers, why = covers_of(decision, builtin(), facts)
    assert covers, why
    assert all(
        any(fits(cover, finding, builtin(), facts) for cover in covers)
        for finding in asking(decision)
    )
    return settle_decision(decision, "ann")


def policy_of(row: Row) -> Policy:
    """Return the policy a row is answered by: a built-in one, a guard's, or the organisation's file
    it names, with its tenant.
    """
    if not row.policy:
        return builtin(row.profile).replace(roles=ROLES)
    if row.policy.startswith("guards/"):
        return merged(guards(POLICIES / row.policy)).policy
    text = (POLICIES / f"{row.policy}.yaml").read_text(encoding="utf-8")
    return merged(*layers(text + "roles: {ada: admin, leo: lead}\n")).policy


@pytest.mark.parametrize("row", named(ALL))
def test_each_row_is_answered_as_it_says(row: Row, tmp_path: Path) -> None:
    """A row holds: the verdict, whether it warns, the rule that decides, its tag and the role it
    demands.
    """
    call = (
        shell(row.call)
        if isinstance(row.call, str)
        else tool(row.call["tool"], row.call["input"], row.call.get("name", ""))
    )
    facts = Recorded("/home/user", texts=row.facts.get("texts"), reals=row.facts.get("reals"))
    if row.operation is not None and not isinstance(row.call, str):
        assert (
            verdict_of(tuple(row.operation), row.profile, row.call["input"]["code"], facts)
            == row.expect
        )
        return
    facts.marks.update(
        {path: frozenset(marks) for path, marks in row.facts.get("marks", {}).items()}
    )
    decision = decided(call, policy_of(row), facts)
    if row.intent:
        decision = decision.with_findings(
            *findings(call.replace(intent=row.intent), read(call, facts))
        )
    if row.reviewed:
        decision = run_review(
            lambda _call, _reading, _decision: answered(row.reviewed),
            call,
            read(call, facts),
            decision,
            policy_of(row),
        )
    if row.limit:
        charge = used_up(tmp_path, (row.limit, row.used), call, read(call, facts), policy_of(row))
        decision = decision.with_findings(*charge.findings).replace(
            obligations=decision.obligations + charge.obligations
        )
    if row.granted:
        decision = always(decision, facts)
    deciding = {finding.rule for finding in decision.deciding}
    assert (str(decision.verdict), decision.warned) == (row.expect, row.warn), (
        f"decided by {sorted(deciding) or 'no rule'}"
    )
    assert not row.rule or row.rule in deciding
    assert not row.tag or any(row.tag in finding.tags for finding in decision.deciding)
    assert {
        obligation.detail for obligation in decision.obligations if obligation.name == "approver"
    } == ({row.approver} if row.approver else set())


@pytest.mark.parametrize("file", ["sources.yaml", "defaults.yaml"])
def test_rows_are_well_formed(file: str) -> None:
    """Rows use the known keys, have ids of their own, name rules that exist and say in a sentence
    why they differ.
    """
    raw = load(file)
    ids = [row["id"] for row in raw]
    assert len(ids) == len(set(ids))
    for row in raw:
        assert NEEDED <= row.keys() <= KEYS, row["id"]
        assert row["expect"] in ("allow", "ask", "deny"), row["id"]
        assert not row.get("warn") or row["expect"] == "allow", row["id"]
        assert row.get("rule", RULES[0].id) in {*RULES_BY_ID, MISFIT, *LIMIT_RULES}, row["id"]
        assert 20 <= len(row.get("differs", "x" * 20)) < 200, row["id"]


def test_every_document_is_covered() -> None:
    """Each of the four documents has its rows."""
    for document, least in ENTRIES.items():
        assert sum(row["id"].startswith(document + ".") for row in load("sources.yaml")) >= least, (
            document
        )


def test_every_rule_number_is_covered() -> None:
    """GR-001 to GR-010 each have a row, and those that rules decide are tags of rules."""
    ids = {row["id"] for row in load("sources.yaml")}
    tags = frozenset().union(*(rule.tags for rule in RULES), TAGS, THROTTLED, PAUSED, COSTLY)
    for number in range(1, 11):
        name = f"gr-{number:03}"
        assert any(row_id.startswith(f"s3.{name}") for row_id in ids)
        assert name.upper() in tags, name
