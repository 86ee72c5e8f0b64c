"""Puts a built relay into a wheel: ``INTERLOCK_RELAY=aarch64 python -m hatchling build -t wheel``
makes the wheel for that machine.

Without the variable the wheel is for every machine, and the relay is compiled there when interlock
is installed, where a compiler is. The compiler here is the one of the ``ziglang`` package: it
brings the C library (musl) along, so that the relay needs nothing of the machine, and whoever has
the same version of it gets the same bytes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "INTERLOCK_RELAY"
MACHINES = ("x86_64", "aarch64")
"""For which a relay is shipped. Not for macOS: no resident guard runs there, so it would have
nobody to ask.
"""
TAG = "py3-none-manylinux_2_17_{0}.manylinux2014_{0}.musllinux_1_1_{0}"
"""A static program runs with every C library; the names of the oldest ones that pip knows."""
OPTIONS = ("-static", "-O2", "-s", "-Wall", "-Wextra", "-Werror")


def compiled(source: Path, machine: str, into: Path) -> Path:
    """Compile the relay for a machine; return where it is. Nothing of where that happens gets into
    it: both names are relative, the cache is new.
    """
    shutil.copyfile(source, into / "relay.c")
    caches = {f"ZIG_{which}_CACHE_DIR": str(into / which) for which in ("GLOBAL", "LOCAL")}
    argv = [
        sys.executable,
        "-m",
        "ziglang",
        "cc",
        "-target",
        f"{machine}-linux-musl",
        *OPTIONS,
        "-o",
        "relay",
        "relay.c",
    ]
    done = subprocess.run(
        argv, cwd=into, env={**os.environ, **caches}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(
            f"the relay for {machine} could not be built; is ziglang installed (pip install -e"
            f" '.[release]')?\n{done.stderr}"
        )
    return into / "relay"


class RelayHook(BuildHookInterface[BuilderConfig]):
    """What hatchling calls around the making of a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the relay, and say what machine the wheel is for."""
        machine = os.environ.get(VARIABLE, "")
        if not machine or version == "editable":
            return
        if machine not in MACHINES:
            raise SystemExit(f"{VARIABLE}={machine}: expected one of {', '.join(MACHINES)}")
        self.folder = tempfile.TemporaryDirectory(prefix="interlock-relay-")
        relay = compiled(
            Path(self.root) / "src/interlock/resident/relay.c", machine, Path(self.folder.name)
        )
        build_data["force_include"][str(relay)] = "interlock/resident/relay"
        build_data["pure_python"] = False
        build_data["tag"] = TAG.format(machine)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Clear away what was made."""
        del version, build_data, artifact_path
        if hasattr(self, "folder"):
            self.folder.cleanup()
