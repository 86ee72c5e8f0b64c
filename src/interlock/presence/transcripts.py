"""How clients note the calls of their models, as rows: where their transcripts lie, and how a call stands in them.

A client is a row only where its files are known, and the id of a call is the one that its hooks are told: Claude Code's were seen (2.1.329); of Codex
the path and the id were (0.169), and the lines are after its own types. Of the others it is not sure, so that a judged call could be shown as none.
"""

from __future__ import annotations

import os
from time import localtime, strftime, time

from interlock.model.jsontext import JsonError, loads
from interlock.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Call = tuple[str, str, str, str, Mapping[str, object]]
    """When it was made, its session, the tool, its id, and what it was given."""

MOST_DAYS = 9


class Form(Record):
    """A line that notes a call holds ``cue``; ``noted`` yields its calls, by the line and the transcript's path.

    ``others``: the transcripts that lie around known ones, of sessions that may be in no record, which were written since a time.
    """

    cue: bytes
    noted: Callable[[Mapping[str, object], str], Iterator[Call]]
    others: Callable[[Iterable[str], float], Iterator[str]]


def said(text: object) -> dict[str, object]:
    """Return what a text of JSON says, where that is an object; else nothing."""
    try:
        found = loads(str(text))
    except JsonError:
        return {}
    return found if isinstance(found, dict) else {}


def _in(folder: str) -> Iterator[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return
    yield from (os.path.join(folder, name) for name in names if name.endswith(".jsonl"))


def _word(of: Mapping[str, object], key: str) -> str:
    return str(of.get(key, ""))[:200]


def _claude(line: Mapping[str, object], path: str) -> Iterator[Call]:
    del path
    message = line.get("message")
    parts = message.get("content") if isinstance(message, dict) else None
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict) and part.get("type") == "tool_use" and isinstance(part.get("input"), dict):
            yield _word(line, "timestamp"), _word(line, "sessionId"), _word(part, "name"), _word(part, "id"), part["input"]


def _beside(known: Iterable[str], since: float) -> Iterator[str]:
    """Yield what lies in the same folders, and the transcripts of their sub-agents below them."""
    del since
    every = dict.fromkeys([*known, *[path for folder in dict.fromkeys(map(os.path.dirname, known)) for path in _in(folder)]])
    for path in every:
        yield path
        yield from _in(os.path.join(path.removesuffix(".jsonl"), "subagents"))


_UNTOLD = frozenset({"write_stdin", "update_plan"})
"""Tools of Codex of which no hook is told: that nobody judged them says nothing."""


def _codex(line: Mapping[str, object], path: str) -> Iterator[Call]:
    """A call is an item of the answer: a function with its arguments as a text of JSON, a tool with a text, or a command of the model's own shell."""
    item = line.get("payload")
    if line.get("type") != "response_item" or not isinstance(item, dict) or not isinstance(item.get("call_id"), str):
        return
    kind, action = item.get("type"), item.get("action")
    given: Mapping[str, object] = {}
    if kind == "function_call" and item.get("name") not in _UNTOLD:
        given = said(item.get("arguments")) or {"arguments": _text(item, "arguments")}
    elif kind == "custom_tool_call":
        given = {"input": _text(item, "input")}
    elif kind == "local_shell_call" and isinstance(action, dict):
        given = {"command": action.get("command")}
    if given:
        stem = os.path.basename(path).removesuffix(".jsonl")
        yield _word(line, "timestamp"), stem[-36:], _word(item, "name") or "shell", _word(item, "call_id"), given


def _text(item: Mapping[str, object], key: str) -> str:
    return str(item.get(key, ""))


def _days(known: Iterable[str], since: float) -> Iterator[str]:
    """Yield what lies in the folders of the days since (``sessions/YYYY/MM/DD``); sub-agents have transcripts beside the others."""
    tops = dict.fromkeys([os.path.dirname(path).rsplit(os.sep, 3)[0] for path in known if os.path.basename(path).startswith("rollout-")])
    first = max(since - 86400.0, time() - MOST_DAYS * 86400.0)  # a day is the one that it was where the session began
    days = dict.fromkeys([strftime("%Y/%m/%d", localtime(first + day * 86400.0)) for day in range(MOST_DAYS + 1)])
    folders = [*dict.fromkeys(map(os.path.dirname, known)), *[os.path.join(top, *day.split("/")) for top in tops for day in days]]
    yield from (path for folder in dict.fromkeys(folders) for path in _in(folder))


FORMS = {
    "claude-code": Form(b'"tool_use"', _claude, _beside),
    "codex": Form(b'_call"', _codex, _days),
}
"""Clients by the name that records have for them."""
