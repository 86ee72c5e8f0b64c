"""A real MCP server made with the official SDK: ``python sdk_server.py`` on standard input and
output, ``python sdk_server.py PORT`` over HTTP.

It notes every tool that ran in the file that ``RAN`` names.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp_types import SamplingMessage, TextContent
from pydantic import BaseModel

server = MCPServer("demo", instructions="Be brief.")


def ran(name: str) -> None:
    """Note that a tool ran."""
    with open(os.environ["RAN"], "a", encoding="utf-8") as file:
        file.write(name + "\n")


@server.tool()
def get_sum(a: int, b: int) -> int:
    """Add two numbers."""
    ran("get_sum")
    return a + b


@server.tool()
def delete_file(path: str) -> str:
    """Delete a file, or say so."""
    ran("delete_file")
    return f"deleted {path}"


@server.tool()
def delete_widget(widget: str) -> str:
    """Delete a widget."""
    ran("delete_widget")
    return f"deleted {widget}"


@server.tool()
async def list_slowly(count: int, ctx: Context[Any, Any]) -> str:
    """Report progress on the way."""
    ran("list_slowly")
    for step in range(count):
        await ctx.report_progress(step + 1, count)
    return "done"


class Name(BaseModel):
    """What is asked for."""

    name: str


@server.tool()
async def get_name(ctx: Context[Any, Any]) -> str:
    """Ask the person for a name."""
    ran("get_name")
    said = await ctx.elicit("Who are you?", Name)
    return f"hello {said.data.name}" if said.action == "accept" else "hello nobody"


@server.tool()
async def get_poem(ctx: Context[Any, Any]) -> str:
    """Ask the client's model."""
    ran("get_poem")
    asked = SamplingMessage(role="user", content=TextContent(type="text", text="a poem"))
    said = await ctx.session.create_message(messages=[asked], max_tokens=9)
    return said.content.text if isinstance(said.content, TextContent) else "?"


@server.tool()
def get_much(size: int) -> str:
    """Return as many characters."""
    ran("get_much")
    return "x" * size


@server.resource("note://{number}")
def note(number: str) -> str:
    """Return a note."""
    ran("note")
    return f"note {number}"


@server.resource("file:///etc/{name}")
def etc(name: str) -> str:
    """Return what nobody should read."""
    ran("etc")
    return f"secret {name}"


@server.prompt()
def review(topic: str) -> str:
    """Return a prompt."""
    ran("review")
    return f"review {topic}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]), json_response="json" in sys.argv)
    else:
        server.run()
