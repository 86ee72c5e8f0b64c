"""Asking a guard's hook as the client asks it: one process, one event on standard input, and the
answer read as the client reads it.

The clients' rules were measured (Claude Code 2.1.329, Codex 0.169.0, Gemini CLI 0.61.0, Qwen Code
0.24.4, Copilot CLI 1.0.102); they differ in what a failure comes to, and there ``failed`` is said,
which is no protection with most of them.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping

from interlock.model.record import Record

DENY, ASK, PASS, FAILED = "deny", "ask", "pass", "failed"
"""What a hook said of a call. ``pass``: nothing stands in its way; ``failed``: the hook gave no
answer of the protocol.
"""
STRICTNESS = (FAILED, PASS, ASK, DENY)
PATIENCE = 60.0
"""Seconds for one answer."""
_WORDS = {
    "deny": DENY,
    "block": DENY,
    "reject": DENY,
    "ask": ASK,
    "allow": PASS,
    "approve": PASS,
    "continue": PASS,
}
_KEYS = ("permissionDecision", "decision", "permission", "behavior")


class HookAnswer(Record):
    """What a hook said: one of four words, its exit code, its output, its milliseconds."""

    verdict: str
    code: int
    out: str
    err: str
    took: int

    def said(self) -> str:
        """Return the end in one line: the exit code, and what was said."""
        words = " ".join((self.err or self.out).split())
        return f"exit {self.code}: {words[:200] or 'nothing said'}"


def ask(command: str, payload: object, environment: Mapping[str, str], folder: str) -> HookAnswer:
    """Run a hook's line with an event on its standard input. Total: anything is an answer."""
    started = time.perf_counter()
    try:
        process = subprocess.Popen(  # noqa: S602 - the line that the client runs, as it runs it
            command, shell=True, env=dict(environment), cwd=folder, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        return HookAnswer(FAILED, 126, "", str(error), 0)
    try:
        out, err = process.communicate(json.dumps(payload).encode(), timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        _end(process)
        return HookAnswer(
            FAILED, 124, "", f"no answer within {PATIENCE:.0f} seconds", round(PATIENCE * 1000)
        )
    said, complained = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
    took = round((time.perf_counter() - started) * 1000)
    return HookAnswer(
        read(process.returncode, said, complained), process.returncode, said, complained, took
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a hook that does not answer, with all that it started."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.communicate()


def read(code: int, out: str, err: str) -> str:
    """Return what an end means: exit 2 with words refuses; a decision in the JSON counts; silence
    passes; all else is a failure.
    """
    if code == 2:
        return DENY if (out + err).strip() else FAILED
    if not out.strip():
        return PASS if code == 0 else FAILED
    try:
        document = json.loads(out)
    except (ValueError, RecursionError):
        return FAILED
    words = [word for word in _decisions(document) if isinstance(word, str)]
    if any(word not in _WORDS for word in words):
        return FAILED
    found = [_WORDS[word] for word in words]
    if isinstance(document, dict) and document.get("cancel") is True:
        found.append(DENY)
    if not found and code != 0:
        return FAILED
    return max(found, key=STRICTNESS.index, default=PASS)


def _decisions(document: object) -> Iterator[object]:
    """Yield the decisions of an answer: at its top, under ``hookSpecificOutput``, and under that in
    ``decision``.
    """
    if not isinstance(document, dict):
        return
    inner = document.get("hookSpecificOutput")
    for holder in (document, inner if isinstance(inner, dict) else {}):
        for key in _KEYS:
            value = holder.get(key)
            if isinstance(value, dict):
                yield value.get("behavior")
            elif value is not None:
                yield value
