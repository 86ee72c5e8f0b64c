"""What the tests of limits share: a guard with limits on a real store, a clock that is set by hand,
a transcript that is written line by line.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from interlock.audit.log import Audit
from interlock.facts import Recorded
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE
from interlock.ledger.sessions import Ledger
from interlock.limits.meter import Meter
from interlock.model.call import Outcome, ToolCall
from interlock.model.limits import Concurrency, CostBudget, Duration, Limits, Rate, TokenBudget
from interlock.model.usage import Usage
from interlock.policy.builtin import builtin
from interlock.store.database import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from interlock.limits.meter import Charge
    from interlock.model.decision import Decision
    from interlock.model.effect import Reading
    from interlock.model.policy import Policy


class World:
    """One store with a guard on it. ``now``: the clock of the limits, Unix seconds."""

    def __init__(
        self, folder: Path, limits: Limits | None, state: Path | None = None, **changes: Any
    ) -> None:
        self.folder = folder
        self.store = Store(str(state or folder / "state"))
        self.now = 1_800_000_000.0
        self.calls = 0
        self.policy: Policy = builtin().replace(limits=limits, **changes)
        self.transcript = folder / "chat.jsonl"

    @property
    def meter(self) -> Meter:
        """The counter, by the clock of this world."""
        return Meter(self.store, lambda: self.now)

    def guard(self, ask: Any = NATIVE, **changes: Any) -> Guard:
        """Return a guard as a new process would make it."""
        policy = self.policy.replace(**changes)
        return Guard(
            policy,
            ask=ask,
            facts=Recorded("/home/u"),
            audit=Audit(self.store),
            ledger=Ledger(self.store),
            limits=lambda: self.meter,
        )

    def call(self, command: str = "", **fields: Any) -> ToolCall:
        """Return the next call: by default a harmless shell command that no other call is like."""
        self.calls += 1
        given = {
            "tool": "shell",
            "name": "Bash",
            "input": {"command": command or f"echo {self.calls}"},
            **fields,
        }
        return ToolCall(
            cwd="/home/u/p",
            roots=("/home/u/p",),
            session=given.pop("session", "s"),
            call_id=f"c{self.calls}",
            **given,
        )

    def check(self, call: ToolCall | None = None, **changes: Any) -> Decision:
        """Judge a call."""
        return self.guard(**changes).check(call or self.call())

    def ran(
        self, call: ToolCall, status: str = "ran", usage: Usage | None = None
    ) -> tuple[str, ...]:
        """Tell the outcome of a call."""
        return self.guard().outcome(Outcome(call, status, usage=usage))

    def write(self, *lines: str | bytes | dict[str, Any]) -> None:
        """Append lines to the transcript."""
        with self.transcript.open("ab") as file:
            for line in lines:
                data = json.dumps(line) if isinstance(line, dict) else line
                file.write((data.encode() if isinstance(data, str) else data) + b"\n")

    def chatting(self, **fields: Any) -> ToolCall:
        """Return a call of Claude Code, which names its transcript."""
        self.transcript.touch()
        return self.call(agent="claude-code", transcript=str(self.transcript), **fields)

    @staticmethod
    def report(store: Store, session: str) -> None:
        """Say of a session that it used nothing yet, so that its budgets can be counted."""
        call = ToolCall("other", "", {}, session=session)
        Meter(store).spent(call, Usage(), builtin())


def said(
    name: str, fresh: int, output: int = 0, model: str = "claude-opus-5", **more: int
) -> dict[str, Any]:
    """Return the line of Claude Code's transcript that notes one request."""
    figures = {
        "input_tokens": fresh,
        "output_tokens": output,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 0,
        **more,
    }
    return {"type": "assistant", "message": {"id": name, "model": model, "usage": figures}}


LIMIT_RULES = (
    "limits.rate",
    "limits.concurrent",
    "limits.tokens",
    "limits.cost",
    "limits.duration",
)


def limits_of(limit: dict[str, Any]) -> Limits:
    """Return the limits that a row writes: ``rate`` with ``tools``, ``tokens``, ``context``,
    ``cost``, ``concurrent`` or ``duration``.
    """
    known: dict[str, Callable[[Any], Limits]] = {
        "rate": lambda rate: Limits(rates=(Rate(rate, limit.get("tools", "*")),)),
        "tokens": lambda most: Limits(tokens=(TokenBudget(most),)),
        "context": lambda most: Limits(tokens=(TokenBudget(most, of="context"),)),
        "cost": lambda dollars: Limits(costs=(CostBudget(dollars),)),
        "concurrent": lambda most: Limits(concurrent=(Concurrency(most),)),
        "duration": lambda seconds: Limits(durations=(Duration(seconds),)),
    }
    [name] = known.keys() & limit.keys()
    return known[name](limit[name])


def used_up(
    folder: Path,
    before: tuple[dict[str, Any], float],
    call: ToolCall,
    reading: Reading,
    policy: Policy,
) -> Charge:
    """Return what a limit says of a call, when so much of it was used up before: calls, tokens,
    dollars or seconds.
    """
    limit, used = before
    policy = policy.replace(limits=limits_of(limit))
    world = World(folder, policy.limits)
    for number in range(int(used) if "rate" in limit or "concurrent" in limit else 0):
        world.meter.charge(call.replace(call_id=f"b{number}"), reading, policy, f"d-b{number}")
    tokens = used if "tokens" in limit or "context" in limit else 0
    world.meter.spent(
        call, Usage("claude-opus-5", int(tokens), cost=used if "cost" in limit else None), policy
    )
    if "duration" in limit:
        world.meter.charge(call, reading, policy, "d-b")
        world.now += used
    return world.meter.charge(call, reading, policy, "d-1")


def rules(decision: Decision) -> list[tuple[str, str]]:
    """Return what the limits said: rule and action."""
    return [
        (finding.rule, str(finding.action))
        for finding in decision.findings
        if finding.rule.startswith(("limits.", "session."))
    ]
