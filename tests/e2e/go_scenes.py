"""What tests of Go programs share: a home that keeps the built library from run to run, a lent
folder and one that is not, hosts, and runs.
"""

from __future__ import annotations

import contextlib
import http.server
import os
import shutil
import threading
import zipfile
from typing import TYPE_CHECKING, NamedTuple

import pytest

from interlock.cli import build
from interlock.codemode.golang import run as go
from interlock.codemode.golang.toolchain import NoGoError, find
from interlock.codemode.permissions import RunPermissions, apply_permits
from interlock.codemode.program import RunContext
from interlock.guard.check import Guard
from interlock.model.call import OTHER, ToolCall
from interlock.sandbox.bounds import Bounds
from interlock.sandbox.probe import Kernel, kernel
from tests.lasting import lasting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.codemode.program import RunResult

SECONDS = 60.0
PROGRAMS = os.path.join(os.path.dirname(__file__), "programs", "go")
KERNELS = ("guard only", "walled")


class Place(NamedTuple):
    """A workspace with a folder in it, and a folder beside it that no run may reach."""

    home: str
    workspace: str
    lent: str
    outside: str

    def scene(self, permits: RunPermissions, require: str = "") -> RunContext:
        """Return a scene in the workspace by the usual policy, with nobody to ask."""
        facts = build.disk({"HOME": self.home})
        policy = apply_permits(
            build.policy({"HOME": self.home}, self.workspace), permits, self.home
        )
        call = ToolCall(
            OTHER,
            "execute_go",
            {"code": ""},
            cwd=self.workspace,
            roots=(self.workspace,),
            headless=True,
        )
        return RunContext(
            Guard(policy, facts=facts),
            call,
            permits,
            Bounds(seconds=SECONDS),
            require,
            os.path.join(self.home, "state"),
        )


def place(home: str) -> Place:
    """Make the folders anew: the same files in each, which say where they lie."""
    made = Place(home, *(os.path.join(home, name) for name in ("work", "work/lent", "outside")))
    for folder in (made.workspace, made.outside):
        shutil.rmtree(folder, ignore_errors=True)
    for folder, word in ((made.lent, "mine"), (made.outside, "outside"), (made.workspace, "mine")):
        os.makedirs(os.path.join(folder, "sub"))
        for name in ("data.txt", "page.tmpl", "sub/inner.txt"):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(word)
        with zipfile.ZipFile(os.path.join(folder, "a.zip"), "w") as archive:
            archive.writestr("inner.txt", word)
        os.makedirs(os.path.join(folder, ".git", "hooks"))
    return made


def kept() -> str:
    """Return a home that is kept: the first build of the library takes a minute."""
    folder = str(lasting("go"))
    try:
        find(os.environ.get("PATH", ""), os.path.join(folder, "state"))
    except NoGoError as missing:
        pytest.skip(str(missing))
    return os.path.realpath(folder)


def built_from(name: str, scene: RunContext, folder: str) -> go.GoBuild:
    """Build one of the programs with many cases into a folder."""
    path = os.path.join(PROGRAMS, name)
    with open(path, encoding="utf-8") as file:
        source = file.read()
    made = go.build(source, scene, folder, path)
    assert isinstance(made, go.GoBuild), made
    return made


def hold(tier: str, patch: pytest.MonkeyPatch, home: str) -> None:
    """Have what runs be held by the guard alone, or by the kernel's walls too."""
    if tier == "guard only":
        patch.setattr("interlock.codemode.running.kernel", lambda _: Kernel())
    elif not kernel(os.path.join(home, "state")).best:
        pytest.skip("no kernel tier works here")


def tried(built: go.GoBuild, scene: RunContext, case: str, target: str) -> RunResult:
    """Run one case on a target."""
    return go.start(built, scene, (case, target))


def said(result: RunResult) -> str:
    """Return the first word that a case printed: done, refused, failed."""
    return result.stdout.partition("\n")[0].partition(":")[0]


class Answers(http.server.BaseHTTPRequestHandler):
    """Answers everything with ok, and sends on what asks for it."""

    def do_GET(self) -> None:
        """Answer one request."""
        away = {"/away": "http://elsewhere.invalid/", "/stay/away": "/ok"}.get(self.path)
        self.send_response(302 if away else 200)
        if away:
            self.send_header("Location", away)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_POST = do_GET  # noqa: N815 - the library's own name

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """Serve on this machine; gives the address."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
