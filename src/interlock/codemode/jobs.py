"""Windows: runs a command line in a job, or not at all. Nothing in it asks, and nothing holds which
files and hosts it reaches.
"""

from __future__ import annotations

from interlock.codemode.program import (
    LAUNCHER,
    Refusal,
    RunCommand,
    RunContext,
    RunResult,
    refuse_run,
)
from interlock.codemode.surroundings import environment, exit_status, folders, not_run, unmet
from interlock.sandbox import windows_job
from interlock.sandbox.bounds import Tier, Walls
from interlock.sandbox.probe import kernel
from interlock.sandbox.process import ProcessStart
from interlock.sandbox.windows import WindowsProcess, cmd
from interlock.stop.processes import CALL_TAG, TAG

CMD = "cmd"
"""``ToolCall.shell`` of a line for cmd.exe."""


def reader(shell: str) -> tuple[str, ...]:
    """Return the program that reads a line, and what stands before it; nothing where that is not
    who it was judged for.
    """
    return (cmd(), *windows_job.LINE) if shell == CMD else ()


def run_prepared(prepared: RunCommand, scene: RunContext) -> RunResult:
    """Run a command line. Total: what cannot be held as it was required does not start."""
    found = kernel(scene.state)
    tier = Tier(notes=found.notes, job=found.job)
    missing = unmet(tier, scene.require)
    if missing and found.job:
        missing += "; what a job bounds is enough with --require none"
    if not missing and not found.job:
        missing = found.notes[-1]
    if missing:
        return refuse_run(
            Refusal("start", prepared.name, "code.require", LAUNCHER, missing)
        ).replace(tier=Tier(notes=found.notes))
    try:
        return _run(prepared, scene, tier)
    except (OSError, ValueError) as error:
        return not_run(prepared, error)


def _run(prepared: RunCommand, scene: RunContext, tier: Tier) -> RunResult:
    """Run it; raises ``OSError`` and ``ValueError`` for what Windows does not take."""
    with folders(scene) as (private, _, kept):
        variables = {
            **environment(prepared, private),
            TAG: scene.call.session,
            CALL_TAG: scene.decision,
        }
        process = WindowsProcess(
            ProcessStart(
                prepared.argv,
                prepared.cwd,
                variables,
                Walls(),
                scene.bounds,
                "",
                stdin=prepared.stdin,
                spill=kept,
            )
        )
        scene.end = process.kill
        ended = process.ended()
    status, code = exit_status(ended)
    stdout, stderr = [one.text().replace("\r\n", "\n") for one in (ended.stdout, ended.stderr)]
    spilled = tuple([one.spilled for one in (ended.stdout, ended.stderr) if one.spilled])
    return RunResult(status, code, stdout, stderr, (), tier, ended.seconds, spilled=spilled)
