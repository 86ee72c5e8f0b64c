"""Read, Write and Edit."""

from __future__ import annotations

import os
import stat
from asyncio import to_thread
from collections.abc import Callable, Mapping
from io import FileIO
from typing import Any

from interlock.agent.tool import Tool, ToolError, clip_text, number_of, text_of
from interlock.model import call as kinds
from interlock.model.call import ToolCall
from interlock.model.decision import Decision

LINES, WIDTH, LARGEST = 2000, 2000, 20 << 20
_PATH = {
    "type": "string",
    "description": "The file: an absolute path, or one relative to the working folder",
}


def place(call: ToolCall, name: str, default: str = "") -> str:
    """Return the path that a call names, as the guard read it: below the call's folder, ``~`` its
    home.
    """
    text = text_of(call, name) or default
    if text == "~" or text.startswith("~/"):
        text = os.path.expanduser(text)
    return call.cwd if text == "." else os.path.join(call.cwd, text)


def read(call: ToolCall) -> str:
    """Return a file's lines with their numbers."""
    path = place(call, "file_path")
    lines = _text(path).splitlines()
    first, most = (
        max(1, number_of(call, "offset", 1)),
        min(LINES, max(1, number_of(call, "limit", LINES))),
    )
    shown = [
        f"{number:6}\t{line[:WIDTH]}"
        for number, line in enumerate(lines[first - 1 : first - 1 + most], first)
    ]
    if not shown:
        return f"{path} has {len(lines)} lines." if lines else f"{path} is empty."
    rest = len(lines) - (first - 1) - len(shown)
    return clip_text(
        "\n".join(shown) + (f"\n[{rest} more lines; give offset]" if rest > 0 else ""),
        4 * LINES * 25,
    )


def write(call: ToolCall) -> str:
    """Make a file, or replace all of it."""
    path, text = place(call, "file_path"), text_of(call, "content")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    there = os.path.exists(path)
    _write(path, text)
    return f"{'Replaced' if there else 'Made'} {path}: {_lines(text)}."


def _lines(text: str) -> str:
    count = len(text.splitlines())
    return "1 line" if count == 1 else f"{count} lines"


def edit(call: ToolCall) -> str:
    """Replace a text in a file."""
    path, old, new = (
        place(call, "file_path"),
        text_of(call, "old_string"),
        text_of(call, "new_string"),
    )
    text = _text(path)
    count = text.count(old) if old else 0
    if not count:
        raise ToolError(
            f"{path} does not hold that text exactly. Read the file and give the lines as they"
            " stand there."
        )
    if count > 1 and call.input.get("replace_all") is not True:
        raise ToolError(
            f"{path} holds that text {count} times. Give more lines around it, or replace_all."
        )
    _write(path, text.replace(old, new))
    return f"Changed {path} in {count} {'place' if count == 1 else 'places'}."


def _text(path: str) -> str:
    state = _ordinary(path)
    if state.st_size > LARGEST:
        raise ToolError(
            f"{path} has {state.st_size >> 20} MiB, and at most {LARGEST >> 20} are read. Use Grep"
            " or Bash for a part of it."
        )
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def _ordinary(path: str) -> os.stat_result:
    """Return the state of a file; raises ``ToolError`` for anything else: a pipe would be waited
    for.
    """
    state = os.stat(path)
    if not stat.S_ISREG(state.st_mode):
        raise ToolError(
            f"{path} is no ordinary file."
            + (" Use Glob to see what is in a folder." if stat.S_ISDIR(state.st_mode) else "")
        )
    return state


def _write(path: str, text: str) -> None:
    """Write a file in its place, so that its owner, mode and links stay. Where that fails, on a
    full disk, it holds what it held before.
    """
    data, there = text.encode(), os.path.exists(path)
    if there:
        _ordinary(path)
    with open(path, "r+b" if there else "x+b", buffering=0) as file:
        size, held = os.fstat(file.fileno()).st_size, file.read(len(data))
        try:
            _overwrite(file, data, len(data))
        except OSError as error:
            if there:
                _overwrite(file, held, size)
            else:
                os.unlink(path)
            raise OSError(error.errno, error.strerror, path) from error


def _overwrite(file: FileIO, data: bytes, size: int) -> None:
    """Write at the beginning of a file, and have it end after ``size`` bytes."""
    rest = memoryview(data)
    file.seek(0)
    while rest:
        rest = rest[file.write(rest) :]
    file.truncate(size)


def tool(
    name: str,
    told: str,
    takes: Mapping[str, Mapping[str, Any]],
    kind: str,
    work: Callable[[ToolCall], str],
) -> Tool:
    """Return a tool whose work is done in a thread; what the disk says against it is told to the
    model. All it takes is needed, but ``?`` names.
    """
    needs = tuple([key for key in takes if not key.startswith("?")])

    async def run(call: ToolCall, _decision: Decision) -> str:
        if any(
            isinstance(value, str) and "\0" in value
            for value in (call.input.get("file_path"), call.input.get("path"))
        ):
            raise ToolError(f"{name}: a path holds no zero byte.")
        try:
            return await to_thread(work, call)
        except UnicodeDecodeError:
            raise ToolError(f"{name}: this is no text in UTF-8.") from None
        except (OSError, ValueError) as error:
            raise ToolError(
                f"{name}: {getattr(error, 'strerror', None) or error}:"
                f" {getattr(error, 'filename', None) or call.cwd}"
            ) from error

    return Tool(
        name, told, {key.lstrip("?"): value for key, value in takes.items()}, kind, run, needs
    )


TOOLS = (
    tool(
        "Read", "Read a text file. Lines come with their numbers.",
        {
            "file_path": _PATH,
            "?offset": {"type": "integer", "description": "The first line (1)"},
            "?limit": {"type": "integer", "description": f"How many lines ({LINES} at most)"},
        },
        kinds.READ, read,
    ),
    tool(
        "Write", "Make a file, or replace all of it. Use Edit for a change within a file.",
        {"file_path": _PATH, "content": {"type": "string", "description": "All of the file"}},
        kinds.WRITE, write,
    ),
    tool(
        "Edit", "Replace one text in a file by another. It must stand there exactly once, unless replace_all is true.",
        {
            "file_path": _PATH,
            "old_string": {"type": "string", "description": "What stands there, exactly"},
            "new_string": {"type": "string", "description": "What is to stand there"},
            "?replace_all": {"type": "boolean", "description": "Replace it wherever it stands"},
        },
        kinds.EDIT, edit,
    ),
)  # fmt: skip
