"""A home with a project in it, outside every folder for temporary files, and the agent as a person
starts it there.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.cli import build
from interlock.cli.main import main
from tests.agent.models import WIRES, environment
from tests.lasting import lasting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from interlock.doctor.fake_models import Step
    from interlock.store.database import Store
    from tests.agent.models import Scripted


class Place:
    """Where an agent works. ``project`` is its workspace; ``home`` around it is not."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = home
        self.project = home / "project"
        self.project.mkdir(parents=True)
        self._patch = monkeypatch

    def run(
        self, wire: Scripted, *words: str, provider: str = "openai-chat", **variables: str
    ) -> int:
        """Run ``interlock agent`` in the project, in this process."""
        self.enter(wire, provider, **variables)
        return main(["agent", *words])

    def enter(self, wire: Scripted, provider: str = "openai-chat", **variables: str) -> None:
        """Have this process's environment be the agent's, and its folder the project."""
        self._patch.setattr("os.environ", {**environment(provider, wire, self.home), **variables})
        self._patch.chdir(self.project)

    def policy(self, text: str) -> None:
        """Write the user's policy."""
        path = self.home / ".config/interlock/policy.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"version: 1\n{text}\n", encoding="utf-8")

    @property
    def store(self) -> Store:
        """This home's store."""
        return build.store({"HOME": str(self.home)})

    def check_decision(self) -> list[tuple[str, str]]:
        """Return what the audit holds: tool and verdict, in order."""
        return [
            (str(tool), str(verdict))
            for tool, verdict in self.store.query(
                "SELECT action, verdict FROM guardrail_audit_log ORDER BY id", ()
            )
        ]


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """A fresh home and project, which no other run of the tests shares."""
    folder = Path(tempfile.mkdtemp(prefix="agent-", dir=lasting("agent")))
    yield Place(folder.resolve(), monkeypatch)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def play() -> Iterator[Callable[..., Scripted]]:
    """Start scripted models, and end them with the test."""
    open_wires: list[Scripted] = []

    def started(*steps: Step, provider: str = "openai-chat") -> Scripted:
        wire = WIRES[provider](*steps)
        open_wires.append(wire)
        wire.__enter__()
        return wire

    yield started
    for wire in open_wires:
        wire.gate.set()
        wire.__exit__(None, None, None)
