"""Guarded code mode for programs that embed it: one function."""

from __future__ import annotations

import os

from interlock.cli import run_options
from interlock.codemode.permissions import RunPermissions
from interlock.codemode.program import RunResult
from interlock.integrations.protocol import PLATFORM
from interlock.model.call import OTHER, PYTHON, ToolCall
from interlock.sandbox.bounds import Bounds

USUAL, WITHIN = RunPermissions(), Bounds()


def run_code(
    source: str,
    language: str = "python",
    permits: RunPermissions = USUAL,
    workspace: str = "",
    bounds: Bounds = WITHIN,
    require: str = "",
) -> RunResult:
    """Run a program that an agent wrote, by the policy that holds in the workspace and what is
    permitted besides; nobody is asked.

    ``workspace``: this process's folder where it is empty. ``require``: ``kernel``, ``guard`` or
    ``both``: what has to hold, or nothing runs. Raises ``ValueError`` for permits that mean
    nothing, ``PolicyError`` where the preset cannot be read.
    """
    folder = os.path.realpath(workspace or os.getcwd())
    tool = PYTHON if language == "python" else OTHER
    call = ToolCall(
        tool,
        f"execute_{language}",
        {"code": source},
        folder,
        (),
        PLATFORM,
        f"code-{os.getpid()}",
        "code",
    )
    scene = run_options.build_scene(
        run_options.place_call(call, folder, permits), permits, bounds, require
    )
    from interlock.codemode.run import run

    return run(source, language, scene)
