"""What people can act on is counted, of their own record and of machines', each call once."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from interlock.model.leases import COST, RATE, TOKENS
from interlock.service.history.everywhere import FleetHistory
from interlock.service.history.insights import QuestionCount, find_near_limits, gather_insights
from interlock.service.store.rows import Chain, Machine, SharedUseRow
from interlock.service.store.views import AskedCount
from interlock.store.chain import GENESIS, link
from interlock.wire.batch import KEPT, BatchLine
from tests.serving import filled, served

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.service.store.protocol import ServiceStore, ServiceWriter
    from interlock.store.schema import Value

AT = "2026-01-31T10:00:00.000Z"
CALLS = (
    # chain, verdict, rule, command, what became of it
    ("c-1", "ask", "git.push", "git push", "ran"),
    ("c-1", "ask", "git.push", "git push", "ran"),
    ("c-2", "ask", "git.push", "git push origin", "ran"),
    ("c-2", "ask", "net.send", "curl -T x y", "refused"),
    ("c-2", "allow", "", "ls", "ran"),
    ("c-3", "deny", "fs.delete", "rm -rf /", "refused"),
    ("c-3", "ask", "net.send", "curl -T x y", ""),
)


def lines_of(chain: str) -> list[BatchLine]:
    """Return the events of a chain: each call's decision, and what became of it."""
    found: list[BatchLine] = []
    previous = GENESIS
    for number, (whose, verdict, rule, command, status) in enumerate(CALLS):
        said = {"action": "Bash", "parameters": json.dumps({"command": command}), "session_id": "s"}
        row = {**said, "verdict": verdict, "strictest": verdict, "rule_id": rule}
        judged: tuple[Value, ...] = tuple([row.get(name) for name in KEPT])
        ended: tuple[Value, ...] = (status, None, 3)
        events = [("decision", judged), *([("outcome", ended)] if status else [])]
        for kind, values in events if whose == chain else []:
            fields = (len(found) + 1, f"{kind}-{number}", AT, kind, "s", f"d-{number}", "{}")
            previous = link(previous, fields)
            found.append(BatchLine(fields, previous, values))
    return found


def fill(steps: ServiceWriter) -> None:
    """Write three machines of two teams."""
    for number, team in ((1, "web"), (2, "web"), (3, "")):
        machine = Machine(f"m-{number}", f"mac-{number}", "linux", "0", f"h{number}", AT, team=team)
        steps.add_machine(machine)
        steps.add_chain(Chain(f"c-{number}", machine.id, 1))
        steps.add_events(f"c-{number}", 0, lines_of(f"c-{number}"))


def test_what_was_asked_is_counted_by_rule_machine_and_team(keeping: ServiceStore) -> None:
    """And what ran of it; what was allowed or denied is no question, and neither is what is older
    than one looks back.
    """
    keeping.write(fill)
    found = FleetHistory(keeping, None).insights("2026-01-01")
    assert (found.asked, found.ran) == (5, 3)
    assert found.rules == (QuestionCount("git.push", 3, 3, 2), QuestionCount("net.send", 2, 0, 2))
    assert [(one.share, one.idle) for one in found.rules] == [(100, True), (0, False)]
    assert found.machines == (
        QuestionCount("mac-1", 2, 2, 1),
        QuestionCount("mac-2", 2, 1, 1),
        QuestionCount("mac-3", 1, 0, 1),
    )
    assert found.teams == (QuestionCount("web", 4, 3, 2),)
    assert [(one.text, one.asked, one.ran) for one in found.calls] == [
        ("git push", 2, 2),
        ("curl -T x y", 2, 0),
    ]
    assert FleetHistory(keeping, None).insights("2026-02-01").asked == 0


def test_ones_own_record_counts_alone_and_beside_others(tmp_path: Path) -> None:
    """By the same words; the page and its JSON say the same."""
    store = filled(tmp_path, 4)
    ask = """UPDATE guardrail_audit_log SET verdict = 'ask', rule_id = 'own.list',
        parameters = 'list it', status = CASE WHEN id < 3 THEN 'ran' END WHERE id < 4"""
    store.transact(lambda connection: connection.execute(ask))
    with closing(store), served(tmp_path / "service", store) as service:
        alone = FleetHistory(service.scene.keeping, store).insights("2000")
        assert (alone.asked, alone.ran, alone.rules) == (
            3,
            2,
            (QuestionCount("own.list", 3, 2, 1),),
        )
        service.scene.keeping.write(fill)
        both = FleetHistory(service.scene.keeping, store).insights("2000")
        assert both.asked == alone.asked + 5
        assert "list it" in [one.text for one in both.calls]
        headers = service.signed_in()
        said = service.ask("GET", "/v1/insights?days=90", headers).json
        page = service.ask("GET", "/insights?days=90", headers).text
        assert said["rules"]
        for one in said["rules"]:
            assert one["name"] in page
        assert {one["machine"] for one in said["guards"]} == {"mac-1", "mac-2", "mac-3"}
        for path in ("/insights?days=31", "/v1/insights?days=x"):
            assert service.ask("GET", path, headers).status == 400


@pytest.mark.parametrize(
    ("kind", "used", "since", "percent"),
    [
        (TOKENS, 80, 0, 80),
        (COST, 200, 0, 100),
        (TOKENS, 79, 0, None),
        (TOKENS, 99, -100, None),
        (RATE, 99, 0, None),
    ],
)
def test_a_limit_is_near_its_end_within_its_period(
    kind: str, used: int, since: int, percent: int | None
) -> None:
    """From four fifths on, and never more than all of it; one of an earlier period is none."""
    use = SharedUseRow("team:web", "tokens", kind, 100, 0, 60, since * 1_000_000, used, 0, 0)
    found = find_near_limits([use], 1_000_000)
    assert [one.percent for one in found] == ([] if percent is None else [percent])


def test_without_a_name_nothing_is_ranked() -> None:
    """A source that nobody knows counts in the sum alone."""
    found = gather_insights([AskedCount("c-9", "git.push", 4, 1)], [], {}, {})
    assert (found.asked, found.rules, found.machines) == (
        4,
        (QuestionCount("git.push", 4, 1, 1),),
        (),
    )
