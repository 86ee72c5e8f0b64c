"""Variables by which a client, or the guard that it starts, is another than the user's: other
settings, no hooks, other code in the same process.

The hook itself is started as ``python -I -S``, so Python's own variables do not reach it; what a
client starts beside it (``interlock mcp``) they do.
"""

from __future__ import annotations

UNHOOKING: dict[str, tuple[str, ...]] = {
    "claude": ("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"),
    "qwen": ("QWEN_CODE_SIMPLE", "QWEN_CODE_SAFE_MODE"),
    "opencode": ("OPENCODE_PURE",),
}
"""Variables that drop a client's hooks."""

MOVING: dict[str, tuple[str, ...]] = {
    "claude": ("CLAUDE_CONFIG_DIR",),
    "codex": ("CODEX_HOME",),
    "gemini": ("GEMINI_CLI_HOME", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_HOME"),
    "qwen": ("QWEN_HOME", "QWEN_CODE_SYSTEM_SETTINGS_PATH", "QWEN_CODE_SYSTEM_DEFAULTS_PATH"),
    "copilot": ("COPILOT_HOME",),
    "opencode": tuple(
        "OPENCODE_CONFIG OPENCODE_CONFIG_DIR OPENCODE_CONFIG_CONTENT OPENCODE_PERMISSION".split()
    ),
    "pi": ("PI_CODING_AGENT_DIR", "PI_PACKAGE_DIR"),
}
"""Variables that name or add other settings. Both tables: measured, or read in programs."""

HOMES = frozenset(
    {
        "HOME",
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        *[name for table in (UNHOOKING, MOVING) for names in table.values() for name in names],
    }
)
"""Variables that point a client, or the guard, at other settings or drop its hooks."""

TEMPS = frozenset({"TMPDIR", "TEMP", "TMP"})
"""Where the guard takes files for temporary ones."""
LOADING = frozenset(
    "LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH GCONV_PATH"
    " BASH_ENV PYTHONHOME PYTHONPLATLIBDIR PYTHONEXECUTABLE PYTHONSTARTUP PYTHONWARNINGS"
    " PYTHONUSERBASE PYTHONBREAKPOINT PYTHONPYCACHEPREFIX".split()
)
"""By these another program is loaded into the one that is started."""
EVERYDAY = frozenset({"PYTHONPATH"})
"""And by these; a project's own ``.env`` often has them, and of what it says only what is read
later counts.
"""


def turns(name: str, *, file: bool = False) -> bool:
    """Whether a variable makes the guard or a client another one, whatever its value. ``file``: it
    stands in a project's file of variables.
    """
    return (
        name in HOMES
        or name in LOADING
        or name.startswith("INTERLOCK_")
        or name == "USERPROFILE"
        or (name in EVERYDAY and not file)
    )
