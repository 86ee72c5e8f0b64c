"""Packages for clients and package managers: made of the source, and what asks the program refuses
whenever it gets no answer.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.model.release import __version__

TOP = Path(__file__).resolve().parents[2]
PACKAGING = TOP / "packaging"
GUARD = PACKAGING / "claude-code/hooks/guard.sh"
PERMITTED = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"a warning"}}'


def test_what_is_made_of_the_source_is_fresh() -> None:
    """Hooks, the OpenCode package and versions are those of this source."""
    argv = [sys.executable, "-m", "scripts.make_packages", "--check"]
    environment = {**os.environ, "PYTHONPATH": f"{TOP}/src:{TOP}"}
    done = subprocess.run(
        argv, cwd=TOP, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "path", sorted(PACKAGING.rglob("*.json")), ids=lambda path: path.parent.name
)
def test_manifests_are_json_and_name_this_release(path: Path) -> None:
    """Each can be read, and one that has a version has this one."""
    told = json.loads(path.read_text(encoding="utf-8"))
    assert told.get("version", __version__) == __version__


def test_the_marketplace_names_a_plugin_that_is_there() -> None:
    """Its source is a folder of this repository with a manifest of the same name."""
    [plugin] = json.loads((TOP / ".claude-plugin/marketplace.json").read_text())["plugins"]
    manifest = TOP / plugin["source"] / ".claude-plugin/plugin.json"
    assert json.loads(manifest.read_text())["name"] == plugin["name"]


# what the program does, the mode, the exit code, what is said
ROWS = [
    ("exit 100", "check", 0, ""),
    (f"echo '{PERMITTED}'; exit 100", "check", 0, "a warning"),
    ("echo refused; exit 2", "check", 2, "refused"),
    ("exit 2", "check", 2, "interlock failed (2)"),
    ("exit 0", "check", 2, "interlock failed (0)"),
    ("exit 1", "check", 2, "interlock failed (1)"),
    ("kill -9 $$", "check", 2, "interlock failed (137)"),
    (None, "check", 2, "interlock was not found"),
    ("exit 0", "note", 0, ""),
    ("echo '{}'", "note", 0, "{}"),
    ("exit 1", "note", 1, "interlock failed (1)"),
    (None, "note", 1, "interlock was not found"),
]


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
@pytest.mark.parametrize(("does", "mode", "code", "said"), ROWS)
def test_every_end_but_an_answer_refuses_a_call(
    does: str | None, mode: str, code: int, said: str, tmp_path: Path
) -> None:
    """A missing program, a crash, a kill, an empty refusal: the call does not run, in the words of
    the clients; of an event that asks nothing it is an error that blocks nobody (no exit code 2).
    """
    if does is not None:
        program = tmp_path / "interlock"
        program.write_text(f"#!/bin/sh\ncat >/dev/null\n{does}\n")
        program.chmod(0o755)
    for tool in ("cat", "sh"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or tool)
    done = subprocess.run(
        ["/bin/sh", GUARD, "claude-code", mode],
        input="{}",
        env={"PATH": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done
    assert said in done.stdout + done.stderr
    if code == 2 and "failed" in said + done.stderr:
        assert json.loads(done.stdout)["permissionDecision"] == "deny"


def test_the_formula_names_the_sdist_and_its_digest(tmp_path: Path) -> None:
    """A release's formula has the digest of what is published; where Ruby is, it parses."""
    sdist = tmp_path / "interlock-1.0.tar.gz"
    sdist.write_bytes(b"made up")
    url = "https://forge.example/interlock/releases/download/v1.0/interlock-1.0.tar.gz"
    argv = [sys.executable, str(TOP / "scripts/formula.py"), str(sdist), url]
    text = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert f'url "{url}"' in text
    assert re.search(r'^  sha256 "[0-9a-f]{64}"$', text, re.MULTILINE)
    ruby = shutil.which("ruby")
    if ruby:
        (tmp_path / "interlock.rb").write_text(text)
        subprocess.run([ruby, "-c", tmp_path / "interlock.rb"], check=True, capture_output=True)


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb is not installed")
def test_the_debian_package_is_the_same_twice_and_runs(tmp_path: Path) -> None:
    """Built twice it is the same file; unpacked, its program answers by Debian's own Python."""
    made = []
    for name in ("a", "b"):
        argv = ["sh", str(PACKAGING / "debian/build.sh"), str(tmp_path / name)]
        subprocess.run(
            argv, env={**os.environ, "PYTHON": sys.executable}, check=True, capture_output=True
        )
        [deb] = (tmp_path / name).glob("*.deb")
        made.append(deb.read_bytes())
    assert made[0] == made[1]
    tree = tmp_path / "tree"
    subprocess.run(["dpkg-deb", "-x", deb, tree], check=True)
    environment = {
        "PYTHONPATH": f"{tree}/usr/lib/python3/dist-packages",
        "HOME": str(tmp_path),
        "PATH": "/usr/bin:/bin",
    }
    argv = [f"{tree}/usr/bin/interlock", "check", "--", "rm -rf /"]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "DENY" in done.stdout) == (11, True), done.stderr


@pytest.mark.e2e
@pytest.mark.long
def test_the_action_installs_and_protects(tmp_path: Path) -> None:
    """Its scripts, with the variables that a runner gives: afterwards the agent's settings name the
    hook, and the summary has the day's figures.
    """
    environment = {
        **{name: value for name, value in os.environ.items() if name.startswith("PIP_")},
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "RUNNER_TEMP": str(tmp_path / "runner"),
        "GITHUB_PATH": str(tmp_path / "path"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "SOURCE": str(TOP),
        "AGENTS": "claude-code codex",
        "PROFILE": "default",
        "PROVEN": "approve",
    }
    argv = ["bash", str(PACKAGING / "action/protect.sh")]
    done = subprocess.run(
        argv, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "claude-code asks interlock before every tool call" in done.stdout, (
        done.stderr + done.stdout
    )
    assert "interlock" in (tmp_path / ".claude/settings.json").read_text()
    place = (tmp_path / "path").read_text().strip()
    environment["PATH"] = f"{place}:/usr/bin:/bin"
    subprocess.run(
        ["bash", str(PACKAGING / "action/report.sh")], env=environment, check=True, cwd=tmp_path
    )
    assert "## interlock" in (tmp_path / "summary.md").read_text()
