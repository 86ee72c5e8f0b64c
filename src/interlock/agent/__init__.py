"""The guarded agent: a loop between a model and its tools, with the guard at the one point where a
tool would run.

``Agent(tools, model, guard)`` is the library; ``interlock agent`` is the program. Each name is
imported when it is first used: the loop needs the extra ``agent``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.agent.loop import Agent
    from interlock.agent.tool import Tool, ToolError

__all__ = ["Agent", "Tool", "ToolError"]

_HOMES = {"Agent": "loop", "Tool": "tool", "ToolError": "tool"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'interlock.agent' has no attribute {name!r}")
    module = __import__(f"interlock.agent.{_HOMES[name]}", fromlist=[name])
    return getattr(module, name)
