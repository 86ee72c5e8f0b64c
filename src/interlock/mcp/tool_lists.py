"""What a server says of itself: its tools and its instructions, held against what was pinned when
they were first seen.

A tool whose description or schema changed is shown to the client as it was pinned until a person
accepts the new one, and calls are asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from interlock.model.jsontext import JsonError, dumps, loads
from interlock.model.record import Record


class PinnedTools(Protocol):
    """What is pinned of one server; the ledger's own. Both questions raise ``ValueError`` where
    they could not be asked.
    """

    def held(self, seen: Mapping[str, str]) -> Mapping[str, str | None]:
        """Pin what is seen for the first time; of what is not as it was pinned, return what was
        (None: too long to be kept).
        """

    def known(self, tool: str) -> tuple[str, str, str]:
        """Return the digest and the text that a tool is pinned by, and the digest of what it
        was last seen to be where that differs.
        """

    def mark(self, body: str) -> str:
        """Return the digest of a text."""


INSTRUCTIONS = "(instructions)"
"""The name under which a server's instructions are pinned; no tool can have it."""
MOST_TOOLS = 5000
MOST_FORMS = 4
WITHHELD = (
    "interlock: this tool's description is not the one that was pinned, and is not shown until a"
    " person accepts it: interlock pins"
)


class ToolDescription(Record):
    """How a server described a tool: the digest of all it said, and what it said against it."""

    mark: str
    hints: tuple[str, ...] = ()


class Listing:
    """The lists of one connection, and what they were found to be."""

    def __init__(self, pins: PinnedTools, tell: Callable[[str], None]) -> None:
        self._pins = pins
        self._tell = tell
        self._stat_path: dict[str, list[ToolDescription]] = {}
        """Of each tool how the server described it since the list was last begun."""

    def seen(self, method: str, value: dict[str, object], *, first: bool) -> dict[str, object]:
        """Return a result as the client gets it: itself where nothing of it is to be changed."""
        if method in ("initialize", "server/discover"):
            return self._instructions(value)
        return self._tools(value, first=first) if method == "tools/list" else value

    def hints(self, tool: str) -> tuple[str, ...]:
        """Return what is known of a tool that is called: words of ``ToolCall.hints``. What cannot
        be found out counts as changed.
        """
        seen = self._stat_path.get(tool, [])
        try:
            pinned, body, other = self._pins.known(tool)
        except ValueError as problem:
            self._tell(f"what was pinned could not be read: {problem}")
            return ("changed",)
        changed = any(one.mark != pinned for one in seen) if seen else bool(other)
        against = dict.fromkeys(
            [hint for one in seen for hint in one.hints] if seen else _read_annotations(_load(body))
        )
        return (*against, *(["changed"] if changed else []))

    # -- what the server says ----------------------------------------------------------------------

    def _instructions(self, value: dict[str, object]) -> dict[str, object]:
        text = value.get("instructions")
        held = self._held({INSTRUCTIONS: dumps(text)}) if isinstance(text, str) else {}
        if not held:
            return value
        self._tell(
            "the server's instructions are not those that were pinned; the client is given those"
        )
        was = _load(held[INSTRUCTIONS])
        return {**value, "instructions": was if isinstance(was, str) else ""}

    def _tools(self, value: dict[str, object], *, first: bool) -> dict[str, object]:
        tools = value.get("tools")
        if not isinstance(tools, list):
            return value
        if first:
            self._stat_path.clear()
        sound = [
            tool for tool in tools if isinstance(tool, dict) and isinstance(tool.get("name"), str)
        ][:MOST_TOOLS]
        texts: dict[str, str] = {}
        for tool in sound:
            name, text = str(tool["name"]), _text(tool)
            texts.setdefault(name, text)
            described = ToolDescription(self._pins.mark(text), _read_annotations(tool))
            if described not in self._stat_path.setdefault(name, []):
                self._stat_path[name] = [*self._stat_path[name], described][:MOST_FORMS]
        held = self._held({name: text for name, text in texts.items() if name != INSTRUCTIONS})
        shown = [
            _pinned_version(tool, held)
            for tool in sound
            if tool["name"] != INSTRUCTIONS
            and self._stat_path[str(tool["name"])][0].mark == self._pins.mark(_text(tool))
        ]
        twice = [name for name, seen in self._stat_path.items() if len(seen) > 1]
        if held or twice:
            names = ", ".join(sorted({*held, *twice}))[:400]
            self._tell(
                f"not as they were pinned: {names}; calls of them are asked about. `interlock pins`"
                " shows what changed, and accepts it"
            )
        if len(shown) != len(tools):
            self._tell(
                f"{len(tools) - len(shown)} entries of the server's list are no tools, or come"
                " twice, and were left out"
            )
        return value if len(shown) == len(tools) and not held else {**value, "tools": shown}

    def _held(self, seen: Mapping[str, str]) -> Mapping[str, str | None]:
        try:
            return self._pins.held(seen)
        except ValueError as problem:
            self._tell(f"the server's tools could not be pinned: {problem}")
            return {}


def _text(tool: Mapping[str, object]) -> str:
    """Return all that a server says of a tool, in one spelling."""
    return dumps(dict(tool), sort_keys=True)


def _pinned_version(tool: dict[str, object], held: Mapping[str, str | None]) -> dict[str, object]:
    name = str(tool["name"])
    if name not in held:
        return tool
    was = _load(held[name])
    return (
        was
        if isinstance(was, dict)
        else {"name": name, "description": WITHHELD, "inputSchema": {"type": "object"}}
    )


def _load(text: str | None) -> object:
    try:
        return loads(text) if text else None
    except JsonError:
        return None


def _read_annotations(tool: object) -> tuple[str, ...]:
    """Return what a server's annotations say against its tool. That one only reads is no reason to
    ask less, so it is not even noted.
    """
    said = tool.get("annotations") if isinstance(tool, dict) else None
    if not isinstance(said, dict):
        return ()
    return (
        *(["destructive"] if said.get("destructiveHint") is True else []),
        *(["changes"] if said.get("readOnlyHint") is False else []),
    )
