"""The guard's own command line and those of agent clients: what would loosen or drop the guard."""

from __future__ import annotations

from interlock.effects.rows import Row
from interlock.model.effect import Connects, Persists, TampersWithGuard
from interlock.shell.value import HOLE, UNREAD, Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run

QUIET_COMMANDS = frozenset({"check", "explain", "rules", "log", "version", "doctor", "judge", "demo", "install", "status", "--help", "-h", "help"})
"""Commands of ``interlock`` that show or strengthen; all others are a person's, and ``hook`` the client's: it says what the person asked for."""
QUIET_PAIRS = frozenset(
    {
        ("approvals", "list"),
        ("audit", "verify"),
        ("grants", "list"),
        ("limits",),
        ("limits", "show"),
        *[("policy", what) for what in ("show", "check", "test", "schema", "--help")],
    }
)
"""Of commands that both show and loosen, what shows."""

DROPPING: dict[str, tuple[str, ...]] = {
    "claude": ("--bare", "--safe-mode", "--setting-sources", "disableAllHooks", "--dangerously-skip-permissions",
        "--allow-dangerously-skip-permissions", "bypassPermissions"),
    "codex": ("features.hooks=false", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "--yolo",
        "danger-full-access"),
    "gemini": ("--yolo", "-y", "hooksConfig", "--approval-mode=yolo", "yolo"),
    "qwen": ("--yolo", "-y", "disableAllHooks", "--approval-mode=yolo", "yolo"),
    "copilot": ("--yolo", "--allow-all-tools", "--allow-all", "--allow-all-paths", "disableAllHooks"),
    "opencode": ("--pure",),
    "pi": ("-ne", "--no-extensions"),
}  # fmt: skip
"""Options by which a client drops the hooks of its user, or its own questions (measured, or from their help texts)."""

UNASKED: dict[str, tuple[str, ...]] = {
    "aider": ("--yes", "--yes-always"),
    "cursor-agent": ("-f", "--force", "--yolo"),
    "amp": ("--dangerously-allow-all",),
    "cline": ("--yolo", "-y", "--no-interactive"),
    "droid": ("--skip-permissions-unsafe", "--auto"),
    "auggie": ("--print", "-p"),
    "crush": ("--yolo", "-y"),
    "kiro-cli": ("--trust-all-tools", "-a"),
    "openhands": ("--always-approve", "--yolo", "-t", "--task", "--headless"),
    "plandex": ("--full-auto", "--auto-exec"),
    "forge": ("--yolo",),
    "swe-agent": ("run",),
    "mini": ("--yolo", "-y"),
    "kubectl-ai": ("--quiet", "--skip-permissions"),
    "sgpt": ("--no-interaction",),
    "shell-gpt": ("--no-interaction",),
    "aichat": ("-e", "--execute"),
    "gptme": ("-y", "--no-confirm", "-n", "--non-interactive"),
    "open-interpreter": ("-y", "--auto_run"),
    "interpreter": ("-y", "--auto_run"),
}
"""Options by which another agent, whom no guard watches, acts without asking a person (their help texts)."""

HOMES = frozenset({"HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_HOME", "QWEN_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"})
"""Variables that point a client, or the guard, at other settings than the user's."""


def _interlock(run: Run) -> Flow:
    """``interlock COMMAND``: what loosens is for a person at a terminal."""
    words = [value.text for value in run.arguments]
    name = words[0] if words else "help"
    if (name not in QUIET_COMMANDS and tuple(words[:2]) not in QUIET_PAIRS) or HOLE in name:
        run.effect(TampersWithGuard, f"interlock {name}", "own-command")
    return UNREAD


def _client(run: Run) -> Flow:
    """An agent started by an agent: with an option that drops the hooks it would run unguarded."""
    words = [value.text for value in run.arguments]
    marks = DROPPING.get(run.name, ())
    dropped = [word for word in words if any(mark == word or ("-" not in mark[:1] and mark in word) for mark in marks)]
    moved = [name for name, _ in run.execution.prefix if name in HOMES] + sorted(HOMES & set(run.walker.state.variables))
    if words[:2] == ["mcp", "add"] or words[:2] == ["mcp", "add-json"]:
        run.effect(Persists, f"{run.name} {words[2] if len(words) > 2 else ''}", "startup", detail="a server that every later session starts")
    if words[:2] in (["config", "set"], ["config", "add"], ["config", "remove"], ["config", "unset"], ["settings", "set"]) and any(
        part in word.lower() for word in words[2:] for part in ("hook", "permission", "approval", "sandbox", "trust")
    ):
        run.effect(TampersWithGuard, f"{run.name} {' '.join(words[:3])}", "client-settings")
    if dropped or moved:
        run.effect(TampersWithGuard, f"{run.name} {(dropped or moved)[0]}", "nested-agent")
    elif words and words[0] not in ("--version", "-v", "--help", "-h", "doctor", "mcp", "config"):
        run.effect(Connects, "the model's service", host="allowed")
    return UNREAD


def _unwatched(run: Run) -> Flow:
    """An agent without a guard: started so that it asks nobody, it does whatever it likes."""
    marks = UNASKED[run.name]
    given = next((value.text for value in run.arguments if value.text.partition("=")[0] in marks), "")
    if given and not run.has("--help", "-h", "--version", "--dry-run"):
        run.effect(TampersWithGuard, f"{run.name} {given}", "nested-agent", certain=False)
    return UNREAD


_CLIENT = Row(clustered=False, read=_client)
_PACKAGES = {"claude-code": "claude", "gemini-cli": "gemini", "qwen-code": "qwen", "opencode-ai": "opencode"}
"""Names of packages that bring a client, as a package runner is given them."""


def _goose(run: Run) -> Flow:
    """Two programs of one name: an agent (``goose run``, ``goose session``), and migrations of a database (``goose up``)."""
    if run.operands and run.operands[0].text in ("run", "session", "web", "schedule"):
        run.effect(TampersWithGuard, "goose run", "nested-agent", certain=False)
        return UNREAD
    from interlock.effects.programs.databases import migration

    return migration(run)


def _package(run: Run) -> Flow:
    run.name = _PACKAGES[run.name]
    return _client(run)


ROWS: dict[str, Row] = {
    "interlock": Row(clustered=False, read=_interlock), **dict.fromkeys(DROPPING, _CLIENT),
    **dict.fromkeys(UNASKED, Row(clustered=False, read=_unwatched)),
    "goose": Row(options="-dir:data -table:data", clustered=False, read=_goose),
    **dict.fromkeys(_PACKAGES, Row(clustered=False, read=_package)),
}  # fmt: skip
