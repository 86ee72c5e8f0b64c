"""How often the real clients ask during ordinary work, before and after ``proven: approve``: what
nobody sits there to answer does not run.

Claude Code and Copilot run in their default mode without a person: a call that they would ask about
does not run, and the log tells which did. Codex and Qwen Code are driven by their own protocols,
where somebody says yes to every question, and the questions are counted. The user's policy counts
only in the home that the system names for this user, so a fresh one is laid over it, in a sandbox
of bubblewrap's.
"""

from __future__ import annotations

import json
import os
import pwd
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e import talking
from tests.e2e.clients import (
    BUBBLEWRAP,
    CLAUDE,
    CODEX,
    COPILOT,
    MORE,
    QWEN,
    ROOT,
    Client,
    Desk,
    desk_of,
)

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.doctor.fake_models import ScriptedModel

pytestmark = [pytest.mark.e2e, BUBBLEWRAP]

HOME = pwd.getpwuid(os.getuid()).pw_dir
ORDINARY = tuple(
    """
ls -la
git status --short
cat README.md
mkdir -p src tests
touch src/__init__.py
echo 'def add(a, b): return a + b' > src/sums.py
cat src/sums.py
grep -rn 'def ' src | head -5
wc -l src/*.py
printf 'import src.sums\\n' > tests/test_sums.py
python3 -m py_compile src/sums.py
python3 -c 'print(1 + 1)'
sed -i 's/a + b/b + a/' src/sums.py
git add src tests
git diff --cached --stat
cp README.md docs.md
mv docs.md notes.md
find . -name '*.py' -not -path './.git/*'
sort -u notes.md > sorted.txt
diff notes.md sorted.txt || true
for f in src/*.py; do wc -c "$f"; done
tail -n 3 README.md
head -c 100 README.md
test -f src/sums.py && echo there
du -sh .
git log --oneline -5 2>/dev/null || true
git branch --show-current
echo done >> notes.md
tar -cf build.tar src
tar -tf build.tar
sha256sum README.md
stat -c %s README.md
python3 -m unittest discover -s tests 2>&1 | tail -3
ln -s notes.md link.md
readlink link.md
basename "$PWD"
date +%Y
cut -d' ' -f1 README.md | uniq -c
tr a-z A-Z < README.md | head -1
git diff
""".strip().splitlines()
)
"""Forty ordinary calls."""
LEAST = 10
"""So many of them at least a client asks about by itself."""
DEFAULT = {
    "claude-code": ("--dangerously-skip-permissions",),
    "copilot": ("--yolo",),
}
"""What is left out of the words that start a client against a made-up model, so that it asks as it
does for everybody.
"""


def inside(desk: Desk, argv: list[str], environment: dict[str, str]) -> list[str]:
    """Return what starts a program where the desk's home lies over the one that the system
    names.
    """
    kept = [
        path
        for path in {str(ROOT), sys.prefix, sys.base_prefix, str(desk.home.parent)}
        if path.startswith(f"{HOME}/")
    ]
    binds = [word for path in sorted(kept) for word in ("--bind", path, path)]
    variables = [f"{name}={value}" for name, value in {**environment, "HOME": HOME}.items()]
    return [
        "bwrap",
        "--dev-bind",
        "/",
        "/",
        "--bind",
        str(desk.home),
        HOME,
        *binds,
        "--chdir",
        str(desk.project),
        "env",
        "-i",
        *variables,
        *argv,
    ]


def ran(desk: Desk, model: ScriptedModel) -> int:
    """Run the client in its default mode; return how many of its calls ran."""
    argv, environment = desk.line(model)
    environment.pop("COPILOT_ALLOW_ALL", None)
    words = [word for word in argv if word not in DEFAULT[desk.client.name]]
    done = subprocess.run(
        inside(desk, words, environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert model.requests, done.stderr + done.stdout
    shown = [sys.executable, "-m", "interlock", "log", "--json", "-n", "100"]
    log = subprocess.run(
        inside(desk, shown, desk.environment(PYTHONPATH=str(desk.package.parent))),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    rows = [json.loads(line) for line in log.stdout.splitlines()]
    assert len(rows) >= len(ORDINARY), log.stdout + done.stdout
    return sum(row["status"] == "ran" for row in rows)


def questions(desk: Desk, model: ScriptedModel) -> int:
    """Drive the client by its own protocol; return how often it asked."""
    for file in (desk.home / ".codex").rglob("*.*"):
        if file.is_file() and file.suffix in (".json", ".toml"):
            # the places that it knows are where its home is laid over
            file.write_text(file.read_text().replace(str(desk.home), HOME))
    argv, environment = desk.line(model)
    if desk.client.name == "codex":
        return talking.codex(inside(desk, argv[:1], environment), str(desk.project))
    return talking.acp(inside(desk, [argv[0], "--acp"], environment), str(desk.project), "default")


def session(client: Client, top: Path, policy: str) -> int:
    """Return how many of forty ordinary calls a client asks about."""
    top.mkdir()
    desk = desk_of(client, top)
    (desk.project / "README.md").write_text("words of a project\nmore words\n")
    file = desk.home / ".config/interlock/policy.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(policy)
    with client.wire(*[client.run_shell(command) for command in ORDINARY]) as model:
        return (
            len(ORDINARY) - ran(desk, model) if client.name in DEFAULT else questions(desk, model)
        )


def row(client: Client) -> Any:
    """Return a client as a parameter."""
    there = pytest.mark.skipif(
        not os.path.exists(client.installed.path),
        reason=f"{client.name} is not installed: scripts/install_client.py",
    )
    return pytest.param(client, id=client.name, marks=[there, MORE])


@pytest.mark.parametrize("client", [row(client) for client in (CLAUDE, CODEX, COPILOT, QWEN)])
def test_ordinary_work_is_asked_about_no_more(client: Client, tmp_path: Path) -> None:
    """Of forty ordinary calls the client asks about many on its own, and about none where what is
    proven is answered.
    """
    before = session(client, tmp_path / "before", "version: 1\nproven: pass\n")
    after = session(client, tmp_path / "after", "version: 1\nproven: approve\n")
    assert before >= LEAST
    assert after == 0
