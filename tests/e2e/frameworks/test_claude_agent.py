"""The Claude Agent SDK, the installed one with the client it brings, against a fake model: what is
denied does not happen and the model reads why.

Nothing of the tester's environment reaches the client: a fresh HOME, a dummy key, permissions
bypassed, so that the hook is the only thing in the way. What is to be refused would be harmless if
it ran: it writes inside the test's own folders.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.store.database import Store
from interlock.store.place import state_folder
from tests.e2e.fake_model import FakeModel, use

pytest.importorskip(
    "claude_agent_sdk",
    reason="claude-agent-sdk is not installed: `make frameworks` runs these tests",
)

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("default")]

PROGRAM = """
import asyncio, sys
from claude_agent_sdk import ClaudeAgentOptions, query
from interlock import session
from interlock.integrations.frameworks.claude_agent import guarded
from interlock.model.decision import Approval

mode = sys.argv[1]
opened = session(ask=(lambda decision, call, reading: Approval(decision.id, by="alice")) if mode == "approve" else "never")
if mode == "broken":
    opened.guard.check = None

async def main():
    options = ClaudeAgentOptions(
        hooks=guarded(opened), permission_mode="bypassPermissions", model="claude-sonnet-4-5", setting_sources=[], cwd=".",
    )
    async for message in query(prompt="please do it", options=options):
        print(type(message).__name__)

asyncio.run(main())
"""


def run(folder: Path, mode: str, *commands: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Let the model call the shell with each command; return what it was told, and what the audit
    holds.
    """
    home, project = folder / "home", folder / "project"
    home.mkdir()
    project.mkdir()
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8", "TMPDIR": str(folder), "ANTHROPIC_API_KEY": "sk-ant-dummy",
        "IS_SANDBOX": "1", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "PYTHONPATH": str(Path(__file__).resolve().parents[3] / "src"), "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    with FakeModel(*[use("Bash", command=one) for one in commands]) as model:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, mode], env={**environment, "ANTHROPIC_BASE_URL": model.url}, cwd=project,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr + done.stdout
        kept = Store(state_folder(environment)).query(
            "SELECT status, verdict FROM guardrail_audit_log ORDER BY id", ()
        )
        return model.results(), [(str(row[0]), str(row[1])) for row in kept]


def test_a_denied_call_does_not_happen_and_its_twin_does(tmp_path: Path) -> None:
    """With permissions bypassed the hook alone stands in the way."""
    victim = tmp_path / "home/.bashrc"
    told, kept = run(tmp_path, "never", "echo x > ~/.bashrc", "echo made > canary")
    assert "Blocked by interlock" in told[0]
    assert not victim.exists()
    assert (tmp_path / "project/canary").read_text() == "made\n"
    assert kept == [("refused", "deny"), ("ran", "allow")]


@pytest.mark.parametrize("mode", ["approve", "never"])
def test_an_ask_goes_to_the_guards_asker(tmp_path: Path, mode: str) -> None:
    """The person's answer decides, at no prompt of the client."""
    (tmp_path / "elsewhere").mkdir()
    command = f"echo made > {tmp_path}/elsewhere/canary; echo x >> ~/notes.txt; git push --force origin topic"
    told, kept = run(tmp_path, mode, command)
    assert ("Blocked by interlock" in told[0]) is (mode == "never")
    assert os.path.exists(f"{tmp_path}/elsewhere/canary") is (mode == "approve")
    assert len(kept) == 1


def test_a_guard_that_fails_runs_nothing(tmp_path: Path) -> None:
    """``on_failure="block"``: what goes wrong in the hook blocks the call."""
    run(tmp_path, "broken", "echo made > canary")
    assert not (tmp_path / "project/canary").exists()
