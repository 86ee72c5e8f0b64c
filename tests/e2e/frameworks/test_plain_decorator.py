"""Frameworks without an adapter: their tools are functions, so the plain decorator guards them. One
tested example each.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from interlock import guarded
from tests.e2e.frameworks.shared import BAD, GOOD, REFUSED, RULE, Bench

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("default")]


def shell(bench: Bench) -> Callable[[str], str]:
    """Write a tool as a program has it, guarded by one line."""

    @guarded(bench.session, refusal="text")
    def bash(command: str) -> str:
        """Run a command.

        Args:
            command: what to run

        """
        return bench.bash(command)

    return bash


def test_smolagents(bench: Bench) -> None:
    """A ``ToolCallingAgent`` reads the refusal and goes on."""
    smolagents = pytest.importorskip(
        "smolagents", reason="smolagents is not installed: `make frameworks` runs these tests"
    )
    turns = [
        ("bash", {"command": BAD}),
        ("bash", {"command": GOOD}),
        ("final_answer", {"answer": "done"}),
    ]
    models = smolagents.models
    heard: list[str] = []

    class Says(models.Model):  # type: ignore[name-defined]
        def generate(self, messages: Any, **_more: Any) -> Any:
            heard.append(str(messages[-1].content))
            name, given = turns.pop(0)
            function = models.ChatMessageToolCallFunction(name=name, arguments=given)
            made = models.ChatMessageToolCall(
                id=f"call_{len(turns)}", type="function", function=function
            )
            return models.ChatMessage(role="assistant", content="", tool_calls=[made])

    agent = smolagents.ToolCallingAgent(
        tools=[smolagents.tool(shell(bench))], model=Says(), verbosity_level=0
    )
    assert agent.run("go") == "done"
    assert bench.ran == [GOOD]
    assert REFUSED in heard[1]
    assert RULE in heard[1]


def test_google_adk(bench: Bench) -> None:
    """An ``LlmAgent`` calls the guarded function, whose schema the framework makes; its model reads
    the refusal and goes on.
    """
    agents = pytest.importorskip(
        "google.adk.agents",
        reason="google-adk is not installed: `make frameworks` runs these tests",
    )
    models, runners, types = [
        pytest.importorskip(name)
        for name in ("google.adk.models", "google.adk.runners", "google.genai.types")
    ]
    turns = [BAD, GOOD, ""]
    heard: list[str] = []

    class Says(models.BaseLlm):  # type: ignore[name-defined]
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
            del stream
            heard.append(str(llm_request.contents[-1]))
            command = turns.pop(0)
            call = types.FunctionCall(name="bash", args={"command": command})
            yield models.LlmResponse(
                content=types.Content(
                    role="model",
                    parts=[types.Part(function_call=call) if command else types.Part(text="done")],
                )
            )

    async def run() -> str:
        runner = runners.InMemoryRunner(
            agent=agents.LlmAgent(name="agent", model=Says(model="fake"), tools=[shell(bench)]),
            app_name="app",
        )
        session = await runner.session_service.create_session(app_name="app", user_id="user")
        said = types.Content(role="user", parts=[types.Part(text="go")])
        events = [
            event
            async for event in runner.run_async(
                user_id="user", session_id=session.id, new_message=said
            )
        ]
        return str(events[-1].content.parts[-1].text)

    assert asyncio.run(run()) == "done"
    assert bench.ran == [GOOD]
    assert REFUSED in heard[1]
    assert RULE in heard[1]
    assert f"ran {GOOD}" in heard[2]


def test_crewai(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """An ``Agent`` calls the guarded function as its tool; its model reads the refusal and goes
    on.
    """
    for name in ("CREWAI_DISABLE_TELEMETRY", "CREWAI_DISABLE_TRACKING", "OTEL_SDK_DISABLED"):
        monkeypatch.setenv(name, "true")
    monkeypatch.setenv("HOME", str(bench.folder.parent))
    crewai = pytest.importorskip(
        "crewai", reason="crewai is not installed: `make frameworks` runs these tests"
    )
    tool = pytest.importorskip("crewai.tools").tool
    turns = [
        f'Thought: go on\nAction: bash\nAction Input: {{"command": "{command}"}}'
        for command in (BAD, GOOD)
    ]
    turns.append("Thought: I know\nFinal Answer: done")
    heard: list[str] = []

    class Says(crewai.BaseLLM):  # type: ignore[name-defined]
        def call(self, messages: Any, *_args: Any, **_more: Any) -> str:
            heard.append(str(messages))
            return turns.pop(0)

        def supports_function_calling(self) -> bool:
            return False

    agent = crewai.Agent(
        role="helper",
        goal="help",
        backstory="none",
        tools=[tool("bash")(shell(bench))],
        llm=Says(model="fake"),
    )
    assert agent.kickoff("go").raw == "done"
    assert bench.ran == [GOOD]
    assert REFUSED in heard[1]
    assert RULE in heard[1]
    assert f"ran {GOOD}" in heard[2]
