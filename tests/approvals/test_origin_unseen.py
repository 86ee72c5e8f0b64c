"""Who answers where processes cannot be seen, and who takes the guard away."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from interlock.approvals import token
from tests.approvals import test_origin
from tests.approvals.test_origin import RUN, Agent, environment, requested
from tests.approving import Desk
from tests.terminal import ROOT, person

agent = test_origin.agent
desk = test_origin.desk

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="only where processes can be seen"
)


UNSEEN = """
import sys
from interlock.facts import processes
processes.ancestors = lambda pid: []
from interlock.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def test_where_processes_cannot_be_seen_the_token_stands_for_them(
    desk: Desk, tmp_path: Path
) -> None:
    """On a system without that list a terminal makes a token and the token approves; a marker of a
    client still refuses.
    """
    name, run = requested(desk), [sys.executable, "-c", UNSEEN]
    code, said = person([*run, "approve", name], environment(desk), tmp_path)
    assert (code, "cannot see which process started which" in " ".join(said.split())) == (1, True)
    code, said = person(
        [*run, "approvals", "token"], {**environment(desk), "CLAUDECODE": "1"}, tmp_path
    )
    assert (code, "inside an agent's session" in " ".join(said.split())) == (1, True)
    code, said = person([*run, "approvals", "token"], environment(desk), tmp_path)
    assert code == 0, said
    made = next(word for word in said.split() if word.startswith("interlock-token-"))
    code, said = person(
        [*run, "approve", name, "--token"], environment(desk), tmp_path, [["token: ", made + "\n"]]
    )
    assert code == 0, said


def orphaned(desk: Desk, *words: str, given: str = "") -> tuple[int, str]:
    """Run a command of interlock's that nobody is seen to have started: in a session of its own,
    without a terminal, without variables, and what started it has ended.
    """
    out, code = desk.home / "orphan.out", desk.home / "orphan.code"
    line = f"{shlex.join([*RUN, *words])} > {out} 2>&1; echo $? > {code}.new; mv {code}.new {code}"
    if given:
        line = f"echo {shlex.quote(given)} | ({line})"
    code.unlink(missing_ok=True)
    argv = ["setsid", "--fork", "sh", "-c", line]
    subprocess.run(argv, env=environment(desk), cwd=ROOT, stdin=subprocess.DEVNULL, check=True)
    deadline = time.monotonic() + 60
    while not code.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    return int(code.read_text(encoding="utf-8")), out.read_text(encoding="utf-8")


UNINSTALL = ("uninstall", "claude-code")


@pytest.fixture
def installed(desk: Desk) -> Path:
    """Return the settings of a client that asks interlock."""
    subprocess.run(
        [*RUN, "install", "claude-code"],
        env=environment(desk), cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    return desk.home / ".claude/settings.json"


@pytest.mark.skipif(not shutil.which("setsid"), reason="no setsid here")
def test_the_guard_is_not_taken_away_by_what_an_agent_may_have_started(
    desk: Desk, installed: Path, agent: Agent
) -> None:
    """Below the agent it refuses; what hides who started it refuses as long as an agent runs,
    unless it brings the person's token. Afterwards it does as it is told.
    """
    code, said = agent.runs(*RUN, *UNINSTALL)
    assert (code, "an agent may not take the guard away" in said) == (1, True), said
    code, said = orphaned(desk, *UNINSTALL)
    assert (code, "cannot tell whether that agent started this" in said) == (1, True), said
    assert "use a terminal of your own, or pass --token" in " ".join(said.split())
    assert orphaned(desk, *UNINSTALL, "--token", given="x" * 20)[0] == 1
    assert "hook.py" in installed.read_text(encoding="utf-8")
    own = token.make(desk.store)
    assert orphaned(desk, *UNINSTALL, "--token", given=own)[0] == 0
    assert not installed.exists() or "hook.py" not in installed.read_text(encoding="utf-8")


@pytest.mark.skipif(not shutil.which("setsid"), reason="no setsid here")
def test_without_an_agent_a_script_may_uninstall(desk: Desk, installed: Path, agent: Agent) -> None:
    """Nobody but a person is there while no agent runs."""
    agent.end()
    assert orphaned(desk, *UNINSTALL)[0] == 0
    assert not installed.exists() or "hook.py" not in installed.read_text(encoding="utf-8")
