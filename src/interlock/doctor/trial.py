"""A trial of the installed guards: forbidden intents in every spelling, and harmless commands in
the same ones, put to the hooks and never run.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Self

from interlock.doctor.guards import BY_CLIENT, ClientHook
from interlock.doctor.hook_probe import ASK, DENY, FAILED, PASS, STRICTNESS, ask
from interlock.doctor.intents import HARMLESS, Intent
from interlock.doctor.obfuscations import Obfuscation
from interlock.integrations.install import is_ours
from interlock.model.record import Record

_CONFIG = ".config/interlock"


class TrialQuestion(Record):
    """One command to ask about: what it is meant to do, how it is spelled, and the text."""

    intent: str
    spelling: str
    command: str
    harmless: bool


class TrialResult(Record):
    """What the guards of a client said of a question: the strictest of their answers, and the first
    word of one that failed.
    """

    question: TrialQuestion
    verdict: str
    why: str

    @property
    def stopped(self) -> bool:
        """Whether the call would not simply have run. Failing hooks mostly stop nothing."""
        return self.verdict in (ASK, DENY)


def questions(
    intents: Iterable[Intent], spellings: Sequence[Obfuscation]
) -> Iterator[TrialQuestion]:
    """Yield each intent in each spelling that fits it, and for each spelling one harmless command,
    by turns; every harmless one plainly too.
    """
    for intent in intents:
        for spelling in spellings:
            if spelling.fits(intent.command):
                yield TrialQuestion(
                    intent.name, spelling.name, spelling.spell(intent.command), harmless=False
                )
    for intent in HARMLESS:
        yield TrialQuestion(intent.name, "plain", intent.command, harmless=True)
    for number, spelling in enumerate(spellings):
        intent = HARMLESS[number % len(HARMLESS)]
        if spelling.name != "plain" and spelling.fits(intent.command):
            yield TrialQuestion(
                intent.name, spelling.name, spelling.spell(intent.command), harmless=True
            )


class Trial:
    """Puts questions to the hooks of one client, in a project that it makes and removes."""

    def __init__(self, guards: Sequence[ClientHook], environment: Mapping[str, str]) -> None:
        self._guards = guards
        self._environment = dict(environment)
        self._number = 0
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._top = tempfile.mkdtemp(prefix="interlock-test-guard-")
        self._project = os.path.join(self._top, "project")
        os.makedirs(os.path.join(self._project, "src"))
        for name in ("README.md", "src/app.py"):
            with open(os.path.join(self._project, name), "w", encoding="utf-8") as file:
                file.write("a file of a made-up project\n")
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._top, ignore_errors=True)

    def run(self, asked: Iterable[TrialQuestion]) -> Iterator[TrialResult]:
        """Yield what was said of each question, in order, with a hook a processor at once."""
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            yield from pool.map(self._asked, asked)

    def _asked(self, question: TrialQuestion) -> TrialResult:
        with self._lock:
            self._number += 1
            number = self._number
        verdict, why = PASS, ""
        for guard in self._guards:
            payload = BY_CLIENT[guard.client].payload(
                guard.event, question.command, self._project, f"interlock-test-guard-{number}"
            )
            answer = ask(guard.command, payload, self._variables(guard, number), self._project)
            why = why or (answer.said() if answer.verdict == FAILED else "")
            verdict = max(verdict, answer.verdict, key=STRICTNESS.index)
        if ours(self._guards):
            shutil.rmtree(self._home(number), ignore_errors=True)
        return TrialResult(question, FAILED if why and verdict == PASS else verdict, why)

    def _variables(self, guard: ClientHook, number: int) -> dict[str, str]:
        """Return a hook's environment: the person's own; for ours with a home of its own, so that
        no question lands in the log or a limit.
        """
        found = {**self._environment, "CLAUDE_PROJECT_DIR": self._project}
        if is_ours({"command": guard.command}, guard.client):
            policy = os.path.join(self._environment.get("HOME", ""), _CONFIG)
            found["HOME"] = self._home(number)
            if not os.path.isdir(found["HOME"]):
                os.makedirs(found["HOME"])
                if os.path.isdir(policy):
                    shutil.copytree(policy, os.path.join(found["HOME"], _CONFIG))
        return found

    def _home(self, number: int) -> str:
        return os.path.join(self._top, f"home-{number}")


def ours(guards: Iterable[ClientHook]) -> bool:
    """Tell whether interlock is among the guards."""
    return any(is_ours({"command": guard.command}, guard.client) for guard in guards)
