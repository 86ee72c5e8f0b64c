"""Run in a network and with names of its own (``unshare --net --mount``): what guarded programs and
commands reach there, as JSON.

All names lead to a server of this machine, at addresses that are elsewhere in the world: one that
is anybody's, one of a local network, and that of metadata services.
"""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

PUBLIC, PRIVATE, METADATA = "8.8.4.4", "10.9.9.9", "169.254.169.254"
NAMES = {"good.test": PUBLIC, "other.test": PUBLIC, "inside.test": PRIVATE, "meta.test": METADATA}
ALLOWED = ("good.test", "inside.test", "meta.test")
PORT = 8080


class Server(http.server.BaseHTTPRequestHandler):
    """Says which host it was asked as; ``/away`` leads to another."""

    def do_GET(self) -> None:
        """Answer."""
        away = self.path == "/away"
        self.send_response(302 if away else 200)
        if away:
            self.send_header("Location", f"http://other.test:{PORT}/")
        self.end_headers()
        self.wfile.write(f"here is {self.headers['Host']}".encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def prepared(folder: Path) -> None:
    """Give this network its addresses and names, and serve."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for address in (PUBLIC, PRIVATE, METADATA):
        subprocess.run(["ip", "address", "add", f"{address}/32", "dev", "lo"], check=True)
    names = folder / "hosts"
    names.write_text(
        "127.0.0.1 localhost\n"
        + "".join([f"{address} {name}\n" for name, address in NAMES.items()]),
        encoding="utf-8",
    )
    subprocess.run(["mount", "--bind", str(names), "/etc/hosts"], check=True)
    server = http.server.ThreadingHTTPServer(("0.0.0.0", PORT), Server)  # noqa: S104 - in a network of its own
    threading.Thread(target=server.serve_forever, daemon=True).start()


def main() -> None:
    """Try everything, and print what came of it."""
    from interlock.codemode.permissions import RunPermissions
    from tests.codemode.scenes import Ground
    from tests.lasting import lasting

    with tempfile.TemporaryDirectory(dir=lasting("codemode")) as name:
        ground = Ground(Path(name).resolve())
        ground.lay_out()
        prepared(ground.top)
        permits = RunPermissions(allow_hosts=ALLOWED, allow_commands=("*",))
        found = {}
        for what in (
            *[f"{host}:{PORT}/" for host in NAMES],
            f"good.test:{PORT}/away",
            f"sub.good.test:{PORT}/",
            f"{PRIVATE}:{PORT}/",
        ):
            command = ground.command(f"curl -sSL http://{what} 2>&1", permits)
            tunnel = ground.command(f"curl -sSLp http://{what} 2>&1", permits)
            source = f"import urllib.request\nprint(urllib.request.urlopen('http://{what}', timeout=20).read().decode(), end='')\n"
            program = ground.run(source, "bubblewrap", permits.replace(allow_commands=()))
            found[what.partition(":")[0] + ("/away" if what.endswith("away") else "")] = [
                command.stdout,
                tunnel.stdout,
                program.stdout,
            ]
        json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
