"""Many processes at once, and processes that are killed: no lost record, no broken chain, nothing
acknowledged is missing.

The small sizes are part of every run; the full ones (64 processes of 200 calls, 200 hooks at once,
200 kills) belong to ``make e2e``.
"""

from __future__ import annotations

import contextlib
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest

from interlock.audit.verify import VerifyReport, verify_store
from interlock.store.database import Store

SOURCE = Path(__file__).parents[2] / "src"
FULL = [pytest.mark.e2e, pytest.mark.long]

CALLS = """
    import sys
    from interlock.cli import build
    from interlock.model.call import Outcome, ToolCall
    guard = build.guard({"HOME": sys.argv[1]}, "native")
    name, count = sys.argv[2], int(sys.argv[3])
    for number in range(count):
        call = ToolCall("shell", "Bash", {"command": f"echo {number}"}, sys.argv[1] + "/w", session=name, agent="a", call_id=f"{name}-{number}")
        decision = guard.check(call)
        print("check", decision.id, *[f.message for f in decision.findings if "lost" in f.message], flush=True)
        said = guard.outcome(Outcome(call, "ran", "x", 5))
        print("outcome", decision.id, *[one for one in said if "lost" in one], flush=True)
    """
"""A long-lived guard: judges, says so, reports the outcome, says so."""


def start(home: Path, code: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a Python of our own with nothing of this process's environment."""
    argv = [sys.executable, "-c", dedent(code), str(home), *arguments]
    return subprocess.Popen(
        argv,
        env={"PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def store_of(home: Path) -> Store:
    """Return the store of a home, with what waited in the spool taken in."""
    store = Store(f"{home}/.local/state/interlock", busy_seconds=30)
    store.commit([])
    assert not store.waiting()
    assert store.notices == []
    return store


def whole(store: Store) -> VerifyReport:
    """Verify the chain, which must be whole; return what was found."""
    report = verify_store(store, [])
    assert report.problems == ()
    return report


@pytest.mark.parametrize(("processes", "calls"), [(8, 15), pytest.param(64, 200, marks=FULL)])
def test_many_processes(tmp_path: Path, processes: int, calls: int) -> None:
    """Guards in many processes on one store: every judgement and outcome is in it once, the chain
    is whole, the sessions are counted right.
    """
    running = [start(tmp_path, CALLS, f"s{number}", str(calls)) for number in range(processes)]
    said = [one.communicate(timeout=1800) for one in running]
    assert [(one.returncode, errors) for one, (_, errors) in zip(running, said, strict=True)] == [
        (0, "")
    ] * processes
    assert [line for out, _ in said for line in out.splitlines() if "lost" in line] == []
    store = store_of(tmp_path)
    rows = store.query(
        "SELECT session_id, count(*), count(DISTINCT decision_id), sum(status = 'ran') FROM guardrail_audit_log GROUP BY session_id"
    )
    assert sorted(rows) == sorted(
        (f"s{number}", calls, calls, calls) for number in range(processes)
    )
    acknowledged = {line.split()[1] for out, _ in said for line in out.splitlines()}
    assert acknowledged == {
        name for (name,) in store.query("SELECT decision_id FROM guardrail_audit_log")
    }
    assert whole(store).last >= 2 * processes * calls + 1


def hook(home: Path, number: int) -> tuple[subprocess.Popen[bytes], bytes]:
    """Start the hook as a client does; return it and the event it is to answer."""
    event = {
        "session_id": f"s{number}",
        "cwd": str(home / "w"),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": f"ls {number}"},
        "tool_use_id": f"t{number}",
    }
    argv = [sys.executable, "-I", "-S", str(SOURCE / "interlock" / "hook.py"), "claude-code"]
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    made = subprocess.Popen(
        argv, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    return made, json.dumps(event).encode()


@pytest.mark.parametrize("count", [40, pytest.param(200, marks=FULL)])
def test_many_hooks_at_once(tmp_path: Path, count: int) -> None:
    """Hooks that all start at once on a store that is not there yet: each answers an ordinary call
    with an allow, and each is recorded.

    Where the machine is so busy that one has no turn in fifteen seconds it says so and refuses: an
    answer as well, and no allow without a record.
    """
    (tmp_path / "w").mkdir()
    hooks = [hook(tmp_path, number) for number in range(count)]
    for process, event in hooks:
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # one that was too late already
            process.stdin.write(event)
            process.stdin.close()
        process.stdin = None
    answers = []
    for process, _ in hooks:
        said, _ = process.communicate(timeout=120)
        answer = json.loads(said)["hookSpecificOutput"] if said else {}
        refused = (
            answer.get("permissionDecisionReason", "") if "permissionDecision" in answer else ""
        )
        # a note that a record waits in the spool is no refusal
        answers.append((process.returncode, refused))
    late = [answer for answer in answers if answer[0] == 2 and "ran out of time" in answer[1]]
    allowed = [f"s{number}" for number, answer in enumerate(answers) if answer == (0, "")]
    assert len(allowed) + len(late) == count, answers
    assert allowed
    store = store_of(tmp_path)
    recorded = [
        session
        for (session,) in store.query(
            "SELECT session_id FROM guardrail_audit_log WHERE verdict = 'allow'"
        )
    ]
    assert len(recorded) == len(set(recorded))
    assert set(allowed) <= set(recorded)
    whole(store)


def killed(process: subprocess.Popen[str], after: float) -> list[str]:
    """Kill a process some time after its first word; return the words it said."""
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate(timeout=60)
    return [line for line in [first, *rest.splitlines(keepends=True)] if line.endswith("\n")]


def missing(store: Store, words: list[str]) -> list[str]:
    """Return what was acknowledged and is not in the store."""
    rows = dict(store.query("SELECT decision_id, status FROM guardrail_audit_log"))
    return [
        word
        for word in words
        for what, name in [word.split()[:2]]
        if name not in rows or (what == "outcome" and rows[name] != "ran")
    ]


@pytest.mark.parametrize("kills", [8, pytest.param(200, marks=FULL)])
def test_killed_at_any_time(tmp_path: Path, kills: int) -> None:
    """A guard that is killed with SIGKILL while it works leaves a store that opens, a chain that is
    whole, and all that it had acknowledged.
    """
    chance = random.Random(4)  # noqa: S311 - the same points every time
    for number in range(kills):
        words = killed(start(tmp_path, CALLS, f"s{number}", "100000"), chance.uniform(0, 0.05))
        store = store_of(tmp_path)
        assert words
        assert missing(store, words) == []
        whole(store)
        store.close()


AT_A_LINE = """
    import os, signal, sys
    from interlock.store.chain import event
    from interlock.store.database import Store
    store, stop, seen = Store(sys.argv[1]), int(sys.argv[2]), 0

    def trace(frame, what, argument):
        global seen
        if "/interlock/store/" not in frame.f_code.co_filename:
            return None
        seen += what == "line"
        if seen == stop:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)
    for number in range(4):
        writes = [event("grant", str(number), {}), ("label", (str(number), "", "secret-read", "2026"))]
        if number == 2:
            store.spool(writes)
        else:
            store.commit(writes)
        print(number, flush=True)
    sys.settrace(None)
    print("lines", seen, flush=True)
    """
"""A store that is made, written, spooled to, and takes the spool in; killed when it is about to do
its line number so and so.
"""


@pytest.mark.parametrize("kills", [12, pytest.param(200, marks=FULL)])
def test_killed_at_any_line(tmp_path: Path, kills: int) -> None:
    """Killed before any line of the store's own code: what was acknowledged is in the store or
    waits in the spool, once, and the chain is whole.
    """
    said, errors = start(tmp_path / "count", AT_A_LINE, "-1").communicate(timeout=60)
    assert errors == ""
    lines = int(said.split()[-1])
    chance = random.Random(4)  # noqa: S311 - the same points every time
    for stop in sorted(chance.sample(range(1, lines + 1), min(kills, lines))):
        folder = tmp_path / str(stop)
        said, _ = start(folder, AT_A_LINE, str(stop)).communicate(timeout=60)
        store = Store(str(folder))
        store.commit([])
        assert store.notices == []
        found = [
            subject
            for (subject,) in store.query(
                "SELECT subject FROM audit_event WHERE kind = 'grant' ORDER BY subject"
            )
        ]
        labels = [
            session
            for (session,) in store.query("SELECT session_id FROM label ORDER BY session_id")
        ]
        assert set(said.split()) - {"lines", str(lines)} <= set(found), stop
        assert found == labels == [str(number) for number in range(len(found))], stop
        whole(store)
        store.close()
