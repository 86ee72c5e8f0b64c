"""How this machine's guard is, by interlock's own word: what `interlock doctor` and `interlock
status` say is sent to the service, beside the record.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

from interlock.model.jsontext import JsonError, loads
from interlock.sidecar.client import SidecarClient, UnreachableError
from interlock.store.elsewhere import EnrolmentState

STATUS, DOCTOR = "status", "doctor"
EVERY = {STATUS: 600.0, DOCTOR: 43_200.0}
"""Seconds between two looks. The doctor's trial is recorded each time, so it is tried seldom."""
FIRST_SECONDS = 5.0
"""Until the first look: a sidecar that is ended at once has not begun one."""
LONGEST = 180.0
PARTS = ("agents", "losses", "policy", "", "stopped", "unjudged", "fleet")
"""What of the status is about the guard."""
MOST = 100
_WHERE = "workspace"
"""What the doctor says of the folder that it was started in, which is no project's here."""
_FIELDS = ("client", "what", "colour", "seen", "mend")
Run = Callable[[str], str]


def program(*words: str) -> list[str]:
    """Return how an `interlock` command of this very installation is started."""
    above = str(Path(__file__).resolve().parents[2])
    text = (
        f"import os, sys; os.chdir('/'); sys.path.insert(0, {above!r});"
        f" from interlock.cli.main import main; sys.exit(main({list(words)!r}))"
    )
    return [sys.executable, "-P", "-c", text]


def run_command(word: str) -> str:
    """Return what a command prints as JSON; empty where it does not end or cannot be started."""
    try:
        done = subprocess.run(  # noqa: S603 - this very program
            program(word, "--json"), capture_output=True, text=True, timeout=LONGEST, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def rows(word: str, text: str) -> list[dict[str, str]]:
    """Return what a command said as rows: client, what, colour, seen, mend. Total."""
    try:
        given: Any = loads(text)
    except JsonError:
        return []
    found = _of_status(given) if word == STATUS else given
    return [
        {name: str(one.get(name, "")) for name in _FIELDS}
        for one in (found if isinstance(found, list) else [])
        if isinstance(one, dict) and one.get("what") != _WHERE
    ][:MOST]


def _of_status(given: Any) -> list[dict[str, str]]:
    return list(_parts(given)) if isinstance(given, dict) else []


def _parts(given: dict[str, Any]) -> Iterator[dict[str, str]]:
    for name in PARTS:
        part = given.get(name)
        if isinstance(part, dict):
            seen = "; ".join(map(str, part.get("said", ())))
            mend = str(part.get("next", ""))
            yield {"what": name, "colour": str(part.get("state", "")), "seen": seen, "mend": mend}


class GuardHealth:
    """Looks now and then, in a thread of its own: no batch waits for it. ``run`` says what a
    command prints.
    """

    def __init__(self, where: EnrolmentState, run: Run = run_command) -> None:
        self._where, self._run = where, run
        self._due = dict.fromkeys(EVERY, monotonic() + FIRST_SECONDS)
        self._thread: Thread | None = None

    def begin(self) -> None:
        """Begin to look, where it is time to and nobody looks yet."""
        words = [word for word, due in self._due.items() if monotonic() >= due]
        if words and (self._thread is None or not self._thread.is_alive()):
            for word in words:
                self._due[word] = monotonic() + EVERY[word]
            self._thread = Thread(target=self.look, args=(words,), daemon=True)
            self._thread.start()

    def look(self, words: list[str]) -> None:
        """Look, and tell the service; where it is not there the next look tells it."""
        client = SidecarClient(self._where.url, self._where.pin, self._where.credential)
        try:
            for word in words:
                found = rows(word, self._run(word))
                if found:
                    client.tell("/v1/checks", {"kind": word, "rows": found})
        except UnreachableError:
            return
        finally:
            client.close()
