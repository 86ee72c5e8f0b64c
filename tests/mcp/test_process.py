"""The proxy as a program: servers that do not start, crash or talk too long, clients that go away.
No traceback, and nobody waits for ever.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pytest

from interlock.cli import build
from interlock.cli.mcp import headers_of, name_of
from interlock.mcp.jsonrpc import MAX_MESSAGE, id_within
from tests.proxying import request

if TYPE_CHECKING:
    from collections.abc import Iterator

PYTHON = sys.executable
ECHO = r"""
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"content": [{"type": "text", "text": message["method"]}]}}), flush=True)
open("ended", "w").close()
"""
CRASHING = ECHO.replace(
    "    if", "    if message.get('params', {}).get('name') == 'get_crash': os._exit(7)\n    if", 1
)
LOUD = ECHO.replace(
    "    if",
    "    if message.get('params', {}).get('name') == 'get_much':\n"
    '        print(\'{"jsonrpc":"2.0","id":%d,"result":{"x":"\' % message[\'id\'] + \'x\' * 17_000_000 + \'"}}\', flush=True); continue\n    if',
    1,
)
NOISY = "print('Starting up...', flush=True)\nprint('', flush=True)\n" + ECHO


def environment(folder: Path) -> dict[str, str]:
    """Return variables that know nothing of this machine's user."""
    return {
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
    }


class Talk:
    """A client of the proxy, over pipes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._in: IO[bytes] = process.stdin  # type: ignore[assignment]
        self._out: IO[bytes] = process.stdout  # type: ignore[assignment]

    def say(self, message: object) -> None:
        """Send one message, or bytes as they are."""
        self._in.write(
            message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        )
        self._in.flush()

    def hear(self) -> dict[str, Any]:
        """Return the next message."""
        found: dict[str, Any] = json.loads(self._out.readline())
        return found

    def call(self, name: str, number: int, **arguments: object) -> dict[str, Any]:
        """Call a tool and return the answer."""
        self.say(request(number, "tools/call", name=name, arguments=arguments))
        return self.hear()

    def end(self) -> tuple[int, str]:
        """Go away; return the exit code and what was said on standard error."""
        self._in.close()
        assert self._out.read() == b""
        assert self.process.stderr is not None
        said = self.process.stderr.read().decode()
        return self.process.wait(60), said


@contextmanager
def talking(folder: Path, *command: str) -> Iterator[Talk]:
    """Start the proxy before a server."""
    (folder / "project").mkdir(exist_ok=True)
    with subprocess.Popen(
        [PYTHON, "-m", "interlock", "mcp", *command], env=environment(folder), cwd=folder / "project",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            yield Talk(process)
        finally:
            process.kill()


def test_a_talk_and_its_end(tmp_path: Path) -> None:
    """Noise of the server is dropped, a blank line is nothing, the server ends when the client
    does, and nothing is left unsaid.
    """
    with talking(tmp_path, "--", PYTHON, "-c", NOISY) as talk:
        assert talk.call("get_widget", 1)["result"]["content"][0]["text"] == "tools/call"
        assert talk.call("delete_file", 2, path="/etc/passwd")["result"]["isError"] is True
        talk.say(b"\n  \r\nnot json\n")
        assert talk.hear()["error"]["code"] == -32700
        talk.say(json.dumps(request(3, "ping")).encode())  # the last line, without its end
        talk._in.close()
        assert talk.hear()["id"] == 3
        assert talk.process.wait(60) == 0
        assert talk.process.stderr is not None
        said = talk.process.stderr.read().decode()
    assert "no message of MCP" in said
    assert "Traceback" not in said
    assert (tmp_path / "project" / "ended").exists()


def test_a_server_that_crashes_is_told_of(tmp_path: Path) -> None:
    """Whoever waits is answered with what happened, and the proxy ends, so that the client can
    start both again.
    """
    with talking(tmp_path, "--", PYTHON, "-c", CRASHING) as talk:
        assert talk.call("get_widget", 1)["result"]
        answer = talk.call("get_crash", 2)
        assert answer["error"]["message"] == "interlock: the server ended (exit code 7)"
        assert answer["id"] == 2
        code, said = talk.end()
    assert code == 1
    assert "Traceback" not in said


def test_a_server_that_closes_its_output_is_ended(tmp_path: Path) -> None:
    """It can say nothing any more, so whoever waits is told, and it does not stay behind."""
    program = "import os, sys, time\nsys.stdin.readline()\nopen('pid', 'w').write(str(os.getpid()))\nos.close(1)\ntime.sleep(600)\n"
    with talking(tmp_path, "--", PYTHON, "-c", program) as talk:
        assert "closed its output" in talk.call("get_widget", 1)["error"]["message"]
        assert talk.end()[0] == 1
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "project" / "pid").read_text()), 0)


@pytest.mark.parametrize("command", [["/nonexistent/server"], [str(Path(__file__))]])
def test_a_server_that_cannot_be_started_is_told_of(tmp_path: Path, command: list[str]) -> None:
    """The client's first request is answered with why."""
    with talking(tmp_path, "--server", "demo", "--", *command) as talk:
        talk.say(request(0, "initialize", capabilities={}))
        answer = talk.hear()
        assert answer["id"] == 0
        assert "the server demo could not be started" in answer["error"]["message"]
        code, said = talk.end()
    assert code == 1
    assert "Traceback" not in said


def test_what_is_too_long_is_dropped_and_told(tmp_path: Path) -> None:
    """A message of 17 MB goes nowhere, in either direction; its sender is told which, and the talk
    goes on.
    """
    with talking(tmp_path, "--", PYTHON, "-c", LOUD) as talk:
        assert talk.call("get_widget", 1)["result"]
        talk.say(
            b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"get_widget","arguments":{"x":"'
            + b"x" * MAX_MESSAGE
            + b'"}}}\n'
        )
        answer = talk.hear()
        assert (answer["id"], answer["error"]["code"]) == (5, -32600)
        answer = talk.call("get_much", 6)
        assert answer["id"] == 6
        assert "longer than 16 MiB" in answer["error"]["message"]
        assert talk.call("get_widget", 7)["result"]
        code, said = talk.end()
    assert code == 0
    assert "Traceback" not in said


def test_a_client_that_ends_the_proxy_ends_the_server(tmp_path: Path) -> None:
    """SIGTERM goes on."""
    with talking(
        tmp_path, "--", PYTHON, "-c", "import sys, time\nprint(end='', flush=True)\n" + ECHO
    ) as talk:
        assert talk.call("get_widget", 1)["result"]
        talk.process.send_signal(signal.SIGTERM)
        assert talk.process.wait(60) == 0


def test_what_the_server_says_on_standard_error_passes(tmp_path: Path) -> None:
    """It is the client's log."""
    with talking(
        tmp_path, "--", PYTHON, "-c", "import sys\nprint('my own words', file=sys.stderr)\n" + ECHO
    ) as talk:
        assert talk.call("get_widget", 1)["result"]
        assert "my own words" in talk.end()[1]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "name the server's command"),
        (["--url", "http://127.0.0.1:1/x", "--", "cat"], "name the server's command"),
        (["--url", "ftp://x/"], "no http or https address"),
        (["--listen", "127.0.0.1:0", "--", "cat"], "for a server behind an address"),
        (["--url", "http://127.0.0.1:1/", "--listen", "nowhere"], "HOST:PORT"),
        (
            ["--url", "http://127.0.0.1:1/", "--header", "X: ${NOT_SET_ANYWHERE}"],
            "NOT_SET_ANYWHERE of the header X is not set",
        ),
    ],
)
def test_wrong_usage_is_one_sentence(tmp_path: Path, arguments: list[str], why: str) -> None:
    """And exit code 2."""
    with talking(tmp_path, *arguments) as talk:
        code, said = talk.end()
    assert code == 2
    assert why in said
    assert said.count("\n") == 1


def test_an_address_where_nobody_answers(tmp_path: Path) -> None:
    """Each request is answered with why."""
    with talking(tmp_path, "--url", "http://127.0.0.1:1/mcp") as talk:
        answer = talk.call("get_widget", 1)
        assert "could not be asked" in answer["error"]["message"]
        assert talk.call("delete_file", 2, path="/etc/passwd")["result"]["isError"] is True
        code, said = talk.end()
    assert code == 0
    assert "Traceback" not in said


CLIENT = r"""
import json, os, subprocess, sys

def hook(event, **fields):
    payload = {"hook_event_name": event, "session_id": "s1", "cwd": os.getcwd(), "tool_name": "mcp__demo__delete_widget", **fields}
    done = subprocess.run([sys.executable, "-m", "interlock", "hook", "claude-code"], input=json.dumps(payload), capture_output=True, text=True)
    return done.stdout

hook("SessionStart", source="startup")
proxy = subprocess.Popen([sys.executable, "-m", "interlock", "mcp", "--server", "demo", "--", sys.executable, "-c", sys.argv[1]],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

def call(number, arguments):
    proxy.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                                  "params": {"name": "delete_widget", "arguments": arguments}}) + "\n")
    proxy.stdin.flush()
    return "isError" not in json.loads(proxy.stdout.readline())["result"]

print("ask" in hook("PreToolUse", tool_use_id="t1", tool_input={"widget": "w7"}))   # the client's own prompt, where the person says yes
print(call(1, {"widget": "w7"}))     # so it runs
print(call(2, {"widget": "w7"}))     # the decision was used
print(call(3, {"widget": "w8"}))     # another call
hook("PreToolUse", tool_use_id="t2", tool_input={"widget": "w9"})
hook("PostToolUse", tool_use_id="t2", tool_input={"widget": "w9"}, tool_response="done")
print(call(4, {"widget": "w9"}))     # that one ended already
proxy.stdin.close()
proxy.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="which process started which is seen in /proc")
def test_one_decision_for_a_call_that_the_clients_hook_sees_too(tmp_path: Path) -> None:
    """What was asked about at the client's prompt is not asked about again, once, for this very
    call, in this very session.
    """
    (tmp_path / "project").mkdir()
    done = subprocess.run(
        [PYTHON, "-c", CLIENT, ECHO],
        env=environment(tmp_path),
        cwd=tmp_path / "project",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["True", "True", "False", "False", "False"]
    store = build.store(environment(tmp_path))
    rows = store.query("SELECT session_id, verdict FROM guardrail_audit_log ORDER BY id")
    assert rows == [("s1", "ask"), ("s1", "deny"), ("s1", "deny"), ("s1", "ask"), ("s1", "deny")]
    assert store.query("SELECT count(*) FROM audit_event WHERE kind = 'passed-on'") == [(1,)]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (
            ["npx", "-y", "@modelcontextprotocol/server-filesystem@2025.1", "/x"],
            "server-filesystem",
        ),
        (["uvx", "mcp-server-git", "--repository", "/x"], "mcp-server-git"),
        (["python3", "-m", "my_server"], "my_server"),
        (["/opt/tools/db-server.py"], "db-server"),
        (["docker", "run", "-i", "--rm", "ghcr.io/github/github-mcp-server"], "github-mcp-server"),
        (["https://mcp.example.test/sse/"], "sse"),
    ],
)
def test_a_server_is_named_by_its_command(command: list[str], name: str) -> None:
    """Without the runner, the folder and the version."""
    assert name_of(command) == name


def test_headers_are_filled_from_variables() -> None:
    """So that no token stands on a command line; what is filled in is not read again."""
    given = ["Authorization: Bearer ${TOKEN}", "X-A:1", "X-B: ${T}${TOKEN"]
    assert headers_of(given, {"TOKEN": "${T}", "T": "t"}) == {
        "Authorization": "Bearer ${T}",
        "X-A": "1",
        "X-B": "t${TOKEN",
    }
    for wrong in ("no colon", ": x", "X: a\nY: b", "X: é"):
        with pytest.raises(ValueError, match="a header is written"):
            headers_of([wrong], {})


@pytest.mark.parametrize(
    ("head", "tail", "found"),
    [
        (b'{"jsonrpc":"2.0","id":7,"result":{', b"", 7),
        (b'{"id":"a","jsonrpc":"2.0","method":', b"", "a"),
        (b'{"jsonrpc":"2.0","result":{"x":"', b'"},"id":7}', 7),
        (b'{"jsonrpc":"2.0","result":{"x":"', b'"}, "id": "b", "jsonrpc": "2.0"}\n', "b"),
        (b'{"result":{"id":5', b'"}}', None),
        (b'{"jsonrpc":"2.0","id":7', b"", None),
        (b'{"jsonrpc":"2.0","id":{"a":1},', b"", None),
        (b"nonsense", b"more", None),
    ],
)
def test_the_id_of_a_message_that_was_not_kept(head: bytes, tail: bytes, found: object) -> None:
    """It is told where it stands at the very beginning or end, and nowhere else."""
    assert id_within(head, tail) == found
