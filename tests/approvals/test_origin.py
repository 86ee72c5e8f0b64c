"""An agent does not approve its own calls: real process trees, real terminals."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from interlock.approvals import token
from interlock.approvals.caller import MARKERS, agents_alive
from interlock.facts import processes
from interlock.integrations import claude_code
from interlock.model.action import VERDICT_ALLOW, VERDICT_DENY
from tests.approving import Desk
from tests.terminal import ROOT, person

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="only where processes can be seen"
)

RUN = [sys.executable, "-m", "interlock"]
AGENT = """
import json, os, shlex, subprocess, sys, time
hook, home, spec = sys.argv[1:]
event = {"session_id": "s", "cwd": home, "hook_event_name": "SessionStart", "source": "startup"}
# a client starts its hooks by a shell
line = shlex.join([sys.executable, "-I", "-S", hook, "claude-code", "note"]) + "; exit 0"
env = {"HOME": home, "PATH": "/usr/bin:/bin"}
subprocess.run(["/bin/sh", "-c", line], input=json.dumps(event), text=True, env=env, stdout=subprocess.DEVNULL, check=True)
print("recorded", flush=True)
for command in sys.stdin:
    argv = json.loads(command)
    done = subprocess.run(argv["argv"], env=argv["env"], cwd=argv["cwd"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    print(json.dumps([done.returncode, done.stdout + done.stderr]), flush=True)
"""
"""A client: its session begins (its own hook records whose process it is), then it runs what it is
told, as tools do.
"""


class Agent:
    """A running agent whose session is recorded."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        argv = [
            sys.executable,
            "-c",
            AGENT,
            str(ROOT / "src/interlock/hook.py"),
            str(desk.home),
            "",
        ]
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._said() == "recorded\n"

    def _said(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def runs(self, *argv: str, **env: str) -> tuple[int, str]:
        """Let the agent run a program; return its exit code and what it said."""
        assert self.process.stdin is not None
        self.process.stdin.write(
            json.dumps({"argv": argv, "env": {**environment(self.desk), **env}, "cwd": str(ROOT)})
            + "\n"
        )
        self.process.stdin.flush()
        code, text = json.loads(self._said())
        return code, text

    def end(self) -> None:
        """End the agent."""
        self.process.kill()
        self.process.communicate()


def environment(desk: Desk) -> dict[str, str]:
    """Return what a program of these tests has for variables."""
    return {"HOME": str(desk.home), "PATH": "/usr/bin:/bin", "TERM": "xterm", "NO_COLOR": "1"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a desk with its store."""
    return Desk(tmp_path)


@pytest.fixture
def agent(desk: Desk) -> object:
    """Return a running agent of the desk's session."""
    agent = Agent(desk)
    yield agent
    agent.end()


@pytest.fixture
def terminal(tmp_path: Path) -> str:
    """Return a program that is called as a terminal is: this Python under the name of one."""
    program = tmp_path / "bin" / "xterm"
    program.parent.mkdir()
    shutil.copy(os.path.realpath(sys.executable), program)
    probe = subprocess.run(
        [program, "-c", "pass"], env=host_env(), check=False, capture_output=True
    )
    if probe.returncode:
        pytest.skip("this Python cannot be copied")
    return str(program)


def host_env() -> dict[str, str]:
    """Return what a copied Python needs to find its library."""
    return {"PYTHONHOME": sys.base_prefix, "LD_LIBRARY_PATH": f"{sys.base_prefix}/lib"}


def test_the_session_is_recorded_by_its_hook(desk: Desk, agent: Agent) -> None:
    """The client's own process is noted, not the shell between it and the hook."""
    rows = desk.store.query("SELECT pid, ticks, session_id FROM agent_process")
    found = processes.running(agent.process.pid)
    assert found is not None
    assert rows == [(found.pid, found.ticks, "s")]


def requested(desk: Desk) -> str:
    """File a request, and forget that it was this process: here it is nobody's agent."""
    name = desk.requested()
    desk.store.transact(
        lambda connection: (
            connection.execute("DELETE FROM agent_process WHERE pid = ?", (os.getpid(),)).rowcount
        )
    )
    return name


WAYS = {
    "at once": ["{run}"],
    "by a shell": ["/bin/sh", "-c", "{line}"],
    "in a session of its own": ["setsid", "--wait", "{run}"],
    "on a terminal made for it": ["script", "-qec", "{line}", "/dev/null"],
    "without variables": ["env", "-i", "HOME={home}", "{run}"],
    "on a terminal, without variables": [
        "env",
        "-i",
        "HOME={home}",
        "PATH=/usr/bin:/bin",
        "script",
        "-qec",
        "{line}",
        "/dev/null",
    ],
    "by another Python": [
        sys.executable,
        "-c",
        "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)",
        "{run}",
    ],
}


@pytest.mark.parametrize("way", WAYS)
def test_what_an_agent_started_does_not_approve(desk: Desk, agent: Agent, way: str) -> None:
    """However it is started below the agent, it refuses: approve, deny, watch and the taking back
    of grants; to list is allowed.
    """
    if WAYS[way][0] != "{run}" and not shutil.which(WAYS[way][0]):
        pytest.skip(f"no {WAYS[way][0]} here")
    name = requested(desk)
    run = [*RUN, "approve", name]
    argv = [
        part
        for word in WAYS[way]
        for part in (
            run if word == "{run}" else [word.format(line=shlex.join(run), home=desk.home)]
        )
    ]
    code, said = agent.runs(*argv)
    assert code != 0
    assert "an agent may not approve" in said
    assert desk.states() == ["pending"]


def test_it_may_look(desk: Desk, agent: Agent) -> None:
    """What waits may be seen by anybody."""
    name = requested(desk)
    code, said = agent.runs(*RUN, "approvals", "list")
    assert (code, name in said) == (0, True)
    assert agent.runs(*RUN, "grants", "list") == (
        0,
        "no standing approvals\n",
    )


@pytest.mark.parametrize(
    "words",
    [
        ["deny", "{name}"],
        ["grants", "revoke", "g-123456"],
        ["approvals", "watch"],
        ["approvals", "token"],
    ],
)
def test_other_answers_are_refused_too(desk: Desk, agent: Agent, words: list[str]) -> None:
    """None of the commands that are for people runs below an agent."""
    name = requested(desk)
    code, said = agent.runs(*RUN, *[word.format(name=name) for word in words])
    assert (code, desk.states()) == (1, ["pending"])
    assert "an agent may not" in said


def test_a_token_does_not_help_an_agent(desk: Desk, agent: Agent) -> None:
    """Even with the person's token: who got hold of it is still the agent. Outside of it the token
    counts, without a terminal.
    """
    made, name = token.make(desk.store), requested(desk)
    code, said = agent.runs(
        "/bin/sh", "-c", f"echo {made} | {shlex.join([*RUN, 'approve', name, '--token'])}"
    )
    assert code == 1
    assert "an agent may not approve" in said
    done = subprocess.run(
        [*RUN, "approve", name, "--token"],
        input=made + "\n",
        env=environment(desk),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if "an agent may not" in done.stderr:
        pytest.skip("an agent runs these tests")
    assert (done.returncode, desk.states()) == (0, ["granted"])


def test_a_person_at_a_terminal_approves(
    desk: Desk, agent: Agent, tmp_path: Path, terminal: str
) -> None:
    """At a terminal that the agent did not start, while the agent runs: approved, and the retry
    runs once.
    """
    name = requested(desk)
    code, said = person(
        [*RUN, "approve", name[:6]],
        environment(desk),
        tmp_path,
        program=terminal,
        host_env=host_env(),
    )
    assert code == 0, said
    assert "approved" in said
    assert agent.process.poll() is None
    assert desk.check().verdict == VERDICT_ALLOW
    assert desk.check().verdict == VERDICT_DENY


def test_a_terminal_that_nobody_shows_needs_the_token(
    desk: Desk, agent: Agent, tmp_path: Path
) -> None:
    """What left its parents behind and made a terminal for itself is not taken for a person while
    an agent runs; when none runs, it is one.
    """
    name = requested(desk)
    code, said = person([*RUN, "approve", name], environment(desk), tmp_path)
    assert code == 1
    assert "interlock cannot tell you from an agent here" in " ".join(said.split())
    assert desk.states() == ["pending"]
    agent.end()
    code, said = person([*RUN, "approve", name], environment(desk), tmp_path)
    assert code == 0, said


@pytest.mark.usefixtures("agent")
def test_with_the_token_it_is_one(desk: Desk, tmp_path: Path) -> None:
    """The token stands for the person there; a wrong one does not."""
    made, name = token.make(desk.store), requested(desk)
    argv = [*RUN, "approve", name, "--token"]
    code, said = person(argv, environment(desk), tmp_path, [["token: ", "interlock-token-00\n"]])
    assert code == 1
    assert "not your token" in said
    code, said = person(argv, environment(desk), tmp_path, [["token: ", made + "\n"]])
    assert code == 0, said
    assert made not in said


@pytest.mark.parametrize("marker", MARKERS)
def test_a_marker_of_a_client_refuses(desk: Desk, tmp_path: Path, marker: str) -> None:
    """A process above that carries a client's variable: an agent's, though its session was never
    recorded.
    """
    name = requested(desk)
    code, said = person(
        [*RUN, "approve", name], environment(desk), tmp_path, host_env={marker: "1"}
    )
    assert code == 1
    assert "inside an agent's session" in " ".join(said.split())


@pytest.mark.usefixtures("agent")
def test_a_pipe_is_no_person(desk: Desk) -> None:
    """Without a terminal, and without a token, nothing is approved: `yes |` neither."""
    name = requested(desk)
    done = subprocess.run(
        [*RUN, "approve", name],
        input="y\n",
        env=environment(desk),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "no terminal" in done.stderr or "agent" in done.stderr
    assert desk.states() == ["pending"]


def test_a_token_is_made_at_a_terminal_only(
    desk: Desk, agent: Agent, tmp_path: Path, terminal: str
) -> None:
    """Shown once, on a terminal; only its hash is kept, and an older one counts no more."""
    assert subprocess.run(
        [*RUN, "approvals", "token"],
        env=environment(desk),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    ).returncode
    code, _ = person([*RUN, "approvals", "token"], environment(desk), tmp_path)
    assert code == 1  # nobody shows that terminal
    made = []
    for _ in range(2):
        code, said = person(
            [*RUN, "approvals", "token"],
            environment(desk),
            tmp_path,
            program=terminal,
            host_env=host_env(),
        )
        assert code == 0, said
        made.append(next(word for word in said.split() if word.startswith("interlock-token-")))
    assert [token.valid(desk.store, one) for one in made] == [False, True]
    assert made[1] not in str(desk.store.query("SELECT * FROM approval_token"))
    assert agent.process.poll() is None


def test_numbers_are_used_again() -> None:
    """A recorded number that is another process by now is nobody's; the same process is."""
    mine = processes.running(os.getpid())
    assert mine is not None
    boot = processes.boot()
    now = time.time()
    assert agents_alive([(mine.pid, mine.ticks, boot, now)]) == [(mine.pid, mine.ticks)]
    assert (
        agents_alive(
            [(mine.pid, mine.ticks + 1, boot, now), (mine.pid, mine.ticks, "another start", now)]
        )
        == []
    )


def test_another_numbering_cannot_be_looked_for() -> None:
    """A process that was recorded in a container counts as running for a day, and its number is no
    process of ours.
    """
    mine = processes.running(os.getpid())
    assert mine is not None
    elsewhere = f"{processes.boot().partition(' ')[0]} pid:[1]"
    assert agents_alive([(mine.pid, 5, elsewhere, time.time())]) == [(0, 5)]
    assert agents_alive([(mine.pid, 5, elsewhere, time.time() - 90000)]) == []


def test_a_session_that_begins_is_greeted_all_the_same(desk: Desk) -> None:
    """A store that cannot be written does not keep a session from beginning."""
    from interlock.cli import hook

    desk.home.joinpath(".local").mkdir(exist_ok=True)
    desk.home.joinpath(".local/state").write_text("a file", encoding="utf-8")
    event = b'{"session_id": "s", "cwd": "/srv/x", "hook_event_name": "SessionStart", "source": "startup"}'
    reply = hook.answer(claude_code, lambda: event, {"HOME": str(desk.home)}, note=True)
    assert "Safety guard" in reply.stdout
    assert (reply.exit_code, "could not be recorded" in reply.stderr) == (0, True)


def test_a_program_of_a_client_refuses(desk: Desk, tmp_path: Path, terminal: str) -> None:
    """Below a program that is called as a client is, though its session was never recorded; a
    terminal's twin approves.
    """
    name = requested(desk)
    client = Path(terminal).with_name("claude")
    client.hardlink_to(terminal)
    code, said = person(
        [*RUN, "approve", name], environment(desk), tmp_path, program=client, host_env=host_env()
    )
    assert (code, "claude (process" in " ".join(said.split())) == (1, True)
    code, said = person(
        [*RUN, "approve", name], environment(desk), tmp_path, program=terminal, host_env=host_env()
    )
    assert code == 0, said


HOOK = (
    "echo '{event}' | "
    + shlex.join(
        [sys.executable, "-I", "-S", f"{ROOT}/src/interlock/hook.py", "claude-code", "note"]
    )
    + "; true"
)


@pytest.mark.parametrize(
    ("called", "noted"), [("xterm", []), ("tmux", []), ("some-agent", ["some-agent"])]
)
def test_a_hook_by_hand_makes_no_agent_of_the_terminal(
    desk: Desk, tmp_path: Path, terminal: str, called: str, noted: list[str]
) -> None:
    """Who tries the hook in a terminal of their own is no agent; below any other program it is that
    program's session.
    """
    program = Path(terminal).with_name(called)
    if not program.exists():
        program.hardlink_to(terminal)
    event = json.dumps(
        {
            "session_id": "s",
            "cwd": str(desk.home),
            "hook_event_name": "SessionStart",
            "source": "startup",
        }
    )
    code, said = person(
        ["/bin/sh", "-c", HOOK.format(event=event)],
        environment(desk),
        tmp_path,
        program=program,
        host_env=host_env(),
    )
    assert code == 0, said
    assert "Safety guard" in said
    assert [name for (name,) in desk.store.query("SELECT name FROM agent_process")] == noted
