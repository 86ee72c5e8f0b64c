"""Putting a question to the person through the client: MCP's elicitation, in both of its shapes.

Up to 2025-11-25 it is a request of its own, which the client answers while the call waits. From
2026-07-28 on a server asks by an answer that wants input (``input_required``), and the client makes
the call again with what the person said.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from interlock.mcp.jsonrpc import Message
from interlock.mcp.judge import Ruling, as_given
from interlock.mcp.methods import MethodRequest
from interlock.model.record import Record

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
MOST = 200
"""Questions that may be open at once; one more, and the oldest is taken for unanswered."""
_FORM = {
    "type": "object",
    "properties": {
        "approve": {
            "type": "boolean",
            "title": "Let the agent make this call, once",
            "description": "Only if you want it to happen.",
            "default": False,
        },
    },
    "required": ["approve"],
}


class ParkedCall(Record):
    """A call that waits for a person's answer: the message to pass on, and the ruling."""

    message: Message
    asked: MethodRequest
    ruling: Ruling

    @property
    def modern(self) -> bool:
        """Whether the call is of 2026-07-28 or later."""
        params = self.message.get("params")
        return isinstance(params, dict) and per_request(params) is not None

    @property
    def known(self) -> str:
        """What the same call is known by when it comes again."""
        return f"{self.asked.method} {self.asked.name} {as_given(self.asked.given)}"


class OpenQuestions:
    """The open questions of one connection, or of many that have no state of their own."""

    def __init__(self) -> None:
        self._prefix = f"interlock-{os.urandom(8).hex()}"
        self._asked = 0
        self._open: dict[str, ParkedCall] = {}
        self._continued: dict[tuple[str, str], Ruling] = {}

    def park(self, parked: ParkedCall) -> tuple[str, ParkedCall | None]:
        """Keep a call; return the name of its question, which nobody can guess, and the call that
        had to give way, if there were too many.
        """
        self._asked += 1
        name = f"{self._prefix}-{self._asked}"
        gone = self._open.pop(next(iter(self._open))) if len(self._open) >= MOST else None
        self._open[name] = parked
        return name, gone

    def take(self, name: object) -> ParkedCall | None:
        """Return the call that a question is about, and forget it: a question is answered once."""
        return self._open.pop(name, None) if isinstance(name, str) else None

    def goes_on(self, known: str, state: str, ruling: Ruling) -> None:
        """Remember that the server wants input for a call let run, which will come again."""
        while len(self._continued) >= MOST:
            self._continued.pop(next(iter(self._continued)))
        self._continued[known, state] = ruling

    def take_ruling(self, known: str, state: str) -> Ruling | None:
        """Return what was ruled on a call that comes again with input for the server, once."""
        return self._continued.pop((known, state), None)

    def asked(self, name: object) -> bool:
        """Tell whether a question of that name was ever asked here."""
        return isinstance(name, str) and name.startswith(f"{self._prefix}-")

    def waiting(self, request: object) -> str:
        """Return the name of the question about a request of this id that waits for it, or ``""``.
        From 2026-07-28 on none waits: it was answered.
        """
        return next(
            (
                name
                for name, parked in self._open.items()
                if parked.message.get("id") == request and not parked.modern
            ),
            "",
        )


def can_show_form(capabilities: object) -> bool:
    """Tell whether a client can show a form: ``elicitation: {}`` has meant that from the beginning,
    ``{"url": {}}`` alone does not.
    """
    given = capabilities.get("elicitation") if isinstance(capabilities, dict) else None
    return isinstance(given, dict) and ("form" in given or "url" not in given)


def per_request(params: Mapping[str, object]) -> object:
    """Return the capabilities in a request of 2026-07-28; None for an older one."""
    meta = params.get("_meta")
    return meta.get(CAPABILITIES) if isinstance(meta, dict) else None


def question(name: str, text: str) -> Message:
    """Return the request that asks."""
    return {"jsonrpc": "2.0", "id": name, "method": "elicitation/create", "params": _params(text)}


def input_required(name: str, text: str) -> Message:
    """Return the result that asks. ``name`` is the key of its answer and the state with it."""
    request = {"method": "elicitation/create", "params": {"mode": "form", **_params(text)}}
    return {"resultType": "input_required", "inputRequests": {name: request}, "requestState": name}


def _params(text: str) -> dict[str, object]:
    return {"message": text, "requestedSchema": _FORM}


def is_approved(answer: object) -> bool:
    """Tell whether a person said yes: they accepted the form, and the box in it is ticked."""
    content = (
        answer.get("content")
        if isinstance(answer, dict) and answer.get("action") == "accept"
        else None
    )
    return isinstance(content, dict) and content.get("approve") is True
