"""How the guards of machines are: by what refused, by what is gone, and by who is silent."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from interlock.cli.main import main
from interlock.service.machines.checks import DISARMED, DRIFTED, PROVEN, UNPROVEN, CheckRow, stands
from interlock.service.machines.health import RETIRED, SILENT, Health, health
from interlock.sidecar.guard_health import DOCTOR, STATUS, GuardHealth, rows
from interlock.sidecar.ship import Shipper
from tests.serving import Served, filled, shipped_all

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.store.database import Store
    from interlock.store.elsewhere import EnrolmentState

TRIES = 4
"""The doctor gives a hook a few seconds, which are too few where many tests run at once."""
NOW = "2026-01-31T10:00:00.000Z"


def looked(service: Served) -> Health:
    """Return how the one machine is."""
    [found] = service.scene.keeping.read(health)
    return found


def sent(store: Store, where: EnrolmentState) -> None:
    """Send what waits."""
    with closing(Shipper(store, where)) as shipper:
        shipped_all(shipper)
        assert not shipper.beat(1).wait


def test_a_guard_that_was_seen_to_refuse_is_proven_and_one_that_is_gone_has_drifted(
    service: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the real doctor's trial of a real hook, and by settings that somebody took it out of."""
    home = tmp_path / "home"
    (home / ".claude").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("INTERLOCK_RESIDENT", "off")
    store = filled(home, 2)
    where = service.enrolled(store)
    sent(store, where)
    assert looked(service).guard == UNPROVEN
    assert main(["install", "claude-code"]) == 0
    for _ in range(TRIES):
        GuardHealth(where).look([DOCTOR, STATUS])
        sent(store, where)
        if looked(service).guard == PROVEN:
            break
    assert (looked(service).guard, looked(service).why, looked(service).told) == (PROVEN, "", ())
    settings = home / ".claude/settings.json"
    settings.write_text(json.dumps({"disableAllHooks": True}))
    GuardHealth(where).look([DOCTOR, STATUS])
    found = looked(service)
    assert found.guard == DRIFTED
    assert found.why
    page = service.ask("GET", f"/machines/{where.machine}", service.signed_in())
    assert page.status == 200
    assert "disableAllHooks" in page.text


@pytest.mark.parametrize(
    ("given", "proven", "guard"),
    [
        ([], "", UNPROVEN),
        ([], NOW, PROVEN),
        ([CheckRow("", "agents", "amber", "codex is here and not protected", "")], NOW, PROVEN),
        ([CheckRow("", "stopped", "red", "all, by ada", "")], NOW, PROVEN),
        ([CheckRow("claude-code", "losses", "amber", "not written down", "")], NOW, PROVEN),
        ([CheckRow("", "losses", "amber", "the hook is gone", "")], NOW, DRIFTED),
        ([CheckRow("claude-code", "hook", "red", "answers nothing", "")], NOW, DRIFTED),
        ([CheckRow("claude-code", "hook", "green", "refuses", "")], NOW, PROVEN),
        ([CheckRow("", "losses", "red", "gone", ""), CheckRow("", "unjudged", "amber", "3 calls", "")], NOW, DISARMED),
    ],
)  # fmt: skip
def test_the_worst_that_is_said_counts(given: list[CheckRow], proven: str, guard: str) -> None:
    """That an agent is not protected, or that calls are stopped, is no drift of a guard."""
    assert stands(given, proven)[0] == guard


def test_who_says_nothing_is_silent_and_who_left_is_retired(
    service: Served, tmp_path: Path
) -> None:
    """A beat makes a machine heard of again."""
    store = filled(tmp_path / "home", 1)
    where = service.enrolled(store)
    service.scene.keeping.write(lambda steps: steps.note_contact(where.machine, NOW, 9))
    assert (looked(service).guard, looked(service).behind) == (SILENT, 9)
    sent(store, where)
    assert looked(service).guard == UNPROVEN
    headers = {"Authorization": f"Bearer {where.credential}"}
    assert service.ask("POST", "/v1/retire", headers).status == 200
    assert looked(service).guard == RETIRED


def test_what_is_no_check_is_refused(service: Served, tmp_path: Path) -> None:
    """And one that is replaces the one before."""
    where = service.enrolled(filled(tmp_path / "home", 1))
    headers = {"Authorization": f"Bearer {where.credential}"}
    line = dict.fromkeys(("client", "what", "colour", "seen", "mend"), "x")
    for body in ("{}", '{"kind":"doctor","rows":[1]}', json.dumps({"kind": "x", "rows": [line]})):
        assert service.ask("POST", "/v1/checks", headers, body).status == 400
    for count in (3, 1):
        body = json.dumps({"kind": DOCTOR, "rows": [line] * count})
        assert service.ask("POST", "/v1/checks", headers, body).status == 200
    [found] = service.scene.keeping.read(lambda known: known.checks(where.machine))
    assert len(json.loads(found.rows)) == 1


def test_what_commands_print_is_read_as_rows() -> None:
    """Whatever it is: half of it, nothing, another shape."""
    whole = json.dumps(
        {"agents": {"said": ["a", "b"], "state": "amber", "next": "c"}, "decisions": {}}
    )
    assert rows(STATUS, whole) == [
        {"client": "", "what": "agents", "colour": "amber", "seen": "a; b", "mend": "c"}
    ]
    for text in ("", whole[:-3], "[]", "3", '{"agents": 3}'):
        assert rows(STATUS, text) == []
    assert rows(DOCTOR, '[{"client":"x"}, 3]')[0]["client"] == "x"
