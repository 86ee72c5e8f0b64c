"""Real terminals for tests: a program on a pseudo-terminal of its own, spoken to as a person would;
and one that nobody of the test's own started.

``python -m tests.terminal SPEC`` is the second: it leaves the test's processes behind (its parent
ends, so it belongs to the machine's first process), opens a terminal, runs a program there, follows
a dialogue, and writes down what was seen.
"""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PATIENCE = 240.0
"""Seconds after which a test has hung. Nothing is measured by it."""


class Terminal:
    """A program on a terminal of its own, of which it has the keyboard."""

    def __init__(
        self,
        argv: list[str],
        env: dict[str, str],
        cwd: Path | None = None,
        redirect: dict[int, int] | None = None,
    ) -> None:
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            try:
                for to, given in (redirect or {}).items():
                    os.dup2(given, to)
                os.chdir(cwd or "/")
                os.execve(argv[0], argv, env)  # noqa: S606 - no shell is wanted
            finally:
                os._exit(127)
        self.text = ""
        self.code: int | None = None

    def until(self, words: str) -> str:
        """Read until the words come up; return all that was seen so far."""
        end = time.monotonic() + PATIENCE
        while words not in self.text:
            if time.monotonic() > end or not self._more(end - time.monotonic()):
                raise AssertionError(f"never saw {words!r} in: {self.text!r}")
        return self.text

    def _more(self, wait: float) -> bool:
        ready, _, _ = select.select([self.descriptor], [], [], max(0.0, wait))
        try:
            data = os.read(self.descriptor, 65536) if ready else b""
        except OSError:  # the other end was closed
            data = b""
        self.text += data.decode("utf-8", "replace")
        return bool(data)

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.descriptor, keys.encode())

    def end(self) -> int:
        """Read to the end and return the exit code, negative for a signal."""
        while self.code is None and self._more(PATIENCE):
            continue
        if self.code is None and not self._ends():
            os.kill(self.pid, signal.SIGKILL)
        if self.code is None:
            _, status = os.waitpid(self.pid, 0)
            self.code = os.waitstatus_to_exitcode(status)
            os.close(self.descriptor)
        return self.code

    def _ends(self) -> bool:
        """Wait for the program's end; tell whether it came."""
        end = time.monotonic() + PATIENCE / 2
        while os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
        return True

    def kill(self) -> None:
        """End the program, whatever it does."""
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            self.end()


def person(
    argv: list[str],
    env: dict[str, str],
    folder: Path,
    dialogue: list[list[str]] | None = None,
    **how: Any,
) -> tuple[int, str]:
    """Run a program on a terminal that nobody of this test started; return its exit code and what
    was seen.

    ``dialogue``: pairs of words to wait for and keys to press then. ``program``: the terminal's own
    program, in place of this Python.
    ``host_env``: variables of that program.
    """
    report = folder / f"report-{time.monotonic_ns()}"
    spec = folder / f"{report.name}.json"
    spec.write_text(
        json.dumps({"argv": argv, "env": env, "dialogue": dialogue or [], "report": str(report)}),
        encoding="utf-8",
    )
    program = [str(how.get("program", sys.executable)), "-m", "tests.terminal", str(spec)]
    subprocess.run(
        program,
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", **how.get("host_env", {})},
        check=True,
        timeout=PATIENCE,
    )
    end = time.monotonic() + PATIENCE
    while not report.exists():
        assert time.monotonic() < end, "the terminal never reported"
        time.sleep(0.02)
    found = json.loads(report.read_text(encoding="utf-8"))
    return found["code"], found["text"]


def main(path: str) -> None:
    """Leave the test's processes, and follow the dialogue."""
    if os.fork():
        return
    os.setsid()
    if os.fork():
        return
    spec = json.loads(Path(path).read_text(encoding="utf-8"))
    while os.getppid() == 0:
        time.sleep(0.01)
    terminal = Terminal(spec["argv"], spec["env"])
    try:
        for words, keys in spec["dialogue"]:
            terminal.until(words)
            terminal.type(keys)
        code, text = terminal.end(), terminal.text
    except AssertionError as problem:
        terminal.kill()
        code, text = -1, str(problem)
    fresh = Path(spec["report"] + ".new")
    fresh.write_text(json.dumps({"code": code, "text": text}), encoding="utf-8")
    fresh.rename(spec["report"])


if __name__ == "__main__":
    main(sys.argv[1])
