"""LangChain and LangGraph, the installed ones, with a fake model: what is denied does not happen and the model reads why."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.frameworks.shared import ASKED, BAD, GOOD, REFUSED, RULE, Bench

pytest.importorskip("langchain.agents", reason="langchain is not installed: `make frameworks` runs these tests")

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langgraph.prebuilt import ToolNode

from interlock.integrations.frameworks.langchain import guarded

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("default")]


class Model(GenericFakeChatModel):
    """Says its lines, whatever tools there are."""

    def bind_tools(self, tools: Any, **_more: Any) -> Any:
        """Take the tools."""
        del tools
        return self


def calls(*commands: str) -> AIMessage:
    """Write a turn of the model that calls the tool."""
    return AIMessage("", tool_calls=[{"name": "bash", "args": {"command": one}, "id": f"call_{n}"} for n, one in enumerate(commands)])


def tool(bench: Bench) -> StructuredTool:
    """Make the tool, sync and async."""
    return StructuredTool.from_function(bench.bash, coroutine=bench.abash, name="bash", description="Run a command.")


def results(bench: Bench, *commands: str, awaited: bool) -> list[ToolMessage]:
    """Run an agent whose model calls the tool with each command, and return what it was told."""
    agent = create_agent(Model(messages=iter([calls(*commands), AIMessage("done")])), [tool(bench)], middleware=[guarded(bench.session)])
    given: Any = {"messages": [("user", "go")]}
    state = asyncio.run(agent.ainvoke(given)) if awaited else agent.invoke(given)
    return [message for message in state["messages"] if isinstance(message, ToolMessage)]


@pytest.mark.parametrize("awaited", [False, True])
def test_a_denied_call_does_not_happen_and_its_twin_does(bench: Bench, awaited: bool) -> None:
    """Both in one turn; the agent goes on after a refusal."""
    bad, good = results(bench, BAD, GOOD, awaited=awaited)
    assert bench.ran == [GOOD]
    assert (bad.status, good.status, good.content) == ("error", "success", f"ran {GOOD}")
    assert REFUSED in str(bad.content)
    assert RULE in str(bad.content)
    assert bench.agents() == {"python"}
    assert [status for status, _ in sorted(bench.outcomes(), key=str)] == ["ran", "refused"]


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("approves", [False, True])
def test_an_ask_goes_to_the_guards_asker(bench: Bench, awaited: bool, approves: bool) -> None:
    """The person's answer decides."""
    bench.approves = approves
    results(bench, ASKED, awaited=awaited)
    assert (bench.asked, bench.ran) == ([ASKED], [ASKED] if approves else [])


@pytest.mark.parametrize("awaited", [False, True])
def test_a_guard_that_fails_runs_nothing(bench: Bench, awaited: bool) -> None:
    """An asker that is out of order is a no."""
    bench.breaks = True
    assert REFUSED in str(results(bench, GOOD, awaited=awaited)[0].content)
    assert bench.ran == []


@pytest.mark.parametrize("awaited", [False, True])
def test_a_tool_node_of_a_graph_is_guarded_too(bench: Bench, awaited: bool) -> None:
    """Without ``create_agent``: the same middleware in LangGraph's own node."""
    from langgraph.graph import START, MessagesState, StateGraph

    it = guarded(bench.session)
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode([tool(bench)], wrap_tool_call=it.wrap_tool_call, awrap_tool_call=it.awrap_tool_call))
    graph.add_edge(START, "tools")
    built, given = graph.compile(), {"messages": [calls(BAD, GOOD)]}
    state = asyncio.run(built.ainvoke(given)) if awaited else built.invoke(given)
    assert bench.ran == [GOOD]
    assert REFUSED in state["messages"][1].content


def test_a_failure_of_the_tool_is_recorded(bench: Bench) -> None:
    """And raised as without a guard."""
    with pytest.raises(ValueError, match="it failed"):
        results(bench, "false", awaited=False)
    assert bench.outcomes() == [("failed", "ValueError: it failed")]
