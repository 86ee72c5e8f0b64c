"""Bash, and programs in general: started in a group of their own, so that a stop ends all of it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
from collections.abc import Sequence

from interlock.agent.tool import MOST, Tool, ToolError, number_of, text_of
from interlock.model import call as kinds
from interlock.model.call import ToolCall
from interlock.model.decision import Decision
from interlock.model.record import Record
from interlock.sandbox.capture import Capture
from interlock.stop.kill import HaltedProcesses
from interlock.stop.processes import CALL_TAG, TAG, SessionProcesses

SECONDS, LONGEST = 120, 600
GRACE = 2.0
"""Seconds that a group has to end by itself, and that output is waited for after the program's end:
a child in the background may hold it open.
"""
MARK = "INTERLOCK_AGENT"
"""The variable by which what approves calls sees that an agent started it."""
KEYS = ("INTERLOCK_API_KEY", "INTERLOCK_GUARD_LLM_API_KEY")
"""Variables that commands do not get: the agent's own keys."""


class CommandResult(Record):
    """What came of a program: its exit code (minus a signal), what it printed, its beginning and
    its end, and whether its time was over.
    """

    code: int
    text: str
    late: bool = False


class _CommandProtocol(asyncio.SubprocessProtocol):
    """Holds what a program prints, and notices when it ended and when nothing holds its output open
    any more.
    """

    def __init__(self) -> None:
        self.held = Capture(MOST)
        self.ended, self.closed = asyncio.Event(), asyncio.Event()

    def pipe_data_received(self, _fd: int, data: bytes) -> None:
        self.held.take(data)

    def pipe_connection_lost(self, _fd: int, _error: Exception | None) -> None:
        self.closed.set()

    def process_exited(self) -> None:
        self.ended.set()


async def run_program(
    argv: Sequence[str], call: ToolCall, decision: Decision, seconds: int = SECONDS
) -> CommandResult:
    """Run a program in the call's folder, without input; raises ``ToolError`` where it does not
    start. Cancelled or late, all it started ends.
    """
    environment = {name: value for name, value in os.environ.items() if name not in KEYS}
    environment |= {MARK: "1", TAG: call.session, CALL_TAG: decision.id}
    try:
        transport, running = await asyncio.get_running_loop().subprocess_exec(
            _CommandProtocol, *argv, cwd=call.cwd, env=environment, start_new_session=True,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        raise ToolError(
            f"{argv[0]} could not be started in {call.cwd}:"
            f" {getattr(error, 'strerror', None) or error}"
        ) from error
    try:
        await _within(seconds, running.ended)
        late = not running.ended.is_set()
    finally:
        await _end(
            transport.get_pid(),
            running,
            SessionProcesses((), [f"{CALL_TAG}={decision.id}"], [f"{TAG}={call.session}"]),
        )
        transport.close()
    return CommandResult(transport.get_returncode() or 0, running.held.text(), late)


async def _within(seconds: float, event: asyncio.Event) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)


async def _end(pid: int, running: _CommandProtocol, all_of_it: SessionProcesses) -> None:
    """End a program and its group, if it did not end by itself: first asked, then made to; and all
    of its call. Then wait for its output.
    """
    if not running.ended.is_set():
        await _kill_group(pid, running)
        await asyncio.to_thread(lambda: HaltedProcesses(all_of_it, grouped=False).kill())
    await _within(GRACE, running.closed)


async def _kill_group(pid: int, running: _CommandProtocol) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not running.ended.is_set():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, number)
            await _within(GRACE, running.ended)


async def bash(call: ToolCall, decision: Decision) -> str:
    """Run a command line."""
    seconds = min(LONGEST, max(1, number_of(call, "timeout", SECONDS)))
    ended = await run_program(
        [shutil.which("bash") or "/bin/sh", "-c", text_of(call, "command")], call, decision, seconds
    )
    text = ended.text.rstrip("\n")
    if ended.late:
        raise ToolError(
            f"{text}\n[stopped: its {seconds} seconds were over; give timeout, {LONGEST} at most,"
            " or start it with & and its output in a file]"
        )
    if ended.code:
        raise ToolError(f"{text}\n[exit code {ended.code}]".lstrip("\n"))
    return text or "[no output]"


TOOLS = (
    Tool(
        "Bash",
        "Run a command line with bash in the working folder. Each call is a shell of its own: cd"
        " and variables do not last. There is no terminal and no input. What is left running with &"
        " lives until this session ends, and no longer.",
        {
            "command": {"type": "string", "description": "The command line"},
            "timeout": {
                "type": "integer",
                "description": f"Seconds it may take ({SECONDS}; {LONGEST} at most)",
            },
        },
        kinds.SHELL,
        bash,
        ("command",),
    ),
)
