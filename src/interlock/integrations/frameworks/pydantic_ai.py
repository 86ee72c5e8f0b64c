"""Pydantic AI: a capability that judges every tool call of an agent. Read from and tested with
pydantic-ai-slim 2.68.0.

``Agent(model, tools=[...], capabilities=[guarded(guard)])``. It stands innermost, so what it judges
is what runs. Tools that the model's provider runs (web search, code execution) never come by here.
"""

from __future__ import annotations

from typing import Any

from interlock.guard.check import Guard
from interlock.integrations.session import Refused, RunningCalls, Session, session_of
from interlock.policy.installation import install_command

try:
    from pydantic_ai import SkipToolExecution
    from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
except ImportError as error:
    raise ImportError(
        f"Pydantic AI is not installed here; install it with: {install_command('pydantic-ai')}"
    ) from error


def guarded(guard: Guard | Session) -> GuardCapability:
    """Return the capability. A refused call has the refusal as its result, which the model
    reads.
    """
    return GuardCapability(session_of(guard, "pydantic-ai"))


class GuardCapability(AbstractCapability):
    """Stands between the model's tool call and its tool."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.running = RunningCalls(session)

    def get_ordering(self) -> object:
        """Stand innermost."""
        return CapabilityOrdering(position="innermost")

    async def before_tool_execute(
        self, _ctx: object, *, call: Any, tool_def: Any, args: dict[str, Any]
    ) -> dict[str, Any]:
        """Judge a call: its arguments go on where it may run."""
        del tool_def
        try:
            await self.running.begins(
                self.session.call(call.tool_name, args, call_id=call.tool_call_id)
            )
        except Refused as why:
            raise SkipToolExecution(str(why)) from why
        return args

    async def after_tool_execute(
        self, _ctx: object, *, call: Any, result: object, **_more: object
    ) -> object:
        """Record what a call said."""
        await self.running.ended(call.tool_call_id, "ran", result)
        return result

    async def on_tool_execute_error(
        self, _ctx: object, *, call: Any, error: Exception, **_more: object
    ) -> object:
        """Record that a call failed."""
        await self.running.ended(call.tool_call_id, "failed", error)
        raise error
