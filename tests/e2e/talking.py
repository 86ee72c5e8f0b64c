"""Clients driven by their own protocols, with somebody who answers: JSON-RPC in lines on the
standard streams of Codex's app-server, and of ACP.
"""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class Talk:
    """A conversation with a client. ``questions``: what it asked its user; each is answered with
    yes.
    """

    def __init__(
        self, argv: list[str], answer: Callable[[str, Any], Any], *, version: bool
    ) -> None:
        self.process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.answer = answer
        self.version = {"jsonrpc": "2.0"} if version else {}
        self.questions: list[str] = []
        self.number = 0

    def say(self, method: str, told: dict[str, Any] | None = None, *, until: str = "") -> Any:
        """Send a request and return its result; ``until``: go on until this notification has
        come.
        """
        self.number += 1
        number = self.number
        self._send({"id": number, "method": method, "params": told or {}})
        result: Any = None
        answered = False
        while not (answered and not until):
            message = self._read()
            if message.get("id") == number and "method" not in message:
                assert "result" in message, message
                result, answered = message["result"], True
            elif "method" in message and "id" in message:
                self._asked(message)
            elif message.get("method") == until:
                return result
        return result

    def note(self, method: str) -> None:
        """Send a notification."""
        self._send({"method": method})

    def end(self) -> None:
        """End the client."""
        self.process.terminate()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        self.process.wait(timeout=30)

    def _asked(self, message: dict[str, Any]) -> None:
        result = self.answer(message["method"], message["params"])
        if result is None:
            self._send({"id": message["id"], "error": {"code": -32601, "message": "not here"}})
            return
        self.questions.append(message["method"])
        self._send({"id": message["id"], "result": result})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({**self.version, **message}) + "\n")
        self.process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        while True:
            line = self.process.stdout.readline()
            assert line, "the client ended"
            if line.lstrip().startswith("{"):
                found: dict[str, Any] = json.loads(line)
                return found


def codex(argv: list[str], project: str) -> int:
    """Have Codex's app-server take one turn in the mode that asks about every command; return how
    often it asked. Its hooks are trusted first.
    """
    talk = Talk(
        [*argv, "app-server"],
        lambda method, _: {"decision": "accept"} if method.endswith("requestApproval") else None,
        version=False,
    )
    try:
        talk.say("initialize", {"clientInfo": {"name": "test", "title": "test", "version": "1"}})
        talk.note("initialized")
        hooks = [
            hook
            for one in talk.say("hooks/list", {"cwds": [project]})["data"]
            for hook in one["hooks"]
        ]
        trusted = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in hooks}
        edit = {"keyPath": "hooks.state", "value": trusted, "mergeStrategy": "upsert"}
        talk.say("config/batchWrite", {"edits": [edit], "reloadUserConfig": True})
        thread = talk.say(
            "thread/start",
            {"cwd": project, "approvalPolicy": "untrusted", "sandbox": "danger-full-access"},
        )["thread"]["id"]
        talk.say(
            "turn/start",
            {"threadId": thread, "input": [{"type": "text", "text": "please do it"}]},
            until="turn/completed",
        )
        return len(talk.questions)
    finally:
        talk.end()


def acp(argv: list[str], project: str, mode: str) -> int:
    """Have a client that speaks ACP take one turn in a mode; return how often it asked."""

    def once(method: str, told: Any) -> Any:
        if method != "session/request_permission":
            return None
        return {
            "outcome": {
                "outcome": "selected",
                "optionId": next(
                    one["optionId"] for one in told["options"] if one["kind"] == "allow_once"
                ),
            }
        }

    talk = Talk(argv, once, version=True)
    try:
        talk.say(
            "initialize",
            {
                "protocolVersion": 1,
                "clientCapabilities": {"fs": {"readTextFile": False, "writeTextFile": False}},
            },
        )
        session = talk.say("session/new", {"cwd": project, "mcpServers": []})["sessionId"]
        talk.say("session/set_mode", {"sessionId": session, "modeId": mode})
        talk.say(
            "session/prompt",
            {"sessionId": session, "prompt": [{"type": "text", "text": "please do it"}]},
        )
        return len(talk.questions)
    finally:
        talk.end()
