"""A window of tmux: a program runs in it as at a person's terminal, keys are typed, and the screen
is read as it stands there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

PATIENCE = 240.0
"""Seconds after which what is waited for will not come. Nothing is measured by it."""
LOOK = 0.03
"""Seconds between two looks at the screen."""


def installed() -> bool:
    """Tell whether there is a tmux."""
    return shutil.which("tmux") is not None


class Window:
    """A program in a window, from entering to leaving. It gets these variables and no others."""

    def __init__(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        columns: int = 100,
        rows: int = 50,
    ) -> None:
        self._own = tempfile.mkdtemp()  # a socket's path may not be long
        variables = [f"{name}={value}" for name, value in environment.items()]
        self._argv = [
            "/bin/sh",
            "-c",
            '"$@"; echo $? > "$0"',
            f"{self._own}/code",
            "env",
            "-i",
            *variables,
            "TERM=screen-256color",
            *argv,
        ]
        self._where = ["-c", str(folder), "-x", str(columns), "-y", str(rows)]

    def __enter__(self) -> Self:
        self._tmux(
            "-f",
            os.devnull,
            "new-session",
            "-d",
            *self._where,
            "--",
            *self._argv,
            ";",
            "set-option",
            "-g",
            "remain-on-exit",
            "on",
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._tmux("kill-server")
        shutil.rmtree(self._own)

    def screen(self, *, painted: bool = False) -> str:
        """Return the screen as it stands, without the empty lines at its end; ``painted``: with the
        codes of its colours.
        """
        return self._tmux("capture-pane", "-p", *(["-e"] if painted else [])).rstrip("\n")

    def until(self, seen: Callable[[str], bool]) -> str:
        """Wait for a screen that is as it should be; return it."""
        end = time.monotonic() + PATIENCE
        while not seen(screen := self.screen()):
            if time.monotonic() > end or self._ended():
                raise AssertionError(f"never came up; the screen:\n{self.screen()}")
            time.sleep(LOOK)
        return screen

    def types(self, words: str) -> None:
        """Type letters."""
        self._tmux("send-keys", "-l", words)

    def says(self, words: str) -> None:
        """Type a line, and end it once it stands there."""
        self.types(words)
        self.until(lambda screen: screen.endswith(words))
        self.presses("Enter")

    def presses(self, key: str) -> None:
        """Press a key that has a name: ``Enter``, ``Escape``."""
        self._tmux("send-keys", key)

    def code(self) -> int:
        """Wait for the program's end; return its exit code."""
        end = time.monotonic() + PATIENCE
        while not (said := self._ended()):
            if time.monotonic() > end:
                raise AssertionError(f"never ended; the screen:\n{self.screen()}")
            time.sleep(LOOK)
        return int(said)

    def _ended(self) -> str:
        """Return the program's exit code, ``""`` while it runs. tmux does not always know it."""
        try:
            with open(f"{self._own}/code", encoding="utf-8") as file:
                return file.read().strip()
        except FileNotFoundError:
            return ""

    def _tmux(self, *words: str) -> str:
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "SHELL": "/bin/sh",
        }
        argv = [shutil.which("tmux") or "tmux", "-u", "-S", f"{self._own}/socket", *words]
        return subprocess.run(
            argv, env=environment, capture_output=True, text=True, check=True
        ).stdout
