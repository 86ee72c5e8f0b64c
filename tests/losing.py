"""What tests of losses share: a home in which interlock is installed for two clients, whose hooks
run as the clients would run them.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interlock.cli.main import main
from interlock.integrations.clients import CLIENTS, adapter_of

if TYPE_CHECKING:
    import pytest

HOOK = Path(__file__).resolve().parents[1] / "src/interlock/hook.py"
SETTINGS = '{\n  "model": "opus"\n}\n'
POLICY = "version: 1\nfiles: {block: keys}\n"


class Home:
    """A home with Claude Code and Codex, both installed by ``init``; ``said`` is what the last
    command printed.
    """

    def __init__(
        self, top: Path, patch: pytest.MonkeyPatch, output: pytest.CaptureFixture[str]
    ) -> None:
        self.home, self.project, self.output = top / "home", top / "home/work", output
        self.settings, self.codex = (
            self.home / ".claude/settings.json",
            self.home / ".codex/hooks.json",
        )
        self.policy = self.home / ".config/interlock/policy.yaml"
        self.state = self.home / ".local/state/interlock"
        self.transcript = self.home / ".claude/projects/p/s.jsonl"
        for folder in (self.project, self.codex.parent, self.policy.parent, self.transcript.parent):
            folder.mkdir(parents=True)
        self.settings.write_text(SETTINGS, encoding="utf-8")
        self.variables = {
            "HOME": str(self.home),
            "PATH": "/usr/bin:/bin",
            "CLAUDE_PROJECT_DIR": str(self.project),
        }
        for name in [adapter_of(client).SETTINGS.variable for client in CLIENTS]:
            patch.delenv(name or "NONE", raising=False)
        patch.setenv("HOME", str(self.home))
        patch.setenv("PATH", str(top / "bin"))
        patch.chdir(self.project)
        # the package of these tests stays as it is
        patch.setattr("interlock.cli.install.compile_package", lambda: None)
        # whether a hook answers is tried with `init` itself, and takes a dozen processes
        patch.setattr("interlock.cli.init._run_doctor", lambda _: [])
        # who runs tests may be an agent
        patch.setattr("interlock.approvals.caller.examine", lambda *_: None)

    def run(self, *words: str) -> tuple[int, str]:
        """Run a command; return its exit code and what it printed."""
        self.output.readouterr()
        try:
            code = main(list(words))
        except SystemExit as ended:
            code = int(ended.code or 0)
        said = self.output.readouterr()
        return code, said.out + said.err

    def init(self, *words: str) -> str:
        """Set up for both clients."""
        return self.run("init", "--yes", "--agent", "claude-code", "--agent", "codex", *words)[1]

    def event(
        self,
        client: str,
        name: str = "PreToolUse",
        command: str = "ls",
        session: str = "s",
        number: str = "t1",
    ) -> dict[str, Any]:
        """Have a client tell its hook of an event; return what the hook says, the words of its
        standard error under ``err``.
        """
        event = {
            "session_id": session, "cwd": str(self.project), "hook_event_name": name, "tool_name": "Bash", "tool_input": {"command": command},
            "tool_use_id": number, "prompt": "go on", "transcript_path": str(self.transcript), "tool_response": {"stdout": ""},
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(HOOK), client, *([] if name == "PreToolUse" else ["note"])],
            input=json.dumps(event), env=self.variables, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 2), done.stderr
        said: dict[str, Any] = json.loads(done.stdout) if done.stdout else {}
        return {
            **said,
            **said.get("hookSpecificOutput", {}),
            **({"err": done.stderr} if done.stderr else {}),
        }

    def told(self, client: str = "codex", name: str = "PreToolUse", **more: str) -> str:
        """Return the words that a client's session or person gets at an event, ``""`` for
        silence.
        """
        said = self.event(client, name, **more)
        return (
            str(said.get("additionalContext", ""))
            + str(said.get("systemMessage", ""))
            + str(said.get("err", ""))
        )

    def at_work(self) -> None:
        """Let an agent of Claude Code make a call that is judged."""
        assert self.event("claude-code") == {}

    def asks(self) -> bool:
        """Tell whether Claude Code asks interlock before every call."""
        try:
            return "interlock/hook.py" in json.dumps(
                json.loads(self.settings.read_text(encoding="utf-8"))["hooks"]["PreToolUse"]
            )
        except (OSError, KeyError):
            return False

    def long_ago(self, seconds: int = 3600) -> None:
        """Let all that was recorded have happened before."""
        with closing(sqlite3.connect(self.state / "interlock.db")) as base, base:
            base.execute(
                "UPDATE guardrail_audit_log SET timestamp = strftime('%Y-%m-%dT%H:%M:%fZ', timestamp, ?)",
                (f"-{seconds} seconds",),
            )
            base.execute(
                "UPDATE session SET started = strftime('%Y-%m-%dT%H:%M:%SZ', started, ?)",
                (f"-{seconds} seconds",),
            )
            base.execute("UPDATE agent_process SET since = since - ?", (seconds,))

    def events(self, kind: str = "guard-gone") -> list[dict[str, Any]]:
        """Return what was recorded of losses."""
        with closing(sqlite3.connect(self.state / "interlock.db")) as base:
            rows = base.execute(
                "SELECT subject, body FROM audit_event WHERE kind = ? ORDER BY seq", (kind,)
            ).fetchall()
        return [{"subject": subject, **json.loads(body)} for subject, body in rows]

    def stash(self, folder: Path) -> None:
        """Take a folder's files away as three harmless-looking calls of git do."""
        me = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        for words in (
            ["init", "-q"],
            [*me, "commit", "-q", "--allow-empty", "-m", "x"],
            [*me, "stash", "-u", "-q"],
        ):
            environment = {"HOME": str(self.home), "PATH": os.defpath, "GIT_CONFIG_NOSYSTEM": "1"}
            subprocess.run(["git", "-C", str(folder), *words], check=True, env=environment)
