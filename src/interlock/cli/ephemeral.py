"""An interlock that runs out of a cache (``uvx``, ``pipx run``) is gone when that is cleared, and
hooks that name it would refuse every call then: ``init`` first installs it for good, by the tool
that runs it.

uv keeps such environments below ``archive-v0`` or ``environments-v2`` of its cache (docs.astral.sh,
*Caching*), pipx below ``.cache/pipx`` or its home's ``.cache``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution

from interlock.cli.colors import complain
from interlock.cli.show import wrap_text
from interlock.model.record import Record
from interlock.shell.quoting import join

UV, PIPX = "uv", "pipx"
_OF_UV = ("archive-v0", "environments-v2", "builds-v0")
WHY = (
    "this interlock runs out of {tool}'s cache, which is cleared now and then; the agents' hooks"
    " need one that stays"
)


class PermanentInstall(Record):
    """How to install for good what runs out of a cache: the tool, and its command."""

    tool: str
    command: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """Why, and by which command, as lines that fit."""
        return [
            *wrap_text(f"{WHY.format(tool=self.tool)}:", 0, 0),
            f"  {join([*self.command])}",
            "",
        ]

    @property
    def program(self) -> str:
        """Where the tool is; ``""`` where it is not on the PATH."""
        return shutil.which(self.tool) or ""


def keeping(prefix: str = sys.prefix) -> PermanentInstall | None:
    """Return how to install this interlock for good, None where it stays as it is. ``prefix``: the
    environment that runs.
    """
    folders = os.path.normpath(prefix).split(os.sep)
    if any(name in folders for name in _OF_UV):
        return PermanentInstall(UV, (UV, "tool", "install", "--force", _source()))
    if PIPX in folders[-3:-1] and ".cache" in folders[-3:-1]:
        return PermanentInstall(PIPX, (PIPX, "install", "--force", _source()))
    return None


def _source() -> str:
    """Return what this interlock was installed from, as the tool was given it."""
    try:
        own = distribution("interlock")
        told = json.loads(own.read_text("direct_url.json") or "{}")
        url = str(told.get("url", "")) if isinstance(told, dict) else ""
        return url.removeprefix("file://") if url else f"interlock=={own.version}"
    except (PackageNotFoundError, ValueError):
        return "interlock"


def install_and_run(found: PermanentInstall, arguments: list[str]) -> int:
    """Install it for good, and go on there with the same words; return the exit code."""
    sys.stdout.flush()
    done = subprocess.run([found.program, *found.command[1:]], check=False)  # noqa: S603 - uv or pipx
    where = _find_program(found.program, found.tool) if done.returncode == 0 else ""
    if not where:
        complain(f"interlock init: that failed ({done.returncode}); nothing else was done\n")
        return 1
    return subprocess.run([where, *arguments], check=False).returncode  # noqa: S603 - ourselves


def _find_program(program: str, tool: str) -> str:
    """Return the program that the tool installed, as it says itself; ``""`` where it is gone."""
    asks = {UV: ("tool", "dir", "--bin"), PIPX: ("environment", "--value", "PIPX_BIN_DIR")}[tool]
    argv = [program, *asks]
    said = subprocess.run(argv, capture_output=True, text=True, check=False)  # noqa: S603 - as above
    where = os.path.join(said.stdout.strip(), "interlock")
    return where if said.returncode == 0 and os.access(where, os.X_OK) else ""
