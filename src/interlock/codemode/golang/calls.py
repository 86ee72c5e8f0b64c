"""Where a release's library cannot be given checks: the program's own calls of it are replaced by
calls that ask, by a tool before the compiler.

The tool (``go build -toolexec``) vouches only for what it knows by name; a program with anything
else in it is not vouched for. It gives the compiler another name, so that nothing which was
compiled without it is taken from a cache.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from typing import NamedTuple

from interlock.codemode.golang.building import Builder
from interlock.codemode.golang.project import Project
from interlock.codemode.golang.scan import scan
from interlock.codemode.golang.selftest import PIECES, SHARED, Probe, run_selftest
from interlock.codemode.golang.toolchain import Toolchain

GUARD = "interlock"
"""The folder of the package that asks, in the folder of the program."""
_STARTER = "interlock_guard.go"
_TOOL, _CALLS = os.path.join(PIECES, "toolexec"), os.path.join(PIECES, "calls")
_PROBE = os.path.join(PIECES, "probe_calls.go")


class CallsTool(NamedTuple):
    """The tool, in the folder of the build; "" where it cannot be had, and then ``why`` says it."""

    tool: str
    why: str = ""

    @property
    def flags(self) -> tuple[str, ...]:
        """What ``go build`` is told."""
        return ("-toolexec", self.tool)


def replacing(builder: Builder, report: Callable[[str], object]) -> CallsTool:
    """Return the tool of a toolchain, built and tried where it is not there yet. ``report``: is
    told what takes long.
    """
    toolchain = builder.toolchain
    kept = os.path.join(toolchain.cache, f"toolexec-{_fingerprint(toolchain)}")
    tool = os.path.join(builder.work, "interlock-toolexec")
    if not os.path.exists(kept):
        report(
            f"Preparing {toolchain.release}, whose library is not known, once: calls in programs"
            " get checks instead (about a minute)."
        )
        folder = os.path.join(builder.work, "toolexec")
        shutil.copytree(_TOOL, folder)
        with open(os.path.join(folder, "go.mod"), "w", encoding="utf-8") as file:
            file.write(f"module toolexec\n\ngo {'.'.join(map(str, toolchain.version))}\n")
        built = builder.go("build", "-trimpath", "-buildvcs=false", "-o", tool, ".", cwd=folder)
        if built.code != 0:
            return CallsTool("", f"its tool does not build: {' '.join(built.stderr.split())[:300]}")
        why = run_selftest(
            builder,
            Probe(_PROBE, ("-toolexec", tool), lambda folder: lay_guard(folder, web=True)),
            report,
        )
        if why:
            return CallsTool("", why)
        shutil.copy2(tool, f"{kept}.{os.getpid()}")
        os.replace(f"{kept}.{os.getpid()}", kept)
        report(f"{toolchain.release} is ready.")
    shutil.copy2(kept, tool)
    return CallsTool(tool)


def doubts(builder: Builder, tool: str, project: Project) -> list[str]:
    """Return what of a program the tool cannot vouch for: ``run.go:12: os.OpenRoot``."""
    checked = builder.tool(tool, "check", os.path.join(project.folder, project.name))
    if checked.code in {0, 3}:
        return checked.stdout.splitlines()
    return [f"the check of the program ended with {checked.code}: {checked.stderr.strip()[:200]}"]


def lay_guard(folder: str, *, web: bool) -> None:
    """Put the package that asks beside a program. ``web``: it speaks HTTP, so the clients of
    ``net/http`` are to ask too.
    """
    shutil.copytree(
        _CALLS, os.path.join(folder, GUARD), ignore=None if web else shutil.ignore_patterns("web")
    )
    with open(os.path.join(folder, _STARTER), "w", encoding="utf-8") as file:
        file.write(
            'package main\n\nimport _ "program/interlock"\n'
            + ('import _ "program/interlock/web"\n' if web else "")
        )


def speaks_http(source: str) -> bool:
    """Tell whether a program imports ``net/http``."""
    return any(one.path == "net/http" for one in scan(source).imports)


def _fingerprint(toolchain: Toolchain) -> str:
    """Return what tells one tool from another: the release, and what both are made of."""
    digest = hashlib.sha256(f"{toolchain.release}\n{toolchain.root}".encode())
    paths = [
        os.path.join(folder, name)
        for top in (_TOOL, _CALLS)
        for folder, _, names in sorted(os.walk(top))
        for name in sorted(names)
    ]
    for path in (*paths, _PROBE, SHARED):
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]
