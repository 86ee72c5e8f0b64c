"""The listings of the documents, their indentation restored: each is a file here, and every entry
of it can be said and holds.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from interlock.codemode.permissions import STARTED, RunPermissions, apply_permits
from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.facts import Recorded
from interlock.model.effect import Connects, Effect, Executes, Reading
from interlock.policy.builtin import builtin
from tests.judging import shell, tool

SOURCES = Path(__file__).parent / "sources"
LISTING = yaml.safe_load((SOURCES / "code-mode.yaml").read_text(encoding="utf-8"))["defaults"][
    "codeMode"
]["sandboxing"]
PERMITS = RunPermissions(
    preset="",
    deny_paths=tuple(LISTING["deniedPaths"]),
    only_paths=tuple(LISTING["allowedPaths"]),
    allow_commands=tuple(LISTING["allowedCommands"]),
    deny_commands=tuple(LISTING["deniedCommands"]),
    allow_hosts=("*",) if LISTING["allowNetwork"] else (),
)


def allowed(reading: Reading, permits: RunPermissions = PERMITS) -> bool:
    """Tell whether a run with these permits may do something without a question."""
    return (
        decide(
            shell("x"), reading, apply_permits(builtin(), permits, "/home/user"), "d"
        ).verdict.name
        == "allow"
    )


def test_every_listing_of_the_documents_is_here() -> None:
    """The policy of the guardrail engine, two guards of the tool guard, the configuration of the
    code mode.
    """
    names = {str(path.relative_to(SOURCES)) for path in SOURCES.rglob("*") if path.is_file()}
    assert names == {
        "guardrail-policies.yaml",
        "code-mode.yaml",
        "guards/block-docker.yaml",
        "guards/protect-env.md",
    }


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/tmp/cpe-1/a", True),
        ("data/a.csv", True),
        ("/etc/hosts", False),
        ("/home/user/.ssh/known_hosts", False),
        ("src/a.py", False),
    ],
)
def test_paths_of_the_code_mode(path: str, expected: bool) -> None:
    """What is allowed may be read and written, what is denied or not named may not."""
    call = tool("read", {"file_path": path})
    assert allowed(read(call, Recorded("/home/user"))) is expected


@pytest.mark.parametrize(
    ("program", "expected"),
    [("git", True), ("rg", True), ("rm", False), ("sudo", False), ("node", False)],
)
def test_commands_of_the_code_mode(program: str, expected: bool) -> None:
    """Only what is listed is started; a denied one also where everything is allowed."""
    reading = Reading((Effect(Executes, program, traits=frozenset({STARTED})),))
    assert allowed(reading) is expected
    assert allowed(reading, PERMITS.replace(allow_commands=("*",))) is (
        program not in LISTING["deniedCommands"]
    )


def test_the_network_of_the_code_mode() -> None:
    """Open where the listing opens it, shut where it does not."""
    reading = Reading((Effect(Connects, "example.com", host="allowed"),))
    assert allowed(reading)
    assert not allowed(reading, PERMITS.replace(allow_hosts=()))
