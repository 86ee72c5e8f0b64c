"""What tests of the MCP proxy share: a relay with the real guard and a real store, and transcripts
that are played through it.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

from interlock.cli.mcp import prepare_judge
from interlock.mcp.relay import Relay

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.mcp.relay import RelayOutput

FORM: dict[str, object] = {"elicitation": {"form": {}}}


class Wire:
    """A relay between a client and a server that are played: what goes in is a message or bytes,
    what comes out is kept.
    """

    def __init__(self, home: Path, server: str = "demo", command: str = "server --demo") -> None:
        project = home / "project"
        project.mkdir(parents=True, exist_ok=True)
        environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
        self.log: list[str] = []
        judge, listing, _ = prepare_judge(server, command, str(project), environment)
        lists = listing()
        lists._tell = self.log.append
        self.relay = Relay(judge, lists, self.log.append)
        self.environment = environment

    def client(self, message: object) -> RelayOutput:
        """The client says something."""
        return self.relay.receive_from_client(as_bytes(message))

    def server(self, message: object) -> RelayOutput:
        """The server says something."""
        return self.relay.receive_from_server(as_bytes(message))

    def begin(self, capabilities: dict[str, object] | None = None, instructions: str = "") -> None:
        """Shake hands."""
        self.client(
            request(0, "initialize", protocolVersion="2025-11-25", capabilities=capabilities or {})
        )
        self.server(
            response(
                0, {"capabilities": {}, **({"instructions": instructions} if instructions else {})}
            )
        )
        self.client({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def list(
        self, *tools: dict[str, object], number: int = 1, **params: object
    ) -> list[dict[str, Any]]:
        """The client asks for the list of tools, and the server answers with these."""
        self.client(request(number, "tools/list", **params))
        found: list[dict[str, Any]] = only(
            self.server(response(number, {"tools": list(tools)})).to_client
        )["result"]["tools"]
        return found

    def call(self, name: object, number: object = 2, **arguments: object) -> RelayOutput:
        """The client calls a tool."""
        return self.client(request(number, "tools/call", name=name, arguments=arguments))


def request(number: object, method: str, **params: object) -> dict[str, object]:
    """Return a request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def response(number: object, result: object) -> dict[str, object]:
    """Return a response."""
    return {"jsonrpc": "2.0", "id": number, "result": result}


def as_bytes(message: object) -> bytes:
    """Return a message as it stands on the wire; bytes and texts as they are."""
    return (
        message
        if isinstance(message, bytes)
        else message.encode()
        if isinstance(message, str)
        else json.dumps(message).encode()
    )


def only(messages: tuple[bytes, ...]) -> dict[str, Any]:
    """Return the one message there is."""
    assert len(messages) == 1, messages
    found: dict[str, Any] = json.loads(messages[0])
    return found


def refused(said: RelayOutput) -> str:
    """Return the text of a refusal that the model reads, of a call that went nowhere."""
    assert said.to_server == ()
    result = only(said.to_client)["result"]
    assert result["isError"] is True
    return str(result["content"][0]["text"])


# -- transcripts -----------------------------------------------------------------------------------

_CHANGING = (
    (re.compile(r"\bd-[0-9a-f]{16}\b"), "d-ID"),
    (re.compile(r"\ba-[0-9a-f]{10}\b"), "a-ID"),
    (re.compile(r"\binterlock-[0-9a-f]{16}-"), "interlock-Q-"),
)


def played(text: str, home: Path) -> str:
    """Return a transcript with what is said in answer to its ``C>`` and ``S>`` lines, and the log
    as ``!`` lines. ``#`` begins a remark.
    """
    wire, out, question = Wire(home), [], "interlock-none"
    for line in text.splitlines():
        if not line.startswith(("C> ", "S> ")):
            out += [line] if line.startswith("#") or not line else []
            continue
        out.append(line)
        before = len(wire.log)
        said = (wire.client if line[0] == "C" else wire.server)(
            line[3:].replace("interlock-Q-1", question)
        )
        for message in said.to_server:
            out.append("  S< " + message.decode("ascii"))
        for message in said.to_client:
            found = re.search(rb"interlock-[0-9a-f]{16}-\d+", message)
            question = found[0].decode() if found else question
            out.append("  C< " + message.decode("ascii"))
        out += [f"  ! {one.splitlines()[0]}" for one in wire.log[before:]]
    shown = "\n".join(out) + "\n"
    for pattern, name in _CHANGING:
        shown = pattern.sub(name, shown)
    return re.sub(r"interlock-Q-\d+", "interlock-Q-1", shown).replace(str(home), "/home/user")
