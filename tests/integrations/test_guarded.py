"""``guarded``: a function is a tool whose every call is judged before it runs, by a real guard with
a real store.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import interlock
from interlock import Guard, Refused, Session, guarded
from interlock.cli import embed
from interlock.facts import Live
from interlock.guard.services import NATIVE
from interlock.model.action import ASK, DENY, WARN
from interlock.model.decision import Approval, Decision, Finding
from interlock.policy.builtin import builtin
from interlock.store.database import Store
from interlock.store.place import state_folder
from tests.integrations.guarding import BAD, GOOD, judging, outcomes, workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock import ToolCall
    from interlock.model.effect import Reading


def test_a_denied_call_does_not_run_and_its_twin_does(session: Session, store: Store) -> None:
    """The refusal says why and which rule; the permitted twin runs and its outcome is recorded."""
    ran: list[str] = []

    @guarded(session)
    def bash(command: str) -> str:
        """Run a command."""
        ran.append(command)
        return "said " + command

    with pytest.raises(
        Refused, match=r"Blocked by interlock: .*\n(.*\n)*rule: fs\.delete-system"
    ) as caught:
        bash(BAD)
    assert ran == []
    assert isinstance(caught.value.decision, Decision)
    assert bash(GOOD) == "said echo hello"
    assert ran == [GOOD]
    assert outcomes(store) == [("refused", None), ("ran", "said echo hello")]
    assert (bash.__name__, bash.__doc__, list(inspect.signature(bash).parameters)) == (
        "bash",
        "Run a command.",
        ["command"],
    )


def test_async_functions_are_guarded_as_well(session: Session, store: Store) -> None:
    """What is awaited is judged before its first step."""
    ran: list[str] = []

    @guarded(session, tool="shell")
    async def go(command: str) -> str:
        ran.append(command)
        await asyncio.sleep(0)
        return command

    assert inspect.iscoroutinefunction(go)
    with pytest.raises(Refused):
        asyncio.run(go(BAD))
    assert ran == []
    assert asyncio.run(go(GOOD)) == GOOD
    assert outcomes(store) == [("refused", None), ("ran", GOOD)]


@pytest.mark.parametrize("text", [BAD, GOOD])
def test_a_refusal_can_be_a_text_that_the_model_reads(session: Session, text: str) -> None:
    """``refusal="text"``: nothing is raised, sync or async, and nothing runs that is denied."""

    @guarded(session, refusal="text")
    def bash(command: str) -> str:
        return "ran " + command

    @guarded(session, refusal="text", name="bash")
    async def later(command: str) -> str:
        return "ran " + command

    for said in (bash(text), asyncio.run(later(text))):
        assert said.startswith("Blocked by interlock: " if text == BAD else "ran ")


def test_a_failure_of_the_tool_is_recorded_and_raised(session: Session, store: Store) -> None:
    """The guard changes nothing of what a tool does when it fails."""

    @guarded(session)
    def bash(command: str) -> str:
        raise KeyError(command)

    @guarded(session, name="bash")
    async def later(command: str) -> str:
        raise KeyError(command)

    with pytest.raises(KeyError, match="echo hello"):
        bash(GOOD)
    with pytest.raises(KeyError, match="echo two"):
        asyncio.run(later("echo two"))
    assert outcomes(store) == [
        ("failed", "KeyError: 'echo hello'"),
        ("failed", "KeyError: 'echo two'"),
    ]


def test_a_cancelled_call_is_recorded_as_failed(session: Session, store: Store) -> None:
    """Cancelling reaches the tool, and the record says so."""
    begun = asyncio.Event()

    @guarded(session)
    async def bash(command: str) -> str:
        begun.set()
        await asyncio.sleep(3600)
        return command

    async def cancelled() -> None:
        task = asyncio.create_task(bash(GOOD))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert [status for status, _ in outcomes(store)] == ["failed"]


def asks(_call: ToolCall, _reading: Reading) -> Finding:
    """Ask about everything."""
    return Finding("mine.ask", ASK, message="Mine asks.")


def warns(_call: ToolCall, _reading: Reading) -> Finding:
    """Warn of everything."""
    return Finding("mine.warn", WARN, message="Mine warns.")


def breaks(_call: ToolCall, _reading: Reading) -> Finding:
    """Fail."""
    raise RuntimeError("out of order")


@pytest.mark.parametrize("approves", [True, False])
def test_an_ask_goes_to_the_guards_asker(session: Session, approves: bool) -> None:
    """What the person says decides, sync and async."""
    asked: list[str] = []

    def ask(decision: Decision, call: ToolCall, _reading: Reading) -> Approval | None:
        asked.append(str(call.input["command"]))
        return Approval(decision.id, by="alice") if approves else None

    tool = guarded(judging(session, asks, ask=ask), refusal="text")

    @tool
    def bash(command: str) -> str:
        return "ran " + command

    @tool
    async def shell(command: str) -> str:
        return "ran " + command

    said = [bash("echo one"), asyncio.run(shell("echo two"))]
    assert asked == ["echo one", "echo two"]
    assert [text.startswith("ran ") for text in said] == [approves, approves]


def test_an_ask_that_only_a_client_could_ask_is_refused(session: Session) -> None:
    """A decorator has no prompt of a client, so what is passed on to one does not run."""
    with pytest.raises(Refused, match="Mine asks"):
        guarded(judging(session, asks, ask=NATIVE))(lambda command: command)("echo hello")
    assert (
        guarded(judging(session, ask=NATIVE))(lambda command: command)("echo hello") == "echo hello"
    )


def test_a_warning_is_told_and_the_call_runs(session: Session) -> None:
    """A warning reaches who is to be told; a call without one tells nothing."""
    told: list[str] = []
    assert (
        guarded(judging(session, warns).replace(tell=told.append))(lambda command: command)(GOOD)
        == GOOD
    )
    assert "Mine warns." in told[0]
    assert (
        guarded(judging(session).replace(tell=told.append))(lambda command: command)(GOOD) == GOOD
    )
    assert len(told) == 1


def test_warnings_go_to_the_log_where_nobody_else_is_told(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    """The logger is called ``interlock``."""
    guarded(judging(session, warns))(lambda command: command)(GOOD)
    assert [(record.name, record.levelname) for record in caplog.records] == [
        ("interlock", "WARNING")
    ]


def test_a_guard_that_fails_runs_nothing(session: Session) -> None:
    """A rule, the facts or the whole guard out of order: no call runs."""
    ran: list[str] = []
    with pytest.raises(Refused, match="out of order"):
        guarded(judging(session, breaks))(ran.append)(GOOD)

    class Broken(Guard):
        def check(self, call: ToolCall) -> Decision:
            raise RuntimeError(f"no way to judge {call.name}")

    with pytest.raises(RuntimeError, match="no way to judge"):
        guarded(Broken(builtin(), facts=Live()))(ran.append)(GOOD)
    assert ran == []


def generator(command: str) -> object:
    """Yield."""
    yield command


@pytest.mark.parametrize(
    ("wrap", "why"),
    [
        (
            lambda: guarded(3),  # type: ignore[call-overload]
            "takes a function, a Guard or a Session, not int",
        ),
        (
            lambda: guarded(tol="shell")(print),  # type: ignore[call-overload]
            "no term 'tol'",
        ),
        (lambda: guarded(refusal="shout")(print), "'raise' or 'text'"),
        (lambda: guarded(generator), "is a generator"),
        (lambda: guarded(Path), "guards functions, not type"),
        (lambda: interlock.session(ask="shout"), "'terminal', 'queue', 'never'"),
    ],
)
def test_what_cannot_be_guarded_is_said_at_once(
    wrap: Callable[[], object], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mistake shows where it is made, not with the first call."""
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises((TypeError, ValueError), match=why):
        wrap()


PROGRAM = """
from interlock import guarded

@guarded
def bash(command: str) -> str:
    return "ran " + command

print(bash("echo hello"))
try:
    bash("rm -rf /")
except Exception as error:
    print(type(error).__name__, "rule: fs.delete-system" in str(error))
try:
    bash("git push --force origin topic")
except Exception as error:
    print(type(error).__name__, "interlock approve" in str(error))
"""


def test_two_lines_guard_a_program(tmp_path: Path) -> None:
    """The plain decorator has the real guard of the user: policy, store and audit, and the queue
    where there is no terminal.
    """
    home, work = tmp_path / "home", workspace(tmp_path)
    home.mkdir()
    environment = {
        "HOME": str(home),
        "PATH": os.defpath,
        "PYTHONPATH": str(Path(interlock.__file__).parents[1]),
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=work,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert (done.stdout.splitlines(), done.stderr) == (
        ["ran echo hello", "Refused True", "Refused True"],
        "",
    )
    kept = Store(state_folder(environment)).query(
        "SELECT status, verdict FROM guardrail_audit_log ORDER BY id", ()
    )
    assert kept == [("ran", "allow"), ("refused", "deny"), ("refused", "deny")]


def test_an_open_session_asks_as_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A function of the program's own is asked; ``never`` asks nobody."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    where = str(workspace(tmp_path))
    push = "git push --force origin topic"

    def yes(decision: Decision, _call: ToolCall, _reading: Reading) -> Approval:
        return Approval(decision.id, by="alice")

    def bash(command: str) -> str:
        return command

    assert guarded(interlock.session(where, ask=yes, name="one"))(bash)(push) == push
    with pytest.raises(Refused, match="nobody can be asked"):
        guarded(interlock.session(where, ask="never", name="two"))(bash)(push)
    with pytest.raises(Refused, match="interlock approve"):
        guarded(interlock.session(where, name="three"))(bash)(push)


def test_what_the_person_asked_for_is_known_to_a_session(session: Session, store: Store) -> None:
    """A program says what its user wrote, and the record holds it."""
    session.prompted("Only explain the code, change nothing.")
    assert store.query("SELECT count(*) FROM audit_event WHERE kind = 'prompt'", ())[0][0] == 1


def test_denials_of_a_rule_are_no_matter_of_kind(session: Session) -> None:
    """A rule of the embedder's own sees the call as it was made."""
    seen: list[tuple[str, str, object]] = []

    def rule(call: ToolCall, _reading: Reading) -> Finding | None:
        seen.append((call.tool, call.name, call.input["city"]))
        return (
            Finding("mine.no", DENY, message="Not there.") if call.input["city"] == "Rome" else None
        )

    weather = guarded(judging(session, rule))(lambda city: city)
    assert weather("Oslo") == "Oslo"
    with pytest.raises(Refused, match="Not there"):
        weather("Rome")
    assert seen[0] == ("mcp", "<lambda>", "Oslo")


def test_one_session_of_the_process_is_opened_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every plain decorator of a program shares it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(embed, "_OPEN", {})
    assert embed.get_session() is embed.get_session()
