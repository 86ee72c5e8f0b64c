"""``interlock tools``: guarded code mode for any agent, as tools over MCP: bash, runpy,
execute_python, execute_go_code.

In a client's configuration: `"command": "interlock", "args": ["tools"]`. What would be asked about
is denied with a request: `interlock approve`.
"""

from __future__ import annotations

import argparse
import os
from typing import Any

from interlock.cli import run_options
from interlock.cli.colors import complain
from interlock.codemode.program import KERNEL, RAN
from interlock.guard.services import QUEUE
from interlock.integrations.protocol import PLATFORM
from interlock.model.call import OTHER, ToolCall
from interlock.policy.problem import PolicyError
from interlock.stop.leftovers import leaving

NAME = "tools"
SUMMARY = "offer the sandbox to an agent, as tools over MCP"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what every run may do."""
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="TOOL",
        help="offer this tool only; can be given more than once",
    )
    run_options.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Serve until the client ends."""
    from interlock.codemode.tools import (
        TOOLS,
        BadInputError,
        call_of,
        result_to_dict,
        run_tool,
        schema,
    )
    from interlock.mcp.serving import McpServer, NoSuchToolError

    offered = {tool.name: tool for tool in TOOLS if not options.only or tool.name in options.only}
    unknown = sorted(set(options.only) - set(offered))
    if unknown:
        complain(
            f"interlock tools: there is no tool {unknown[0]}; known:"
            f" {', '.join([tool.name for tool in TOOLS])}\n"
        )
        return 2
    try:
        allowed, notices = run_options.permits(options)
    except (OSError, ValueError, PolicyError) as problem:
        complain(f"interlock tools: {run_options.sentence(problem)}\n")
        return 2
    around = run_options.place_call(
        ToolCall(OTHER, "", {}, os.getcwd(), (), PLATFORM, f"tools-{os.getpid()}", "mcp"),
        options.root,
        allowed,
    )

    def called(name: str, given: object) -> tuple[dict[str, Any], bool]:
        tool = offered.get(name)
        if tool is None:
            raise NoSuchToolError(f"there is no tool {name}; there are {', '.join(offered)}")
        try:
            call, arguments = call_of(tool, given, around)
            require = {None: "" if tool.language else KERNEL, "none": ""}.get(
                options.require, options.require
            )
            scene = run_options.scene(call, allowed, options, require, QUEUE)
        except (BadInputError, ValueError, PolicyError) as problem:
            raise NoSuchToolError(str(problem)) from problem
        result = run_tool(tool, scene, arguments)
        left.reap()
        return result_to_dict(
            result.replace(notices=(*notices, *result.notices))
        ), result.status != RAN

    with leaving(name="interlock tools") as left:
        return McpServer("interlock", [schema(tool) for tool in offered.values()], called).serve()
