"""What tests of programs such as agents write share: the programs of a file with what has to be
permitted, a workspace for them, a site that they reach.
"""

from __future__ import annotations

import contextlib
import http.server
import json
import re
import shutil
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from interlock.codemode.permissions import RunPermissions
from tests.codemode.programs import FILES

if TYPE_CHECKING:
    from collections.abc import Iterator


class Program(NamedTuple):
    """One program: what it needs, and what has to be permitted."""

    name: str
    packages: tuple[str, ...]
    options: tuple[str, ...]
    text: str


def programs(file: str) -> Iterator[Program]:
    """Read the programs of a file, by its name below ``programs``."""
    path = Path(__file__).parent / "programs" / file
    for part in re.split(r"^-- ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, _, text = part.partition("\n")
        name, _, packages = head.partition(": ")
        options: list[str] = []
        while text.startswith("--allow"):
            line, _, text = text.partition("\n")
            options += line.split()
        yield Program(name, tuple(packages.split()), tuple(options), text)


class _Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Say what was asked for."""
        body = json.dumps({"path": self.path}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def served() -> Iterator[int]:
    """Serve on this machine; the port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def laid_out(folder: str | Path) -> None:
    """Put the workspace as it was: its files, in a repository with one commit."""
    work = Path(folder)
    work.mkdir(parents=True, exist_ok=True)
    for path in work.iterdir():
        if path.name == ".venv":
            continue
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    for name, text in FILES.items():
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_text(text, encoding="utf-8")
    person = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    for words in (("init", "-q"), ("add", *FILES), (*person, "commit", "-q", "-m", "first")):
        subprocess.run(["git", *words], cwd=work, check=True, timeout=60)


def permits(options: tuple[str, ...]) -> RunPermissions:
    """Return what a command line would allow."""
    named: dict[str, list[str]] = {"--allow-command": [], "--allow-host": []}
    words = list(options)
    while words:
        option = words.pop(0)
        if option in named:
            named[option].append(words.pop(0))
    return RunPermissions(
        allow_commands=tuple(named["--allow-command"]),
        allow_hosts=tuple(named["--allow-host"]),
        loopback="--allow-loopback" in options,
    )
