"""Working sessions played through the real guard: the client's own payloads in, decisions out, with
the ledger of one store.

``python -m tests.sessions`` prints the figure: interruptions per fifty calls. Commands are judged,
never run; what the edit and write tools would do to the workspace is done, so that a script written
in one call is read in a later one.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from interlock.cli import build
from interlock.integrations import claude_code
from interlock.model.action import VERDICT_ALLOW

if TYPE_CHECKING:
    from interlock.model.decision import Decision

SESSIONS: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "corpus" / "sessions.yaml").read_text(encoding="utf-8")
)
SHORT: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "corpus" / "sessions_short.yaml").read_text(encoding="utf-8")
)
MORE: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "corpus" / "sessions_more.yaml").read_text(encoding="utf-8")
)
SIZE = 50
"""Calls of a session, and of the figure."""
_FIELDS = {
    "read": ("Read", "file_path"),
    "glob": ("Glob", "pattern"),
    "grep": ("Grep", "pattern"),
    "fetch": ("WebFetch", "url"),
    "task": ("Task", "prompt"),
}


@dataclass(frozen=True)
class Played:
    """One call of a session with its decision; ``asks`` where a question was rightly expected."""

    project: str
    text: str
    asks: bool
    decision: Decision

    @property
    def interrupted(self) -> bool:
        """Whether the person was asked, or the call refused."""
        return self.decision.verdict != VERDICT_ALLOW


def play(session: dict[str, Any], folder: Path) -> list[Played]:
    """Play a session in a workspace below a folder, which is the home of its user; every call that
    is asked about is granted.
    """
    with ExitStack() as stack:
        return _play(session, folder, stack)


def _play(session: dict[str, Any], folder: Path, stack: ExitStack) -> list[Played]:
    home, root = folder / "home", folder / "home" / "work" / "project"
    _lay_out(session["files"], root)
    environment = {"HOME": str(home), "CLAUDE_PROJECT_DIR": str(root)}
    played = []
    for number, call in enumerate(session["calls"]):
        name, given = tool_call(call, root)
        payload = {
            "session_id": "s1",
            "cwd": str(root),
            "tool_name": name,
            "tool_input": given,
            "tool_use_id": f"t{number}",
        }
        event = claude_code.read({**payload, "hook_event_name": "PreToolUse"}, environment)
        after = claude_code.read(
            {**payload, "hook_event_name": "PostToolUse", "tool_response": {"stdout": ""}},
            environment,
        )
        guard = build.guard(environment, claude_code.asks)
        if event.call is None or after.outcome is None:
            raise ValueError(f"no call was read: {call}")
        decision = guard.check(event.call)
        asks = isinstance(call, dict) and bool(call.get("asks"))
        played.append(
            Played(session["project"], str(next(iter(given.values()), "")), asks, decision)
        )
        _change(name, given)
        if isinstance(call, dict) and "leaves" in call:
            _leave(stack, Path(call["leaves"]))
        guard.outcome(after.outcome)
    return played


def _leave(stack: ExitStack, path: Path) -> None:
    """Start a process and leave its number in a file, both until the session ends; a file that is
    there already is not touched.
    """
    if not path.exists():
        process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        stack.callback(process.wait)
        stack.callback(process.kill)
        path.write_text(f"{process.pid}\n", encoding="utf-8")
        stack.callback(path.unlink)


def _lay_out(files: dict[str, str], root: Path) -> None:
    """Write the files of a workspace, and commit them where git is installed."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git = shutil.which("git")
    if git is not None:
        for words in (
            ["init", "-q"],
            ["add", "-A"],
            ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "first"],
        ):
            subprocess.run(
                [git, "-C", str(root), *words],
                check=True,
                env={"HOME": str(root.parent), "GIT_CONFIG_NOSYSTEM": "1"},
            )


def tool_call(call: str | dict[str, Any], root: Path) -> tuple[str, dict[str, Any]]:
    """Return the client's tool and its input for a call as the file writes it."""
    if isinstance(call, str):
        return "Bash", {"command": call}
    if "call" in call:
        return "Bash", {"command": call["call"]}
    if "write" in call:
        return "Write", {"file_path": str(root / call["write"]), "content": call["text"]}
    if "edit" in call:
        return "Edit", {
            "file_path": str(root / call["edit"]),
            "old_string": call["old"],
            "new_string": call["new"],
        }
    if "mcp" in call:
        return call["mcp"], dict(call["input"])
    word = next(name for name in _FIELDS if name in call)
    tool, key = _FIELDS[word]
    return tool, {key: str(root / call[word]) if word == "read" else call[word]}


def _change(name: str, given: dict[str, Any]) -> None:
    """Do what the write and edit tools do."""
    if name == "Write":
        path = Path(given["file_path"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(given["content"], encoding="utf-8")
    elif name == "Edit":
        path = Path(given["file_path"])
        text = path.read_text(encoding="utf-8")
        if given["old_string"] not in text:
            raise ValueError(f"{path.name} does not hold {given['old_string']!r}")
        path.write_text(text.replace(given["old_string"], given["new_string"], 1), encoding="utf-8")


def play_all() -> list[Played]:
    """Play every session, each in a temporary folder of its own."""
    played = []
    for session in SESSIONS + SHORT:
        with tempfile.TemporaryDirectory() as folder:
            played += play(session, Path(folder))
    return played


def figure(played: list[Played]) -> float:
    """Return the interruptions per fifty calls."""
    return SIZE * sum(one.interrupted for one in played) / len(played)


def main() -> int:
    """Print the figure, and every interruption with what asked for it."""
    played = play_all()
    for one in played:
        if one.interrupted or one.asks:
            rules = (
                ", ".join(sorted({finding.rule for finding in one.decision.deciding})) or "nothing"
            )
            note = (
                "rightly"
                if one.asks and one.interrupted
                else "MISSED"
                if one.asks
                else "needlessly"
            )
            sys.stdout.write(
                f"{note:10} {one.decision.verdict} by {rules}: {one.project.split()[0]}: {one.text[:120]!r}\n"
            )
    warned = sum(one.decision.warned and not one.interrupted for one in played)
    sys.stdout.write(
        f"{len(SESSIONS + SHORT)} sessions, {len(played)} calls: {figure(played):.2f} interruptions per {SIZE} calls, "
    )
    sys.stdout.write(f"{SIZE * warned / len(played):.1f} warnings\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
