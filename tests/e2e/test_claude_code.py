"""The real Claude Code, with interlock installed by its own command, against a fake model.

Nothing of the tester's environment reaches the client: a fresh HOME, a dummy key, permissions bypassed, so that the hook is
the only thing in the way. What is to be refused would be harmless if it ran: it writes inside the test's own folders.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.e2e.fake_model import FakeModel, use

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / ".clients/claude-code-2.1.329/node_modules/.bin/claude"
PATH = "/usr/local/bin:/usr/bin:/bin"

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not CLIENT.exists(), reason="the real Claude Code is not installed; to run this: python scripts/install_client.py"),
]


class Desk(NamedTuple):
    """A fresh HOME, a project, and a copy of interlock that a test may break."""

    home: Path
    project: Path
    package: Path

    @property
    def settings(self) -> Path:
        """The client's settings of this HOME."""
        return self.home / ".claude/settings.json"

    def environment(self, **more: str) -> dict[str, str]:
        """Return all that a program started here may see."""
        return {"PATH": PATH, "HOME": str(self.home), "LANG": "C.UTF-8", "TERM": "dumb", "TMPDIR": str(self.home.parent), **more}

    def interlock(self, *words: str) -> str:
        """Run one of interlock's own commands as the person of this HOME."""
        command = [sys.executable, "-m", "interlock", *words]
        environment = self.environment(PYTHONPATH=str(self.package.parent))
        done = subprocess.run(command, env=environment, cwd=self.project, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def ask(self, model: FakeModel, prompt: str = "please do it") -> str:
        """Run the client with one prompt and return what it printed."""
        command = [str(CLIENT), "-p", prompt, "--model", "claude-sonnet-4-5", "--dangerously-skip-permissions", "--output-format", "json"]
        environment = self.environment(
            ANTHROPIC_BASE_URL=model.url,
            ANTHROPIC_API_KEY="sk-ant-dummy",
            IS_SANDBOX="1",
            DISABLE_AUTOUPDATER="1",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        )
        done = subprocess.run(
            command, env=environment, cwd=self.project, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90, check=False
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def edit_settings(self, **changes: Any) -> None:
        """Change our guarding entry in the client's settings."""
        document = json.loads(self.settings.read_text())
        document["hooks"]["PreToolUse"][0]["hooks"][0].update(changes)
        self.settings.write_text(json.dumps(document))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Install interlock for a fresh HOME."""
    made = Desk(tmp_path / "home", tmp_path / "project", tmp_path / "lib/interlock")
    made.home.mkdir()
    made.project.mkdir()
    shutil.copytree(ROOT / "src/interlock", made.package, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(["git", "init", "-q", str(made.project)], env=made.environment(), check=True, timeout=30)
    made.interlock("install", "claude-code")
    return made


def bash(command: str) -> dict[str, Any]:
    """Write a step that calls the shell tool."""
    return use("Bash", command=command, description="a step of a test")


def test_a_denied_call_does_not_happen_and_the_model_reads_why(desk: Desk) -> None:
    """A call that takes the guard out is refused; the model reads the reason, the words that matched and the rule."""
    before = desk.settings.read_bytes()
    with FakeModel(bash(f"echo '{{}}' > {desk.settings}")) as model:
        desk.ask(model)
    assert desk.settings.read_bytes() == before
    [told] = model.results()
    assert "interlock blocked this call" in told
    assert "rule: " in told
    assert "settings.json" in told
    assert "Do not retry" in told


def test_its_allowed_twin_happens(desk: Desk) -> None:
    """The same words with a target in the workspace run, and nothing is said about them."""
    with FakeModel(bash("echo '{}' > settings.json")) as model:
        desk.ask(model)
    assert (desk.project / "settings.json").read_text() == "{}\n"
    assert "interlock" not in model.results()[0]


@pytest.mark.parametrize(("name", "allowed"), [("notes.txt", True), (".claude/settings.json", False)])
def test_the_write_tool_is_judged_too(desk: Desk, name: str, *, allowed: bool) -> None:
    """A file tool is held to the same policy as the shell: a project's file may be written, a switch of the guard not."""
    target = desk.project / name
    with FakeModel(use("Write", file_path=str(target), content='{"disableAllHooks": true}')) as model:
        desk.ask(model)
    assert target.exists() is allowed
    assert ("interlock" in model.results()[0]) is not allowed


def test_an_ask_in_print_mode_is_a_denial_with_the_reason(desk: Desk) -> None:
    """Where no person can be asked, what would be asked does not happen, and the model reads why; a narrower call happens."""
    (desk.project / "src").mkdir()
    for name in ("kept.txt", "gone.txt"):
        (desk.project / "src" / name).write_text("work that no commit holds\n")
    with FakeModel(bash("rm -r src"), bash("rm src/gone.txt")) as model:
        desk.ask(model)
    assert os.listdir(desk.project / "src") == ["kept.txt"]
    told = model.results()
    assert "rule: " in told[0]
    assert "interlock" not in told[1]


def test_a_warning_reaches_the_model_and_the_call_happens(desk: Desk) -> None:
    """A call that is only warned about runs, and the model reads the warning."""
    (desk.project / ".env").write_text("COLOUR=blue\n")
    with FakeModel(bash("cat .env")) as model:
        desk.ask(model)
    assert "COLOUR=blue" in model.results()[0]
    assert "interlock let this call pass, with a warning" in model.heard()


def test_every_call_and_its_outcome_are_recorded(desk: Desk) -> None:
    """The log holds the refused call and the one that ran, with what it printed."""
    with FakeModel(bash("echo it-ran > out.txt; cat out.txt"), bash(f"echo '{{}}' > {desk.settings}")) as model:
        desk.ask(model)
    rows = [json.loads(line) for line in desk.interlock("log", "--json").splitlines()]
    ran, refused = sorted(rows, key=lambda row: str(row["verdict"]))
    assert (ran["verdict"], refused["verdict"]) == ("allow", "deny")
    assert "it-ran" in ran["result"]
    assert not refused["result"]
    assert ran["session_id"] == refused["session_id"] != ""


def test_the_session_is_told_about_the_guard(desk: Desk) -> None:
    """The model reads at the start that calls are judged and that a blocked call is not to be retried."""
    with FakeModel() as model:
        desk.ask(model)
    assert "Do not retry a blocked call" in model.heard()


def test_a_subagent_is_guarded(desk: Desk) -> None:
    """What a sub-agent wants is judged like everything else; its allowed call happens."""
    before = desk.settings.read_bytes()
    steps = [bash(f"echo '{{}}' > {desk.settings}"), bash("echo hello > inside.txt")]
    task = use("Agent", description="sub", prompt="SUBMARK do it", subagent_type="general-purpose", run_in_background=False)
    with FakeModel(task, scripts={"SUBMARK": steps}) as model:
        desk.ask(model)
    assert desk.settings.read_bytes() == before
    assert (desk.project / "inside.txt").exists()


def _empty(desk: Desk) -> None:
    (desk.package / "hook.py").write_text("")


def _garbage(desk: Desk) -> None:
    (desk.package / "hook.py").write_text("print('{{ this is no answer')\n")


def _truncated(desk: Desk) -> None:
    text = (desk.package / "cli/hook.py").read_text()
    (desk.package / "cli/hook.py").write_text(text[: len(text) // 2] + "\n(")


def _missing_file(desk: Desk) -> None:
    (desk.package / "hook.py").unlink()


def _missing_package(desk: Desk) -> None:
    shutil.rmtree(desk.package / "model")


def _missing_python(desk: Desk) -> None:
    command = json.loads(desk.settings.read_text())["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    desk.edit_settings(command=command.replace(sys.executable, "/no/such/python"))


def _killed(desk: Desk) -> None:
    (desk.package / "cli/build.py").write_text("import os\nos.kill(os.getpid(), 9)\n")


def _crashing(desk: Desk) -> None:
    (desk.package / "cli/build.py").write_text("1 / 0\n")


def _crashing_deep(desk: Desk) -> None:
    (desk.package / "cli/build.py").write_text("def guard(*_):\n    return guard()\n")


def _exiting(desk: Desk) -> None:
    (desk.package / "cli/build.py").write_text("raise SystemExit(0)\n")


def _endless(desk: Desk) -> None:
    path = desk.package / "cli/hook.py"
    path.write_text(path.read_text().replace("DEADLINE = 15.0", "DEADLINE = 1.0"))
    (desk.package / "cli/build.py").write_text("while True:\n    try:\n        pass\n    except BaseException:\n        pass\n")


def _asleep(desk: Desk) -> None:
    (desk.package / "hook.py").write_text("import sys, time\ntime.sleep(6 * ('check' in sys.argv))\n")
    desk.edit_settings(timeout=2)


BREAKS = [
    _empty, _garbage, _truncated, _missing_file, _missing_package, _missing_python, _killed, _crashing, _crashing_deep, _exiting, _endless, _asleep,
]  # fmt: skip


@pytest.mark.parametrize("broken", BREAKS, ids=lambda broken: broken.__name__.strip("_"))
def test_a_broken_guard_lets_nothing_run(desk: Desk, broken: Any) -> None:
    """However the hook is broken or late, the call does not run; the model is told something, and never a traceback."""
    broken(desk)
    canary = desk.project / "canary.txt"
    with FakeModel(bash(f"touch {canary}")) as model:
        desk.ask(model)
    assert not canary.exists()
    [told] = model.results()
    assert told.strip()
    assert "Traceback" not in told


def test_a_broken_guard_does_not_block_the_person(desk: Desk) -> None:
    """With a guard that cannot even start, a prompt still reaches the model: only calls are refused."""
    _missing_package(desk)
    with FakeModel() as model:
        printed = desk.ask(model, "SAID-BY-A-PERSON")
    assert "SAID-BY-A-PERSON" in model.heard()
    assert json.loads(printed)["result"] == "done"


def test_after_uninstall_the_client_is_as_before(desk: Desk) -> None:
    """Uninstalling leaves no settings behind, and calls run unjudged again."""
    desk.interlock("uninstall", "claude-code")
    assert not os.path.exists(desk.settings)
    (desk.project / "src").mkdir()
    with FakeModel(bash("rm -r src")) as model:
        desk.ask(model)
    assert not (desk.project / "src").exists()
