"""What is around the guard: the client's version, and the folder that is worked in."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping

from interlock.doctor.report_row import AMBER, GREEN, RED, ReportRow
from interlock.guard.workspace import may_be_root
from interlock.integrations.protocol import Settings
from interlock.policy.files import places

NODE = 22
"""The Node that the newest Claude Code asks for; the other clients ask for no newer one."""


def version(settings: Settings) -> ReportRow:
    """Compare the client's version with the oldest that keeps what is promised."""
    program, oldest = shutil.which(settings.program), ".".join(map(str, settings.oldest))
    if program is None:
        return ReportRow(
            AMBER, "client", f"{settings.program} is not on the PATH, so its version is unknown"
        )
    try:
        said = subprocess.run(  # noqa: S603
            [program, "--version"],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
            stdin=subprocess.DEVNULL,
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return ReportRow(AMBER, "client", f"{program} does not tell its version: {error}")
    numbers = re.search(r"(\d+)\.(\d+)\.(\d+)", said)
    if numbers is None:
        return ReportRow(AMBER, "client", f"{program} does not tell its version")
    if tuple(map(int, numbers.groups())) < settings.oldest:
        return ReportRow(
            RED,
            "client",
            f"{numbers[0]}: before {oldest} {_older(settings)}",
            _newer(settings),
        )
    return ReportRow(GREEN, "client", f"{settings.program} {numbers[0]}")


def _newer(settings: Settings) -> str:
    """Say how a newer version is had: npm takes the newest that the Node which is here can run."""
    install = f"npm install -g {settings.package}@latest"
    node = shutil.which("node")
    try:
        said = (
            subprocess.run(  # noqa: S603
                [node, "--version"], capture_output=True, text=True, timeout=20, check=False
            ).stdout
            if node
            else ""
        )
    except (OSError, subprocess.TimeoutExpired):
        said = ""
    major = re.match(r"v(\d+)\.", said)
    if major is None or int(major[1]) >= NODE:
        return install
    return f"install Node {NODE} or newer (here is {major[1]}), then: {install}"


def _older(settings: Settings) -> str:
    return (
        "a guard that fails lets the call run"
        if settings.block
        else "it was not measured whether a refusal is kept"
    )


def walls() -> ReportRow:
    """Tell what of this machine's kernel can hold a program in code mode."""
    from interlock.sandbox.probe import kernel

    found = kernel()
    if found.best:
        missing = f" ({'; '.join(found.notes)})" if found.notes else ""
        return ReportRow(GREEN, "code mode", f"programs are held by {found.best}{missing}")
    notes = "; ".join(found.notes)
    if found.job:
        return ReportRow(
            AMBER,
            "code mode",
            f"commands run in a job, with `interlock run --require none`: {notes}",
        )
    return ReportRow(
        AMBER,
        "code mode",
        f"the guard alone: {notes}",
        "sudo apt-get install bubblewrap" if sys.platform.startswith("linux") else "",
    )


def workspace(project: str) -> ReportRow:
    """Tell whether a folder may be a workspace."""
    if may_be_root(os.path.realpath(project), os.path.expanduser("~")):
        return ReportRow(GREEN, "workspace", project)
    return ReportRow(
        AMBER,
        "workspace",
        f"{project} is too broad to be a project: every change to a file counts as outside",
        "run it inside a project's folder",
    )


def skills(environment: Mapping[str, str], project: str) -> Iterator[ReportRow]:
    """Yield what the guard agent is told here, and a row for each skill that cannot be used;
    nothing where there are no skills.
    """
    from interlock.policy.skills import skills as read

    found = read(places(environment, os.path.realpath(project)))
    for problem in found.problems:
        yield ReportRow(
            AMBER,
            "guard skills",
            f"{problem}: until it is mended the guard agent allows nothing",
            "interlock policy check",
        )
    if found.all:
        yield ReportRow(
            GREEN, "guard skills", ", ".join(dict.fromkeys([skill.name for skill in found.all]))
        )
