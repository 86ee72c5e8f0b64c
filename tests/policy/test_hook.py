"""Policy files at the real hook: a process as a client starts it, with files where people put
them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.policy.files import PolicyLocations

HOOK = Path(__file__).resolve().parents[2] / "src/interlock/hook.py"


class Machine:
    """A home and a project in a folder, and a client that asks."""

    def __init__(self, top: Path) -> None:
        self.home, self.project = top / "home", top / "home/work"
        self.user, self.own = (
            self.home / ".config/interlock/policy.yaml",
            self.project / ".interlock/policy.yaml",
        )
        for file in (self.user, self.own):
            file.parent.mkdir(parents=True)
        self.variables: dict[str, str] = {}

    def ask(self, command: str, session: str = "s") -> tuple[str, str]:
        """Return the client's answer and the reason, for a shell command."""
        event = {
            "session_id": session,
            "cwd": str(self.project),
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": "t",
        }
        environment = {
            "HOME": str(self.home),
            "PATH": "/usr/bin:/bin",
            "CLAUDE_PROJECT_DIR": str(self.project),
            **self.variables,
        }
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(HOOK), "claude-code"],
            input=json.dumps(event),
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        said = json.loads(done.stdout) if done.stdout else {}
        output = said.get("hookSpecificOutput", {})
        return output.get("permissionDecision", "allow"), output.get(
            "permissionDecisionReason", ""
        ) + output.get("additionalContext", "") + str(said.get("systemMessage", "")) + done.stderr


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Make a home and a project."""
    return Machine(tmp_path)


def test_a_project_file_tightens_at_the_hook(machine: Machine) -> None:
    """What a team writes into its repository holds for everybody's agent, and says why."""
    assert machine.ask("cat keys/a")[0] == "allow"
    machine.own.write_text("version: 1\nfiles: {block: keys}\n", encoding="utf-8")
    answer, why = machine.ask("cat keys/a")
    assert answer == "deny"
    assert "policy blocks" in why
    assert machine.ask("cat src/a")[0] == "allow"


def test_a_sessions_file_holds_at_the_hook_for_that_session(machine: Machine) -> None:
    """The hook looks for the policy of the session that asks, and another session's calls are
    judged as before.
    """
    for session, expected in (("s", "deny"), ("t", "allow")):
        where = PolicyLocations(
            "/etc/interlock",
            str(machine.home),
            state=f"{machine.home}/.local/state/interlock",
            session=session,
        )
        if session == "s":
            Path(where.session_file).parent.mkdir(parents=True)
            Path(where.session_file).write_text(
                "version: 1\nfiles: {block: keys}\n", encoding="utf-8"
            )
        assert machine.ask("cat keys/a", session)[0] == expected


def test_what_a_policy_calls_a_secret_is_in_no_record(machine: Machine) -> None:
    """A name that the project's file gives is hidden in everything that the hook writes down."""
    machine.own.write_text("version: 1\naudit: {redact: customer_no}\n", encoding="utf-8")
    machine.ask("CUSTOMER_NO=47114711 some-program --customer_no 47114711")
    state = machine.home / ".local/state/interlock"
    assert "some-program" in "".join(
        [file.read_bytes().decode("latin-1") for file in state.rglob("*") if file.is_file()]
    )
    assert "47114711" not in "".join(
        [file.read_bytes().decode("latin-1") for file in state.rglob("*") if file.is_file()]
    )


@pytest.mark.parametrize(
    "text",
    [
        "observe: true",
        "profile: observe",
        "tune: [{rule: 'fs.*', action: allow}]",
        "files: {allow: /}",
    ],
)
def test_neither_a_variable_nor_a_repository_loosens_at_the_hook(
    machine: Machine, text: str
) -> None:
    """A home that ``HOME`` alone names, a project's file, variables of any name, a prefix of the
    command: what is denied stays denied.
    """
    for file in (machine.user, machine.own):
        file.write_text(f"version: 1\nintent: on\n{text}\n", encoding="utf-8")
    names = (
        "INTERLOCK_POLICY",
        "INTERLOCK_PROFILE",
        "INTERLOCK_OBSERVE",
        "XDG_CONFIG_HOME",
        "INTERLOCK_GUARD_LLM",
        "INTERLOCK_DISABLE",
    )
    machine.variables = dict.fromkeys(names, "observe")
    assert machine.ask("rm -rf /")[0] == "deny"
    assert machine.ask("INTERLOCK_PROFILE=observe HOME=/ rm -rf /")[0] == "deny"


def test_a_broken_file_is_said_in_every_answer_at_the_hook(machine: Machine) -> None:
    """Every call is asked about, with the file and the line, by a new reading and by the compiled
    one; mended, none is.
    """
    machine.user.write_text("version: 1\nrulez: []\n", encoding="utf-8")
    for _ in range(2):
        answer, why = machine.ask("ls")
        assert answer == "ask"
        assert "policy.yaml:2:1: there is no key 'rulez' in a policy; did you mean 'rules'?" in why
    machine.user.write_text("version: 1\nfiles: {block: keys}\n", encoding="utf-8")
    assert machine.ask("ls") == ("allow", "")


def test_the_second_call_reads_no_yaml(machine: Machine, tmp_path: Path) -> None:
    """The compiled policy answers where PyYAML cannot even be imported."""
    machine.own.write_text("version: 1\nfiles: {block: keys}\n", encoding="utf-8")
    assert machine.ask("cat keys/a")[0] == "deny"
    probe = tmp_path / "probe.py"
    probe.write_text(
        "import sys\nsys.modules['yaml'] = None\nsys.path.insert(0, sys.argv.pop(1))\nfrom interlock.cli import hook\nhook.main(['claude-code'])\n",
        encoding="utf-8",
    )
    event = {
        "session_id": "s",
        "cwd": str(machine.project),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "cat keys/b"},
    }
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(probe), str(HOOK.parents[1])],
        input=json.dumps(event),
        env={
            "HOME": str(machine.home),
            "PATH": os.environ.get("PATH", ""),
            "CLAUDE_PROJECT_DIR": str(machine.project),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "policy blocks" in done.stdout
