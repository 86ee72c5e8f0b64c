"""How clients note the calls of their models, as rows: where their transcripts lie, and how a call
stands in them.

A client is a row only where its files were seen: Claude Code 2.1.329, Codex 0.169.0, Copilot
1.0.102, Gemini CLI 0.61.0, OpenCode 1.18.33, Pi 0.87.1, Qwen Code 0.24.4.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from time import gmtime, localtime, strftime, time

from interlock.model.jsontext import object_of
from interlock.model.record import Record

Call = tuple[str, str, str, str, Mapping[str, object]]
"""When it was made, its session, the tool, its id, and what it was given."""

MOST_DAYS = 9
MOST_BYTES = 2 << 20
"""Bytes at the end of one transcript that are read."""
MOST_ROWS = 2000
"""Calls that are taken from one database, the newest."""


class TranscriptForm(Record):
    """``noted`` yields the calls that a transcript notes at its end, by its path and the time since
    when they count.

    ``others``: the transcripts that lie around known ones, of sessions that may be in no record,
    which were written since a time. ``told``: hooks are told the id that the transcript has for a
    call; else a record and a call belong together by what the tool was given. ``suffix``: how its
    files end.
    """

    noted: Callable[[str, float], Iterator[Call]]
    others: Callable[[Iterable[str], float], Iterator[str]]
    told: bool = True
    suffix: str = ".jsonl"


def _lines(
    cue: bytes, noted: Callable[[Mapping[str, object], str], Iterator[Call]]
) -> Callable[[str, float], Iterator[Call]]:
    """Return what reads a file of lines: one of calls holds ``cue``, others are passed over."""

    def read(path: str, since: float) -> Iterator[Call]:
        del since
        for line in _end(path).split(b"\n"):
            if cue in line:
                yield from noted(parse_object(line.decode("utf-8", "replace")), path)

    return read


def _end(path: str) -> bytes:
    """Return the whole lines at a transcript's end."""
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - MOST_BYTES))
            data = file.read(MOST_BYTES)
    except (OSError, ValueError):
        return b""
    return data if size <= MOST_BYTES else data.partition(b"\n")[2]


def parse_object(text: object) -> dict[str, object]:
    """Return what a text of JSON says, where that is an object; else nothing."""
    return object_of(str(text))


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
        if (
            isinstance(part, dict)
            and part.get("type") == "tool_use"
            and isinstance(part.get("input"), dict)
        ):
            yield (
                _word(line, "timestamp"),
                _word(line, "sessionId"),
                _word(part, "name"),
                _word(part, "id"),
                part["input"],
            )


def _beside(known: Iterable[str], since: float) -> Iterator[str]:
    """Yield what lies in the same folders, and the transcripts of their sub-agents below them."""
    del since
    every = dict.fromkeys(
        [
            *known,
            *[
                path
                for folder in dict.fromkeys(map(os.path.dirname, known))
                for path in _in(folder)
            ],
        ]
    )
    for path in every:
        yield path
        yield from _in(os.path.join(path.removesuffix(".jsonl"), "subagents"))


_UNTOLD = frozenset({"write_stdin", "update_plan"})
"""Tools of Codex of which no hook is told: that nobody judged them says nothing."""


def _codex(line: Mapping[str, object], path: str) -> Iterator[Call]:
    """A call is an item of the answer: a function with its arguments as a text of JSON, a tool with
    a text, or a command of the model's own shell.
    """
    item = line.get("payload")
    if (
        line.get("type") != "response_item"
        or not isinstance(item, dict)
        or not isinstance(item.get("call_id"), str)
    ):
        return
    kind, action = item.get("type"), item.get("action")
    given: Mapping[str, object] = {}
    if kind == "function_call" and item.get("name") not in _UNTOLD:
        given = parse_object(item.get("arguments")) or {"arguments": _text(item, "arguments")}
    elif kind == "custom_tool_call":
        given = {"input": _text(item, "input")}
    elif kind == "local_shell_call" and isinstance(action, dict):
        given = {"command": action.get("command")}
    if given:
        stem = os.path.basename(path).removesuffix(".jsonl")
        yield (
            _word(line, "timestamp"),
            stem[-36:],
            _word(item, "name") or "shell",
            _word(item, "call_id"),
            given,
        )


def _text(item: Mapping[str, object], key: str) -> str:
    return str(item.get(key, ""))


def _days(known: Iterable[str], since: float) -> Iterator[str]:
    """Yield what lies in the folders of the days since (``sessions/YYYY/MM/DD``); sub-agents have
    transcripts beside the others.
    """
    tops = dict.fromkeys(
        [
            os.path.dirname(path).rsplit(os.sep, 3)[0]
            for path in known
            if os.path.basename(path).startswith("rollout-")
        ]
    )
    # a day is the one that it was where the session began
    first = max(since - 86400.0, time() - MOST_DAYS * 86400.0)
    days = dict.fromkeys(
        [strftime("%Y/%m/%d", localtime(first + day * 86400.0)) for day in range(MOST_DAYS + 1)]
    )
    folders = [
        *dict.fromkeys(map(os.path.dirname, known)),
        *[os.path.join(top, *day.split("/")) for top in tops for day in days],
    ]
    yield from (path for folder in dict.fromkeys(folders) for path in _in(folder))


def _parts(line: Mapping[str, object], *way: str) -> Iterator[Mapping[str, object]]:
    """Yield the objects of a list that stands in a line, behind some keys."""
    found: object = line
    for key in way:
        found = found.get(key) if isinstance(found, dict) else None
    every = found if isinstance(found, list) else []
    yield from (part for part in every if isinstance(part, dict))


def _call(line: Mapping[str, object], session: str, call: object, *keys: str) -> Iterator[Call]:
    """Yield a call; ``keys``: what its tool, its id and what it was given are called."""
    tool, number, given = keys
    if isinstance(call, dict) and isinstance(call.get(given), dict):
        yield _word(line, "timestamp"), session, _word(call, tool), _word(call, number), call[given]


def _qwen(line: Mapping[str, object], path: str) -> Iterator[Call]:
    del path
    for part in _parts(line, "message", "parts"):
        yield from _call(line, _word(line, "sessionId"), part.get("functionCall"), *_GIVEN)


_GIVEN = ("name", "id", "args")


def _gemini(line: Mapping[str, object], path: str) -> Iterator[Call]:
    """A message of the model with its calls, which is written when they have run."""
    for call in _parts(line, "toolCalls"):
        yield from _call(line, _stem(path), call, *_GIVEN)


def _copilot(line: Mapping[str, object], path: str) -> Iterator[Call]:
    if line.get("type") == "tool.execution_start":
        session = os.path.basename(os.path.dirname(path))
        yield from _call(line, session, line.get("data"), "toolName", "toolCallId", "arguments")


def _pi(line: Mapping[str, object], path: str) -> Iterator[Call]:
    session = _stem(path).rpartition("_")[2]
    for part in _parts(line, "message", "content"):
        if part.get("type") == "toolCall":
            yield from _call(line, session, part, "name", "id", "arguments")


def _stem(path: str) -> str:
    return os.path.basename(path).removesuffix(".jsonl")


def _below(known: Iterable[str], since: float) -> Iterator[str]:
    """Yield what lies in the same folders, and one level below them: Gemini CLI's sub-agents."""
    del since
    for folder in dict.fromkeys(map(os.path.dirname, known)):
        yield from _in(folder)
        yield from _in_each(folder)


def _in_each(folder: str) -> Iterator[str]:
    """Yield the files of lines in each folder of a folder."""
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        yield from _in(os.path.join(folder, name))


def _around(known: Iterable[str], since: float) -> Iterator[str]:
    """Yield what lies in the folders beside: Copilot has one for each session."""
    del since
    for folder in dict.fromkeys(os.path.dirname(os.path.dirname(path)) for path in known):
        yield from _in_each(folder)


def _with_agents(known: Iterable[str], since: float) -> Iterator[str]:
    """Yield what lies in the same folders, and the sub-agents' beside: Qwen Code has
    ``chats/SESSION.jsonl`` and ``subagents/SESSION/NAME.jsonl``.
    """
    del since
    for folder in dict.fromkeys(map(os.path.dirname, known)):
        yield from _in(folder)
        yield from _in_each(os.path.join(os.path.dirname(folder), "subagents"))


_CALLS = f"""SELECT session_id, time_created, data FROM part WHERE time_created >= ?
    AND data LIKE '%"type":"tool"%' ORDER BY time_created DESC LIMIT {MOST_ROWS}"""  # noqa: S608 - our own number


def _opencode(path: str, since: float) -> Iterator[Call]:
    """Yield the calls in OpenCode's database; where that cannot be read, or is another, none."""
    import sqlite3  # few people have it

    try:
        base = sqlite3.connect(f"file:{quote_uri(path)}?mode=ro", uri=True, timeout=0.2)
        try:
            rows = base.execute(_CALLS, (int(since * 1000),)).fetchall()
        finally:
            base.close()
    except sqlite3.Error:
        return
    for session, at, text in rows:
        part = parse_object(text)
        state = part.get("state")
        given = state.get("input") if isinstance(state, dict) else None
        if isinstance(given, dict) and isinstance(at, int):
            number = _word(part, "callID")
            yield iso(at / 1000), str(session), _word(part, "tool"), number, given


def quote_uri(path: str) -> str:
    """Return a path as a part of a URI of SQLite's."""
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def iso(when: float) -> str:
    """Return a time (Unix seconds) as records and transcripts tell it, to the thousandth."""
    return f"{strftime('%Y-%m-%dT%H:%M:%S', gmtime(when))}.{int(when * 1000) % 1000:03d}Z"


def _itself(known: Iterable[str], since: float) -> Iterator[str]:
    del since
    yield from known


FORMS = {
    "claude-code": TranscriptForm(_lines(b'"tool_use"', _claude), _beside),
    "codex": TranscriptForm(_lines(b'_call"', _codex), _days),
    "copilot-cli": TranscriptForm(_lines(b'"tool.execution_start"', _copilot), _around, told=False),
    "gemini-cli": TranscriptForm(_lines(b'"toolCalls"', _gemini), _below, told=False),
    "opencode": TranscriptForm(_opencode, _itself, suffix=".db"),
    "pi": TranscriptForm(_lines(b'"toolCall"', _pi), _beside),
    "qwen-code": TranscriptForm(_lines(b'"functionCall"', _qwen), _with_agents, told=False),
}
"""Clients by the name that records have for them."""
