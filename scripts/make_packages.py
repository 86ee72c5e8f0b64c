"""Write what of the packages for clients and package managers follows from the source: hooks of the
Claude Code plugin and the Gemini extension, the OpenCode package, versions (``make packages``).

``--check`` writes nothing and tells what is stale.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from interlock.integrations.clients import adapter_of
from interlock.integrations.plugin import _source
from interlock.model.release import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

TOP = Path(__file__).resolve().parent.parent
PACKAGING = TOP / "packaging"
ROOTS = {"claude-code": "${CLAUDE_PLUGIN_ROOT}", "gemini": "${extensionPath}"}
"""What each client puts the folder of a plugin in the place of."""
VERSIONED = (
    "packaging/claude-code/.claude-plugin/plugin.json",
    "packaging/gemini/gemini-extension.json",
    "packaging/opencode/package.json",
    "packaging/devcontainer/interlock/devcontainer-feature.json",
)
HEAD = """\
// Asks interlock about every tool call before it runs; `interlock` has to be on OpenCode's PATH.
// Made by scripts/make_packages.py of src/interlock/integrations/plugins: do not edit it.
const GUARD = ["interlock", "hook", "opencode"]

"""


def hooks(client: str) -> str:
    """Return the hooks of a plugin as JSON: every event that is asked or told about."""
    settings, table = adapter_of(client).SETTINGS, {}
    for hooked in settings.events:
        mode = "note" if hooked.note else "check"
        command = f'sh "{ROOTS[client]}/hooks/guard.sh" {client} {mode}'
        hook: dict[str, object] = {
            "type": "command",
            "command": command,
            "timeout": settings.timeout,
        }
        hook.update({} if hooked.note else dict(settings.block))
        group = {"matcher": hooked.matcher} if hooked.matcher else {}
        table[hooked.event] = [{**group, "hooks": [hook]}]
    return json.dumps({"hooks": table}, indent=2) + "\n"


def written() -> Iterator[tuple[Path, str]]:
    """Yield each file that is made, and its text."""
    guard = (PACKAGING / "claude-code/hooks/guard.sh").read_text(encoding="utf-8")
    yield PACKAGING / "claude-code/hooks/hooks.json", hooks("claude-code")
    yield PACKAGING / "gemini/hooks/hooks.json", hooks("gemini")
    yield PACKAGING / "gemini/hooks/guard.sh", guard
    yield PACKAGING / "opencode/index.js", HEAD + _source("guard.js") + _source("opencode.js")
    for name in VERSIONED:
        text = (TOP / name).read_text(encoding="utf-8")
        yield TOP / name, re.sub(r'("version": )"[^"]*"', rf'\1"{__version__}"', text, count=1)


def main(arguments: list[str]) -> int:
    """Write the files, or tell which are stale."""
    stale = []
    for path, text in written():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if "--check" in arguments:
            stale.append(str(path.relative_to(TOP)))
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(TOP)}")
    for name in stale:
        sys.stderr.write(f"{name} is stale; run `make packages`\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
