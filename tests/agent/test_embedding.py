"""The loop as a library, with a model of one's own; and the same guard in another loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pydantic_ai
import pytest
from pydantic_ai import messages as said
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

from interlock.agent import Agent, Tool
from interlock.agent.events import DONE, HALTED, Blocked, Called, Returned
from interlock.agent.tools import command
from interlock.cli import build
from interlock.cli.main import main
from interlock.facts import Live
from interlock.guard.check import Guard
from interlock.guard.stopping import StopCommand
from interlock.integrations.frameworks.pydantic_ai import guarded
from interlock.integrations.session import Session
from interlock.model.call import OTHER, ToolCall
from interlock.model.decision import Approval, Decision
from interlock.policy.builtin import builtin

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from interlock.agent.events import Event
    from interlock.model.effect import Reading


def playing(*steps: str | tuple[str, str]) -> FunctionModel:
    """Return a model that plays steps: words, or the tool to call and its arguments as JSON."""
    left = iter(steps)

    async def stream(
        _messages: object, _info: object
    ) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        step = next(left)
        yield (
            step
            if isinstance(step, str)
            else {0: DeltaToolCall(name=step[0], json_args=step[1], tool_call_id=f"c-{id(step)}")}
        )

    return FunctionModel(stream_function=stream)


def session(folder: Path, guard: Guard | None = None) -> Session:
    """Return a session that works in a folder, by the built-in policy."""
    return Session(
        guard or Guard(builtin(), facts=Live(str(folder.parent))),
        id="s",
        cwd=str(folder),
        roots=(str(folder),),
    )


def turn(agent: Agent, words: str = "go") -> tuple[str, list[Event]]:
    """Do a turn; return how it ended, and what was told."""
    told: list[Event] = []
    agent.tell = told.append
    return asyncio.run(agent.turn(words)).how, told


def test_a_tool_of_ones_own(tmp_path: Path) -> None:
    """Three lines make an agent: a tool of one's own is judged by what it is handed, and runs or
    does not.
    """
    seen: list[str] = []

    async def note(call: ToolCall, _decision: Decision) -> str:
        seen.append(str(call.input["path"]))
        return "noted"

    tool = Tool("save_note", "Save a note.", {"path": {"type": "string"}}, OTHER, note, ("path",))
    agent = Agent(
        [tool],
        playing(
            ("save_note", '{"path": "a.txt"}'), ("save_note", '{"path": "/etc/passwd"}'), "done"
        ),
        session(tmp_path),
    )
    how, told = turn(agent)
    assert how == DONE
    assert seen == ["a.txt"]
    assert [type(event) for event in told if isinstance(event, (Called, Returned, Blocked))] == [
        Called,
        Returned,
        Called,
        Blocked,
    ]


def test_the_guard_is_asked_once_before_a_tool_runs(tmp_path: Path) -> None:
    """Every call that a tool is handed was judged, exactly once, and no other was run."""
    order: list[str] = []

    class Noting(Guard):
        def check(self, call: ToolCall) -> Decision:
            order.append(f"judged {call.input['command']}")
            return super().check(call)

    async def run(call: ToolCall, _decision: Decision) -> str:
        order.append(f"ran {call.input['command']}")
        return ""

    bash = command.TOOLS[0].replace(run=run)
    model = playing(
        ("Bash", '{"command": "ls"}'),
        ("Bash", '{"command": "rm -rf /"}'),
        ("Bash", '{"command": 1}'),
        ("Nothing", "{}"),
        "done",
    )
    turn(Agent([bash], model, session(tmp_path, Noting(builtin(), facts=Live(str(tmp_path))))))
    assert order == ["judged ls", "ran ls", "judged rm -rf /"]


def test_what_a_model_calls_wrongly_is_said_to_it(tmp_path: Path) -> None:
    """No such tool, no JSON, no such argument: an error for the model, and the turn goes on."""
    model = playing(("Nope", "{}"), ("Bash", "{no json"), ("Bash", '{"cmd": "ls"}'), "done")
    how, told = turn(Agent(command.TOOLS, model, session(tmp_path)))
    assert how == DONE
    errors = [event.text for event in told if isinstance(event, Returned)]
    assert [text[:16] for text in errors] == [
        "There is no tool",
        "The arguments of",
        "Bash needs comma",
    ]


def test_an_asker_of_ones_own(tmp_path: Path) -> None:
    """Whoever embeds the loop asks in their own way."""
    asked: list[str] = []

    def ask(decision: Decision, call: ToolCall, _reading: Reading) -> Approval | None:
        asked.append(str(call.input["command"]))
        return Approval(decision.id, "me") if "yes" in asked[-1] else None

    async def run(_call: ToolCall, _decision: Decision) -> str:
        return "ran"

    guard = Guard(builtin(), ask=ask, facts=Live(str(tmp_path)))
    model = playing(
        ("Bash", '{"command": "sudo echo yes"}'), ("Bash", '{"command": "sudo echo no"}'), "done"
    )
    _, told = turn(Agent([command.TOOLS[0].replace(run=run)], model, session(tmp_path, guard)))
    assert asked == ["sudo echo yes", "sudo echo no"]
    assert [type(event) for event in told if isinstance(event, (Returned, Blocked))] == [
        Returned,
        Blocked,
    ]


@pytest.mark.parametrize("line", ["rm -rf /", "echo hello"], ids=["blocked", "runs"])
def test_another_loop_keeps_the_guard(tmp_path: Path, line: str) -> None:
    """The same session in Pydantic AI's own loop gives the same answer: the model is told the same,
    and the tool runs or does not.
    """
    ran: list[str] = []

    async def run(call: ToolCall, _decision: Decision) -> str:
        ran.append("ours")
        return str(call.input["command"])

    def bash(command: str) -> str:
        ran.append("theirs")
        return command

    def steps() -> FunctionModel:
        return playing(("Bash", f'{{"command": "{line}"}}'), "done")

    ours = Agent([command.TOOLS[0].replace(run=run)], steps(), session(tmp_path))
    turn(ours)
    theirs: Any = pydantic_ai.Agent(
        tools=[pydantic_ai.Tool(bash, name="Bash")], capabilities=[guarded(session(tmp_path))]
    )

    async def streamed() -> Any:
        async with theirs.run_stream("go", model=steps()) as stream:
            await stream.get_output()
            return stream.all_messages()

    texts = [results(messages) for messages in (ours.messages, asyncio.run(streamed()))]
    mine, other = [[line.partition("decision: ")[0] for line in told] for told in texts]
    assert mine == other
    assert ran == ([] if line.startswith("rm") else ["ours", "theirs"])


def results(messages: list[Any]) -> list[str]:
    """Return what a model was told about its calls."""
    return [
        str(part.content)
        for message in messages
        for part in message.parts
        if isinstance(part, said.ToolReturnPart)
    ]


def test_an_emergency_stop_ends_the_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a person stops does not go on trying: the turn is halted with the first call."""
    monkeypatch.setattr("os.environ", {"HOME": str(tmp_path)})
    guard = build.guard({"HOME": str(tmp_path)}, folder=str(tmp_path))
    build.execute_stop(
        {"HOME": str(tmp_path)}, StopCommand("session:s", "enough", "me"), kill=False
    )
    how, told = turn(
        Agent(
            command.TOOLS, playing(*[("Bash", '{"command": "ls"}')] * 5), session(tmp_path, guard)
        )
    )
    assert how == HALTED
    assert len([event for event in told if isinstance(event, Blocked)]) == 1


def test_tokens_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the model used counts for the session's limits."""
    monkeypatch.setattr("os.environ", {"HOME": str(tmp_path)})
    guard = build.guard({"HOME": str(tmp_path)}, folder=str(tmp_path))
    turn(Agent(command.TOOLS, playing("word " * 50), session(tmp_path, guard)))
    assert main(["limits"]) == 0
    assert "100 tokens (50 in, 50 out, 0 cached, 0 written)" in capsys.readouterr().out
