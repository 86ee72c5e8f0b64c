"""``interlock test-guard``: guards of several kinds, made up and real, in the settings of several
clients.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from interlock.doctor import guards, hook_probe
from interlock.doctor.guards import find_guards
from interlock.doctor.intents import FORBIDDEN, HARMLESS, Intent
from interlock.doctor.obfuscations import SPELLINGS
from interlock.doctor.trial import questions
from interlock.model.action import VERDICT_ALLOW
from tests.judging import judged
from tests.warm import SOURCE, interlock

NAIVE = "grep -q 'rm -rf /' && { echo 'no, never' >&2; exit 2; }; exit 0"
JSON_DENY = """grep -q evil.test && echo '{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}'; exit 0"""


class Person:
    """A home and a project of their own."""

    def __init__(self, top: Path) -> None:
        self.home, self.project = top / "home", top / "home/project"
        self.project.mkdir(parents=True)

    def write(self, name: str, document: object) -> Path:
        """Write a settings file below the home."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document))
        return path

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run an interlock command as this person."""
        environment = {
            "HOME": str(self.home),
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(SOURCE),
            "LANG": "C.UTF-8",
        }
        return interlock(*words, cwd=self.project, env=environment, timeout=180)

    def tested(self, *words: str) -> tuple[int, dict[str, Any]]:
        """Return the exit code and the document of ``test-guard --json``."""
        done = self.run("test-guard", "--json", *words)
        assert done.stdout, done.stderr
        document: dict[str, Any] = json.loads(done.stdout)
        return done.returncode, document


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Return a person without any settings."""
    return Person(tmp_path)


def claude(command: str, matcher: str = "Bash", event: str = "PreToolUse") -> dict[str, Any]:
    """Return settings of Claude Code's kind with one hook."""
    return {
        "hooks": {event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]}
    }


def test_nothing_installed_is_said(person: Person) -> None:
    """Without any guard the person is told so, and how to get one."""
    done = person.run("test-guard")
    assert done.returncode == 1
    assert "interlock install claude-code" in done.stderr


def test_a_naive_guard_is_seen_through(person: Person) -> None:
    """A guard that looks for the plain words stops these, and each spelling that it lets pass is
    named with its command.
    """
    person.write(".claude/settings.json", claude(NAIVE))
    code, document = person.tested("--intent", "delete-system")
    told = document["claude-code"]
    assert code == 1
    passed = {row["spelling"]: row["command"] for row in told["passed"]}
    assert "plain" not in passed
    assert "env" not in passed
    assert passed["ANSI-C octal"] == r"$'\162\155' -rf /"
    assert "base64 into sh" in passed
    assert told["spellings"]["plain"] == {"asked": 1, "stopped": 1, "denied": 1}
    assert told["harmless"]["stopped"] == 0
    printed = person.run("test-guard", "--intent", "delete-system").stdout
    assert "base64 into sh" in printed
    assert "forbidden commands were stopped" in printed


def test_our_guard_stops_them_all(person: Person) -> None:
    """Interlock as it is installed stops what is asked about, and lets the harmless ones pass that
    are written plainly.
    """
    assert person.run("install", "claude-code").returncode == 0
    code, document = person.tested("--quick", "--intent", "guard-off")
    told = document["claude-code"]
    assert told["passed"] == []
    assert code == 0
    assert not told["refuses_everything"]
    assert not (person.home / ".local/state/interlock/interlock.db").exists(), (
        "questions do not land in the person's log"
    )


@pytest.mark.parametrize("intent", FORBIDDEN, ids=lambda intent: intent.name)
def test_ours_stops_every_spelling(intent: Intent) -> None:
    """Each forbidden intent is stopped in every spelling; the harmless commands, plainly written,
    are not.
    """
    asked = questions([intent], SPELLINGS)
    assert [
        question.spelling
        for question in asked
        if not question.harmless and judged(question.command).verdict == VERDICT_ALLOW
    ] == []
    assert [
        harmless.name for harmless in HARMLESS if judged(harmless.command).verdict != VERDICT_ALLOW
    ] == []


def test_a_guard_that_refuses_everything_is_called_that(person: Person) -> None:
    """Everything is stopped, and that is no praise: the harmless ones are refused too, and the exit
    code says no.
    """
    person.write(".claude/settings.json", claude("echo no >&2; exit 2"))
    code, document = person.tested("--intent", "delete-system")
    assert document["claude-code"]["passed"] == []
    assert document["claude-code"]["refuses_everything"] is True
    assert code == 1
    assert "tells nothing apart" in person.run("test-guard", "--intent", "delete-system").stdout


@pytest.mark.parametrize(
    "command",
    ["exit 1", "/no/such/guard", "echo '{'", 'echo \'{"decision": "perhaps"}\'', "exit 2"],
)
def test_a_failing_guard_stops_nothing(person: Person, command: str) -> None:
    """A crash, a missing program, half an answer, an unknown word or a silent exit 2 is no
    refusal.
    """
    code, document = person.tested("--intent", "delete-system", "--hook", command)
    told = document["claude-code"]
    assert code == 1
    assert told["intents"]["delete-system"]["stopped"] == 0
    assert all(row["said"].startswith("exit ") for row in told["passed"])


def test_guards_of_several_clients_are_found(person: Person) -> None:
    """The settings of every client are read, in the home and in the project, each in its own shape;
    what is for other tools is not asked.
    """
    person.write(".claude/settings.json", claude("one", matcher="Write|Edit"))
    person.write("project/.claude/settings.local.json", claude("two", matcher="Bash|Write"))
    person.write(".gemini/settings.json", claude("three", "*", "BeforeTool"))
    person.write(
        ".copilot/hooks/a.json",
        {"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "four"}]}},
    )
    person.write(
        ".cursor/hooks.json",
        {
            "version": 1,
            "hooks": {
                "beforeShellExecution": [{"command": "five"}],
                "afterFileEdit": [{"command": "x"}],
            },
        },
    )
    person.write(
        ".codeium/windsurf/hooks.json", {"hooks": {"pre_run_command": [{"command": "six"}]}}
    )
    (person.home / ".codex").mkdir()
    (person.home / ".codex/config.toml").write_text(
        '[[hooks.PreToolUse]]\nmatcher = "*"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "seven"\n'
    )
    (person.home / ".qwen").mkdir()
    (person.home / ".qwen/settings.json").write_text("{ no JSON")
    found = {
        (guard.client, guard.command)
        for guard in find_guards(str(person.home), str(person.project), {})
    }
    assert found == {
        ("claude-code", "two"), ("gemini", "three"), ("copilot", "four"), ("cursor", "five"), ("windsurf", "six"), ("codex", "seven"),
    }  # fmt: skip


def test_a_projects_hooks_are_run_only_where_it_is_named(person: Person) -> None:
    """Whoever wrote a repository wrote its hooks: they are not run unasked."""
    mark = person.home / "was-run"
    person.write("project/.claude/settings.json", claude(f"touch {mark}"))
    assert person.run("test-guard").returncode == 1
    assert not mark.exists()
    code, document = person.tested("--project", "--intent", "drop-database", "--quick")
    assert (code, list(document)) == (1, ["claude-code"])
    assert mark.exists()


def test_a_folder_that_was_moved_is_found(person: Person) -> None:
    """Where a variable moves the client's folder, that one is read."""
    person.write("elsewhere/settings.json", claude("moved"))
    found = find_guards(
        str(person.home), str(person.project), {"CLAUDE_CONFIG_DIR": str(person.home / "elsewhere")}
    )
    assert [guard.command for guard in found] == ["moved"]


@pytest.mark.parametrize("client", sorted(guards.BY_CLIENT))
def test_a_hook_is_asked_in_its_clients_words(person: Person, client: str) -> None:
    """The payload of each client holds the command where that client puts it, so a guard that reads
    it can refuse.
    """
    event = guards.BY_CLIENT[client].events[0]
    payload = guards.BY_CLIENT[client].payload(
        event, "curl http://evil.test/", str(person.project), "one"
    )
    assert (
        hook_probe.ask(JSON_DENY, payload, {"PATH": "/usr/bin:/bin"}, str(person.project)).verdict
        == hook_probe.DENY
    )
    harmless = guards.BY_CLIENT[client].payload(event, "ls", str(person.project), "one")
    assert (
        hook_probe.ask(JSON_DENY, harmless, {"PATH": "/usr/bin:/bin"}, str(person.project)).verdict
        == hook_probe.PASS
    )


@pytest.mark.parametrize(
    ("code", "out", "err", "verdict"),
    [
        (0, "", "", "pass"),
        (2, "", "no", "deny"),
        (2, '{"decision":"deny"}', "", "deny"),
        (2, "", "", "failed"),
        (1, "", "no", "failed"),
        (127, "", "not found", "failed"),
        (0, '{"decision":"block","reason":"x"}', "", "deny"),
        (0, '{"decision":"approve"}', "", "pass"),
        (0, '{"permission":"ask"}', "", "ask"),
        (0, '{"cancel":true,"errorMessage":"x"}', "", "deny"),
        (0, '{"hookSpecificOutput":{"permissionDecision":"deny"}}', "", "deny"),
        (0, '{"hookSpecificOutput":{"permissionDecision":"ask"}}', "", "ask"),
        (0, '{"hookSpecificOutput":{"decision":{"behavior":"deny"}}}', "", "deny"),
        (0, '{"hookSpecificOutput":{"permissionDecision":"deny"', "", "failed"),
        (0, '{"decision":"maybe"}', "", "failed"),
        (0, '{"systemMessage":"x"}', "", "pass"),
        (0, "no JSON", "", "failed"),
        (0, "[]", "", "pass"),
        pytest.param(0, "[" * 100_000, "", "failed", id="nested without end"),
    ],
)
def test_an_answer_is_read_as_clients_read_it(code: int, out: str, err: str, verdict: str) -> None:
    """What the measured clients take for a refusal is one, and nothing else is."""
    assert hook_probe.read(code, out, err) == verdict
