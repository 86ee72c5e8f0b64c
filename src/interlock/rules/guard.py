"""The guard itself."""

from __future__ import annotations

from interlock.model.action import ASK, DENY
from interlock.model.effect import GUARD, ChangesMode, Deletes, Installs, TampersWithGuard, Writes
from interlock.model.rule import Rule, call, on

RULES = (
    Rule(
        id="guard.change-files",
        title="changes the guard's own files or the settings that call it",
        why="An agent that can switch off its guard has none.",
        instead="Ask the user to change the policy or the settings.",
        match=on(Writes, Deletes, ChangesMode, nature={GUARD}, lacks={"keeps-guard"}),
        action=DENY, possible=ASK, floor=ASK,
        tags=frozenset({"tamper", "attack.t1562", "security-sensitive"}),
        catches=(
            "echo \"{}\" > ~/.claude/settings.json", "rm -rf ~/.config/interlock",
            call("edit", file_path="/home/user/project/.claude/settings.json", new_string="x"),
            "sed -i s/a/b/ .claude/settings.local.json",
        ),
        passes=("cat ~/.claude/settings.json", "echo x > settings.json",),
    ),
    Rule(
        id="guard.change-settings",
        title="changes settings of the agent's client",
        why="A hook there runs by itself, and a permission there asks nobody.",
        instead="Tell the user what to add, and why.",
        match=on(Writes, nature={GUARD}, has={"keeps-guard"}),
        action=ASK, possible=ASK, floor=ASK, tags=frozenset({"persistence", "security-sensitive"}),
        catches=(
            call("edit", file_path="/home/user/project/.claude/settings.json",
                old_string='"hooks": {}', new_string='"hooks": {"Stop": []}'),
            call("edit", file_path="/home/user/.claude/settings.json", old_string='"model": "a"',
                new_string='"model": "b"'),
        ),
        passes=("cat ~/.claude/settings.json",),
    ),
    Rule(
        id="guard.switch-off",
        title="switches the guard off, or starts an agent without it",
        why="An agent that can switch off its guard has none.",
        instead="Ask the user to do it in a terminal of their own.",
        match=on(TampersWithGuard),
        action=DENY, possible=ASK, floor=ASK,
        tags=frozenset({"tamper", "attack.t1562", "security-sensitive"}),
        catches=("interlock uninstall claude-code", "claude --bare -p hi",),
        passes=("interlock check -- ls", "interlock version", "claude --version",),
    ),
    Rule(
        id="guard.remove-program",
        title="removes the guard's program",
        why="An agent that can switch off its guard has none.",
        instead="Ask the user to do it in a terminal of their own.",
        match=on(Installs, has={"remove", "own-package"}),
        action=DENY, possible=ASK, floor=ASK,
        tags=frozenset({"tamper", "attack.t1562", "security-sensitive"}),
        catches=("pip uninstall -y interlock", "pipx uninstall interlock",
            "pip uninstall Interlock", "apt-get purge python3-interlock",),
        passes=("pip show interlock", "pip uninstall -y requests",),
    ),
    Rule(
        id="guard.replace-program",
        title="puts another version of the guard in its place",
        why="An older version, or another package of that name, guards less or not at all.",
        instead="Ask the user to do it in a terminal of their own.",
        match=on(Installs, has={"own-package"}, lacks={"remove"}),
        action=ASK, possible=ASK, floor=ASK,
        tags=frozenset({"tamper", "attack.t1562", "security-sensitive"}),
        catches=("pip install interlock==0.0.1", "pip install --force-reinstall interlock",
            "pipx upgrade interlock",),
        passes=("pip install -e .", "pip install interlocking", "pip show interlock",),
    ),
)  # fmt: skip
