"""What is proven to be harmless, and what is not: all of a call is known, and it stays in the workspace."""

from __future__ import annotations

import json

import pytest

from interlock.cli import judge
from interlock.effects.read import read
from interlock.engine.proof import doubts
from interlock.facts import Recorded
from tests.judging import shell

PROVEN = [
    "ls -la", "cat README.md", "git status --short", "git diff --stat", "git log --oneline -5", "grep -rn 'def main' src | head -5", "touch a.txt",
    "mkdir -p src/new && touch src/new/__init__.py", "echo 'rm -rf /' > notes.txt", "sed -i 's/a/b/' src/a.py", "npm test", "pytest -q tests",
    "make build", "python3 -m pytest -q", "python3 scripts/check.py --all", "sh run.sh",
    "find . -name '*.py' -exec wc -l {} +", "set -euo pipefail; ls",
    "cp a.txt b.txt", "sort -u names.txt | uniq -c",
    "for f in src/*.py; do wc -l \"$f\"; done", "curl http://localhost:3000/health", "rm -rf node_modules", "cat /etc/os-release", "docker ps",
]  # fmt: skip
DOUBTED = [
    ("ls --no-such-option", "the option --no-such-option of ls is not known"),
    ("frobnicate a", "unknown-program"),
    ("git -Z status", "the option -Z of git is not known"),
    ("cat ~/.ssh/id_rsa", "it reads"),
    ("cat .env", "it reads"),
    ("rm src/a.py", "it deletes"),
    ("touch /etc/x", "it writes"),
    ("echo x >> ~/.bashrc", "it writes"),
    ("curl https://example.com", "it connects"),
    ("npm install left-pad", "it installs"),
    ("gh pr list", "gh asks a service elsewhere"),
    ("kubectl get pods", "kubectl asks a service elsewhere"),
    ("psql -c 'select 1'", "psql asks a service elsewhere"),
    ("sudo ls", "it escalates-privilege"),
    ("kill 1", "it kills-process"),
    ("rm -rf $X", "it may be"),
    ("echo $(", "not all of it could be read"),
    ("sh /tmp/unread.sh", "executes"),
    ("git push", "it pushes"),
    ("chmod 777 a", "it changes-mode"),
]


@pytest.mark.parametrize("command", PROVEN)
def test_ordinary_work_in_the_workspace_is_proven(command: str) -> None:
    """Nothing of it is unknown, and nothing leaves the workspace."""
    assert doubts(read(shell(command), Recorded("/home/user"))) == ()


@pytest.mark.parametrize(("command", "why"), DOUBTED)
def test_whatever_is_not_known_to_be_harmless_is_not_proven(command: str, why: str) -> None:
    """The reason is said."""
    assert why in "; ".join(doubts(read(shell(command), Recorded("/home/user"))))


@pytest.mark.parametrize(
    ("line", "proven"),
    [
        ({"id": "1", "command": "ls -la", "cwd": "/home/user/project", "kind": "bash"}, True),
        ({"id": "2", "command": "rm -rf /", "cwd": "/home/user/project", "kind": "bash"}, False),
        ({"id": "3", "command": "/home/user/project/a.py", "cwd": "/home/user/project", "kind": "write"}, True),
        ({"id": "4", "command": "/home/user/.ssh/config", "cwd": "/home/user/project", "kind": "write"}, False),
        ({"id": "5", "command": 1}, False),
    ],
)
def test_the_judge_says_whether_it_is_proven(line: dict[str, object], proven: bool) -> None:
    """One word more in its answer, false where anything is amiss."""
    assert judge.answer(json.dumps(line))["proven"] is proven
