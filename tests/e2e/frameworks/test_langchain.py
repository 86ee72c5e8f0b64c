"""LangChain and LangGraph, the installed ones, with a fake model: what is denied does not happen
and the model reads why.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.frameworks.shared import BAD, GOOD, REFUSED, Bench, Promises, agent_of, other_lines

pytest.importorskip(
    "langchain.agents", reason="langchain is not installed: `make frameworks` runs these tests"
)

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
    return AIMessage(
        "",
        tool_calls=[
            {"name": "bash", "args": {"command": one}, "id": f"call_{n}"}
            for n, one in enumerate(commands)
        ],
    )


def tool(bench: Bench) -> StructuredTool:
    """Make the tool, sync and async."""
    return StructuredTool.from_function(
        bench.bash, coroutine=bench.abash, name="bash", description="Run a command."
    )


def results(bench: Bench, *commands: str, awaited: bool) -> list[ToolMessage]:
    """Run an agent whose model calls the tool with each command, and return what it was told."""
    agent = create_agent(
        Model(messages=iter([calls(*commands), AIMessage("done")])),
        [tool(bench)],
        middleware=[guarded(bench.session)],
    )
    given: Any = {"messages": [("user", "go")]}
    state = asyncio.run(agent.ainvoke(given)) if awaited else agent.invoke(given)
    return [message for message in state["messages"] if isinstance(message, ToolMessage)]


class TestPromises(Promises):
    """The adapter keeps them."""

    def results(self, bench: Bench, *commands: str, awaited: bool) -> list[str]:
        """Run an agent of the framework."""
        return [str(message.content) for message in results(bench, *commands, awaited=awaited)]


def test_a_refusal_is_an_error_to_the_model(bench: Bench) -> None:
    """A refused call is a tool message with the status of an error, its twin's is a success."""
    bad, good = results(bench, BAD, GOOD, awaited=False)
    assert (bad.status, good.status) == ("error", "success")


PLAIN = """
from langchain.agents import create_agent

agent = create_agent(model, tools)
"""
GUARDED = """
from interlock import session
from langchain.agents import create_agent

agent = create_agent(model, tools, middleware=[session().langchain()])
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
        given: Any = {"messages": [("user", "go")]}
        agent_of(
            program,
            model=Model(messages=iter([calls(BAD, GOOD), AIMessage("done")])),
            tools=[tool(bench)],
        ).invoke(given)
        assert sorted(bench.ran, reverse=True) == ran


@pytest.mark.parametrize("awaited", [False, True])
def test_a_tool_node_of_a_graph_is_guarded_too(bench: Bench, awaited: bool) -> None:
    """Without ``create_agent``: the same middleware in LangGraph's own node."""
    from langgraph.graph import START, MessagesState, StateGraph

    it = guarded(bench.session)
    graph = StateGraph(MessagesState)
    graph.add_node(
        "tools",
        ToolNode(
            [tool(bench)], wrap_tool_call=it.wrap_tool_call, awrap_tool_call=it.awrap_tool_call
        ),
    )
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
