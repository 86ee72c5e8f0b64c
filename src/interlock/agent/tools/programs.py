"""Guarded code mode as tools: whole programs, judged as every call, and asked about at every
sensitive operation while they run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from interlock.agent.tool import Tool, ToolError, clip_text
from interlock.codemode import tools as rows
from interlock.codemode.program import RAN, Refusal, RunContext, RunResult
from interlock.codemode.run import execute
from interlock.model.call import ToolCall
from interlock.model.decision import Decision

NAMES = ("execute_python", "execute_go_code")


def tools(stage: Callable[[ToolCall], RunContext]) -> tuple[Tool, ...]:
    """Return the tools. ``stage``: makes the scene of a call: its guard, what it may do, its
    bounds.
    """
    return tuple([_tool(row, stage) for row in rows.TOOLS if row.name in NAMES])


def _tool(row: rows.CodeTool, stage: Callable[[ToolCall], RunContext]) -> Tool:
    async def run(call: ToolCall, decision: Decision) -> str:
        scene = stage(call)
        scene.granted = frozenset(
            [
                (one.effect.kind, one.effect.target)
                for one in decision.findings
                if one.settled is not None and one.effect
            ]
        )
        words = call.input.get("arguments", [])
        arguments = tuple([str(word) for word in words]) if isinstance(words, list) else ()
        running = asyncio.create_task(
            asyncio.to_thread(execute, str(call.input[row.takes]), row.language, scene, arguments)
        )
        try:
            result = await asyncio.shield(running)
        except asyncio.CancelledError:
            scene.end()
            await asyncio.wait([running])
            raise
        return _render_result(result)

    schema = rows.schema(row)["inputSchema"]
    return Tool(row.name, row.told, schema["properties"], row.kind, run, tuple(schema["required"]))


def _render_result(result: RunResult) -> str:
    """Return what the model is told; raises ``ToolError`` where the program did not end well."""
    lines = [
        result.stdout.rstrip("\n"),
        result.stderr.rstrip("\n"),
        result.content,
        *[_render_refusal(one) for one in result.refused],
    ]
    text = clip_text("\n".join([line for line in lines if line]))
    if result.status != RAN:
        raise ToolError(f"{text}\n[{result.status}, exit code {result.code}]".lstrip("\n"))
    return text or "[no output]"


def _render_refusal(one: Refusal) -> str:
    at = f"{one.where}: " if one.where else ""
    return f"refused: {at}{one.operation} {one.argument}: {one.message} [{one.rule}] {one.instead}".rstrip()
