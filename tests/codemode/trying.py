"""Tries rows of attempts under every tier: each, and its twin, in a process of its own that one
program forks, with everything that is to be reached standing there.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from interlock.codemode import running
from interlock.codemode.permissions import RunPermissions
from interlock.codemode.program import RunCommand
from interlock.codemode.python.installation import interpreter
from interlock.codemode.python.run import HERE, PRIVATE
from interlock.codemode.python.run import run as run_python
from interlock.sandbox.bounds import Bounds
from interlock.sandbox.process import ENTRANCE, SANDBOX
from tests.codemode.scenes import NONE, TIERS, Ground
from tests.lasting import lasting

if TYPE_CHECKING:
    from collections.abc import Iterator

BARE = (
    "import sys, os, marshal; sys.path[:0] = sys.argv[1:3]; from entrance.walls import put_up; "
    "put_up(marshal.load(os.fdopen(int(os.environ.pop('INTERLOCK_WALLS')), 'rb'))); import site; site.main(); "
    "exec(compile(open(sys.argv[3]).read(), 'program.py', 'exec'), {'__name__': '__main__'})"
)
"""An interpreter behind the walls, without any guard in it."""

TRIER = """
import json, os, signal
ROWS, CONSTANTS = json.loads(open('rows.json').read())
def tried(source):
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)
        space = dict(CONSTANTS)
        try:
            exec(source, space)
            said = ['got', repr(space['got'])[:200]] if space.get('got') not in (None, b'', '') else ['stopped', 'it got nothing']
        except OSError as error:
            said = ['stopped', repr(error)[:300]]
        except BaseException as error:
            cause = error.__cause__ or error.__context__
            said = ['stopped' if isinstance(cause, OSError) else 'broken', repr(error)[:300]]
        os.write(writer, json.dumps(said).encode())
        os._exit(0)
    os.close(writer)
    data = b''
    while piece := os.read(reader, 4096):
        data += piece
    os.close(reader)
    status = os.waitpid(pid, 0)[1]
    return json.loads(data) if data else ['stopped', f'it ended with {status}']
out = {}
for number, (attempt, twin) in enumerate(ROWS):
    out[number] = tried(attempt), tried(twin)
with open('results.json', 'w') as file:
    json.dump(out, file)
"""

TOGETHER = "guard+"
"""Before the name of walls: with the guard in the program as well, as every program runs."""
Results = dict[str, tuple[list[str], list[str]]]


Pairs = Sequence[tuple[str, str]]
"""Attempts and their twins."""


class Tried:
    """Runs all rows once under each tier, and remembers."""

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs
        self.known: dict[str, Results] = {}

    def under(self, tier: str) -> Results:
        """Return what every attempt and its twin came to."""
        if tier not in self.known:
            self.known[tier] = _run(tier, self.pairs)
        return self.known[tier]


@contextlib.contextmanager
def standing(pairs: Pairs) -> Iterator[tuple[Ground, dict[str, Any], list[int]]]:
    """Lay out the ground, with everything that is to be reached standing there, and clear it
    away.
    """
    ground = Ground(Path(tempfile.mkdtemp(dir=lasting("codemode"))).resolve())
    ground.lay_out()
    closed = ground.top / "closed"
    closed.mkdir()
    (closed / "x").write_text("ten bytes.", encoding="utf-8")
    (closed / "pointer").symlink_to("x")
    for name in (".git/hooks", ".claude"):
        (ground.work / name).mkdir(parents=True)
    for name in (".git/config", ".git/hooks/pre-commit", ".claude/settings.json"):
        (ground.work / name).write_text("", encoding="utf-8")
    short = Path(tempfile.mkdtemp(prefix="il-"))
    # which every Python has as a file, Debian's too
    extension = next(Path(sysconfig.get_path("stdlib"), "lib-dynload").glob("_lsprof*.so"))
    inherited = os.open(ground.secret, os.O_RDONLY)
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, ground.top, ignore_errors=True)
        stack.callback(shutil.rmtree, short, ignore_errors=True)
        stack.callback(os.close, inherited)
        listener, local, abstract = (
            stack.enter_context(socket.socket(kind))
            for kind in (socket.AF_INET, socket.AF_UNIX, socket.AF_UNIX)
        )
        listener.bind(("127.0.0.1", 0))
        local.bind(f"{short}/s")
        name = f"\0interlock-{os.urandom(6).hex()}"
        abstract.bind(name)
        datagrams = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        datagrams.bind(f"{short}/d")
        shared = Path(f"/dev/shm/interlock-{os.urandom(6).hex()}")
        shared.write_text("of another", encoding="utf-8")
        stack.callback(shared.unlink)
        for one in (listener, local, abstract):
            one.listen(64)
        greeter = _greeter(listener)
        stack.callback(greeter.wait)
        stack.callback(greeter.kill)
        outsider = subprocess.Popen(["sleep", "600"])
        stack.callback(outsider.wait)
        stack.callback(outsider.kill)
        constants = {
            "SECRET": str(ground.secret), "OUT": str(ground.outside), "CLOSED": str(closed), "HOME": str(ground.home), "WORK": str(ground.work),
            "PORT": listener.getsockname()[1], "SOCKET": f"{short}/s", "ABSTRACT": name, "OUTSIDER": outsider.pid, "INHERITED": inherited,
            "LISTENER": listener.fileno(), "DATAGRAM": f"{short}/d", "SHARED": shared.name,
            "EXTENSION": str(extension), "MODULE": extension.name.partition(".")[0],
        }  # fmt: skip
        (ground.work / "rows.json").write_text(json.dumps([[*pairs], constants]), encoding="utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("HOME", str(ground.home))
            patch.setenv("A_SECRET_TOKEN", "s3cret")
            yield ground, constants, [inherited, listener.fileno()]


def _greeter(listener: socket.socket) -> subprocess.Popen[bytes]:
    """Start what says hello to whoever connects."""
    code = (
        "import socket, sys\nl = socket.socket(fileno=int(sys.argv[1]))\nwhile True:\n    c, _ = l.accept()\n"
        "    c.sendall(b'HTTP/1.0 200 OK\\r\\n\\r\\nhi')\n    c.close()\n"
    )
    number = listener.fileno()
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code, str(number)], pass_fds=(number,)
    )


def _run(tier: str, pairs: Pairs) -> Results:
    """Try all rows: ``bare`` without anything, ``guard only``, behind walls without a guard, or
    both.
    """
    with standing(pairs) as (ground, _, inherited):
        if tier == "bare":
            subprocess.run(
                [sys.executable, "-I", "-c", TRIER],
                cwd=ground.work,
                check=True,
                timeout=300,
                pass_fds=inherited,
                stdin=subprocess.DEVNULL,
            )
        else:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(running, "kernel", lambda _: TIERS[tier.removeprefix(TOGETHER)])
                scene = ground.scene(
                    TRIER, RunPermissions(deny_paths=(f"{ground.top}/closed",)), Bounds(seconds=240)
                )
                result = (
                    run_python(TRIER, scene)
                    if tier == NONE or tier.startswith(TOGETHER)
                    else running.run_prepared(_unguarded(ground), scene)
                )
            assert result.status == "ran", result
        found: Results = json.loads((ground.work / "results.json").read_text(encoding="utf-8"))
        return found


def _unguarded(ground: Ground) -> RunCommand:
    found = interpreter()
    argv = (found.path, "-I", "-S", "-c", BARE, HERE, SANDBOX, PRIVATE)
    return RunCommand(
        argv,
        str(ground.work),
        {},
        (ENTRANCE, *found.folders),
        inside=True,
        files={"program.py": TRIER.encode()},
    )
