"""What is around a run, on every platform: its own folders and variables, what it cannot do
without, how its end is called.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator, Mapping

from interlock.codemode import leftovers
from interlock.codemode.commands import direct
from interlock.codemode.program import (
    BOTH,
    FAILED,
    GUARD,
    KERNEL,
    KILLED,
    LAUNCHER,
    RAN,
    TIMEOUT,
    Refusal,
    RunCommand,
    RunContext,
    RunResult,
    refuse_run,
)
from interlock.sandbox.bounds import Tier
from interlock.sandbox.process import ProcessEnd

HERE = "{private}"
"""Stands for the run's own folder in a prepared command line."""
PASSED: tuple[str, ...] = tuple(
    "PATH HOME USER LOGNAME LANG LANGUAGE TZ TERM COLUMNS NO_COLOR SHELL".split()
)
"""Variables that every run has, besides those that begin with ``LC_``; whatever else is set here
may be a secret, or steer a program.
"""
TEMPORARY: tuple[str, ...] = ("TMPDIR",)
CACHES = {"XDG_CACHE_HOME": "caches", "MPLCONFIGDIR": "matplotlib"}
"""Variables by which libraries and tools find where to keep what they can make anew, and the folder
of a run that is for it: below the home folder nothing is written.
"""
if sys.platform == "win32":
    PASSED += (
        "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "OS",
        "PATHEXT", "PROCESSOR_ARCHITECTURE",
        "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMDRIVE", "SYSTEMROOT",
        "USERDOMAIN", "USERNAME", "USERPROFILE", "WINDIR",
    )  # fmt: skip
    TEMPORARY = ("TEMP", "TMP")


def unmet(tier: Tier, require: str) -> str:
    """Return why a run may not start: what was required is not to be had here."""
    if require in (KERNEL, BOTH) and not tier.kernel:
        return (
            "the kernel's walls are required and not to be had here:"
            f" {'; '.join(tier.notes) or 'nothing works'}"
        )
    if require in (GUARD, BOTH) and not tier.guard:
        return "a guard inside the program is required, and this program has none"
    return ""


def not_run(prepared: RunCommand, error: OSError | ValueError) -> RunResult:
    """Return the result of what the system does not take: too long an argument, a full disk."""
    why = getattr(error, "strerror", None) or error
    return refuse_run(
        Refusal("start", prepared.name, "code.not-run", LAUNCHER, f"It could not be run: {why}.")
    )


@contextlib.contextmanager
def folders(scene: RunContext) -> Iterator[tuple[str, str, str]]:
    """Make the run's own temporary folder and the one for copies of folders, which go with it, and
    the one for output that is too long, which stays if anything is in it.
    """
    folder, shown = leftovers.make_folder("run"), leftovers.make_folder("shown")
    kept = scene.keep or leftovers.make_folder("output")
    try:
        os.makedirs(kept, exist_ok=True)
        yield folder, shown, kept
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(shown, ignore_errors=True)
        if not scene.keep and not os.listdir(kept):
            os.rmdir(kept)


def environment(prepared: RunCommand, private: str) -> Mapping[str, str]:
    """Return the variables of a run. ``private``: its own temporary folder."""
    passed = {
        name: value
        for name, value in os.environ.items()
        if name in PASSED or name.startswith("LC_")
    }
    if "PATH" in passed and os.name == "posix":
        passed["PATH"] = direct(passed["PATH"])
    return {
        **passed,
        **dict.fromkeys(TEMPORARY, private),
        **{name: f"{private}/{folder}" for name, folder in CACHES.items()},
        **{name: value.replace(HERE, private) for name, value in prepared.environment.items()},
    }


def write_files(prepared: RunCommand, private: str) -> None:
    """Put a run's files into its own folder, and make those for caches."""
    for folder in CACHES.values():
        os.mkdir(f"{private}/{folder}")
    for name, data in prepared.files.items():
        with open(f"{private}/{name}", "wb") as file:
            file.write(data)


def exit_status(ended: ProcessEnd) -> tuple[str, int]:
    """Return what is said of how a run ended, and its code."""
    status = {"time": TIMEOUT, "processes": KILLED, "signal": KILLED}.get(
        ended.why, RAN if ended.code == 0 else FAILED
    )
    return (
        status,
        -ended.code if ended.why == "signal" else 124 if ended.why == "time" else ended.code,
    )
