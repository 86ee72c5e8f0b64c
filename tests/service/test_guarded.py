"""An agent under guard changes nothing of a service on its machine, and reads none of its secrets
unasked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.cli import build
from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY
from interlock.model.call import ToolCall

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.model.decision import Decision

FOLDER = "~/.local/state/interlock/service"
FILES = ("service.db", "service.db-wal", "receipts.key", "people.key")
CHANGES = (
    "rm {}", "echo x > {}", "cp x {}", "mv {} x", "chmod 777 {}", "truncate -s 0 {}", "ln -sf x {}",
    "sqlite3 {} 'update person set ended = 1'", "dd if=x of={}", "tee {}", "sed -i s/a/b/ {}",
    "python3 -c \"import os; os.remove(os.path.expanduser('{}'))\"",
)  # fmt: skip
READS = (
    "cat {}", "cp {} x", "base64 {}", "tar cf x.tar {}", "grep -r x {}", "strings {}",
    "python3 -c \"import os; print(open(os.path.expanduser('{}'), 'rb').read())\"",
)  # fmt: skip
ORDERS = (
    "interlock serve", "interlock serve --link ada", "interlock serve --reset ada",
    "interlock serve --token", "interlock serve --webhook https://a.example/", "interlock ui",
    "interlock enrol il1_x", "interlock enrol --leave", "interlock sidecar",
    "pkill -f 'interlock serve'",
)  # fmt: skip


def judged(home: Path, command: str) -> Decision:
    """Judge a command of an agent that works in a project."""
    work = home / "work"
    work.mkdir(parents=True, exist_ok=True)
    guard = build.guard({"HOME": str(home)}, folder=str(work))
    return guard.check(ToolCall("shell", "Bash", {"command": command}, str(work), (str(work),)))


@pytest.mark.parametrize("name", FILES)
def test_its_files_are_guarded_like_the_guard_s_own(tmp_path: Path, name: str) -> None:
    """To change one is denied, to read one is asked about; a file of the project is neither."""
    for commands, verdict in ((CHANGES, VERDICT_DENY), (READS, VERDICT_ASK)):
        for command in commands:
            found = judged(tmp_path, command.format(f"{FOLDER}/{name}"))
            assert found.verdict >= verdict, command
    for command in ("cat {}", "cp x {}", "sed -i s/a/b/ {}", "sqlite3 {} 'select 1'"):
        found = judged(tmp_path, command.format("notes.txt"))
        assert found.verdict == VERDICT_ALLOW, command


@pytest.mark.parametrize("command", ORDERS)
def test_its_commands_are_people_s(tmp_path: Path, command: str) -> None:
    """A link, a token, a web hook, an end: none is made by an agent; to look is permitted."""
    assert judged(tmp_path, command).verdict == VERDICT_DENY
    assert judged(tmp_path, "interlock status").verdict == VERDICT_ALLOW
