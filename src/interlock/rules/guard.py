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
        match=on(Writes, Deletes, ChangesMode, nature={GUARD}),
        action=DENY, possible=ASK, floor=ASK, tags=frozenset({"tamper", "attack.t1562"}),
        catches=(
            "echo \"{}\" > ~/.claude/settings.json", "rm -rf ~/.config/interlock",
            call("edit", file_path="/home/user/project/.claude/settings.json", new_string="x"), "sed -i s/a/b/ .claude/settings.local.json",
        ),
        passes=("cat ~/.claude/settings.json", "echo x > settings.json",),
    ),
    Rule(
        id="guard.switch-off",
        title="switches the guard off, or starts an agent without it",
        why="An agent that can switch off its guard has none.",
        instead="Ask the user to do it in a terminal of their own.",
        match=on(TampersWithGuard),
        action=DENY, possible=ASK, floor=ASK, tags=frozenset({"tamper", "attack.t1562"}),
        catches=("interlock uninstall claude-code", "claude --bare -p hi",),
        passes=("interlock check -- ls", "interlock version", "claude --version",),
    ),
    Rule(
        id="guard.remove-program",
        title="removes the guard's program",
        why="An agent that can switch off its guard has none.",
        instead="Ask the user to do it in a terminal of their own.",
        match=on(Installs, target={"interlock"}, has={"remove"}),
        action=DENY, possible=ASK, floor=ASK, tags=frozenset({"tamper", "attack.t1562"}),
        catches=("pip uninstall -y interlock", "pipx uninstall interlock",),
        passes=("pip show interlock", "pip uninstall -y requests",),
    ),
)  # fmt: skip
