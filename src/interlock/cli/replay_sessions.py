"""``interlock replay-sessions FILE``: judge recorded agent sessions with the real guard and count
interruptions; nothing is run.

A line is an event in the words of Claude Code's hooks (``session_id``, ``hook_event_name``:
``PreToolUse``, ``PostToolUse`` or ``UserPromptSubmit``, ``tool_name``, ``tool_input``,
``tool_use_id``, ``cwd``), with ``platform`` (``linux`` or ``darwin``) and ``root`` (the workspace)
beside them. Lines of several sessions may stand in one file. The state is kept in a folder of its
own, which is taken away at the end. Each call is answered with a line ``{"session", "id", "tool",
"verdict", "proven", "rules"}``; the last line holds the figures.
"""

from __future__ import annotations

import argparse
import json
import posixpath
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

from interlock.cli import build
from interlock.effects.read import read
from interlock.guard.workspace import may_be_root
from interlock.integrations.clients import answers_of
from interlock.ledger import PID_FILE
from interlock.model.action import ASK, VERDICT_ALLOW
from interlock.model.call import OTHER, SHELL, ToolCall
from interlock.model.decision import Decision
from interlock.store.database import Store

NAME = "replay-sessions"
SUMMARY = "replay recorded sessions and count interruptions"
SIZE = 50
"""Calls by which interruptions are counted."""
_GOES = re.compile(r"""\s*cd\s+(["']?)(?P<folder>[\w~/. +-]+?)\1\s*(?:&&|;|\n)""")
_GIT = re.compile(r"\bgit\s+(?!init|clone|config|--version)[a-z]")
_PLATFORMS = ("linux", "darwin")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "file", metavar="FILE", help="events, a JSON object a line; - is standard input"
    )


def run(options: argparse.Namespace) -> int:
    """Answer every call of the file, then say the figures."""
    if options.file == "-":
        return _replay(sys.stdin)
    try:
        with open(options.file, encoding="utf-8", errors="replace") as lines:
            return _replay(lines)
    except OSError as error:
        print(
            f"interlock: {options.file} cannot be read: {error.strerror}. Name a file with an event"
            " a line.",
            file=sys.stderr,
        )
        return 2


def _replay(lines: Iterable[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="interlock-replay-") as folder:
        store = build.store_in(folder)
        try:
            for answer in answers(lines, store):
                print(json.dumps(answer), flush=True)
        finally:
            store.close()
    return 0


class ReplaySession:
    """One session as it is replayed."""

    def __init__(self, store: Store, event: dict[str, Any]) -> None:
        root = event.get("root") or event.get("cwd") or ""
        self.platform = event["platform"] if event.get("platform") in _PLATFORMS else "linux"
        home = _home(root, self.platform)
        self.roots = (root,) if may_be_root(root, home) else ()
        self.facts, self.guard = build.replaying(store, home, root, self.platform)
        self.calls = self.interrupted = self.denied = 0
        self.shell = self.proven = 0
        self.refused: set[str] = set()

    def judged(self, call: ToolCall) -> tuple[Decision, bool]:
        """Return the decision on a call, and whether it is proven harmless."""
        call = call.replace(roots=self.roots, platform=self.platform)
        folder = project_folder(call, self.facts.home())
        if folder:
            self.facts.note_project(folder)
        decision = self.guard.check(call)
        self.calls += 1
        self.interrupted += decision.verdict != VERDICT_ALLOW
        if str(decision.verdict) == "deny":
            self.refused.add(call.call_id)
        proven = decision.verdict == VERDICT_ALLOW and bool(decision.proof)
        self.shell += call.tool == SHELL
        self.proven += proven and call.tool == SHELL
        return decision, proven


def project_folder(call: ToolCall, home: str) -> str:
    """Return the folder of a project that a command goes to (``cd ~/work/app && make``), or that
    git works in (``git log``), or ``""``.
    """
    text = str(call.input.get("command", "")) if call.tool == SHELL else ""
    went = _GOES.match(text)
    if not went and not _GIT.search(text):
        return ""
    return posixpath.normpath(
        posixpath.join(call.cwd, went["folder"].replace("~", home, 1) if went else "")
    )


def _home(root: str, platform: str) -> str:
    parts = root.split("/")
    if len(parts) > 2 and parts[1] in ("Users", "home"):
        return "/".join(parts[:3])
    return (
        "/Users/user"
        if platform == "darwin"
        else "/root"
        if parts[1:2] == ["root"]
        else "/home/user"
    )


def answers(lines: Iterable[str], store: Store) -> Iterator[dict[str, object]]:
    """Yield the answer to each call, and the figures of all sessions at the end; a line that is no
    event is answered with ask and the reason.
    """
    sessions: dict[str, ReplaySession] = {}
    broken = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            answer = _answer(line, sessions, store)
        except (ValueError, TypeError, KeyError, RecursionError) as problem:
            broken += 1
            answer = {"line": number, "verdict": "ask", "error": f"no event of a hook: {problem}"}
        if answer is not None:
            yield answer
    yield figures([*sessions.values()], broken)


def _answer(
    line: str, sessions: dict[str, ReplaySession], store: Store
) -> dict[str, object] | None:
    given = json.loads(line)
    if not isinstance(given, dict) or not isinstance(given.get("session_id"), str):
        raise TypeError("expected an object with session_id")
    session = sessions.get(given["session_id"])
    if session is None:
        session = sessions[given["session_id"]] = ReplaySession(store, given)
    event = answers_of("claude-code").read(given, {}, session.platform)
    try:
        if event.call is not None and event.kind == "check":
            return _judge_call(session, event.call)
        if event.outcome is not None:
            session.denied += (
                event.outcome.call.call_id in session.refused and event.outcome.status == "ran"
            )
            _note_result(session, event.outcome.call)
            session.guard.outcome(event.outcome)
        elif event.prompt:
            call = ToolCall(
                OTHER, "", {}, cwd=event.cwd, roots=session.roots, session=event.session
            )
            session.guard.prompted(call, event.prompt)
        return None
    finally:
        session.facts.spoke(json.dumps(given.get("tool_input", "")))


def _judge_call(session: ReplaySession, call: ToolCall) -> dict[str, object]:
    decision, proven = session.judged(call)
    rules = sorted({finding.rule for finding in decision.deciding if finding.effective >= ASK})
    return {
        "session": call.session,
        "id": call.call_id,
        "tool": call.name,
        "verdict": str(decision.verdict),
        "proven": proven,
        "rules": rules,
    }


def _note_result(session: ReplaySession, call: ToolCall) -> None:
    """Note what a call that ran tells: where it was, what a file holds that it wrote, and the
    number of a process that it started.
    """
    folder = project_folder(call, session.facts.home())
    if folder:
        session.facts.note_folder(folder)
    path, text = call.input.get("file_path"), call.input.get("content")
    if isinstance(path, str) and isinstance(text, str):
        session.facts.note_file(path, text)
    for subject, label in (
        read(call, session.facts).marks if "$!" in str(call.input.get("command", "")) else ()
    ):
        if label == PID_FILE:
            session.facts.note_process(subject)


def figures(sessions: list[ReplaySession], broken: int) -> dict[str, object]:
    """Return how much was interrupted: the mean over sessions, all calls together, and the share of
    sessions without any; by 50 calls.
    """
    told = [session for session in sessions if session.calls]
    calls = sum(session.calls for session in told)
    shell = sum(session.shell for session in told)
    if not told:
        return {"sessions": 0, "calls": 0, "broken": broken}
    return {
        "sessions": len(told),
        "calls": calls,
        "mean": round(
            sum(SIZE * session.interrupted / session.calls for session in told) / len(told), 3
        ),
        "pooled": round(SIZE * sum(session.interrupted for session in told) / calls, 3),
        "quiet": round(sum(not session.interrupted for session in told) / len(told), 3),
        "denied_that_ran": sum(session.denied for session in told),
        "proven_shell": (
            round(sum(session.proven for session in told) / shell, 3) if shell else None
        ),
        "broken": broken,
    }
