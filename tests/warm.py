"""Commands in processes of their own that need no start: one process has loaded interlock, and a
copy of it (a fork) becomes each command that is run.

For tests of what a command says and does. How a process starts, who started it, and what it loads
is for tests that start one.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile

SOURCE = Path(__file__).resolve().parents[1] / "src"
NUMBER = 8
"""Bytes of each number between the two."""
LOADED = """
import atexit, gc, importlib, json, os, signal, socket, sys, threading, time, traceback
from interlock.cli import main
import interlock, yaml

for name in main.COMMANDS:
    importlib.import_module("interlock.cli." + name.replace("-", "_"))
signal.signal(signal.SIGINT, signal.SIG_IGN)
gc.freeze()
asked = socket.socket(fileno=int(sys.argv[1]))

def become(request, given):
    asked.close()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for at, fd in enumerate(given):
        os.dup2(fd, at)
        os.close(fd)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    sys.argv = [os.path.join(os.path.dirname(interlock.__file__), "__main__.py"), *request["words"]]
    try:
        code = main.main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)

while True:
    head, given, _, _ = socket.recv_fds(asked, 8, 3)
    if not head:
        break
    size, text = int.from_bytes(head), b""
    while len(text) < size:
        text += asked.recv(size - len(text))
    pid = os.fork()
    if not pid:
        become(json.loads(text), given)
    for fd in given:
        os.close(fd)
    asked.sendall(pid.to_bytes(8))
    asked.sendall(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]).to_bytes(8, signed=True))
"""
"""Loads every command, and then becomes what it is asked for: words, variables and a folder, with
three files for its input and what it says.
"""


class Loaded:
    """The process that has loaded interlock."""

    def __init__(self) -> None:
        self._asks, other = socket.socketpair()
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(SOURCE),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
        }
        argv = [sys.executable, "-c", LOADED, str(other.fileno())]
        self._process = subprocess.Popen(argv, env=environment, pass_fds=[other.fileno()])
        other.close()
        atexit.register(self._end)

    def _end(self) -> None:
        self._asks.close()
        self._process.wait()

    def status(self, request: Mapping[str, object], files: list[int], timeout: float) -> int:
        """Return how a command ends. Raises ``TimeoutExpired`` where it does not, and ends it."""
        text = json.dumps(request).encode()
        socket.send_fds(self._asks, [len(text).to_bytes(NUMBER)], files)
        self._asks.sendall(text)
        pid = int.from_bytes(self._number())
        self._asks.settimeout(timeout)
        try:
            return int.from_bytes(self._number(), signed=True)
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            self._asks.settimeout(None)
            self._number()
            raise subprocess.TimeoutExpired(str(request["words"]), timeout) from None
        finally:
            self._asks.settimeout(None)

    def _number(self) -> bytes:
        said = self._asks.recv(NUMBER, socket.MSG_WAITALL)
        assert len(said) == NUMBER, "the process that has loaded interlock has ended"
        return said


_loaded = cache(Loaded)


def interlock(
    *words: str, cwd: str | Path, env: Mapping[str, str], given: str = "", timeout: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run a command of interlock's with these variables, and this as its input."""
    request = {"words": words, "cwd": str(cwd), "env": dict(env)}
    with TemporaryFile() as stdin, TemporaryFile() as stdout, TemporaryFile() as stderr:
        stdin.write(given.encode())
        stdin.seek(0)
        files = [stdin.fileno(), stdout.fileno(), stderr.fileno()]
        code = _loaded().status(request, files, timeout)
        said = []
        for file in (stdout, stderr):
            file.seek(0)
            said.append(file.read().decode())
    return subprocess.CompletedProcess(list(words), code, *said)
