"""What the tests of all frameworks share: a real guard with a real store, tools that leave
canaries, the same promises.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from interlock import Guard, Session
from interlock.audit.log import Audit
from interlock.facts import Live
from interlock.ledger.sessions import Ledger
from interlock.model.action import ASK
from interlock.model.decision import Approval, Decision, Finding
from interlock.policy.builtin import builtin
from interlock.store.database import Store

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from interlock import ToolCall
    from interlock.model.effect import Reading

BAD, GOOD, ASKED = "rm -rf /", "echo hello", "git push --force origin topic"
REFUSED = "Blocked by interlock: "
RULE = "fs.delete-system"


class Bench:
    """One guarded session, and what its tools did."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(str(folder / "state"))
        self.folder = folder / "project"
        self.folder.mkdir()
        self.ran: list[str] = []
        self.asked: list[str] = []
        self.approves = False
        guard = Guard(
            builtin(),
            rules=[self.broken],
            ask=self.ask,
            facts=Live(),
            audit=Audit(self.store),
            ledger=Ledger(self.store),
        )
        self.breaks = False
        self.session = Session(guard, id="s1", cwd=str(self.folder))

    def broken(self, _call: ToolCall, _reading: Reading) -> Finding | None:
        """Fail where a test wants a guard that fails, and its asker is not there either."""
        if self.breaks:
            return Finding("mine.ask", ASK, message="Mine asks.")
        return None

    def ask(self, decision: Decision, call: ToolCall, _reading: Reading) -> Approval | None:
        """Ask the person of the test."""
        if self.breaks:
            raise RuntimeError("out of order")
        self.asked.append(str(call.input.get("command")))
        return Approval(decision.id, by="alice") if self.approves else None

    def bash(self, command: str) -> str:
        """Run a command."""
        if command == "false":
            raise ValueError("it failed")
        self.ran.append(command)
        return f"ran {command}"

    async def abash(self, command: str) -> str:
        """Run a command, awaited."""
        await asyncio.sleep(0)
        return self.bash(command)

    def outcomes(self) -> list[tuple[str, str | None]]:
        """Return what became of the calls, as the audit holds it."""
        return [
            (row[0], row[1])
            for row in self.store.query(
                "SELECT status, result FROM guardrail_audit_log ORDER BY id", ()
            )
        ]

    def agents(self) -> set[str]:
        """Return the agents that the audit names."""
        return {
            str(row[0]) for row in self.store.query("SELECT agent FROM guardrail_audit_log", ())
        }


class Promises:
    """What every adapter keeps, sync and async. A module of tests inherits it and says how an agent
    of its framework is run.
    """

    def results(self, bench: Bench, *commands: str, awaited: bool) -> Sequence[str]:
        """Run an agent whose model calls the tool ``bash`` with each command, in one turn; return
        what the model was told of each.
        """
        raise NotImplementedError

    @pytest.mark.parametrize("awaited", [False, True])
    def test_a_denied_call_does_not_happen_and_its_twin_does(
        self, bench: Bench, awaited: bool
    ) -> None:
        """Both in one turn; the agent goes on after a refusal, the model reads why, and the audit
        holds both.
        """
        bad, good = self.results(bench, BAD, GOOD, awaited=awaited)
        assert (bench.ran, good) == ([GOOD], f"ran {GOOD}")
        assert REFUSED in bad
        assert RULE in bad
        assert sorted(status for status, _ in bench.outcomes()) == ["ran", "refused"]

    @pytest.mark.parametrize("awaited", [False, True])
    @pytest.mark.parametrize("approves", [False, True])
    def test_an_ask_goes_to_the_guards_asker(
        self, bench: Bench, awaited: bool, approves: bool
    ) -> None:
        """The person's answer decides."""
        bench.approves = approves
        self.results(bench, ASKED, awaited=awaited)
        assert (bench.asked, bench.ran) == ([ASKED], [ASKED] if approves else [])

    @pytest.mark.parametrize("awaited", [False, True])
    def test_a_guard_that_fails_runs_nothing(self, bench: Bench, awaited: bool) -> None:
        """An asker that is out of order is a no."""
        bench.breaks = True
        assert REFUSED in self.results(bench, GOOD, awaited=awaited)[0]
        assert bench.ran == []


def other_lines(plain: str, guarded: str) -> list[str]:
    """Return the lines of a program with a guard that the same program without one does not
    have.
    """
    return [line for line in guarded.splitlines() if line not in plain.splitlines()]


def agent_of(program: str, **given: object) -> Any:
    """Run the text of a program and return its ``agent``."""
    names = dict(given)
    exec(program, names)  # noqa: S102 - the text of a test
    return names["agent"]
