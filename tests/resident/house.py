"""A home of a test's own with a resident guard in it, and the three ways to have a call judged."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from interlock.resident import building
from interlock.resident.socket_place import SocketPlace, holder, place_of
from interlock.resident.start import end, start
from tests.terminal import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PACKAGE = Path(__file__).resolve().parents[2] / "src/interlock"
HOOK = PACKAGE / "hook.py"
PYTHON = os.path.abspath(sys.executable)


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds, however busy the machine is."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


class Said(NamedTuple):
    """An answer: exit code, output, errors; the numbers of decisions are all the same in it."""

    code: int
    out: str
    err: str

    @property
    def verdict(self) -> str:
        """The decision, as the client reads it."""
        said = json.loads(self.out) if self.out.strip() else {}
        return str(
            said.get("hookSpecificOutput", {}).get(
                "permissionDecision", "allow" if self.code == 100 else "deny"
            )
        )


def call(command: str, cwd: Path, session: str = "s") -> bytes:
    """Write an event of Claude Code for a shell command."""
    event = {
        "session_id": session,
        "cwd": str(cwd),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_use_id": "t",
    }
    return json.dumps(event | {"tool_input": {"command": command}}).encode()


class House:
    """``home``: with a state folder in it, ``work``: where the agent works, ``relay``: the compiled
    relay, ``""`` without a compiler.

    ``package``: the installation that it serves.
    """

    def __init__(self, folder: Path, package: Path = PACKAGE) -> None:
        self.package = package
        self.home, self.work = folder / "home", folder / "work"
        self.state = self.home / ".local/state/interlock"
        for made in (self.home, self.work):
            made.mkdir()
        self.state.mkdir(parents=True, mode=0o700)
        self.variables = {
            "HOME": str(self.home),
            "PATH": "/usr/bin:/bin",
            "INTERLOCK_RESIDENT": "on",
            "LANG": "C.UTF-8",
        }
        self.place: SocketPlace = place_of(str(self.state), PYTHON, str(package))
        self.relay = building.ensure_relay(self.variables)

    def start(self) -> int:
        """Start the resident guard, wait until it listens, and return its number."""
        start(self.place, str(self.package), self.variables)
        return self.waited()

    def waited(self) -> int:
        """Wait until a resident guard listens; return its number."""
        last = time.monotonic() + PATIENCE
        while time.monotonic() < last:
            process = holder(self.place)
            if process is not None and self.listens():
                return process.pid
            time.sleep(0.05)
        raise AssertionError(
            (self.state / "resident.log").read_text()
            if (self.state / "resident.log").exists()
            else "it did not start"
        )

    def listens(self) -> bool:
        """Whether the socket takes connections."""
        import socket

        with socket.socket(socket.AF_UNIX) as probe:
            here = os.getcwd()
            try:
                os.chdir(self.state)
                probe.connect(self.place.name)
            except OSError:
                return False
            finally:
                os.chdir(here)
            return True

    def end(self) -> None:
        """End the resident guard, if there is one."""
        end(self.place)

    def close(self) -> None:
        """End all that runs here, and take the home away: one that is only starting ends for want
        of a place.
        """
        self.end()
        shutil.rmtree(self.home, ignore_errors=True)
        self.end()

    def workers(self) -> list[int]:
        """Return the numbers of the processes that answer."""
        process = holder(self.place)
        above = process.pid if process is not None else 0
        return (
            [int(pid) for pid in Path(f"/proc/{above}/task/{above}/children").read_text().split()]
            if above
            else []
        )

    def words(self, way: str, client: str, mode: str) -> list[str]:
        """Return the command of a way: ``relay`` (C), ``python`` (the hook file asks), ``alone``
        (it judges by itself).
        """
        if way == "relay":
            return [self.relay, str(self.state), self.place.name, PYTHON, str(HOOK), client, mode]
        return [
            PYTHON,
            "-I",
            "-S",
            str(HOOK),
            client,
            mode,
            *(["direct"] if way == "alone" else []),
        ]

    def ask(
        self,
        body: bytes,
        way: str = "relay",
        client: str = "claude-code",
        mode: str = "check",
        **more: str,
    ) -> Said:
        """Have an event answered."""
        done = subprocess.run(
            self.words(way, client, mode),
            input=body,
            env=self.environment(way, more),
            cwd=self.work,
            capture_output=True,
            check=False,
            timeout=100,
        )
        return Said(done.returncode, plain(done.stdout), plain(done.stderr))

    def environment(self, way: str, more: Mapping[str, str]) -> dict[str, str]:
        """Return what the hook is started with; alone, it starts no resident guard."""
        return (
            self.variables | ({"INTERLOCK_RESIDENT": "off"} if way == "alone" else {}) | dict(more)
        )

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Ask the audit."""
        from interlock.store.database import Store

        return Store(str(self.state)).query(sql)


def plain(text: bytes) -> str:
    """Return an answer with one number for every decision and request."""
    return re.sub(r"\b([adr])-[0-9a-f]{8,16}\b", r"\1-0", text.decode())
