"""An agent client's whole process behind walls (``interlock run -- claude``), with programs that
stand for the clients: what a row lends, what stays, what is taken back.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.codemode.clients import (
    CLIENTS,
    JsonProgramKeys,
    find_fixed_paths,
    hosts,
    match_client,
    pick_variables,
)
from interlock.codemode.http_proxy import own_session, run_hook
from tests.codemode.scenes import needs
from tests.lasting import lasting

if TYPE_CHECKING:
    from collections.abc import Iterator

SRC = Path(__file__).parents[2] / "src"
STANDS_IN = """#!/bin/sh
for name in {state}; do mkdir -p "$HOME/$(dirname $name)"; echo kept >> "$HOME/$name"; done
for name in {fixed}; do echo evil > "$HOME/$name"; done
cat "$HOME/.ssh/id_ed25519" > read.txt 2>&1
echo x > "$HOME/.bashrc"
test -w "$HOME" && echo own > "$HOME/scratch"
[ -t 1 ] && echo at a terminal
echo "said $1 to ${TERM_OF_CLIENT:-nobody}"
sed 's/^/heard /'
exit 3
"""


def test_named() -> None:
    """A client is known by the program's name, as words or as a line of nothing but words."""
    assert match_client(["claude", "-p", "two words"]) == ("claude", ["claude", "-p", "two words"])
    assert match_client(["codex exec -"]) == ("codex", ["codex", "exec", "-"])
    assert match_client(["/opt/bin/gemini"])[0] == "gemini"
    for line in ("claude -p x | tee y", "claude; rm x", "X=1 claude", "echo claude", "claude 'x"):
        assert match_client([line])[0] == "", line


def test_what_is_passed() -> None:
    """A client gets its own variables and hosts, and nobody else's."""
    environment = {
        "ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "https://Models.example:8443/v1",
        "AWS_SECRET_ACCESS_KEY": "s", "OPENAI_API_KEY": "o",
    }  # fmt: skip
    row = CLIENTS["claude"]
    assert set(pick_variables(row, environment)) == {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"}
    assert "models.example" in hosts(row, environment)
    assert "models.example" not in hosts(CLIENTS["codex"], environment)
    assert "" not in hosts(row, {"ANTHROPIC_BASE_URL": "http://[nonsense"})


@pytest.mark.parametrize("written", [{"mcpServers": {"x": 1}}, {"projects": {"p": {"hooks": [1]}}}])
def test_keys(tmp_path: Path, written: dict[str, object]) -> None:
    """What starts programs is put back, wherever in the file it stands; the rest stays."""
    file = tmp_path / ".claude.json"
    before = {"mcpServers": {"own": {"command": "own"}}, "projects": {"p": {"mcpServers": {}}}}
    file.write_text(json.dumps(before), encoding="utf-8")
    keys = JsonProgramKeys(CLIENTS["claude"], str(tmp_path))
    assert list(keys.restore()) == []
    file.write_text(json.dumps({**before, "starts": 2, **written}), encoding="utf-8")
    assert len(list(keys.restore())) == 1
    after = json.loads(file.read_text(encoding="utf-8"))
    assert after["mcpServers"] == before["mcpServers"]
    assert after["starts"] == 2
    assert "hooks" not in after["projects"]["p"]


@pytest.fixture
def top() -> Iterator[Path]:
    """Make a folder that is not lent to every run, with a home, a project and a key."""
    made = lasting("walled-clients")
    shutil.rmtree(made, ignore_errors=True)
    for name in ("home/.ssh", "project", "bin"):
        (made / name).mkdir(parents=True)
    (made / "home/.ssh/id_ed25519").write_text("UNTOLD", encoding="utf-8")
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.mark.parametrize("name", CLIENTS)
def test_walls(top: Path, name: str) -> None:
    """Its state stays, what would run later is as it was, its streams are ours, and of the home
    there is nothing else.
    """
    needs("bubblewrap")
    row, home, project = CLIENTS[name], top / "home", top / "project"
    state = [f"{one}kept" if one.endswith("/") else one for one in row.state]
    there, absent = row.fixed[0], row.fixed[1]
    first = home / (f"{there}/x" if there.endswith("/") else there)
    first.parent.mkdir(parents=True, exist_ok=True)
    first.write_text("mine", encoding="utf-8")
    files = " ".join([one + "x" if one.endswith("/") else one for one in (there, absent)])
    stand_in = top / "bin" / name
    stand_in.write_text(
        STANDS_IN.replace("{state}", " ".join(state)).replace("{fixed}", files), encoding="utf-8"
    )
    stand_in.chmod(0o755)
    variables = {
        "HOME": str(home), "PATH": f"{top}/bin:/usr/bin:/bin", "PYTHONPATH": str(SRC),
        "LANG": "C.UTF-8", "INTERLOCK_RESIDENT": "off",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "interlock", "run", "--", name, "hello"],
        cwd=project, env=variables, input="words\n", capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert "said hello to nobody" in done.stdout
    assert "heard words" in done.stdout
    for one in state:
        assert (home / one).read_text(encoding="utf-8").endswith("kept\n"), done.stderr
    assert first.read_text(encoding="utf-8") == "mine"
    assert not (home / absent.rstrip("/")).exists()
    assert "UNTOLD" not in (project / "read.txt").read_text(encoding="utf-8")
    assert not (home / ".bashrc").exists()
    assert not (home / "scratch").exists(), "what it writes elsewhere at home goes with the run"
    assert "kernel (bubblewrap)" in done.stderr


def test_not_at_home(top: Path) -> None:
    """The home folder is nobody's workspace, and a client that is not installed does not start."""
    needs("bubblewrap")
    variables = {"HOME": str(top / "home"), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(SRC)}
    for folder, why in ((top / "home", "start it in a project"), (top / "project", "is nowhere")):
        done = subprocess.run(
            [sys.executable, "-m", "interlock", "run", "--", "opencode"],
            cwd=folder, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 126, done.stderr
        assert why in done.stderr


def test_a_session_of_its_own() -> None:
    """What is behind walls speaks for no session outside of them; what is no event stays as it
    is.
    """
    told = json.loads(own_session(b'{"session_id": "abc", "tool": {"session_id": 1}}', "w-"))
    assert told == {"session_id": "w-abc", "tool": {"session_id": 1}}
    assert own_session(b"no event", "w-") == b"no event"
    assert own_session(b"[1]", "w-") == b"[1]"


@pytest.mark.parametrize(
    "head", [b"HOOK check x\r\n\r\n", b"HOOK run 1\r\n\r\nx", b"HOOK note -1\r\n\r\n"]
)
def test_what_is_no_event(head: bytes) -> None:
    """Of what is no event nothing is asked."""
    ours, theirs = socket.socketpair()
    with ours, theirs, pytest.raises(ValueError, match="expected HOOK"):
        run_hook(ours, head, "claude-code")


def test_rows(tmp_path: Path) -> None:
    """What is fixed lies in the state or beside it, and of nothing there is both."""
    for row in CLIENTS.values():
        assert len(set(row.fixed)) == len(row.fixed)
        there, absent = find_fixed_paths(row, str(tmp_path))
        assert (there, len(absent)) == ((), len(row.fixed))
        assert not any(os.path.isabs(one) for one in (*row.state, *row.fixed))
