"""Glob and Grep. Neither looks into hidden files, unless their folder or file is named."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from interlock.agent.tool import Tool, ToolError, clip_text, text_of
from interlock.agent.tools.command import run_program
from interlock.agent.tools.files import place, tool
from interlock.model import call as kinds
from interlock.model.call import ToolCall
from interlock.model.decision import Decision

FILES = 500
_FOLDER = {"type": "string", "description": "Where to look (the working folder)"}


def glob(call: ToolCall) -> str:
    """Return the files whose paths fit a pattern."""
    pattern, folder = text_of(call, "pattern"), place(call, "path", ".")
    if pattern.startswith(("/", "~")) or ".." in pattern.split("/"):
        raise ToolError("A pattern is relative and without '..': give the folder as path.")
    found = list(islice(_find_paths(Path(os.path.normpath(folder)), pattern), FILES + 1))
    if not found:
        return f"No file below {folder} fits {pattern}."
    return "\n".join(sorted(found[:FILES])) + ("\n[there are more]" if len(found) > FILES else "")


def _find_paths(folder: Path, pattern: str) -> Iterator[str]:
    for path in folder.glob(pattern):
        inner = path.relative_to(folder).parts
        if not any(part.startswith(".") for part in inner) or pattern.startswith("."):
            yield str(path)


async def grep(call: ToolCall, decision: Decision) -> str:
    """Return the lines that a regular expression fits, by ripgrep or grep."""
    folder, pattern, names = (
        place(call, "path", "."),
        text_of(call, "pattern"),
        text_of(call, "glob"),
    )
    if shutil.which("rg"):
        argv = [
            "rg",
            "--no-config",
            "-nH",
            "--no-heading",
            *(["--glob", names] if names else []),
            "-e",
            pattern,
            "--",
            folder,
        ]
    else:
        kept = [f"--include={names}"] if names else []
        argv = [
            "grep",
            "-rnHEI",
            *kept,
            "--exclude=.*",
            "--exclude-dir=.?*",
            "-e",
            pattern,
            "--",
            folder,
        ]
    ended = await run_program(argv, call, decision)
    if ended.code > 1 or ended.code < 0 or ended.late:
        raise ToolError(
            f"Grep failed: {clip_text(ended.text.strip(), 1000) or 'its time was over'}"
        )
    return ended.text.rstrip("\n") or f"Nothing below {folder} fits {pattern}."


TOOLS = (
    tool(
        "Glob", "List files whose paths fit a pattern such as src/**/*.py.",
        {"pattern": {"type": "string", "description": "The pattern, relative to path"}, "?path": _FOLDER}, kinds.GLOB, glob,
    ),
    Tool(
        "Grep", "Search files for a regular expression; says file, line and text.",
        {
            "pattern": {"type": "string", "description": "An extended regular expression"},
            "path": _FOLDER,
            "glob": {"type": "string", "description": "Only files whose names fit, such as *.py"},
        },
        kinds.GREP, grep, ("pattern",),
    ),
)  # fmt: skip
