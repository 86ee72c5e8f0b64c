"""``interlock judge --jsonl``: verdicts for lines of calls, each line a session of its own, with frozen facts.

A line is ``{"id", "command", "cwd", "kind"}``; ``kind`` is ``bash``, ``python``, ``read``, ``write`` or
``edit`` (for the last three ``command`` is the path). The answer ``{"id", "verdict"}`` is written at once.
No ledger, limits, approvals or user policy take part: the same line gives the same answer on any machine,
in any order.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from interlock.cli import build
from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.model.call import EDIT, PYTHON, READ, SHELL, WRITE, ToolCall
from interlock.policy.builtin import builtin

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from interlock.model.decision import Decision

NAME = "judge"
SUMMARY = "answer JSON lines of calls with verdicts (for measuring)"
HOME = "/home/user"
KINDS = {"bash": SHELL, "python": PYTHON, "read": READ, "write": WRITE, "edit": EDIT}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--jsonl", action="store_true", required=True, help="read JSON lines on standard input")


def run(options: argparse.Namespace) -> int:
    """Answer every line of standard input."""
    del options
    for answer in answers(sys.stdin):
        print(json.dumps(answer), flush=True)
    return 0


def answers(lines: Iterable[str]) -> Iterator[dict[str, object]]:
    """Yield the answer to each line; a line that is no request is answered with ask and the reason."""
    for line in lines:
        if line.strip():
            yield answer(line)


def answer(line: str) -> dict[str, object]:
    """Return the answer to one line."""
    try:
        request = json.loads(line)
        text, kind = request["command"], KINDS[request.get("kind", "bash")]
        text.encode("utf-8", "surrogatepass")
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        return {"id": None, "verdict": "ask", "error": f"expected {{'id', 'command', 'cwd', 'kind'}}: {problem}"}
    return {"id": request.get("id"), "verdict": str(judged(text, kind, request.get("cwd") or f"{HOME}/project").verdict)}


def judged(text: str, tool: str = SHELL, cwd: str = f"{HOME}/project") -> Decision:
    """Return the decision on a command, program or path, with frozen facts and the built-in policy."""
    key = "command" if tool in (SHELL, PYTHON) else "file_path"
    call = ToolCall(tool, tool, {key: text}, cwd=cwd, roots=(cwd,))
    return decide(call, read(call, build.frozen(HOME)), builtin(), "judge")
