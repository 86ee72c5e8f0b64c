"""Examples that stand below a command's help; a test parses each of them."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "init": ("interlock init", "interlock init --dry-run", "interlock init --agent codex --yes"),
    "check": (
        "interlock check rm -rf build",
        'interlock check --tool Write --input \'{"file_path": ".env"}\'',
    ),
    "explain": (
        "interlock explain --last",
        "interlock explain git.force-push-main",
        "interlock explain git push --force origin main",
    ),
    "doctor": ("interlock doctor", "interlock doctor claude-code --live"),
    "log": ("interlock log -n 50", "interlock log --since 2h --verdict deny", "interlock log -f"),
    "stats": ("interlock stats --days 30", "interlock stats --svg > week.svg"),
    "approvals": ("interlock approvals", "interlock approvals watch"),
    "approve": ("interlock approve a-1f2e3d", "interlock approve a-1f2e3d --for session"),
    "deny": ('interlock deny a-1f2e3d --reason "not on a Friday"',),
    "grants": ("interlock grants", "interlock grants revoke g-1f2e3d"),
    "pause": ("interlock pause 10m", "interlock pause --end"),
    "stop": ("interlock stop --all", "interlock stop --session 1f2e3d", "interlock stop --drill"),
    "resume": ("interlock resume", "interlock resume --all"),
    "undo": ("interlock undo --dry-run", "interlock undo d-1f2e3d4c"),
    "checkpoints": ("interlock checkpoints", "interlock checkpoints take"),
    "policy": (
        "interlock policy show",
        "interlock policy init",
        "interlock policy check policy.yaml",
        "interlock policy replay --policy careful --since 7d",
    ),
    "rules": ("interlock rules", "interlock rules --tag data-loss"),
    "suggest": ("interlock suggest", "interlock suggest --write 1"),
    "import": ("interlock import claude-code", "interlock import nah --write"),
    "limits": ("interlock limits", "interlock limits show 1f2e3d"),
    "run": ("interlock run make test", "interlock run --allow-host pypi.org pip download attrs"),
    "code": ("interlock code job.py", "interlock code --preset read-only job.py -- --month 5"),
    "audit": ("interlock audit verify", "interlock audit export -o audit.jsonl"),
    "install": ("interlock install claude-code --dry-run", "interlock install codex --trust"),
    "uninstall": ("interlock uninstall", "interlock uninstall gemini"),
    "servers": ("interlock servers", "interlock servers wrap claude-code"),
    "mcp": ("interlock mcp --server files -- npx -y @modelcontextprotocol/server-filesystem .",),
    "pins": ("interlock pins", "interlock pins accept files"),
    "test-guard": ("interlock test-guard", "interlock test-guard claude-code --quick"),
    "completion": ('eval "$(interlock completion bash)"',),
}


def below(name: str) -> str:
    """Return what stands below a command's help."""
    shown = EXAMPLES.get(name, ())
    return "\n".join(["examples:", *[f"  {line}" for line in shown]]) if shown else ""
