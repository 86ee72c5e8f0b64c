"""The guard's own command line and those of agent clients: what would loosen or drop the guard."""

from __future__ import annotations

from interlock.effects.rows import Row
from interlock.model.effect import Connects, TampersWithGuard
from interlock.shell.value import HOLE, UNREAD, Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run

QUIET_COMMANDS = frozenset(
    {"check", "explain", "rules", "log", "version", "doctor", "hook", "judge", "demo", "install", "status", "--help", "-h", "help"}
)
"""Commands of ``interlock`` that show or strengthen; all others are a person's."""

DROPPING: dict[str, tuple[str, ...]] = {
    "claude": ("--bare", "--safe-mode", "--setting-sources", "disableAllHooks", "--dangerously-skip-permissions"),
    "codex": ("features.hooks=false", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "--yolo"),
    "gemini": ("--yolo", "hooksConfig"),
    "qwen": ("--yolo", "disableAllHooks"),
    "copilot": ("--yolo", "--allow-all-tools", "disableAllHooks"),
    "opencode": ("--pure",),
    "pi": ("-ne", "--no-extensions"),
}
"""Options by which a client drops the hooks of its user, or its own questions (measured, or from their help texts)."""

HOMES = frozenset({"HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_HOME", "QWEN_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"})
"""Variables that point a client, or the guard, at other settings than the user's."""


def _interlock(run: Run) -> Flow:
    """``interlock COMMAND``: what loosens is for a person at a terminal."""
    words = [value.text for value in run.arguments]
    name = words[0] if words else "help"
    if name not in QUIET_COMMANDS or HOLE in name:
        run.effect(TampersWithGuard, f"interlock {name}", "own-command")
    return UNREAD


def _client(run: Run) -> Flow:
    """An agent started by an agent: with an option that drops the hooks it would run unguarded."""
    words = [value.text for value in run.arguments]
    marks = DROPPING.get(run.name, ())
    dropped = [word for word in words if any(mark == word or ("-" not in mark[:1] and mark in word) for mark in marks)]
    moved = [name for name, _ in run.execution.prefix if name in HOMES] + sorted(HOMES & set(run.walker.state.variables))
    if dropped or moved:
        run.effect(TampersWithGuard, f"{run.name} {(dropped or moved)[0]}", "nested-agent")
    elif words and words[0] not in ("--version", "-v", "--help", "-h", "doctor", "mcp", "config"):
        run.effect(Connects, "the model's service", host="allowed")
    return UNREAD


_CLIENT = Row(clustered=False, read=_client)

ROWS: dict[str, Row] = {"interlock": Row(clustered=False, read=_interlock), **dict.fromkeys(DROPPING, _CLIENT)}
