"""An agent's own shell command that would answer for the person is denied before it runs; looking
is allowed.
"""

from __future__ import annotations

import pytest

from interlock.model.action import VERDICT_ALLOW, VERDICT_DENY
from tests.judging import judged

DENIED = (
    "interlock approve a-123456",
    "interlock hook claude-code < event.json",  # says that a call ran, or what the person asked for
    'echo \'{"hook_event_name": "UserPromptSubmit"}\' | interlock hook claude-code note',
    "python3 -m interlock hook claude-code < event.json",
    "interlock approve a-123456 --for project",
    "interlock deny a-123456",
    "interlock approvals token",
    "interlock approvals watch",
    "interlock grants revoke g-123456",
    "echo interlock-token-00 | interlock approve a-123456 --token",
    "python -m interlock approve a-123456",
    "python3 -c \"import subprocess; subprocess.run(['interlock', 'approve', 'a-123456'])\"",
    "bash -c 'interlock approve a-123456'",
    "script -qc 'interlock approve a-123456' /dev/null",
    "setsid nohup interlock approve a-123456 &",
    "env -i HOME=$HOME interlock approve a-123456",
    "tmux new -d 'interlock approve a-123456'",
    "tmux send-keys -t 0 'interlock approve a-123456' Enter",
    "screen -dmS x interlock approve a-123456",
    "systemd-run --user --pty interlock approve a-123456",
    "echo 'interlock approve a-123456' | at now",
    "expect -c 'spawn interlock approve a-123456; send y'",
    "sqlite3 ~/.local/state/interlock/interlock.db \"UPDATE approval SET state = 'granted'\"",
    "python3 -c \"import sqlite3; sqlite3.connect('/home/user/.local/state/interlock/interlock.db').execute('DELETE FROM approval')\"",
)
ALLOWED = (
    "interlock --help",
    "interlock approvals list",
    "interlock approvals list --json",
    "interlock grants list",
    "python -m interlock approvals list",
    "bash -c 'interlock grants list'",
    "tmux new -d 'interlock approvals list'",
    "echo 'run interlock approve a-123456 in another terminal'",
    "grep -rn 'interlock approve' docs",
)


@pytest.mark.parametrize("command", DENIED)
def test_it_may_not_answer(command: str) -> None:
    """However it is written."""
    assert judged(command).verdict == VERDICT_DENY


@pytest.mark.parametrize("command", ALLOWED)
def test_it_may_look_and_speak_of_it(command: str) -> None:
    """What shows, and what only names the command, runs."""
    assert judged(command).verdict == VERDICT_ALLOW
