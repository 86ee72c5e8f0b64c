"""A week at a glance: figures of a made-up record, counted by hand; days of the machine's zone;
what is printed as text, picture and data.
"""

from __future__ import annotations

import json
import time
import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from interlock.audit.log import Audit
from interlock.audit.statistics import Noise, Totals
from interlock.cli import stats
from interlock.cli.main import main
from interlock.guard.services import NATIVE, QUEUE
from interlock.model.call import PROVING, Outcome
from tests.approving import Desk

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.guard.services import Sentinel

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC).timestamp()


class Week(Desk):
    """A desk whose calls are made at times of choice."""

    patch: pytest.MonkeyPatch
    made = 0

    def at(
        self, when: str, command: str, *, ran: bool = True, ask: Sentinel = NATIVE, **fields: object
    ) -> str:
        """Judge a call at a time, and say whether it ran; return the decision's id."""
        self.patch.setattr("interlock.audit.entry.now", lambda: f"{when}.000Z")
        self.made += 1
        call = self.call(command, **{"call_id": f"c{self.made}", "agent": "claude-code", **fields})
        decision = self.guarding(self.policy, ask).check(call)
        if ran:
            self.store.commit([Audit(self.store).outcome(Outcome(call, "ran"))])
        return decision.id


@pytest.fixture
def week(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Week:
    """Return a record: on 24 and 26 November some calls, one the week before, one of doctor."""
    made = Week(tmp_path)
    made.patch = monkeypatch
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.chdir(made.project)
    made.at("2026-11-14T10:00:00", "ls")
    made.at("2026-11-24T10:00:00", "git status")
    made.at("2026-11-24T11:00:00", "git push --force origin main")
    made.at("2026-11-24T12:00:00", "git push --force origin main", ran=False)
    made.at("2026-11-26T09:00:00", "rm -rf /", ran=False)
    made.at("2026-11-26T10:00:00", "ls", agent="codex")
    made.at("2026-11-26T11:00:00", "rm -rf /", ran=False, session=PROVING)
    return made


def test_figures_are_those_counted_by_hand(week: Week) -> None:
    """Five calls in the week, two asked about of which one ran, one refused, two proven; one the
    week before; doctor's own are none.
    """
    found = stats.read_glance(week.store, 7, NOW)
    assert (found.span.first, found.span.last) == ("2026-11-20", "2026-11-26")
    assert found.totals.replace(proven=0) == glance(calls=5, asked=2, yes=1, refused=1)
    assert found.before.replace(proven=0) == glance(calls=1)
    assert [(one.day, one.calls, one.asked, one.refused) for one in found.days if one.calls] == [
        ("2026-11-24", 3, 2, 0),
        ("2026-11-26", 2, 0, 1),
    ]
    assert len(found.days) == 7
    assert found.agents == (("claude-code", 4), ("codex", 1))
    assert found.rules[0].replace(rule="") == Noise("", 2, 1, 0)
    assert "git.force-push" in found.rules[0].rule
    assert Noise("fs.delete-system", 0, 0, 1) in found.rules


def glance(**counts: int) -> Totals:
    """Return totals of which most are zero."""
    return Totals(**counts)


def test_a_request_is_a_question_and_its_approval_a_yes(week: Week) -> None:
    """Where the client cannot ask, the call is denied with a request: asked, and yes once a person
    approved it.
    """
    first = week.at("2026-11-25T10:00:00", "rm -rf ~/photos", ran=False, ask=QUEUE)
    week.at("2026-11-25T11:00:00", "rm -rf ~/music", ran=False, ask=QUEUE, session="t")
    week.at("2026-11-25T12:00:00", "rm -rf ~/letters", ran=False, ask=QUEUE, headless=True)
    before = stats.read_glance(week.store, 7, NOW).totals
    assert (before.asked, before.yes, before.refused) == (4, 1, 2)
    [[name]] = week.store.query("SELECT id FROM approval WHERE decision_id = ?", (first,))
    week.approve(name)
    after = stats.read_glance(week.store, 7, NOW).totals
    assert (after.asked, after.yes, after.refused) == (4, 2, 2)


def test_an_undo_is_a_checkpoint_used(week: Week) -> None:
    """``interlock undo`` leaves an event, which counts on its day and on no other."""
    week.patch.setattr("interlock.store.chain.now", lambda: "2026-11-26T11:30:00.000Z")
    week.store.commit([Audit(week.store).event("undo", "d-1", {"brought_back": 1})])
    assert stats.read_glance(week.store, 1, NOW).totals.undone == 1
    assert stats.read_glance(week.store, 1, NOW - 86400).totals.undone == 0


@pytest.mark.parametrize(("zone", "today"), [("UTC", 2), ("Asia/Kathmandu", 3), ("Etc/GMT+12", 0)])
def test_days_are_those_of_the_machines_zone(
    week: Week, monkeypatch: pytest.MonkeyPatch, zone: str, today: int
) -> None:
    """A call at 20:00 UTC is one of the next day in Kathmandu, and of the same further west; none
    is lost or counted twice.
    """
    week.at("2026-11-25T20:00:00", "ls")
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        found = stats.read_glance(week.store, 7, NOW)
    finally:
        monkeypatch.setenv("TZ", "UTC")
        time.tzset()
    assert sum(day.calls for day in found.days) == found.totals.calls == 6
    assert {day.day: day.calls for day in found.days}["2026-11-26"] == today


def test_the_text_the_picture_and_the_data_say_the_same(
    week: Week, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each figure stands in all three; the text fits 80 columns; the picture is well-formed and
    loads nothing.
    """
    monkeypatch.setattr("interlock.cli.stats.time.time", lambda: NOW)
    assert main(["stats"]) == 0
    text = capsys.readouterr().out
    assert "asked              2  40.0 % of calls, 1 answered yes; 0.0 % before" in text
    assert "refused            1" in text
    assert "Tue 2026-11-24       3      2        0  " in text
    assert max(len(line) for line in text.splitlines()) <= 80
    assert main(["stats", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["totals"]["asked"], data["totals"]["yes"], len(data["days"])) == (2, 1, 7)
    assert main(["stats", "--svg"]) == 0
    picture = capsys.readouterr().out
    root = ET.fromstring(picture)  # noqa: S314 - our own
    said = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"asked", "2", "40.0 % of calls, 1 answered yes; 0.0 % before"} <= set(said)
    assert "2026-11-24: 3 calls, 2 asked, 0 refused" in picture
    assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")
    assert week.made == 7


def test_an_empty_week_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No call is no table of zeros; a picture and data are given all the same."""
    monkeypatch.setenv("HOME", str(tmp_path))
    assert main(["stats"]) == 0
    assert "No calls in the last 7 days." in capsys.readouterr().out
    assert main(["stats", "--svg"]) == 0
    ET.fromstring(capsys.readouterr().out)  # noqa: S314 - our own
    assert main(["stats", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["totals"]["calls"] == 0
