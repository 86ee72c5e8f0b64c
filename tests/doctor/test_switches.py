"""What disarms a client's hooks is found wherever it is: settings of every level, variables, and
what starts the client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.doctor import hook_switches, settings_check
from interlock.doctor.report_row import GREEN, RED
from interlock.integrations.clients import CLIENTS, adapter_of

if TYPE_CHECKING:
    from pathlib import Path


class Machine:
    """A home, a project below it, and a folder of programs."""

    def __init__(self, top: Path) -> None:
        self.home, self.project, self.bin = top / "home", top / "home/project", top / "bin"
        self.project.mkdir(parents=True)
        self.bin.mkdir()

    def write(self, name: str, text: str) -> Path:
        """Write a file below the home."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def seen(self, client: str = "claude-code", **environment: str) -> list[tuple[str, str]]:
        """Return colour and words of every row."""
        settings = adapter_of(client).SETTINGS
        paths = settings_check.files(settings, str(self.project))
        return [
            (row.colour, row.seen)
            for row in hook_switches.find_switches(paths, settings, environment, str(self.home))
        ]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Return a machine on which nothing is switched off."""
    made = Machine(tmp_path)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.setenv("PATH", str(made.bin))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "QWEN_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return made


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_nothing_switched_off_is_one_green_row(machine: Machine, client: str) -> None:
    """A machine without switches is told so in one row, for every client."""
    assert [colour for colour, _ in machine.seen(client)] == [GREEN]


SWITCHED = [
    ("claude-code", ".bashrc", "alias claude='claude --bare'\n"),
    ("claude-code", ".zshrc", 'claude() { command claude --safe-mode "$@"; }\n'),
    ("claude-code", ".profile", "export CLAUDE_CODE_SIMPLE=1\n"),
    ("claude-code", ".config/fish/config.fish", "set -gx CLAUDE_CODE_SAFE_MODE 1\n"),
    ("claude-code", ".claude/settings.json", '{"disableAllHooks": true}'),
    ("claude-code", "project/.claude/settings.json", '{"disableAllHooks": true}'),
    ("claude-code", ".claude/settings.json", '\ufeff{"disableAllHooks": true}'),
    ("claude-code", "project/.claude/settings.local.json", '{"disableAllHooks": true}'),
    ("claude-code", ".claude/settings.local.json", '{"env": {"CLAUDE_CODE_SIMPLE": "1"}}'),
    ("codex", ".codex/config.toml", "[features]\nhooks = false\n"),
    ("codex", "project/.codex/config.toml", "[features]\nhooks = false\n"),
    ("codex", ".bash_aliases", "alias codex='codex -c features.hooks=false'\n"),
    ("codex", ".bashrc", "alias codex='codex --disable hooks'\n"),
    ("copilot", "project/.github/copilot/settings.json", '{"disableAllHooks": true}'),
    (
        "copilot",
        ".copilot/config.json",
        '// managed by "copilot"\n{"url": "http://x", /* off */ "disableAllHooks": true}\n',
    ),
    ("gemini", "project/.gemini/settings.json", '{"hooksConfig": {"enabled": false}}'),
    ("gemini", ".gemini/settings.json", '{"hooksConfig": {"disabled": ["interlock"]}}'),
    ("opencode", ".bashrc", "alias opencode='opencode --pure'\n"),
    ("opencode", ".profile", "export OPENCODE_PURE=1\n"),
    ("pi", ".bashrc", "alias pi='pi -ne'\n"),
    ("qwen", "project/.qwen/settings.json", '{"disableAllHooks": true}'),
    ("qwen", ".zshenv", "export QWEN_CODE_SAFE_MODE=true\n"),
]


@pytest.mark.parametrize(("client", "name", "text"), SWITCHED)
def test_a_switch_is_red_wherever_it_is(
    machine: Machine, client: str, name: str, text: str
) -> None:
    """What starts the client without its hooks is red, with its place."""
    path = machine.write(name, text)
    assert [(colour, str(path) in seen) for colour, seen in machine.seen(client)] == [(RED, True)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            ".bashrc",
            "alias claude='claude --model opus'\n# alias claude='claude --bare'\nalias git='git --bare'\n",
        ),
        (".profile", "export CLAUDE_CODE_SIMPLE=0\nexport CLAUDE_MODEL=opus\n"),
        (".claude/settings.local.json", '{"disableAllHooks": false, "env": {"EDITOR": "vi"}}'),
        (".codex/config.toml", "[features]\nhooks = false\n"),
    ],
)
def test_what_switches_nothing_off_is_green(machine: Machine, name: str, text: str) -> None:
    """An alias with another option, a comment, another program, another client and a switch that is
    not on are nobody's business.
    """
    machine.write(name, text)
    assert [colour for colour, _ in machine.seen()] == [GREEN]


@pytest.mark.parametrize(
    ("client", "name", "colour"),
    [
        ("claude-code", "CLAUDE_CODE_SIMPLE", "red"),
        ("claude-code", "CLAUDE_CODE_SAFE_MODE", "red"),
        ("claude-code", "CLAUDE_CONFIG_DIR", "green"),  # what is looked at follows it
        ("qwen", "QWEN_CODE_SIMPLE", "red"),
        ("opencode", "OPENCODE_PURE", "red"),
        ("gemini", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "amber"),
        ("gemini", "EDITOR", "green"),
    ],
)
def test_a_variable_of_the_environment(
    machine: Machine, client: str, name: str, colour: str
) -> None:
    """A client started from here would get it: red where it drops hooks, amber where it names
    settings that nobody looked at.
    """
    assert [row[0] for row in machine.seen(client, **{name: "1"})] == [colour]


def test_a_script_in_front_of_the_client_is_looked_into(machine: Machine) -> None:
    """What is started under the client's name may be a script that adds an option; one that adds
    another is left alone.
    """
    program = machine.bin / "claude"
    program.write_text('#!/bin/sh\nexec /opt/claude/claude --bare "$@"\n')
    program.chmod(0o755)
    assert machine.seen() == [(RED, f"{program}:2 starts claude with --bare")]
    program.write_text('#!/bin/sh\nexec /opt/claude/claude --verbose "$@"\n')
    assert [colour for colour, _ in machine.seen()] == [GREEN]
