"""Whether a person sits at the other end of this process, or an agent: it may not approve its own
calls.

Three answers. *Refused*: the process was started by an agent's session; not even a token helps,
since that session would see it. *Unsure*: it cannot be told, so the person's token is needed. Else
a person's terminal. What this holds and what it does not is told in ``docs/approvals.md``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from time import time

from interlock.facts import processes
from interlock.facts.files import read_file
from interlock.facts.processes import EDITORS, MULTIPLEXERS, TERMINALS, RunningProcess

Recorded = tuple[int, int, str, float]
"""A process that was noted as an agent's: number, ticks, where and when its number counts
(``processes.boot``), Unix seconds.
"""

MARKERS = (
    "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
    "GEMINI_CLI", "QWEN_CODE", "OPENCODE",
    "CURSOR_AGENT", "GOOSE_TERMINAL", "CLINE_ACTIVE", "INTERLOCK_AGENT", "PI_CODING_AGENT",
)  # fmt: skip
"""Variables that clients set for the commands of their tools.

Measured: ``CLAUDECODE`` with Claude Code 2.1.329, ``OPENCODE`` with OpenCode 1.18.33,
``PI_CODING_AGENT`` with Pi 0.87.1; the others are from their sources.
"""
CLIENTS = frozenset(
    "claude codex gemini qwen opencode cursor-agent copilot goose aider crush amp droid auggie"
    " kiro-cli pi plandex".split()
)
"""Names of agents' programs, for one whose session was never recorded."""


UNSEEN_SECONDS = 86400.0
"""How long a process that cannot be looked for counts as running."""


class AgentCallerError(Exception):
    """An agent started this process; the text says how that is known."""


class UnknownCallerError(Exception):
    """It cannot be told who started this process; the text says why."""


class NoProcessTreeError(UnknownCallerError):
    """On this system no process can be seen to have started another."""


def agents_alive(recorded: Iterable[Recorded]) -> list[tuple[int, int]]:
    """Return those recorded processes that still run: number and ticks.

    One that was recorded where processes are numbered otherwise (a container) cannot be looked for:
    for a day it counts as running, as number 0.
    """
    here = processes.boot()
    found = []
    for pid, ticks, boot, since in recorded:
        process = processes.running(pid) if boot == here else None
        if process is not None and process.ticks == ticks:
            found.append((pid, ticks))
        elif (
            boot != here
            and boot.partition(" ")[0] == here.partition(" ")[0]
            and since > time() - UNSEEN_SECONDS
        ):
            found.append((0, ticks))
    return found


def examine(alive: list[tuple[int, int]], descriptor: int = 0) -> None:
    """Return where a person sits at the terminal ``descriptor``; raises ``AgentCallerError`` or
    ``UnknownCallerError``. ``alive``: the agents that run.
    """
    chain = processes.ancestors(os.getpid())
    if not chain:
        _own_environment()
        raise NoProcessTreeError(
            f"on {sys.platform} interlock cannot see which process started which"
        )
    _descent(chain, alive)
    _at_terminal(chain, descriptor)
    if alive:  # nobody but a person is there while no agent runs
        _of_person(chain, alive)


def _own_environment() -> None:
    marked = next((name for name in MARKERS if name in os.environ), "")
    if marked:
        raise AgentCallerError(f"this runs inside an agent's session ({marked} is set)")


def _descent(chain: list[RunningProcess], alive: list[tuple[int, int]]) -> None:
    for process in chain:
        if (process.pid, process.ticks) in alive:
            raise AgentCallerError(
                f"an agent's session started this process ({process.name}, process {process.pid})"
            )
        if process.name in CLIENTS or process.called in CLIENTS:
            raise AgentCallerError(f"{process.called} (process {process.pid}) started this process")
        marked = _find_marker(process.pid)
        if marked:
            raise AgentCallerError(
                f"this runs inside an agent's session ({marked} is set for {process.name}, process"
                f" {process.pid})"
            )


def _find_marker(pid: int) -> str:
    """Return the first marker that a process was started with; of another user's, none is known."""
    try:
        variables = {
            entry.partition(b"=")[0].decode("utf-8", "replace")
            for entry in read_file(f"/proc/{pid}/environ", 1 << 22).split(b"\0")
        }
    except (OSError, ValueError):
        return ""
    return next((name for name in MARKERS if name in variables), "")


def _at_terminal(chain: list[RunningProcess], descriptor: int) -> None:
    mine = chain[0]
    try:
        device = os.fstat(descriptor).st_rdev if os.isatty(descriptor) else 0
    except OSError:
        device = 0
    if not device:
        raise UnknownCallerError("its standard input is no terminal")
    minor = os.minor(device)
    if mine.terminal != (minor & 0xFF) | (os.major(device) << 8) | (
        (minor & ~0xFF) << 12
    ):  # proc(5), tty_nr
        raise UnknownCallerError("the terminal on its standard input is not its own")
    if mine.front != mine.group:
        raise UnknownCallerError("it runs in the background")


def _of_person(chain: list[RunningProcess], alive: list[tuple[int, int]]) -> None:
    """Look for the program that shows the terminal above the leader of its session."""
    above = [process.pid for process in chain]
    if chain[0].leader not in above:
        raise UnknownCallerError("what leads its terminal's session did not start it")
    began = min(ticks for _, ticks in alive)
    for process in chain[above.index(chain[0].leader) :]:
        if process.name in TERMINALS or process.name in EDITORS:
            return
        if process.name in MULTIPLEXERS and process.ticks < began:
            return
    shown = next((process.name for process in chain if process.name in MULTIPLEXERS), "")
    if shown:
        raise UnknownCallerError(
            f"{shown} is newer than a running agent, which could have started it"
        )
    raise UnknownCallerError(
        f"interlock does not know {chain[-1].name} (process {chain[-1].pid}) as a program that"
        " shows people a terminal"
    )
