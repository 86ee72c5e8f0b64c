"""What was decided and what became of it, as a person follows it; a recorded decision judged
again.
"""

from __future__ import annotations

import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.approvals.user import me
from interlock.audit.entry import Judgement
from interlock.audit.log import Audit
from interlock.audit.query import Filter, count_calls, last
from interlock.cli.log import seconds
from interlock.cli.main import main
from interlock.engine.decide import decide
from interlock.model.action import ASK, DENY, WARN
from interlock.model.call import PROVING, Outcome, ToolCall
from interlock.model.effect import HOME, Deletes, Effect, Place, Reading
from interlock.model.rule import Rule, on
from interlock.policy.builtin import builtin
from interlock.store.database import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.model.policy import Policy

SRC = str(Path(__file__).parents[2] / "src")
READING = Reading((Effect(Deletes, "/home/u/x", Place(HOME)),))
OURS = builtin()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home of its own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def store_of(home: Path) -> Store:
    """Return the store of a home."""
    return Store(f"{home}/.local/state/interlock")


def call(number: int, session: str = "s") -> ToolCall:
    """Return a call."""
    return ToolCall(
        "shell",
        "Bash",
        {"command": f"rm ~/{number}"},
        "/w",
        ("/w",),
        session=session,
        agent="a",
        call_id=f"c{number}",
    )


def record(store: Store, number: int, policy: Policy = OURS, session: str = "s") -> None:
    """Record a judgement."""
    asked = call(number, session)
    store.commit(
        [
            Audit(store).judged(
                Judgement(
                    asked, READING, decide(asked, READING, policy, f"d-{number:016x}"), policy
                )
            )
        ]
    )


def ended(store: Store, number: int, status: str = "ran", took: int = 1234) -> None:
    """Record what became of it."""
    store.commit([Audit(store).outcome(Outcome(call(number), status, "words", took))])


@pytest.mark.parametrize(
    ("ms", "said"),
    [(5, "5 ms"), (999, "999 ms"), (1234, "1.2 s"), (59_999, "60.0 s"), (125_000, "2 min 5 s")],
)
def test_durations(ms: int, said: str) -> None:
    """A duration is said as people say it."""
    assert seconds(ms) == said


class Screen(io.StringIO):
    """A terminal, as far as commands look at it."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.mark.parametrize(("columns", "count"), [("60", 2), ("200", 1)])
def test_a_narrow_terminal_gets_the_call_on_a_line_of_its_own(
    home: Path, monkeypatch: pytest.MonkeyPatch, columns: str, count: int
) -> None:
    """What fits stays one line."""
    record(store_of(home), 1)
    screen = Screen()
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stdout", screen)
    assert main(["log"]) == 0
    zone, *lines = screen.getvalue().splitlines()
    assert zone.startswith("times in UTC")
    assert len(lines) == count
    assert lines[-1].endswith("rm ~/1  fs.delete-outside-workspace  a")


def test_outcome_and_duration_are_shown(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A call that ran or failed is shown with how long it took; of one that is still open nothing
    is said.
    """
    store = store_of(home)
    for number in (1, 2, 3):
        record(store, number)
    ended(store, 1)
    ended(store, 2, "failed", 0)
    assert main(["log"]) == 0
    first, second, third = capsys.readouterr().out.splitlines()
    assert "d-00000000" in first
    assert "ran 1.2 s" in first
    assert "failed" in second
    assert "ran" not in third
    (took,) = store.query("SELECT duration_ms FROM guardrail_audit_log WHERE id = 2")[0]
    assert 0 <= took < 60_000  # measured from the judgement on, where the client does not say


STOPPED = {
    "by": "ann", "why": "it deletes", "ended": 2, "how": "signals", "sessions": ["s", "t"], "checkpoints": ["c-1"], "survivors": ["sleep (7)"],
    "problems": [],
}  # fmt: skip


EVENTS: tuple[tuple[str, str, dict[str, object], str], ...] = (
    ("stop", "project:/w", STOPPED, ""), ("resume", "project:/w", {"by": "bea", "scopes": ["project:/w"]}, ""), ("decision", "2", {}, ""),
    ("limit-pause", "session:s", {"why": "95 of 100 tokens"}, "s"), ("limit-resume", "session:s", {"by": "bea", "freed": 1}, "s"),
    ("limit-resume", "session:s", {"by": "bea", "freed": 0}, "s"), ("prompt", "abc", {"intent": "x"}, "s"),
)  # fmt: skip
"""After a first decision: the last two lifted nothing and are nobody's stop."""


def lived_through(home: Path) -> None:
    """Make a store in which all of that was, one after the other."""
    store = store_of(home)
    record(store, 1)
    for kind, subject, body, session in EVENTS:
        time.sleep(0.003)  # their times are kept in milliseconds
        if kind == "decision":
            record(store, int(subject))
        else:
            store.commit([Audit(store).event(kind, subject, body, session)])


TOLD = (
    "rm ~/1",
    "· stop  project:/w by ann: it deletes; 2 processes ended, 1 survived: sleep (7); checkpoint c-1",
    "· resume  project:/w by bea",
    "rm ~/2",
    "· limit-pause  session:s 95 of 100 tokens",
    "· limit-resume  session:s by bea",
)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("", "012345"),
        ("-n 3", "345"),
        ("-n 1", "5"),
        ("-n 0", ""),
        ("--session s", "01345"),
        ("--session t", "1"),
        ("--session u", ""),
        ("--verdict ask", "03"),
        ("--rule fs.delete-outside-workspace", "03"),
        ("--since 2999-01-01", ""),
        ("--since 2026-01-01", "012345"),
    ],
)
def test_stops_and_what_lifted_them_stand_among_the_decisions(
    home: Path, capsys: pytest.CaptureFixture[str], words: str, shown: str
) -> None:
    """When they were, with who, why and what was ended; of a session also what stopped it among
    others; not where verdicts or rules are asked for.
    """
    lived_through(home)
    assert main(["log", *words.split()]) == 0
    lines = [
        line
        for line in capsys.readouterr().out.splitlines()
        if "no matching entries" not in line and "at stake" not in line
    ]
    assert len(lines) == len(shown)
    for line, number in zip(lines, shown, strict=True):
        assert TOLD[int(number)] in line
    assert main(["log", "--json", *words.split()]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one.get("kind", "decision") for one in told] == [
        ("decision", "stop", "resume", "decision", "limit-pause", "limit-resume")[int(one)]
        for one in shown
    ]


@pytest.mark.usefixtures("home")
def test_a_stop_and_its_resumption_by_the_commands(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the commands themselves record is what the log says, without a secret among the
    words.
    """
    assert main(["stop", "--session", "s", "--reason", "key AKIAIOSFODNN7EXAMPLE leaked"]) == 4
    monkeypatch.setattr("interlock.cli.person_check.needs_person", lambda *_, **__: None)
    assert main(["resume", "--session", "s"]) == 0
    capsys.readouterr()
    assert main(["log"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert f"· stop  session:s by {me()}: key <" in first
    assert "leaked; 0 processes ended, 0 survived" in first
    assert "AKIAIOSFODNN7EXAMPLE" not in first
    assert f"· resume  session:s by {me()}" in second


class Following:
    """``interlock log --follow`` as a process, and the lines it prints."""

    def __init__(self, home: Path, *options: str, terminal: bool = False) -> None:
        self.far, near = pty.openpty() if terminal else os.pipe()
        environment = {
            "HOME": str(home),
            "PYTHONPATH": SRC,
            "TERM": "xterm",
            "PYTHONUNBUFFERED": "1",
        }
        argv = [sys.executable, "-m", "interlock.cli.main", "log", "--follow", *options]
        self.process = subprocess.Popen(
            argv,
            env=environment,
            stdout=near,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        os.close(near)
        self.text = b""

    def until(self, words: bytes) -> str:
        """Read on until the words were printed."""
        end = time.monotonic() + 60
        while words not in self.text:
            assert time.monotonic() < end, self.text
            if select.select([self.far], [], [], 0.2)[0]:
                self.text += os.read(self.far, 65536)
        return self.text.decode()

    def ended(self) -> tuple[int, bytes]:
        """Wait for its end; return its exit code and what it complained about."""
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


@pytest.fixture(params=[False, True], ids=["pipe", "terminal"])
def following(home: Path, request: pytest.FixtureRequest) -> Iterator[Following]:
    """Follow a log that has one decision."""
    record(store_of(home), 1)
    found = Following(home, terminal=request.param)
    try:
        yield found
    finally:
        if found.process.poll() is None:
            found.process.kill()
            found.process.communicate()


def test_follow_shows_what_comes(home: Path, following: Following) -> None:
    """The last decisions, then each new one, what became of it and other events, at once; Ctrl-C
    ends it without a word.
    """
    following.until(b"rm ~/1")
    store = store_of(home)
    record(store, 2)
    following.until(b"rm ~/2")
    ended(store, 2)
    assert following.until(b"ran 1.2 s").count("rm ~/2") >= 1
    store.commit([Audit(store).event("grant", "g-1", {"count": 3})])
    following.until(b"grant")
    following.process.send_signal(signal.SIGINT)
    assert following.ended() == (130, b"")


def test_follow_ends_when_nobody_reads(home: Path) -> None:
    """In a pipe whose reader has gone it ends by itself, though nothing new ever comes."""
    record(store_of(home), 1)
    found = Following(home)
    found.until(b"rm ~/1")
    os.close(found.far)
    assert found.ended() == (0, b"")


def test_follow_filters_and_writes_json(home: Path) -> None:
    """Only what fits is shown, outcomes of what does not fit neither; JSON is the chain's own
    lines.
    """
    store = store_of(home)
    record(store, 1, session="t")
    found = Following(home, "--session", "t", "--json")
    try:
        # what was there already; from here on it follows
        assert json.loads(found.until(b"\n"))["session_id"] == "t"
        record(store, 2)
        ended(store, 2)
        record(store, 3, session="t")
        lines = [json.loads(line) for line in found.until(b'"kind"').splitlines()[1:]]
        assert [(line["kind"], line["row"]["session_id"], line["seq"]) for line in lines] == [
            ("decision", "t", 5)
        ]
    finally:
        found.process.kill()
        found.ended()


# -- a decision judged again -----------------------------------------------------------------------


def test_what_the_doctor_asked_is_not_taken_for_an_agents_wish(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A call that `interlock doctor` made up stands in the log where all is asked for, and says so;
    nowhere else it counts.
    """
    store = store_of(home)
    record(store, 1, session=PROVING)
    record(store, 2)
    assert main(["log", "--all"]) == 0
    assert [
        "asked by interlock doctor" in line for line in capsys.readouterr().out.splitlines()
    ] == [True, False]
    assert main(["log"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1
    assert count_calls(store).calls == 1
    assert [row["session_id"] for row in last(store, Filter(session=PROVING))] == [PROVING]


def explain(capsys: pytest.CaptureFixture[str], name: str) -> str:
    """Return what is said of a decision."""
    assert main(["explain", name]) == 0
    return capsys.readouterr().out


def test_explain_says_that_nothing_changed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same policy says the same; the row is compared with its record; the beginning of a name
    is enough.
    """
    store = store_of(home)
    record(store, 7)
    ended(store, 7)
    said = explain(capsys, "d-0000000")
    assert "ask by fs.delete-outside-workspace" in said
    assert "the call ran in 1.2 s and said: words" in said
    assert "record 2 of the chain; the row is as it was written" in said
    assert "today's policy says the same" in said


def test_explain_says_where_todays_policy_differs(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which rule, from what to what: one that is stricter now, one that is gone, one that is
    new.
    """
    rows = {rule.id: rule for rule in OURS.rules}
    then = OURS.replace(
        rules=(
            rows["fs.delete-outside-workspace"].replace(action=DENY),
            Rule("old.rule", "t", "w", "i", on(Deletes, location={HOME}), WARN),
        ),
        by_kind=None,
    )
    assert rows["fs.delete-outside-workspace"].action == ASK
    record(store_of(home), 7, then)
    said = explain(capsys, "d-0000000000000007")
    assert "today's policy differs: its rules say ask" in said
    assert "fs.delete-outside-workspace: deny -> ask  (/home/u/x)" in said
    assert "old.rule: warn -> nothing  (/home/u/x)" in said
    record(store_of(home), 8, OURS.replace(rules=(), by_kind=None))
    assert "fs.delete-outside-workspace: nothing -> ask" in explain(capsys, "d-0000000000000008")


def test_explain_says_that_a_row_was_changed(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row that is no more what its record says is not explained as if it were."""
    store = store_of(home)
    record(store, 7)
    store.transact(
        lambda connection: connection.execute("UPDATE guardrail_audit_log SET cwd = '/other'")
    )
    assert "CHANGED since" in explain(capsys, "d-0000000000000007")


@pytest.mark.parametrize(
    ("name", "words"),
    [("d-0000", "more than one decision"), ("d-ffff", "no decision of this store")],
)
def test_explain_wants_one_decision(
    home: Path, capsys: pytest.CaptureFixture[str], name: str, words: str
) -> None:
    """A beginning that fits none or several is said so."""
    for number in (1, 2):
        record(store_of(home), number)
    assert main(["explain", name]) == 2
    assert words in capsys.readouterr().err
