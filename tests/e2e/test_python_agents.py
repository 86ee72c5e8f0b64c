"""Forty Python programs such as agents write run unchanged in a workspace with an environment of
its own (``.venv``), with no more permitted than what a refusal names.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.cli import build
from interlock.codemode import running
from interlock.codemode.permissions import apply_permits
from interlock.codemode.program import RunContext, RunResult
from interlock.codemode.run import run
from interlock.guard.check import Guard
from interlock.model.call import PYTHON, ToolCall
from interlock.sandbox.bounds import BUBBLEWRAP, LANDLOCK, Bounds
from tests.codemode.scenes import TIERS, needs
from tests.e2e.agents import Program, laid_out, permits, programs, served
from tests.lasting import lasting

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.e2e, pytest.mark.long]

PROGRAMS = tuple(programs("python/agents.txt"))
ITSELF = "server and client", "streams of asyncio", "test of a web application"
REFUSED = {
    BUBBLEWRAP: {"coverage by tracing": "what sees each line would see the guard"},
    LANDLOCK: {
        "coverage by tracing": "what sees each line would see the guard",
        **dict.fromkeys(ITSELF, "a program that waits for itself needs a network of its own"),
    },
}
"""What does not run, and why; the page says so."""


@pytest.fixture(scope="module")
def site() -> Iterator[int]:
    """Serve on this machine; the port."""
    with served() as port:
        yield port


@cache
def workspace() -> Path:
    """Make the workspace once, with an environment that has what the programs import."""
    work = lasting("python-agents") / "work"
    packages = sorted({one for program in PROGRAMS for one in program.packages})
    done = work / ".venv" / "installed"
    if not done.exists() or done.read_text(encoding="utf-8").split() != packages:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        real = os.path.realpath(sys.executable)
        subprocess.run([real, "-m", "venv", work / ".venv"], check=True, timeout=120)
        quiet = ("-q", "--disable-pip-version-check")
        pip = [str(work / ".venv/bin/pip"), *quiet, "install", *packages]
        if subprocess.run(pip, check=False, timeout=600).returncode:
            pytest.skip(f"no registry gave {' '.join(packages)}")
        done.write_text("\n".join(packages), encoding="utf-8")
    return work


def ran(program: Program, options: tuple[str, ...], tier: str, site: int) -> RunResult:
    """Run a program of a file in the workspace, as the command does."""
    work, home = workspace(), str(lasting("python-agents") / "home")
    laid_out(work)
    source = program.text.replace("HOST", "127.0.0.1").replace("PORT", str(site))
    file = work / "prog.py"
    file.write_text(source, encoding="utf-8")
    allowed = permits(tuple([one.replace("HOST", "127.0.0.1") for one in options]))
    policy = apply_permits(build.policy({"HOME": home}, str(work)), allowed, home)
    call = ToolCall(
        PYTHON, "execute_python", {"code": source}, str(work), (str(work),), headless=True
    )
    guard = Guard(policy, facts=build.disk({"HOME": home}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "kernel", lambda _: TIERS[tier])
        scene = RunContext(guard, call, allowed, Bounds(seconds=120))
        return run(source, PYTHON, scene, (), str(file))


@pytest.mark.parametrize("tier", [BUBBLEWRAP, LANDLOCK])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_programs(program: Program, tier: str, site: int) -> None:
    """A program runs to its end and is refused nothing, unless the page says that it is."""
    needs(tier)
    result = ran(program, program.options, tier, site)
    if program.name in REFUSED[tier]:
        assert result.refused, result.stdout
    else:
        assert (result.status, result.refused) == ("ran", ()), result
        assert result.stdout.strip(), result


def test_how_many() -> None:
    """Of forty at most two behind bubblewrap and five behind Landlock do not run."""
    names = [program.name for program in PROGRAMS]
    assert len(set(names)) == 40
    for tier, most in ((BUBBLEWRAP, 2), (LANDLOCK, 5)):
        assert set(REFUSED[tier]) <= set(names)
        assert len(REFUSED[tier]) <= most


ADVICE = re.compile(r"--allow-(?:command|host) [^\s:;,]+|--allow-loopback")


@pytest.mark.parametrize(
    "program",
    [one for one in PROGRAMS if one.options and one.name != "build"],
    ids=lambda program: program.name,
)
def test_advice(program: Program, site: int) -> None:
    """Whoever permits what the refusals name, and nothing else, gets a program to run."""
    needs(BUBBLEWRAP)
    options: tuple[str, ...] = ()
    for _ in range(6):
        result = ran(program, options, BUBBLEWRAP, site)
        if not result.refused:
            break
        said = " ".join([f"{one.message} {one.instead}".rstrip(".") for one in result.refused])
        more = [word.rstrip(".") for found in ADVICE.findall(said) for word in found.split()]
        if "--allow-host" in more:  # the advice is one or the other: here the host is another's
            more = [word for word in more if word != "--allow-loopback"]
        assert more, result
        options = (*options, *more)
    assert (result.status, result.refused) == ("ran", ()), (options, result)
