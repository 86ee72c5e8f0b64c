"""Frameworks without an adapter: their tools are functions, so the plain decorator guards them. One tested example each."""

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
    smolagents = pytest.importorskip("smolagents", reason="smolagents is not installed: `make frameworks` runs these tests")
    turns = [("bash", {"command": BAD}), ("bash", {"command": GOOD}), ("final_answer", {"answer": "done"})]
    models = smolagents.models
    heard: list[str] = []

    class Says(models.Model):  # type: ignore[name-defined]
        def generate(self, messages: Any, **_more: Any) -> Any:
            heard.append(str(messages[-1].content))
            name, given = turns.pop(0)
            function = models.ChatMessageToolCallFunction(name=name, arguments=given)
            made = models.ChatMessageToolCall(id=f"call_{len(turns)}", type="function", function=function)
            return models.ChatMessage(role="assistant", content="", tool_calls=[made])

    agent = smolagents.ToolCallingAgent(tools=[smolagents.tool(shell(bench))], model=Says(), verbosity_level=0)
    assert agent.run("go") == "done"
    assert bench.ran == [GOOD]
    assert REFUSED in heard[1]
    assert RULE in heard[1]


def test_google_adk(bench: Bench) -> None:
    """A ``FunctionTool`` is made of the guarded function, with its schema."""
    tools = pytest.importorskip("google.adk.tools", reason="google-adk is not installed: `make frameworks` runs these tests")
    tool = tools.FunctionTool(shell(bench))
    assert tool.name == "bash"
    assert REFUSED in str(asyncio.run(tool.run_async(args={"command": BAD}, tool_context=None)))
    assert asyncio.run(tool.run_async(args={"command": GOOD}, tool_context=None)) == f"ran {GOOD}"
    assert bench.ran == [GOOD]


def test_crewai(bench: Bench) -> None:
    """A tool of CrewAI is made of the guarded function, with its schema."""
    tools = pytest.importorskip("crewai.tools", reason="crewai is not installed: `make frameworks` runs these tests")
    tool = tools.tool("bash")(shell(bench))
    assert REFUSED in str(tool.run(command=BAD))
    assert tool.run(command=GOOD) == f"ran {GOOD}"
    assert bench.ran == [GOOD]
