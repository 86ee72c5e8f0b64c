"""Events of a shape of their own, turned into the one that a dialect reads: where in a client's
JSON what stands, as a row.
"""

from __future__ import annotations

from collections.abc import Mapping

from interlock.integrations.protocol import UnreadableEventError
from interlock.model.jsontext import JsonError, loads
from interlock.model.record import Record


class Shape(Record):
    """Where an event of a client holds what: keys with dots between, a number for a place in a
    list; ``""`` where it holds none.

    ``root``: the project's folder, where there is no ``cwd``. ``result``: what a tool said.
    ``variable``: the environment variable that names the tool where the event does not; the whole
    event is then its input. ``calls``: events that are about one tool, and tools whose input has
    keys of its own, by their name: the tool, and under our keys where in the event what it is given
    stands.
    """

    event: str = "hook_event_name"
    session: str = "session_id"
    cwd: str = "cwd"
    root: str = ""
    tool: str = "tool_name"
    server: str = ""
    given: str = "tool_input"
    number: str = "tool_use_id"
    prompt: str = "prompt"
    result: str = "tool_response"
    variable: str = ""
    calls: Mapping[str, tuple[str, Mapping[str, str]]] = {}

    def to_dialect(self, payload: object, variables: Mapping[str, str]) -> dict[str, object]:
        """Return an event with the keys that a dialect reads; raises ``UnreadableEventError``."""
        if not isinstance(payload, dict):
            raise UnreadableEventError("the payload is not an object")
        name = _at(payload, self.event) if self.event else "call"
        tool, given = self._call(payload, str(name), variables)
        made = {
            "hook_event_name": name,
            "session_id": _at(payload, self.session),
            "cwd": _at(payload, self.cwd) or _at(payload, self.root) or variables.get("PWD", ""),
            "prompt": _at(payload, self.prompt),
            "tool_use_id": _at(payload, self.number),
            "tool_response": _at(payload, self.result) or payload.get("output"),
            "tool_name": tool,
            "tool_input": given,
        }
        return {key: value for key, value in made.items() if value is not None}

    def told(self, event: Mapping[str, object]) -> dict[str, object]:
        """Return an event with a dialect's keys as the client writes it: ``to_dialect`` the other
        way round, for what proves a hook.
        """
        pairs = ((self.event, "hook_event_name"), (self.session, "session_id"), (self.cwd, "cwd"),
            (self.tool, "tool_name"),
            (self.number, "tool_use_id"), (self.prompt, "prompt"))  # fmt: skip
        made: dict[str, object] = {}
        for path, key in pairs:
            if path and key in event:
                _set_path(made, path, event[key])
        given = event.get("tool_input")
        _, keys = (
            self.calls.get(str(event.get("hook_event_name")))
            or self.calls.get(str(event.get("tool_name")))
            or ("", None)
        )
        if keys is None or not isinstance(given, dict):
            _set_path(made, self.given, given)
        else:
            for key, path in keys.items():
                _set_path(made, path, given.get(key))
        return made

    def _call(
        self, payload: Mapping[str, object], name: str, variables: Mapping[str, str]
    ) -> tuple[object, object]:
        """Return the tool's name and its input."""
        found = variables.get(self.variable) if self.variable else _at(payload, self.tool)
        own = self.calls.get(name) or (self.calls.get(found) if isinstance(found, str) else None)
        if own is not None:
            tool, keys = own
            return tool, {
                key: _at(payload, path)
                for key, path in keys.items()
                if _at(payload, path) is not None
            }
        server = _at(payload, self.server)
        if isinstance(found, str) and found[:1] == "@" and "/" in found:
            server, _, found = found[1:].partition("/")
        if server and isinstance(found, str):
            found = f"mcp__{server}__{found}"
        given = payload if self.variable else _at(payload, self.given)
        if isinstance(given, str):  # Cursor hands over what an MCP tool is given as a text
            try:
                given = loads(given)
            except JsonError as error:
                raise UnreadableEventError(f"the tool's input is no JSON: {error}") from None
        return found, given


def _at(payload: object, path: str) -> object:
    """Return what stands at a path, None where there is nothing."""
    for step in path.split(".") if path else ():
        if isinstance(payload, dict):
            payload = payload.get(step)
        elif isinstance(payload, list) and step.isdigit() and int(step) < len(payload):
            payload = payload[int(step)]
        else:
            return None
    return payload if path else None


def _set_path(made: dict[str, object], path: str, value: object) -> None:
    """Put a value at a path, with what has to be above it."""
    *above, last = path.split(".")
    for step in above:
        inner = made.setdefault(step, {})
        made = inner if isinstance(inner, dict) else {}
    made[last] = value
