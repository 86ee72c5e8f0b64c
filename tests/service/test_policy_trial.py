"""A policy tried over the record of all machines: what would be answered otherwise, by rule, by
team and by machine; and what holds a stage when machines that have it ask and deny much more.
"""

from __future__ import annotations

from contextlib import closing
from io import StringIO
from typing import TYPE_CHECKING

import pytest

from interlock.cli.colors import Painter
from interlock.cli.fleet_publish import trial_lines
from interlock.cli.trial_tools import trial_tools
from interlock.model.jsontext import dumps, loads
from interlock.service.policy.gates import read_gates
from interlock.service.policy.trials import describe_trial, read_history, try_policy
from interlock.service.store.rows import Check
from interlock.sidecar.ship import Shipper
from interlock.wire.policy_state import PolicyState, plain
from interlock.wire.rollout import Rollout
from tests.policies import CASES
from tests.serving import Served, filled, served, shipped_all

if TYPE_CHECKING:
    from collections.abc import Iterator

SINCE = "2020-01-01T00:00:00"
LISTS = b"""version: 1
rules:
  - {id: own.lists, title: lists, match: {commands: ls}, action: ask}
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, dict[str, str]]]:
    """Return a service with the record of two machines of two teams, and their chains by name."""
    top = tmp_path_factory.mktemp("two")
    chains = {}
    with served(top / "service") as found:
        for name, calls, team in (("laptop", 6, "web"), ("runner", 3, "")):
            store = filled(top / name, calls)
            where = found.enrolled(store, name, team)
            with closing(Shipper(store, where)) as shipper:
                shipped_all(shipper)
            chains[name] = where.chain
            store.close()
        yield found, chains


def test_the_difference_is_told_by_rule_team_and_machine(
    service: tuple[Served, dict[str, str]],
) -> None:
    """Each distinct call is judged once and counts as often as it was made, where it was made."""
    past = service[0].scene.keeping.read(lambda known: read_history(known, SINCE))
    found = try_policy(LISTS, CASES.replace(b"allow", b"ask"), past, trial_tools(), "2026-01-31")
    assert (found.passed, found.report.calls, found.report.distinct) == (True, 9, 9)
    said = describe_trial(found)
    assert said["answers"] == {"allow -> ask": 9}
    assert said["rules"] == {"own.lists": 9}
    assert (said["machines"], said["teams"]) == (
        {"laptop": 6, "runner": 3},
        {"web": 6, "no team": 3},
    )
    told = "\n".join(trial_lines(found, Painter(StringIO())))
    assert "9 recorded calls judged again" in told
    assert "own.lists" in told


def test_machines_of_one_name_count_for_the_team_that_each_is_of(
    service: tuple[Served, dict[str, str]],
) -> None:
    """Names are what their people chose, and may be chosen twice."""
    past = service[0].scene.keeping.read(lambda known: read_history(known, SINCE))
    alike = past.replace(names=dict.fromkeys(past.names, "vm"))
    found = try_policy(LISTS, CASES.replace(b"allow", b"ask"), alike, trial_tools(), "2026-01-31")
    assert found.by_machine == (("vm", 9),)
    assert found.by_team == (("web", 6), ("no team", 3))


def test_a_policy_that_changes_nothing_says_so(service: tuple[Served, dict[str, str]]) -> None:
    """And where there is more than is judged, that is said, too."""
    past = service[0].scene.keeping.read(lambda known: read_history(known, SINCE, 4))
    found = try_policy(b"version: 1\nprofile: default\n", CASES, past, trial_tools(), "2026-01-31")
    told = "\n".join(trial_lines(found, Painter(StringIO())))
    assert "no answer changes" in told
    assert "4 recorded calls judged again, 4 distinct, the newest ones" in told


GATES = [
    # calls, asked, denied before; since; which gate holds
    ((100, 10, 5), (40, 5, 2), []),
    ((100, 10, 5), (40, 8, 2), ["asks"]),
    ((100, 10, 5), (40, 4, 4), ["denies"]),
    ((100, 10, 5), (10, 10, 0), []),
    ((0, 0, 0), (40, 40, 0), []),
]


@pytest.mark.parametrize(("before", "since", "holds"), GATES)
def test_a_stage_is_held_where_its_machines_ask_or_deny_much_more_than_before(
    service: tuple[Served, dict[str, str]],
    before: tuple[int, int, int],
    since: tuple[int, int, int],
    holds: list[str],
) -> None:
    """Half as much again is much; of few calls nothing is said; others' calls do not count."""
    made, chains = service

    class Counting:
        """The service's database, with other counts."""

        def __init__(self, known: object) -> None:
            self.known = known

        def __getattr__(self, name: str) -> object:
            return getattr(self.known, name)

        def count_answers(self, chain: str, early: str, late: str) -> tuple[int, int, int]:
            assert chain == chains["laptop"]
            if late == "9":
                return since
            assert (early, late) == ("2026-01-24T00:00:00", "2026-01-31T00:00:00.000Z")
            return before

    machine = next(
        one.id
        for one in made.scene.keeping.read(lambda known: known.machines())
        if one.name == "laptop"
    )
    state = dumps(plain(PolicyState(7, "h", "2026-01-31T00:00:00.000Z")))
    made.scene.keeping.write(lambda steps: steps.put_check(Check(machine, "policy", "", state)))
    assert loads(state)["bundle"] == 7
    found = made.scene.keeping.read(lambda known: read_gates(Counting(known), Rollout(7)))  # type: ignore[arg-type]
    assert [one.name for one in found if one.holds] == holds


@pytest.mark.parametrize("since", ["", "soon", "0001-01-01T00:00:00.000Z"])
def test_a_machine_that_says_no_time_holds_nothing(
    service: tuple[Served, dict[str, str]], since: str
) -> None:
    """What it says is its own word: it breaks neither the page nor the next stage."""
    keeping = service[0].scene.keeping
    machine = keeping.read(lambda known: known.machines())[0].id
    state = dumps(plain(PolicyState(7, "h", since)))
    keeping.write(lambda steps: steps.put_check(Check(machine, "policy", "", state)))
    assert not any(one.holds for one in keeping.read(lambda known: read_gates(known, Rollout(7))))


def test_answers_are_counted_of_a_chain_between_two_times(
    service: tuple[Served, dict[str, str]],
) -> None:
    """From the first on, and before the second."""
    made, chains = service

    def count(since: str, until: str) -> tuple[int, int, int]:
        return made.scene.keeping.read(
            lambda known: known.count_answers(chains["laptop"], since, until)
        )

    assert count(SINCE, "9") == (6, 0, 0)
    assert count("9", "9") == (0, 0, 0)
    assert count(SINCE, SINCE) == (0, 0, 0)
