"""LangChain and LangGraph: a middleware that judges every tool call of an agent. Read from and
tested with langchain 1.4.7, langgraph 1.2.22.

``create_agent(model, tools, middleware=[guarded(guard)])``; in a graph of your own
``ToolNode(tools, wrap_tool_call=it.wrap_tool_call, awrap_tool_call=it.awrap_tool_call)``. Give it
last: a middleware after it may change a call that was judged.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from interlock.guard.check import Guard
from interlock.integrations.session import Refused, Session, session_of
from interlock.model.call import ToolCall
from interlock.policy.installation import install_command

try:
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.messages import ToolMessage
except ImportError as error:
    raise ImportError(
        f"LangChain is not installed here; install it with: {install_command('langchain')}"
    ) from error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from langgraph.prebuilt.tool_node import ToolCallRequest


def guarded(guard: Guard | Session) -> GuardMiddleware:
    """Return the middleware. A refused call is a tool message with the status ``error``, which the
    model reads.
    """
    return GuardMiddleware(session_of(guard, "langchain"))


class GuardMiddleware(AgentMiddleware):
    """Stands between the model's tool call and its tool, sync and async."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session

    def wrap_tool_call(
        self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], object]
    ) -> object:
        """Judge a call, and hand it on where it may run."""
        try:
            return self.session.run(self._call(request), lambda: execute(request))
        except Refused as why:
            return _refusal(request, why)

    async def awrap_tool_call(
        self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], Awaitable[object]]
    ) -> object:
        """Do the same where the agent is awaited."""
        try:
            return await self.session.arun(self._call(request), lambda: execute(request))
        except Refused as why:
            return _refusal(request, why)

    def _call(self, request: ToolCallRequest) -> ToolCall:
        made = request.tool_call
        return self.session.call(made["name"], made["args"], call_id=made.get("id") or "")


def _refusal(request: ToolCallRequest, why: Refused) -> object:
    return ToolMessage(
        str(why),
        tool_call_id=request.tool_call["id"],
        name=request.tool_call["name"],
        status="error",
    )
