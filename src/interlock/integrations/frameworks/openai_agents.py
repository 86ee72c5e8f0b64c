"""OpenAI Agents SDK: a copy of an agent whose every tool judges its calls. Read from and tested
with openai-agents 0.24.0.

``agent = guarded(guard, agent)``, then run that. Agents it hands off to are guarded too; one that
is a tool (``as_tool``) is to be guarded before. Tools that the provider runs (web search, code
interpreter) never come by here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from interlock.guard.check import Guard
from interlock.integrations.session import Refused, RunningCalls, Session, session_of
from interlock.model.jsontext import JsonError, loads
from interlock.policy.installation import install_command

try:
    from agents import (
        Agent,
        FunctionTool,
        Handoff,
        LocalShellTool,
        ShellTool,
        ToolGuardrailFunctionOutput,
        ToolInputGuardrail,
        ToolOutputGuardrail,
    )
except ImportError as error:
    raise ImportError(
        "The OpenAI Agents SDK is not installed here; install it with:"
        f" {install_command('openai-agents')}"
    ) from error


LOCAL = frozenset({"ComputerTool", "ApplyPatchTool", "CustomTool"})
"""Tools that run here, past every guardrail."""


def guarded(guard: Guard | Session, agent: Any) -> Any:
    """Return the agent, guarded. A refused call has the refusal as its output. Raises ``TypeError``
    for a tool that cannot be guarded.
    """
    return _Tools(session_of(guard, "openai-agents")).agent(agent)


class _Tools:
    """Guards tools, and remembers the agents it met: they may hand off in circles."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.running = RunningCalls(session)
        self.agents: dict[int, Any] = {}
        self.before = ToolInputGuardrail(self.judged, name="interlock")
        self.after = ToolOutputGuardrail(self.ended, name="interlock")

    def agent(self, agent: Any) -> Any:
        """Return an agent with guarded tools, servers and handoffs."""
        if id(agent) not in self.agents:
            copy = self.agents[id(agent)] = agent.clone(
                tools=[self.tool(tool) for tool in agent.tools]
            )
            self.agents[id(copy)] = copy
            copy.handoffs = [self.handoff(one) for one in agent.handoffs]
            for server in agent.mcp_servers:
                server.tool_input_guardrails = [*_others(server.tool_input_guardrails), self.before]
                server.tool_output_guardrails = [
                    self.after,
                    *_others(server.tool_output_guardrails),
                ]
        return self.agents[id(agent)]

    def tool(self, tool: Any) -> Any:
        """Return a guarded tool; the provider's own are left as they are."""
        if isinstance(tool, FunctionTool):
            before, after = (
                _others(tool.tool_input_guardrails),
                _others(tool.tool_output_guardrails),
            )
            return replace(
                tool,
                tool_input_guardrails=[*before, self.before],
                tool_output_guardrails=[self.after, *after],
            )
        if isinstance(tool, LocalShellTool) or (
            isinstance(tool, ShellTool) and tool.executor is not None
        ):
            return replace(tool, executor=partial(self.shell, tool.executor))
        if type(tool).__name__ in LOCAL:
            raise TypeError(
                f"interlock cannot guard a {type(tool).__name__}; leave it out, or make it a"
                " function tool"
            )
        return tool

    def handoff(self, target: Any) -> Any:
        """Return a handoff to a guarded agent."""
        if isinstance(target, Agent):
            return self.agent(target)

        async def invoked(context: Any, given: str) -> Any:
            return self.agent(await target.on_invoke_handoff(context, given))

        return replace(target, on_invoke_handoff=invoked) if isinstance(target, Handoff) else target

    async def judged(self, data: Any) -> Any:
        """Judge a call right before it runs."""
        context = data.context
        try:
            await self.running.begins(
                self.session.call(
                    context.tool_name,
                    _arguments(context.tool_arguments),
                    call_id=context.tool_call_id,
                )
            )
        except Refused as why:
            return ToolGuardrailFunctionOutput.reject_content(str(why))
        return ToolGuardrailFunctionOutput.allow()

    async def ended(self, data: Any) -> Any:
        """Record what a call said."""
        await self.running.ended(data.context.tool_call_id, "ran", data.output)
        return ToolGuardrailFunctionOutput.allow()

    async def shell(self, executor: Any, request: Any) -> Any:
        """Judge and run the commands of a shell tool; they are one script to its reader."""
        from inspect import isawaitable

        async def work() -> object:
            done = executor(request)
            return await done if isawaitable(done) else done

        action = request.data.action
        command = "\n".join(action.commands) if hasattr(action, "commands") else action.command
        folder = {"workdir": found} if (found := getattr(action, "working_directory", None)) else {}
        try:
            return await self.session.arun(
                self.session.call(
                    "shell", {"command": command, **folder}, "shell", request.data.call_id
                ),
                work,
            )
        except Refused as why:
            return str(why)


def _others(guardrails: Any) -> list[Any]:
    """Return the guardrails that are not ours: what is guarded again is judged once."""
    return [one for one in guardrails or [] if one.name != "interlock"]


def _arguments(text: str) -> dict[str, object]:
    """Return a call's arguments; raises ``Refused`` where they are none."""
    try:
        found = loads(text or "{}")
    except JsonError as error:
        raise Refused(f"The arguments are no JSON: {error}. Nothing ran.") from error
    return found if isinstance(found, dict) else {"input": found}
