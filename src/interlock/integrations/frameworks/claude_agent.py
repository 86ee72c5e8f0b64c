"""Claude Agent SDK: hooks that judge every tool call, in the words of Claude Code's own. Read from
and tested with claude-agent-sdk 0.2.187.

``ClaudeAgentOptions(hooks=guarded(guard))``. They see all tools, whatever the permission mode: the
client's own, those of MCP servers, those of sub-agents.
"""

from __future__ import annotations

import os
from typing import Any

from interlock.guard.check import Guard
from interlock.integrations import claude_code
from interlock.integrations.protocol import PLATFORM, Reply
from interlock.integrations.session import Session, session_of
from interlock.model.jsontext import loads
from interlock.policy.installation import install_command

try:
    from claude_agent_sdk import HookMatcher
except ImportError as error:
    raise ImportError(
        "The Claude Agent SDK is not installed here; install it with:"
        f" {install_command('claude-agent')}"
    ) from error


PATIENCE = 3600
"""Seconds that a hook may wait for a person. One that fails or waits longer blocks the call."""


def guarded(guard: Guard | Session) -> dict[str, list[Any]]:
    """Return the hooks. What is asked about goes to the guard's asker; with ``NATIVE`` it goes to
    the client's own permission question.
    """
    session = session_of(guard, "claude-agent")

    async def told(payload: Any, _call_id: str | None, _context: object) -> dict[str, Any]:
        from asyncio import to_thread

        said = (await to_thread(_answer, session, payload)).stdout
        found = loads(said) if said else {}
        return found if isinstance(found, dict) else {}

    matcher = HookMatcher(hooks=[told], timeout=PATIENCE, on_failure="block")
    return {
        "PreToolUse": [matcher],
        **{
            name: [HookMatcher(hooks=[told])]
            for name in ("PostToolUse", "PostToolUseFailure", "UserPromptSubmit")
        },
    }


def _answer(session: Session, payload: object) -> Reply:
    """Judge or record one event of the client, in the session that it names."""
    event = claude_code.read(payload, {"HOME": os.path.expanduser("~")}, PLATFORM)
    guard, own = (
        session.guard,
        {"agent": session.agent, "user": session.user, "roots": session.roots or event.roots},
    )
    notices: tuple[str, ...] = ()
    if event.kind == "check" and event.call is not None:
        decision = guard.check(event.call.replace(**own))
        return claude_code.write(decision, event)
    if event.outcome is not None:
        notices = guard.outcome(event.outcome.replace(call=event.outcome.call.replace(**own)))
    elif event.kind == "prompt":
        notices = guard.prompted(
            session.call("prompt", {}).replace(session=event.session, cwd=event.cwd), event.prompt
        )
    for notice in notices:
        session.tell(notice)
    return Reply()
