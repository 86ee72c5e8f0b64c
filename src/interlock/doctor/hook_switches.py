"""What disarms a client's hooks: switches in settings of every level, variables, and what the
user's shell does when the client is started.

A one-line file in a repository switches user-level hooks off in five clients (measured), and so
does one word in an alias.
"""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping

from interlock.doctor.report_row import AMBER, GREEN, RED, ReportRow
from interlock.effects.programs.agents import drops
from interlock.effects.variables import MOVING, UNHOOKING
from interlock.integrations import hook_switches, install
from interlock.integrations.protocol import Settings

MANAGED = {
    "claude": (
        "/etc/claude-code/managed-settings.json",
        "/Library/Application Support/ClaudeCode/managed-settings.json",
    ),
    "codex": ("/etc/codex/config.toml", "/etc/codex/requirements.toml"),
    "gemini": (
        "/etc/gemini-cli/settings.json",
        "/Library/Application Support/GeminiCli/settings.json",
    ),
    "qwen": ("/etc/qwen-code/settings.json", "/Library/Application Support/QwenCode/settings.json"),
}
"""Settings of the whole machine, from the clients' pages: they go before the user's."""

STARTUP = (
    ".bashrc .bash_profile .bash_login .bash_aliases .profile .zshrc .zshenv .zprofile .kshrc"
    " .envrc .config/fish/config.fish .config/environment.d/client.conf .xprofile .pam_environment"
).split()
"""Files below HOME that set variables and aliases for what is started later. They are read line by
line, and never run.
"""

_MOVED = re.compile(
    r"^(HOME|PATH|ENV|BASH_ENV|XDG_.*|LD_.*|DYLD_.*|PYTHON.*|CLAUDE_CONFIG_DIR|CLAUDE_PROJECT_DIR|TMPDIR|INTERLOCK_.*)$"
)
"""Variables that a settings file should not set for the hook."""
_ASSIGNMENT = re.compile(
    r"^\s*(?:export\s+|set\s+-gx\s+|set\s+-x\s+|setenv\s+)?([A-Z][A-Z0-9_]*)[= ]\s*(.*)$"
)
MAX_SCRIPT = 16_384
"""Characters of a program on PATH that are looked at for the client it starts."""


def find_switches(
    paths: list[str], settings: Settings, environment: Mapping[str, str], home: str
) -> Iterator[ReportRow]:
    """Yield a row for each switch; one green row where there is none."""
    places = [*paths, *MANAGED.get(settings.program, ())]
    bad = [row for path in places for row in _in_file(path, settings)]
    bad += [
        *_in_environment(settings, environment),
        *_at_start(settings, home),
        *_in_front(settings),
    ]
    yield from bad or [
        ReportRow(
            GREEN,
            "switches",
            f"none in {len(places)} places, in the environment and in what starts"
            f" {settings.program}",
        )
    ]


# -- settings --------------------------------------------------------------------------------------


def _in_file(path: str, settings: Settings) -> Iterator[ReportRow]:
    try:
        document = hook_switches.document(install.content(path), path, settings)
    except tomllib.TOMLDecodeError as error:
        yield ReportRow(RED, "settings", f"{path} is no TOML: {error}", f"mend {path}")
        return
    except (ValueError, RecursionError):
        return  # already a red row of its own
    if not isinstance(document, dict):
        return
    for key in hook_switches.on(document, settings):
        yield ReportRow(RED, "switched off", f"{path} sets {key}", f"remove {key} from {path}")
    disarming = [key.removeprefix("env.") for key in hook_switches.unhooking(document, settings)]
    for name in disarming:
        yield ReportRow(
            RED, "switched off", f"{path} sets {name}", f"remove {name} from env in {path}"
        )
    given = document.get("env")
    for name in given if isinstance(given, dict) else ():
        if name not in disarming and _MOVED.match(name):
            yield ReportRow(
                AMBER,
                "environment",
                f"{path} sets {name} for every hook",
                f"remove {name} from env in {path}",
            )


# -- the start of the client -----------------------------------------------------------------------


def _in_environment(settings: Settings, environment: Mapping[str, str]) -> Iterator[ReportRow]:
    """Look at the variables that a client started from here would get."""
    for name in UNHOOKING.get(settings.program, ()):
        if environment.get(name):
            yield ReportRow(
                RED,
                "switched off",
                f"the environment sets {name}",
                f"unset {name}, and look for where it is set",
            )
    for name in MOVING.get(settings.program, ()):
        if environment.get(name) and name != settings.variable:
            yield ReportRow(
                AMBER,
                "environment",
                f"{name} names settings that are not looked at here",
                f"unset {name}, or look into what it names",
            )


def _at_start(settings: Settings, home: str) -> Iterator[ReportRow]:
    """Look at the shell's own files for variables and aliases starting the client without hooks."""
    for name in STARTUP:
        path = os.path.join(home, name)
        for number, line in enumerate(_text(path).splitlines(), 1):
            why = _disarms(line, settings)
            if why:
                yield ReportRow(
                    RED, "switched off", f"{path}:{number} {why}", f"remove that line from {path}"
                )


def _disarms(line: str, settings: Settings) -> str:
    """Say what a line of a shell file does to the client's hooks, ``""`` where it does nothing."""
    bare = line.strip()
    if bare.startswith("#"):
        return ""
    assigned = _ASSIGNMENT.match(bare)
    if (
        assigned
        and assigned[1] in UNHOOKING.get(settings.program, ())
        and assigned[2].strip("\"' ") not in ("", "0")
    ):
        return f"sets {assigned[1]}"
    if not re.search(rf"(^|[\s='\"/;&|]){re.escape(settings.program)}(\s|$)", bare):
        return ""
    words = re.split(r"[\s'\";]+", bare)
    word = drops(settings.program, words)
    return f"starts {settings.program} with {word}" if word else ""


def _in_front(settings: Settings) -> Iterator[ReportRow]:
    """Look at what is started under the client's name: a script of one's own may add an option."""
    program = shutil.which(settings.program)
    text = _text(program or "", MAX_SCRIPT)
    if not text.startswith("#!") or "sh" not in text.partition("\n")[0]:
        return
    for number, line in enumerate(text.splitlines(), 1):
        why = _disarms(line, settings)
        if why:
            yield ReportRow(
                RED, "switched off", f"{program}:{number} {why}", f"remove that from {program}"
            )


def _text(path: str, limit: int = 1 << 20) -> str:
    """Return a file's text, ``""`` where there is none that can be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(limit)
    except OSError:
        return ""
