"""``Alarm``: how a guard stops a session and tells people, by processes of their own that nobody
waits for.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from time import time

from interlock.audit.redact import Redactor
from interlock.stop.flags import Flag, engage
from interlock.stop.processes import OURS

BY = "a trigger of the policy"
_started: list[subprocess.Popen[bytes]] = []
"""Processes that were started here, until they are known to have ended."""


class Alarm:
    """The alarm of one user. ``state``: the state folder; ``ways``: how people are told."""

    def __init__(
        self, environment: Mapping[str, str], state: str, redactor: Redactor, ways: tuple[str, ...]
    ) -> None:
        self.environment = environment
        self.state = state
        self.redactor = redactor
        self.ways = ways

    def tell(self, title: str, text: str) -> tuple[str, ...]:
        """Have people told, free of secrets; return what went wrong, in sentences. Where the policy
        names no way, nobody is told.
        """
        return (
            self.start(
                ["notify", "--title", self.redactor.text(title), "--text", self.redactor.text(text)]
            )
            if self.ways
            else ()
        )

    def halt(self, session: str, why: str, *, kill: bool) -> tuple[str, ...]:
        """Stop a session at once, and have the rest of a stop done; raises ``StopError`` where the
        flag could not be set.
        """
        lost = engage(self.state, Flag(f"session:{session}", self.redactor.text(why), BY, time()))
        started = self.start(
            [
                "stop",
                "--session",
                session,
                "--reason",
                self.redactor.text(why),
                "--by",
                BY,
                *([] if kill else ["--no-kill"]),
            ]
        )
        return (lost, *started) if lost else started

    def start(self, arguments: list[str]) -> tuple[str, ...]:
        """Start a command of interlock that goes on by itself."""
        above = __file__.replace(chr(92), "/").rpartition("/interlock/cli/")[0]
        name, _, value = OURS.partition("=")
        program = (
            f"import sys; sys.path.insert(0, {above!r}); from interlock.cli.main import main;"
            " sys.exit(main(sys.argv[1:]))"
        )
        _started[:] = [one for one in _started if one.poll() is None]
        try:
            _started.append(
                subprocess.Popen(  # noqa: S603 - this Python, and this package's own command
                    [sys.executable, "-c", program, *arguments],
                    env={**self.environment, name: value}, cwd="/", start_new_session=True,
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                )
            )  # fmt: skip
        except OSError as error:
            return (f"interlock {arguments[0]} could not be started: {error.strerror}",)
        return ()
