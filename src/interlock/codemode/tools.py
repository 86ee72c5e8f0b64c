"""Guarded code mode as tools for any agent: what each takes, and how it is run. A row a tool."""

from __future__ import annotations

from typing import Any

from interlock.codemode.program import GO, PYTHON, RAN, READER, RunContext, RunResult
from interlock.engine.refusal import choose_reported, split_rule_name
from interlock.model.call import OTHER, SHELL, ToolCall
from interlock.model.call import PYTHON as PYTHON_TOOL
from interlock.model.codec import encode
from interlock.model.record import Record


class CodeTool(Record):
    """``takes``: the key of what is run. ``kind``: the tool that a guard takes it for.
    ``language``: ``""`` for a line of shell.
    """

    name: str
    takes: str
    told: str
    kind: str
    language: str = ""


_HELD = (
    "It runs behind the walls of a sandbox: the workspace and temporary files may be changed,"
    " nothing else; there is no network and no other program unless the user allowed it. What is"
    " refused comes back as `refused`, each with its rule and a safer way. Do not retry what was"
    " refused."
)
TOOLS = (
    CodeTool("bash", "command", f"Run a shell command. {_HELD}", SHELL),
    CodeTool("runpy", "code", f"Run a Python program. {_HELD}", PYTHON_TOOL, PYTHON),
    CodeTool("execute_python", "code", f"Run a Python program, and get what it printed. {_HELD}",
        PYTHON_TOOL, PYTHON),
    CodeTool(
        "execute_go_code", "code",
        f"Run a Go program: package main with either main() or Run(ctx context.Context) ([]mcp.Content, error). {_HELD}", OTHER, GO,
    ),
)  # fmt: skip


def schema(tool: CodeTool) -> dict[str, Any]:
    """Return a tool as MCP lists it."""
    what = "The command" if tool.kind == SHELL else "The whole program"
    properties: dict[str, Any] = {tool.takes: {"type": "string", "description": what}}
    if tool.language == PYTHON:
        properties["arguments"] = {
            "type": "array",
            "items": {"type": "string"},
            "description": "Its sys.argv[1:]",
        }
    given = {
        "type": "object",
        "properties": properties,
        "required": [tool.takes],
        "additionalProperties": False,
    }
    return {"name": tool.name, "description": tool.told, "inputSchema": given}


class BadInputError(ValueError):
    """What a tool was given is not what it takes."""


def call_of(tool: CodeTool, given: object, around: ToolCall) -> tuple[ToolCall, tuple[str, ...]]:
    """Return the call that a tool's input is and its arguments; raises ``BadInputError``."""
    data = given if isinstance(given, dict) else {}
    text, words = data.get(tool.takes), data.get("arguments", [])
    if not isinstance(text, str) or set(data) - {tool.takes, "arguments"}:
        raise BadInputError(f"{tool.name} takes {tool.takes}, a text")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise BadInputError(f"{tool.name} takes arguments as a list of texts")
    return around.replace(tool=tool.kind, name=tool.name, input={tool.takes: text}), tuple(words)


def run_tool(tool: CodeTool, scene: RunContext, arguments: tuple[str, ...]) -> RunResult:
    """Run what the scene's call holds."""
    text = str(scene.call.input[tool.takes])
    if not tool.language:
        from interlock.codemode.command import run_command

        return run_command(text, scene)
    from interlock.codemode.run import run

    return run(text, tool.language, scene, arguments)


def result_to_dict(result: RunResult) -> dict[str, Any]:
    """Return a result as plain data, every field of it. Of the first refusal ``error``, ``rule``
    and the number of its ``layer`` stand on top.
    """
    data: dict[str, Any] = {field: encode(getattr(result, field)) for field in type(result).fields}
    tier = result.tier
    data["tier"] = {
        "name": str(tier),
        "kernel": tier.kernel,
        "guard": tier.guard,
        "notes": list(tier.notes),
    }
    data["refused"] = [
        {field: getattr(one, field) for field in type(one).fields} for one in result.refused
    ]
    return {**layer_report(result), **data}


def layer_report(result: RunResult) -> dict[str, Any]:
    """Return a refusal as heuristic safety layers report one: patterns (1), containment (2),
    allow-list (3); nothing without one. Of what was seen before it ran all is one refusal.
    """
    if not result.refused or result.status == RAN:
        return {}
    whole = [one for one in result.refused if one.layer == READER] or result.refused[:1]
    said = whole[choose_reported([one.rule for one in whole])]
    at = f"{said.where}: " if said.where else ""
    rule, layer = split_rule_name(said.rule)
    return {
        "error": f"{at}{said.operation} {said.argument}: {said.message}",
        "rule": rule,
        "layer": layer,
    }
