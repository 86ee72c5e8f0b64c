"""``interlock judge --jsonl``: read calls as JSON lines and print a verdict for each (for
measuring).

A line is ``{"id", "command", "cwd", "kind"}``; ``kind`` is ``bash``, ``python``, ``read``,
``write`` or ``edit`` (for the last three ``command`` is the path). The answer ``{"id", "verdict",
"proven"}`` is written at once; ``proven``: whether it is proven to be harmless in its workspace. No
ledger, limits, approvals or user policy take part: the same line gives the same answer on any
machine, in any order.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator

from interlock.cli import build
from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.engine.proving import add_proof
from interlock.guard.workspace import may_be_root
from interlock.model.call import EDIT, PYTHON, READ, SHELL, WRITE, ToolCall
from interlock.model.decision import Decision
from interlock.policy.builtin import builtin

NAME = "judge"
SUMMARY = "answer calls given as JSON lines (for measuring)"
HOME = "/home/user"
KINDS = {"bash": SHELL, "python": PYTHON, "read": READ, "write": WRITE, "edit": EDIT}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--jsonl", action="store_true", required=True, help="read JSON lines on standard input"
    )


def run(options: argparse.Namespace) -> int:
    """Answer every line of standard input."""
    del options
    for answer in answers(sys.stdin.buffer):
        print(json.dumps(answer), flush=True)
    return 0


def answers(lines: Iterable[bytes]) -> Iterator[dict[str, object]]:
    """Yield the answer to each line; a line that is no request gets ask and the reason."""
    for line in lines:
        if line.strip():
            yield answer(line.decode("utf-8", "replace"))


def answer(line: str) -> dict[str, object]:
    """Return the answer to one line: the verdict, or ask and why for what is no request."""
    request: dict[str, object] = {}
    try:
        request = _object(line)
        decision = judge_text(*_parse_request(request))
        return {
            "id": request.get("id"),
            "verdict": str(decision.verdict),
            "proven": bool(decision.proof),
        }
    except (ValueError, TypeError, RecursionError) as problem:
        why = f"expected {{'id', 'command', 'cwd', 'kind'}}: {problem}"
    except Exception as problem:  # noqa: BLE001 - a bug in interlock on one line must not leave the lines behind it unanswered
        why = f"a bug in interlock: {type(problem).__name__}: {problem}"
    return {"id": request.get("id"), "verdict": "ask", "proven": False, "error": why}


def _object(line: str) -> dict[str, object]:
    found = json.loads(line)
    if not isinstance(found, dict):
        raise TypeError("the line is no object")
    return found


def _parse_request(request: dict[str, object]) -> tuple[str, str, str]:
    """Return text, tool and folder of a request; raises ``ValueError`` or ``TypeError`` in words
    for a person.
    """
    text, kind, cwd = (
        request.get("command"),
        request.get("kind", "bash"),
        request.get("cwd") or f"{HOME}/project",
    )
    if not isinstance(text, str):
        raise TypeError("command is no text")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"kind is none of {', '.join(KINDS)}")
    if not isinstance(cwd, str) or not cwd.startswith("/"):
        raise ValueError("cwd is no absolute path")
    return text, KINDS[kind], cwd


def judge_text(text: str, tool: str = SHELL, cwd: str = f"{HOME}/project") -> Decision:
    """Return the decision on a command, program or path, with frozen facts and the built-in policy,
    and whether it is proven harmless.
    """
    key = "command" if tool in (SHELL, PYTHON) else "file_path"
    call = ToolCall(
        tool, tool, {key: text}, cwd=cwd, roots=(cwd,) if may_be_root(cwd, HOME) else ()
    )
    reading = read(call, build.fixed_facts(HOME))
    return add_proof(call, reading, decide(call, reading, builtin(), "judge"), builtin())
