"""``Tool``: what a model may call. What runs is the call that was judged, with its arguments as
they were judged.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from interlock.model.call import ToolCall
from interlock.model.decision import Decision
from interlock.model.record import Record

MOST = 30_000
"""Characters of a result that a model is told."""


class ToolError(Exception):
    """A tool could not do what it was asked; its text tells the model what, and what instead."""


class Tool(Record):
    """A tool. ``told``: what the model reads of it. ``takes``: its parameters by name, each a JSON
    schema; ``needs``: those that must be given.

    ``kind``: what it is to the guard (``interlock.model.call.TOOLS``). ``run`` is handed the call
    that may run and the decision on it, and returns what the model is told; it raises
    ``ToolError``.
    """

    name: str
    told: str
    takes: Mapping[str, Mapping[str, Any]]
    kind: str
    run: Callable[[ToolCall, Decision], Awaitable[str]]
    needs: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, Any]:
        """The parameters as JSON schema."""
        return {
            "type": "object",
            "properties": dict(self.takes),
            "required": list(self.needs),
            "additionalProperties": False,
        }

    def check_arguments(self, given: Mapping[str, Any]) -> None:
        """Raise ``ToolError`` for an argument that is missing, unknown or of another type."""
        missing = [name for name in self.needs if name not in given]
        unknown = [name for name in given if name not in self.takes]
        if missing or unknown:
            wrong = (
                f"needs {', '.join(missing)}" if missing else f"does not know {', '.join(unknown)}"
            )
            raise ToolError(f"{self.name} {wrong}. It takes: {', '.join(self.takes)}.")
        for name, value in given.items():
            wanted = str(self.takes[name].get("type", ""))
            if (wanted and not isinstance(value, _TYPES[wanted])) or (
                wanted == "integer" and isinstance(value, bool)
            ):
                raise ToolError(
                    f"{self.name} takes {name} as {wanted}, not as {type(value).__name__}."
                )


_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list,
    "object": dict,
}  # fmt: skip


def text_of(call: ToolCall, name: str, default: str = "") -> str:
    """Return a text among the arguments of a call."""
    return str(call.input.get(name, default))


def number_of(call: ToolCall, name: str, default: int) -> int:
    """Return a number among the arguments of a call."""
    value = call.input.get(name, default)
    return value if isinstance(value, int) else default


def clip_text(text: str, most: int = MOST) -> str:
    """Return a text with its middle left out where it is too long; says how much."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"
