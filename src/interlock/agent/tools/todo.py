"""Todo: what the agent means to do, in its own words, for the person to see."""

from __future__ import annotations

from interlock.agent.tool import Tool, ToolError
from interlock.model import call as kinds
from interlock.model.call import ToolCall
from interlock.model.decision import Decision

STATES = {"pending": "[ ]", "doing": "[>]", "done": "[x]"}


async def todo(call: ToolCall, _decision: Decision) -> str:
    """Return the list as it is shown."""
    items = call.input.get("items")
    lines = []
    for item in items if isinstance(items, list) else []:
        state, text = (
            (item.get("state"), item.get("text")) if isinstance(item, dict) else (None, None)
        )
        if state not in STATES or not isinstance(text, str):
            raise ToolError(f"An item is {{text, state}}, with a state of {', '.join(STATES)}.")
        lines.append(f"{STATES[state]} {text}")
    return "\n".join(lines) or "Nothing is to be done."


TOOLS = (
    Tool(
        "Todo",
        "Note what is to be done in several steps, all of it each time, so that the user can"
        " follow. Not for what is one step.",
        {
            "items": {
                "type": "array",
                "description": "The whole list, in order",
                "items": {
                    "type": "object",
                    "properties": {
                        "text": {"type": "string"},
                        "state": {"type": "string", "enum": list(STATES)},
                    },
                    "required": ["text", "state"],
                },
            }
        },
        kinds.TASK,
        todo,
        ("items",),
    ),
)
