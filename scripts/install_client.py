"""Install the real Claude Code, one pinned version, into ``.clients/``: the tests in ``tests/e2e`` talk to it.

Nothing happens when it is there already. The client is a native program: npm fetches it, no newer Node.js is needed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

PACKAGE, VERSION = "@anthropic-ai/claude-code", "2.1.329"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, ".clients", f"claude-code-{VERSION}")
PROGRAM = os.path.join(FOLDER, "node_modules", ".bin", "claude")


def version_of(program: str, home: str) -> str:
    """Return the version a program tells with an empty environment, or ``""``."""
    environment = {"HOME": home, "PATH": os.defpath}
    try:
        done = subprocess.run(
            [program, "--version"], env=environment, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.split(" ", 1)[0].strip()


def main() -> int:
    """Install what is missing. 0 when the client answers with its version, 1 with one sentence why not."""
    if version_of(PROGRAM, FOLDER) == VERSION:
        print(f"Claude Code {VERSION} is there: {PROGRAM}")
        return 0
    npm = shutil.which("npm")
    if npm is None:
        print("npm was not found, so the real Claude Code cannot be installed; to get it: sudo apt-get install npm", file=sys.stderr)
        return 1
    print(f"installing {PACKAGE}@{VERSION} into {FOLDER} (about 400 MB, once)", flush=True)
    os.makedirs(FOLDER, exist_ok=True)
    command = [npm, "install", "--prefix", FOLDER, "--no-audit", "--no-fund", "--no-save", "--loglevel=error", f"{PACKAGE}@{VERSION}"]
    try:
        done = subprocess.run(command, timeout=900, check=False, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        print("npm took longer than 15 minutes; try again with a better connection", file=sys.stderr)
        return 1
    if done.returncode != 0:
        print(f"npm could not install {PACKAGE}@{VERSION} (exit {done.returncode}); its message is above", file=sys.stderr)
        return 1
    seen = version_of(PROGRAM, FOLDER)
    if seen != VERSION:
        print(f"{PROGRAM} says {seen or 'nothing'} instead of {VERSION}; remove {FOLDER} and try again", file=sys.stderr)
        return 1
    print(f"Claude Code {VERSION} is there: {PROGRAM}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
