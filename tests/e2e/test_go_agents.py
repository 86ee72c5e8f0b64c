"""Twenty-three Go programs such as agents write run unchanged, with no more permitted than what a
refusal names.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from interlock.cli import build
from interlock.codemode import running
from interlock.codemode.permissions import apply_permits
from interlock.codemode.program import GO, RunContext
from interlock.codemode.run import run
from interlock.guard.check import Guard
from interlock.model.call import OTHER, ToolCall
from interlock.sandbox.bounds import BUBBLEWRAP, LANDLOCK, Bounds
from tests.codemode.scenes import TIERS, needs
from tests.e2e.agents import Program, laid_out, permits, programs, served
from tests.e2e.go_scenes import kept

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.e2e, pytest.mark.long]

PROGRAMS = tuple(programs("go/agents.txt"))
ITSELF = "server and client", "listen and dial"
REFUSED: dict[str, dict[str, str]] = {
    BUBBLEWRAP: {},
    LANDLOCK: dict.fromkeys(ITSELF, "a program that waits for itself needs its own network"),
}
"""What does not run, and why; the page says so."""


@pytest.fixture(scope="module")
def site() -> Iterator[int]:
    """Serve on this machine; the port."""
    with served() as port:
        yield port


@pytest.mark.parametrize("tier", [BUBBLEWRAP, LANDLOCK])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_programs(program: Program, tier: str, site: int) -> None:
    """A program runs to its end and is refused nothing, unless the page says that it is."""
    needs(tier)
    home = kept()
    work = os.path.join(home, "agents")
    laid_out(work)
    source = program.text.replace("HOST", "127.0.0.1").replace("PORT", str(site))
    allowed = permits(tuple([one.replace("HOST", "127.0.0.1") for one in program.options]))
    policy = apply_permits(build.policy({"HOME": home}, work), allowed, home)
    call = ToolCall(OTHER, "execute_go", {"code": source}, work, (work,), headless=True)
    guard = Guard(policy, facts=build.disk({"HOME": home}))
    scene = RunContext(guard, call, allowed, Bounds(seconds=120), "", os.path.join(home, "state"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "kernel", lambda _: TIERS[tier])
        result = run(source, GO, scene)
    if program.name in REFUSED[tier]:
        assert result.refused, result.stdout
    else:
        assert (result.status, result.refused) == ("ran", ()), result
        assert result.stdout.strip(), result


def test_how_many() -> None:
    """Of twenty-three at most one behind bubblewrap and two behind Landlock do not run."""
    names = [program.name for program in PROGRAMS]
    assert len(set(names)) == 23
    for tier, most in ((BUBBLEWRAP, 1), (LANDLOCK, 2)):
        assert set(REFUSED[tier]) <= set(names)
        assert len(REFUSED[tier]) <= most
