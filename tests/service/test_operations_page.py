"""The texts that docs/running-the-service.md gives to a system are tried as they stand: its block for
nginx by nginx before a real service, its unit by systemd's own check. Where neither is installed the
page's words are held against what they name.
"""

from __future__ import annotations

import http.client
import re
import shutil
import socket
import ssl
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.service.notifier import Hint
from interlock.service.secrets import hash_secret
from interlock.service.serving import ListenSettings, bind_socket, scene
from interlock.service.store.rows import Machine
from interlock.store.chain import now
from interlock.wire.batch import MOST_BYTES
from tests.serving import Served, answering, until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from interlock.service.store.protocol import ServiceWriter

PAGE = Path(__file__).parents[2] / "docs/running-the-service.md"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/bin")
SYSTEMD = shutil.which("systemd-analyze")
NAME = "interlock.example.com"
SECONDS = 60
NOTHING: Mapping[str, str] = {}


def block(first: str) -> str:
    """Return the page's block that begins so."""
    found = [one for one in PAGE.read_text().split("```")[1::2] if one.strip().startswith(first)]
    assert len(found) == 1, first
    return found[0].strip() + "\n"


def free_port() -> int:
    """Return a port that nobody listens at."""
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def certified(folder: Path) -> tuple[Path, Path]:
    """Make a certificate and its key, by the page's own line."""
    line = re.search(r"`(openssl req [^`]+)`", PAGE.read_text())
    assert line is not None
    subprocess.run(line[1].split(), cwd=folder, check=True, capture_output=True)
    return folder / "team.pem", folder / "team.key"


@contextmanager
def proxied(folder: Path, behind: int) -> Iterator[int]:
    """Run nginx with the page's block before a service; give its port."""
    certificate, key = certified(folder)
    port = free_port()
    text = block("server {")
    for told, meant in (
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("/etc/nginx/interlock.pem", str(certificate)),
        ("/etc/nginx/interlock.key", str(key)),
        ("127.0.0.1:8080", f"127.0.0.1:{behind}"),
    ):
        assert told in text, told
        text = text.replace(told, meant)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    whole = f"daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log stderr;\nevents {{}}\n"
    whole += f"http {{\naccess_log off;\n{paths}{text}}}\n"
    (folder / "nginx.conf").write_text(whole)
    assert NGINX is not None
    process = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")])
    try:
        until(lambda: process.poll() is not None or listens(port))
        assert process.poll() is None
        yield port
    finally:
        process.terminate()
        process.wait(SECONDS)


def listens(port: int) -> bool:
    """Tell whether somebody listens at a port."""
    with closing(socket.socket()) as found:
        return found.connect_ex(("127.0.0.1", port)) == 0


class Asking:
    """Somebody who asks the proxy, and trusts it."""

    def __init__(self, port: int) -> None:
        self._port, self._trusting = port, ssl.create_default_context()
        self._trusting.check_hostname, self._trusting.verify_mode = False, ssl.CERT_NONE

    @contextmanager
    def opened(
        self, path: str, headers: Mapping[str, str] = NOTHING, body: bytes = b""
    ) -> Iterator[http.client.HTTPResponse]:
        """Ask one thing; give the answer, to be read."""
        made = http.client.HTTPSConnection(
            "127.0.0.1", self._port, timeout=SECONDS, context=self._trusting
        )
        with closing(made):
            how = "POST" if body else "GET"
            made.request(how, path, body or None, {"Host": NAME, **headers})
            with made.getresponse() as answer:
                yield answer

    def ask(self, path: str, headers: Mapping[str, str] = NOTHING, body: bytes = b"") -> int:
        """Ask one thing; return the answer's status."""
        with self.opened(path, headers, body) as answer:
            return answer.status


def credential(service: Served) -> str:
    """Return a machine's."""
    at = now()

    def work(steps: ServiceWriter) -> None:
        steps.add_machine(Machine("m", "m", "linux", "0", hash_secret("secret"), at, at))

    service.scene.keeping.write(work)
    return "secret"


@pytest.mark.skipif(NGINX is None, reason="no nginx: apt-get install nginx-light")
def test_behind_nginx_as_the_page_has_it_all_of_it_works(tmp_path: Path) -> None:
    """Its name, a stream whose events come one by one, and a batch of the largest size; another
    name, and more than that, are refused.
    """
    sock = bind_socket(ListenSettings())
    made = scene(
        str(tmp_path / "service"),
        ListenSettings(url=f"https://{NAME}"),
        sock.getsockname()[1],
        None,
    )
    with (
        answering([made], ListenSettings(), sock) as [service],
        proxied(tmp_path, sock.getsockname()[1]) as port,
    ):
        proxy = Asking(port)
        assert proxy.ask("/v1/health") == 200
        assert proxy.ask("/v1/health", {"Host": "elsewhere.example.com"}) == 421
        machine = {"Authorization": f"Bearer {credential(service)}"}
        assert proxy.ask("/v1/chains/none/events", machine, b"x" * MOST_BYTES) == 422
        too_much = {**machine, "Content-Length": str(2 * MOST_BYTES)}
        assert proxy.ask("/v1/chains/none/events", too_much, b"x") == 413
        with proxy.opened("/v1/stream", machine) as coming:
            assert coming.readline() == b"event: hello\n"
            for number in range(3):
                service.scene.bell.ring(Hint("check", {"number": number}))
                while coming.readline() != b"event: check\n":
                    continue
                assert b'"number":%d' % number in coming.readline()


@pytest.mark.skipif(SYSTEMD is None, reason="no systemd-analyze")
@pytest.mark.parametrize(("spoil", "wrong"), [("", False), ("Restart=sometimes\n", True)])
def test_systemd_finds_nothing_wrong_with_the_unit(
    tmp_path: Path, spoil: str, *, wrong: bool
) -> None:
    """With a program that is there; a setting that there is not is found."""
    program = tmp_path / "interlock"
    program.symlink_to(sys.executable)  # whose own path may have letters that a unit has to escape
    text = block("[Unit]").replace("/usr/local/bin/interlock", str(program))
    path = tmp_path / "interlock-serve.service"
    path.write_text(text.replace("Restart=always\n", spoil or "Restart=always\n"))
    assert SYSTEMD is not None
    done = subprocess.run(
        [SYSTEMD, "verify", "--man=no", str(path)], capture_output=True, text=True, check=False
    )
    said = [line for line in done.stderr.splitlines() if path.name in line]
    assert bool(said) is wrong, done.stderr
