"""Whatever a hook is fed, and whatever is wrong around it, it answers in the client's protocol, and
never allows for having failed.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.hostile import ALLOW, ASK, DENY, payload, verdict_of
from tests.installed import installed_at
from tests.warm import interlock

SOURCE = Path(__file__).resolve().parents[1] / "src/interlock"


class Hook:
    """The hook file, run as the client runs it, with a home of its own and nothing else of the
    tester's environment.
    """

    def __init__(self, top: Path) -> None:
        self.home, self.project = top / "home", top / "home/project"
        self.project.mkdir(parents=True)

    def environment(self, **more: str) -> dict[str, str]:
        """Return all that the hook sees."""
        return {
            "HOME": str(self.home),
            "CLAUDE_PROJECT_DIR": str(self.project),
            "PATH": "/usr/bin:/bin",
            **more,
        }

    def start(
        self,
        *mode: str,
        file: Path = SOURCE / "hook.py",
        environment: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Any:
        """Start the hook without waiting for it."""
        return subprocess.Popen(
            [sys.executable, "-I", "-S", str(file), "claude-code", *mode],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment() if environment is None else environment,
            cwd=cwd or self.project,
        )

    def say(self, given: bytes | object, *mode: str, **around: Any) -> tuple[str, str, int]:
        """Feed the hook and return what it printed and its exit code."""
        process = self.start(*mode, **around)
        out, err = process.communicate(
            given if isinstance(given, bytes) else json.dumps(given).encode(), timeout=60
        )
        return out.decode(), err.decode(), process.returncode

    def judge(self, given: bytes | object, **around: Any) -> str:
        """Feed the hook and return its verdict."""
        return verdict_of(*self.say(given, **around))

    def log(self) -> list[dict[str, Any]]:
        """Return what was recorded."""
        done = interlock("log", "--json", "-n", "1000", cwd=self.project, env=self.environment())
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def hook(tmp_path: Path) -> Hook:
    """Return a hook with a fresh home."""
    return Hook(tmp_path)


def test_the_twins_that_everything_below_varies(hook: Hook) -> None:
    """An ordinary call passes in silence, an unthinkable one is refused with words on both
    streams.
    """
    assert hook.say(payload("ls")) == ("", "", 0)
    assert hook.judge(payload("rm -rf /")) == DENY


DEEP = 10_000
MALFORMED = {
    "empty": b"",
    "blank": b" \n",
    "not utf-8": b'{"hook_event_name": "PreToolUse", "tool_name": "\xff\xfe"}',
    "utf-16": json.dumps(payload()).encode("utf-16"),
    "cut off": json.dumps(payload()).encode()[:-7],
    "two values": json.dumps(payload()).encode() * 2,
    "garbage after": json.dumps(payload()).encode() + b" trailing",
    "nul bytes": b"\0" * 100,
    "a list": b"[]",
    "a number": b"1",
    "null": b"null",
    "not a number": b'{"hook_event_name": NaN}',
    "nested lists": b"[" * DEEP + b"]" * DEEP,
    "nested input": json.dumps(payload()).encode()[:-1]
    + b', "x": '
    + b'{"a":' * DEEP
    + b"1"
    + b"}" * (DEEP + 1),
    "open brackets": b"[" * 1_000_000,
    "10 MB of command": json.dumps(payload("echo " + "x" * 10_000_000)).encode(),
    "10 MB of nothing": b" " * 10_000_000,
    "no event": json.dumps({"tool_name": "Bash", "tool_input": {"command": "ls"}}).encode(),
    "unknown event": json.dumps(payload(hook_event_name="PreToolUses")).encode(),
    "no tool": json.dumps({"hook_event_name": "PreToolUse", "tool_input": {}}).encode(),
    "tool is a number": json.dumps(payload(tool_name=7)).encode(),
    "tool is empty": json.dumps(payload(tool_name="")).encode(),
    "input is a list": json.dumps(payload(tool_input=["ls"])).encode(),
    "input is a text": json.dumps(payload(tool_input="ls")).encode(),
    "input is null": json.dumps(payload(tool_input=None)).encode(),
    "cwd is a list": json.dumps(payload(cwd=["/"])).encode(),
    "session is an object": json.dumps(payload(session_id={})).encode(),
}


@pytest.mark.parametrize("given_bytes", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_is_no_call_is_refused(hook: Hook, given_bytes: bytes) -> None:
    """What cannot be read as a call is refused in words."""
    out, err, code = hook.say(given_bytes)
    assert verdict_of(out, err, code) == DENY
    assert "could not judge" in err


@pytest.mark.parametrize("given_bytes", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_note_that_cannot_be_read_blocks_nobody(hook: Hook, given_bytes: bytes) -> None:
    """The same as an event that asks nothing: it is said to the user, and the session goes on (a
    call among them is a call).
    """
    out, err, code = hook.say(given_bytes, "note")
    if b'"PreToolUse"' not in given_bytes or code == 0:
        assert code == 0
        assert err == ""
        assert json.loads(out)["systemMessage"].startswith("interlock")


STRANGE = {
    "command is a number": payload(7),
    "command is null": payload(None),
    "command is a list": payload(["rm", "-rf", "/"]),
    "no command": payload(tool_input={}),
    "unknown tool with a command": payload("rm -rf /", tool_name="RunAnything"),
    "a path of surrogates": payload(
        tool_name="Write", tool_input={"file_path": "/etc/\ud800", "content": "\udfff"}
    ),
    "a path with a nul": payload(
        tool_name="Write", tool_input={"file_path": "/etc/passwd\0.txt", "content": "x"}
    ),
    "a path that is a number": payload(
        tool_name="Write", tool_input={"file_path": 3, "content": "x"}
    ),
    "no path": payload(tool_name="Edit", tool_input={}),
    "a command nobody can parse": payload("rm -rf / ' \" $( ${ <<"),
    "nested shells": payload("$(" * 3000 + "rm -rf /" + ")" * 3000),
    "many words": payload("rm " + "a" * 10 + " " * 100_000 + "/etc"),
    "many commands": payload("rm -rf /etc;" * 20_000),
}


@pytest.mark.parametrize("given_payload", STRANGE.values(), ids=STRANGE.keys())
def test_what_is_strange_is_never_allowed(hook: Hook, given_payload: object) -> None:
    """A call of a shape that nobody has seen is asked about or refused."""
    assert hook.judge(given_payload) in (ASK, DENY)


@pytest.mark.parametrize(
    ("tool", "given_input"),
    [
        ("Frobnicate", {"a": [1, {"b": None}]}),
        ("WebFetch", {"url": "::::", "prompt": 3}),
        ("mcp__", {"x": []}),
        ("Grep", {"pattern": 0}),
        ("Task", {}),
    ],
)
def test_what_is_odd_has_an_answer(hook: Hook, tool: str, given_input: object) -> None:
    """A call that is odd and does no harm gets an answer like any other."""
    assert hook.judge(payload(tool_name=tool, tool_input=given_input)) in (ALLOW, ASK, DENY)


# -- what is wrong around the hook -----------------------------------------------------------------


@pytest.mark.parametrize(("command", "verdicts"), [("ls", {ALLOW}), ("rm -rf /", {DENY})])
@pytest.mark.parametrize(
    "around",
    [
        "no cwd",
        "cwd is gone",
        "cwd is relative",
        "hook's own folder is gone",
        "HOME unset",
        "HOME empty",
        "no environment",
        "HOME is a file",
    ],
)
def test_the_world_around(
    hook: Hook, tmp_path: Path, around: str, command: str, verdicts: set[str]
) -> None:
    """Whatever the hook lacks, the dangerous call is refused, and the harmless one passes, or is
    asked about where it cannot be told.
    """
    call, environment, folder = (
        payload(command, cwd=str(hook.project)),
        hook.environment(),
        hook.project,
    )
    if around == "no cwd":
        del call["cwd"]
    elif around == "cwd is gone":
        call["cwd"] = str(tmp_path / "gone")
    elif around == "cwd is relative":
        call["cwd"] = "somewhere"
    elif around == "HOME unset":
        del environment["HOME"]
    elif around == "HOME empty":
        environment["HOME"] = ""
    elif around == "no environment":
        environment = {}
    elif around == "HOME is a file":
        (tmp_path / "file").write_text("")
        environment["HOME"] = str(tmp_path / "file")
    if around != "hook's own folder is gone":
        assert hook.judge(call, environment=environment, cwd=folder) in verdicts
        return
    folder = tmp_path / "doomed"
    folder.mkdir()
    process = hook.start(cwd=folder)
    shutil.rmtree(folder)
    out, err = process.communicate(json.dumps(call).encode(), timeout=60)
    assert verdict_of(out.decode(), err.decode(), process.returncode) in verdicts


@pytest.mark.parametrize(("command", "verdict"), [("ls", ALLOW), ("rm -rf /", DENY)])
@pytest.mark.parametrize(
    "broken", ["a file in its place", "a full disk", "garbage in the database", "read-only"]
)
def test_a_store_that_takes_nothing_changes_no_verdict(
    hook: Hook, broken: str, command: str, verdict: str
) -> None:
    """Where nothing can be recorded, the verdict stands, and an allow comes with a warning."""
    state = hook.home / ".local/state/interlock"
    state.parent.mkdir(parents=True)
    if broken == "a file in its place":
        state.write_text("")
    elif broken == "a full disk":
        state.symlink_to("/dev/full")
    elif broken == "garbage in the database":
        state.mkdir()
        (state / "interlock.db").write_bytes(b"not a database" * 1000)
    else:
        state.mkdir()
        state.chmod(stat.S_IRUSR | stat.S_IXUSR)
        if os.access(state, os.W_OK):
            (state / "interlock.db").mkdir()
            (state / "spool.jsonl").mkdir()
    out, err, code = hook.say(payload(command, cwd=str(hook.project)))
    assert verdict_of(out, err, code) == verdict
    assert verdict == DENY or "additionalContext" in out


def test_a_broken_output_is_a_refusal(hook: Hook) -> None:
    """A denial, a question and a warning that cannot be written whole refuse the call; silence
    stays an allow.
    """
    for command, code in (("rm -rf /", 2), ("rm -r src", 2), ("cat .env", 2), ("ls", 0)):
        (hook.project / "src").mkdir(exist_ok=True)
        process = hook.start()
        process.stdout.close()
        process.stdin.write(json.dumps(payload(command, cwd=str(hook.project))).encode())
        process.stdin.close()
        process.stdout = process.stdin = None
        process.stderr.read()
        assert process.wait(60) == code, command
        process.stderr.close()


def test_without_standard_streams(hook: Hook) -> None:
    """A hook that was given no input at all refuses."""
    line = f'exec "{sys.executable}" -I -S "{SOURCE}/hook.py" claude-code <&-'
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        env=hook.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert verdict_of(done.stdout, done.stderr, done.returncode) == DENY


@pytest.fixture
def hurried(tmp_path: Path) -> Path:
    """Return the hook file of a copy of interlock that has two seconds for an answer; compiled, so
    that a busy machine comes to judge within them.
    """
    package = tmp_path / "lib/interlock"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("*.bundle*", "*.pyc.*"))
    command = package / "cli/hook.py"
    text = command.read_text()
    assert "DEADLINE = 15.0" in text
    assert "SPARE = 5.0" in text
    command.write_text(
        text.replace("DEADLINE = 15.0", "DEADLINE = 2.0").replace("SPARE = 5.0", "SPARE = 0.5")
    )
    return package / "hook.py"


def test_an_input_that_never_ends_is_answered(hook: Hook, hurried: Path) -> None:
    """A client that never closes the input gets a refusal at the deadline."""
    began = time.monotonic()
    process = hook.start(file=hurried)
    process.stdin.write(b'{"tool')
    process.stdin.flush()
    out, err = process.stdout.read().decode(), process.stderr.read().decode()
    assert verdict_of(out, err, process.wait(60)) == DENY
    assert "ran out of time" in err
    assert time.monotonic() - began < 20
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()


ENDLESS = "        while True:\n            try:\n                len(call.name)\n            except BaseException:\n                continue\n"
"""Does not end, not even by exceptions."""
WAITING = (
    "        import ctypes\n        lock = ctypes.create_string_buffer(256)\n"
    + 2 * "        ctypes.CDLL(None).pthread_mutex_lock(lock)\n"
)
"""A call into the system that does not come back and that no signal ends, as a name that is looked
up for a minute; a thread has to answer.
"""


@pytest.mark.parametrize(
    "never_ends",
    [
        pytest.param(ENDLESS, id="judgement"),
        pytest.param(
            WAITING,
            id="system",
            marks=pytest.mark.skipif(
                sys.platform != "linux", reason="waits for a lock of this C library's"
            ),
        ),
    ],
)
def test_a_judgement_that_never_ends_is_refused_and_recorded(
    hook: Hook, hurried: Path, never_ends: str
) -> None:
    """Whatever does not end there, the call is refused at the deadline, and the log says so."""
    check = hurried.parent / "guard/check.py"
    text = check.read_text()
    begins = "        walk = self._begin_walk(call)\n"
    assert begins in text
    check.write_text(text.replace(begins, never_ends, 1))
    out, err, code = hook.say(payload("ls"), file=hurried)
    assert verdict_of(out, err, code) == DENY
    assert "ran out of time" in err
    hook.judge(payload("ls", tool_use_id="t2"))
    assert [row["rule_id"] for row in hook.log() if row["verdict"] == "deny"] == [
        "guard.out-of-time"
    ]


@pytest.mark.parametrize(("mode", "answer", "refusal"), [((), 0, 2), (("check",), 100, 2)])
def test_the_mode_of_the_installed_line(
    hook: Hook, mode: tuple[str, ...], answer: int, refusal: int
) -> None:
    """With ``check`` an answer that lets the call go on is 100, so that no program that merely
    ended well can be taken for one.
    """
    assert hook.say(payload("ls"), *mode)[2] == answer
    assert hook.say(payload("rm -rf /"), *mode)[2] == refusal
    assert hook.say(b"", *mode)[2] == refusal


def test_an_unknown_client_is_refused(hook: Hook) -> None:
    """A line that names a client nobody knows, or none, refuses every call."""
    for words in (["nobody"], []):
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(SOURCE / "hook.py"), *words],
            input=json.dumps(payload()), env=hook.environment(), capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert verdict_of(done.stdout, done.stderr, done.returncode) == DENY


@pytest.mark.parametrize("many", [60, pytest.param(200, marks=pytest.mark.long)])
def test_many_at_once(hook: Hook, tmp_path: Path, many: int) -> None:
    """Many calls at once each get their own right answer and are recorded; what a starved
    machine does not record, it says. The hook is the installed one, with its bundle.
    """
    file = installed_at(tmp_path / "lib/interlock") / "hook.py"
    calls = [
        payload("rm -rf /" if number % 2 else "ls", cwd=str(hook.project), tool_use_id=f"t{number}")
        for number in range(many)
    ]
    processes = []
    for call in calls:
        process = hook.start(file=file)
        process.stdin.write(json.dumps(call).encode())
        process.stdin.close()
        process.stdin = None
        processes.append(process)
    lost = 0
    for number, process in enumerate(processes):
        out, err = (stream.decode() for stream in process.communicate(timeout=120))
        late = "ran out of time" in err
        assert verdict_of(out, err, process.returncode) == (DENY if late or number % 2 else ALLOW)
        lost += late or "it is lost" in out
    spool = hook.home / ".local/state/interlock/spool.jsonl"
    waiting = len(spool.read_text().splitlines()) if spool.exists() else 0
    assert len(calls) - lost <= len(hook.log()) + waiting <= len(calls)
    assert lost <= many // 10
