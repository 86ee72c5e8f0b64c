"""Pydantic AI, the installed one, with a fake model: what is denied does not happen and the model
reads why.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.frameworks.shared import BAD, GOOD, REFUSED, Bench, Promises

pytest.importorskip(
    "pydantic_ai", reason="pydantic-ai is not installed: `make frameworks` runs these tests"
)

from pydantic_ai import Agent, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from interlock.integrations.frameworks.pydantic_ai import guarded

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("default")]


def results(bench: Bench, *commands: str, awaited: bool, more: tuple[Any, ...] = ()) -> list[str]:
    """Run an agent whose model calls the tool with each command, and return what it was told."""
    told: list[str] = []

    def says(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(
                [
                    ToolCallPart("bash", {"command": one}, tool_call_id=f"call_{n}")
                    for n, one in enumerate(commands)
                ]
            )
        told.extend(
            [str(part.content) for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        )
        return ModelResponse([TextPart("done")])

    tool = Tool(bench.abash if awaited else bench.bash, name="bash", takes_ctx=False)
    agent = Agent(FunctionModel(says), tools=[tool], capabilities=[guarded(bench.session), *more])
    done = asyncio.run(agent.run("go")) if awaited else agent.run_sync("go")
    assert done.output == "done"
    return told


class TestPromises(Promises):
    """The adapter keeps them."""

    def results(self, bench: Bench, *commands: str, awaited: bool) -> list[str]:
        """Run an agent of the framework."""
        return results(bench, *commands, awaited=awaited)


class Worse(AbstractCapability[Any]):
    """Another capability, that makes a bad call of a good one."""

    async def before_tool_execute(
        self, ctx: Any, *, call: Any, tool_def: Any, args: dict[str, Any]
    ) -> dict[str, Any]:
        """Change the arguments."""
        del ctx, call, tool_def
        return {**args, "command": BAD}


def test_what_other_capabilities_make_of_a_call_is_judged(bench: Bench) -> None:
    """The guard stands innermost wherever it is listed, so it sees what would run."""
    assert results(bench, GOOD, awaited=True, more=(Worse(),))[0].startswith(REFUSED)
    assert bench.ran == []


def test_a_failure_of_the_tool_is_recorded(bench: Bench) -> None:
    """And raised as without a guard."""
    with pytest.raises(ValueError, match="it failed"):
        results(bench, "false", awaited=True)
    assert bench.outcomes() == [("failed", "ValueError: it failed")]
