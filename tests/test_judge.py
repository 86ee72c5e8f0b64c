"""``interlock judge --jsonl``: an answer for every line, at once, the same on any machine and in
any order.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.cli import judge

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from typing import IO

PATIENCE = 120
ROWS: list[tuple[dict[str, Any], str]] = [
    ({"command": "ls -la"}, "allow"),
    ({"command": "rm -rf /"}, "deny"),
    ({"command": "rm -rf src", "kind": "bash"}, "ask"),
    ({"command": "rm -rf build", "cwd": "/home/user/project"}, "allow"),
    ({"command": "rm -rf build", "cwd": "/srv/app"}, "allow"),
    ({"command": "rm -rf /home/user/project/build", "cwd": "/srv/app"}, "ask"),
    ({"command": "rm -rf etc", "cwd": "/"}, "deny"),
    ({"command": "touch x", "cwd": "/home/user"}, "ask"),
    ({"command": "src/a.py", "kind": "read"}, "allow"),
    ({"command": "/home/user/.ssh/id_rsa", "kind": "read"}, "ask"),
    ({"command": "/etc/shadow", "kind": "read"}, "deny"),
    ({"command": "src/a.py", "kind": "write"}, "allow"),
    ({"command": "/etc/passwd", "kind": "write"}, "deny"),
    ({"command": "src/a.py", "kind": "edit"}, "allow"),
    ({"command": ".env", "kind": "edit"}, "ask"),
    ({"command": "/home/user/.claude/settings.json", "kind": "edit"}, "deny"),
    ({"command": "print(1 + 1)", "kind": "python"}, "allow"),
    ({"command": "import shutil\nshutil.rmtree('/')", "kind": "python"}, "deny"),
    ({"command": ""}, "allow"),
]
NONSENSE = [
    b"nonsense",
    b"{",
    b"[1, 2]",
    b"null",
    b'"text"',
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"id": 1}',
    b'{"id": 1, "command": null}',
    b'{"id": 1, "command": ["rm", "-rf", "/"]}',
    b'{"id": 1, "command": "ls", "kind": "no-such-kind"}',
    b'{"id": 1, "command": "ls", "kind": ["bash"]}',
    b'{"id": 1, "command": "ls", "cwd": 7}',
    b'{"id": 1, "command": "ls", "cwd": "relative"}',
]


def line_of(number: int, request: dict[str, Any]) -> bytes:
    """Return a request as a line."""
    return json.dumps({"id": number, **request}).encode() + b"\n"


@pytest.mark.parametrize(("request_", "verdict"), ROWS, ids=lambda value: str(value)[:60])
def test_each_kind_is_judged_as_itself(request_: dict[str, Any], verdict: str) -> None:
    """Commands, programs and paths that are read, written or edited; each beside a twin with
    another answer.
    """
    answer = judge.answer(line_of(1, request_).decode())
    assert (answer["id"], answer["verdict"]) == (1, verdict)
    assert verdict == "allow" or not answer["proven"]


@pytest.mark.parametrize("line", NONSENSE, ids=lambda line: str(line[:40]))
def test_nonsense_is_asked_about(line: bytes) -> None:
    """A line that is no request is answered with ask and the reason, in one line."""
    (answer,) = judge.answers([line + b"\n"])
    assert answer["verdict"] == "ask"
    assert "expected" in str(answer["error"])
    assert "\n" not in json.dumps(answer)


@given(st.binary())
def test_any_line_is_answered(line: bytes) -> None:
    """Whatever the bytes, a line that is not blank has exactly one answer."""
    line = line.replace(b"\n", b" ")
    answers = list(judge.answers([line]))
    assert len(answers) == bool(line.strip())
    assert all(answer["verdict"] in ("allow", "ask", "deny") for answer in answers)


@given(st.randoms(use_true_random=False))
def test_the_order_of_lines_changes_nothing(shuffle: random.Random) -> None:
    """Every line is a session of its own: no line knows of another."""
    lines = [line_of(number, request) for number, (request, _) in enumerate(ROWS)]
    expected = list(judge.answers(lines))
    shuffle.shuffle(lines)
    assert sorted(judge.answers(lines), key=lambda answer: int(str(answer["id"]))) == expected


@pytest.fixture
def running() -> Iterator[subprocess.Popen[bytes]]:
    """The command as a process, with another home and hardly any environment: neither changes an
    answer.
    """
    environment = {
        "PATH": os.defpath,
        "HOME": "/nonexistent",
        "LANG": "C",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    command = [sys.executable, "-m", "interlock.cli.main", "judge", "--jsonl"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd="/",
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def pour(stream: IO[bytes], into: queue.Queue[bytes]) -> None:
    """Put each line of a stream into a queue as it comes."""
    for line in stream:
        into.put(line)


def test_each_line_is_answered_before_the_next_is_sent(running: subprocess.Popen[bytes]) -> None:
    """Whoever waits for an answer before sending the next line never waits for ever."""
    assert running.stdin is not None
    assert running.stdout is not None
    lines: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=partial(pour, running.stdout, lines), daemon=True).start()
    for number, (request, verdict) in enumerate(ROWS):
        running.stdin.write(line_of(number, request))
        running.stdin.flush()
        answer = json.loads(lines.get(timeout=PATIENCE))
        assert (answer["id"], answer["verdict"]) == (number, verdict)


def test_the_process_outlives_nonsense(running: subprocess.Popen[bytes]) -> None:
    """Nonsense between requests is answered too, the exit code is 0 and nothing is said on standard
    error.
    """
    lines = [line + b"\n" for line in NONSENSE] + [line_of(2, {"command": "ls"})]
    out, err = running.communicate(b"".join(lines), timeout=PATIENCE)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["verdict"] for answer in answers] == ["ask"] * len(NONSENSE) + ["allow"]
    assert (running.returncode, err) == (0, b"")
