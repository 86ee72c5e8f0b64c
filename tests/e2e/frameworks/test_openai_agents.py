"""The OpenAI Agents SDK, the installed one, with a fake model: what is denied does not happen and
the model reads why.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.e2e.frameworks.shared import BAD, GOOD, REFUSED, Bench, Promises, agent_of, other_lines

pytest.importorskip(
    "agents", reason="openai-agents is not installed: `make frameworks` runs these tests"
)

from agents import (
    Agent,
    ApplyPatchTool,
    FunctionTool,
    Model,
    ModelResponse,
    RunConfig,
    Runner,
    ShellTool,
    Usage,
    WebSearchTool,
    function_tool,
)
from agents.handoffs import handoff
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from interlock.integrations.frameworks.openai_agents import guarded

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("default")]


class Says(Model):
    """Says its turns one after another, and keeps what it was told."""

    def __init__(self, *turns: list[Any]) -> None:
        self.turns = [*turns, [text("done")]]
        self.told: list[str] = []

    async def get_response(
        self,
        system_instructions: Any,
        input: Any,  # noqa: A002 - the SDK's own name
        *_more: Any,
        **_rest: Any,
    ) -> ModelResponse:
        """Answer with the next turn."""
        del system_instructions
        self.told = [
            str(item["output"]) for item in input if isinstance(item, dict) and "output" in item
        ]
        return ModelResponse(output=self.turns.pop(0), usage=Usage(), response_id=None)

    def stream_response(self, *_given: Any, **_rest: Any) -> Any:
        """Nobody streams here."""
        raise AssertionError("an answer was asked for as a stream")


def text(words: str) -> ResponseOutputMessage:
    """Write a turn's words."""
    part = ResponseOutputText(text=words, type="output_text", annotations=[])
    return ResponseOutputMessage(
        id="m", content=[part], role="assistant", status="completed", type="message"
    )


def call(name: str, number: int = 0, **given: object) -> ResponseFunctionToolCall:
    """Write a turn's tool call."""
    return ResponseFunctionToolCall(
        name=name,
        arguments=json.dumps(given),
        call_id=f"call_{name}_{number}",
        type="function_call",
    )


def bash(bench: Bench, *, awaited: bool = False) -> FunctionTool:
    """Make the tool."""
    return function_tool(bench.abash if awaited else bench.bash, name_override="bash")


def run(agent: Any, model: Says, *, awaited: bool = True) -> list[str]:
    """Run an agent to its end; return what the model was told of its calls."""
    config = RunConfig(model=model, tracing_disabled=True)
    done = (
        asyncio.run(Runner.run(agent, "go", run_config=config))
        if awaited
        else Runner.run_sync(agent, "go", run_config=config)
    )
    assert done.final_output == "done"
    return model.told


def results(bench: Bench, *commands: str, awaited: bool) -> list[str]:
    """Run an agent whose model calls the tool with each command."""
    agent = guarded(bench.session, Agent("a", tools=[bash(bench, awaited=awaited)]))
    return run(
        agent,
        Says([call("bash", n, command=one) for n, one in enumerate(commands)]),
        awaited=awaited,
    )


class TestPromises(Promises):
    """The adapter keeps them."""

    def results(self, bench: Bench, *commands: str, awaited: bool) -> list[str]:
        """Run an agent of the framework."""
        return results(bench, *commands, awaited=awaited)


PLAIN = """
from agents import Agent

agent = Agent("a", tools=tools)
"""
GUARDED = """
from agents import Agent
from interlock import session

agent = session().openai_agents(Agent("a", tools=tools))
"""


def test_an_existing_program_is_guarded_by_two_lines(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line more and one that is longer: the call that ran before does not run any more, its
    permitted twin does.
    """
    monkeypatch.setenv("HOME", str(bench.folder.parent))
    monkeypatch.chdir(bench.folder)
    assert len(other_lines(PLAIN, GUARDED)) == 2
    for program, ran in ((PLAIN, [BAD, GOOD]), (GUARDED, [GOOD])):
        bench.ran.clear()
        model = Says([call("bash", n, command=one) for n, one in enumerate((BAD, GOOD))])
        run(agent_of(program, tools=[bash(bench)]), model, awaited=False)
        assert sorted(bench.ran, reverse=True) == ran


@pytest.mark.parametrize("wrapped", [False, True])
def test_agents_it_hands_off_to_are_guarded(bench: Bench, wrapped: bool) -> None:
    """Named as an agent or as a handoff, also where they hand back in a circle."""
    second = Agent("second", tools=[bash(bench)])
    first = Agent("first", handoffs=[handoff(second) if wrapped else second])
    second.handoffs = [first]
    bad, good = run(
        guarded(bench.session, first),
        Says(
            [call("transfer_to_second")],
            [call("bash", 1, command=BAD), call("bash", 2, command=GOOD)],
        ),
    )[-2:]
    assert (bench.ran, good) == ([GOOD], f"ran {GOOD}")
    assert bad.startswith(REFUSED)


def test_guarding_twice_judges_once(bench: Bench) -> None:
    """A guarded agent may be guarded again."""
    agent = guarded(bench.session, guarded(bench.session, Agent("a", tools=[bash(bench)])))
    run(agent, Says([call("bash", command=GOOD)]))
    assert len(bench.outcomes()) == 1


def test_arguments_that_are_no_json_are_told_of(bench: Bench) -> None:
    """A model that writes half a call reads so and goes on; its next call runs."""
    half = ResponseFunctionToolCall(
        name="bash", arguments='{"command": "l', call_id="call_half", type="function_call"
    )
    told = run(
        guarded(bench.session, Agent("a", tools=[bash(bench)])),
        Says([half], [call("bash", 1, command=GOOD)]),
    )
    assert told[0].startswith("The arguments are no JSON")
    assert (told[1], bench.ran) == (f"ran {GOOD}", [GOOD])


@pytest.mark.parametrize("command", [BAD, GOOD])
def test_the_shell_tool_is_guarded_at_its_executor(bench: Bench, command: str) -> None:
    """It is no function tool, so no guardrail sees it."""
    from agents.tool import ShellActionRequest, ShellCallData, ShellCommandRequest

    async def execute(request: ShellCommandRequest) -> str:
        return bench.bash("; ".join(request.data.action.commands))

    tool = guarded(bench.session, Agent("a", tools=[ShellTool(executor=execute)])).tools[0]
    request: Any = ShellCommandRequest(
        ctx_wrapper=None, data=ShellCallData("c", ShellActionRequest(["cd .", command]))
    )
    said = asyncio.run(tool.executor(request))
    assert said.startswith(REFUSED if command == BAD else "ran cd .; echo hello")
    assert bool(bench.ran) is (command == GOOD)


def test_a_tool_that_cannot_be_guarded_is_refused_by_name(bench: Bench) -> None:
    """Rather than left open in silence; the provider's own tools stay."""
    editor: Any = object()
    with pytest.raises(TypeError, match="cannot guard a ApplyPatchTool"):
        guarded(bench.session, Agent("a", tools=[ApplyPatchTool(editor=editor)]))
    assert guarded(bench.session, Agent("a", tools=[WebSearchTool()])).tools == [WebSearchTool()]
