"""The self-test of a Go release: a program of our own, built with checks, tries everything that is
checked while a broker allows nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from typing import NamedTuple

from interlock.codemode import channel
from interlock.codemode.golang.building import Builder

PIECES = os.path.join(os.path.dirname(__file__), "pieces")
SHARED = os.path.join(PIECES, "probing.go")
"""What goes through the operations of a self-test."""
PROBES = {name: os.path.join(PIECES, f"{name}.go") for name in ("probe", "probe_net", "probe_web")}
"""The self-tests of a library with checks, by name: of what every program may have, and of packages
that only some programs are built of.
"""
_SECONDS = 60
_BUILD = ("-trimpath", "-buildvcs=false")
_AT_ONCE = 40


class Probe(NamedTuple):
    """A self-test: the path of its source, what its build is told, and ``prepare``: puts what it
    needs besides into the folder it is built in.
    """

    source: str
    flags: tuple[str, ...]
    prepare: Callable[[str], object] = lambda _: None


def run_selftest(builder: Builder, probe: Probe, report: Callable[[str], object]) -> str:
    """Build a self-test, and run it where it can run; returns what is wrong, or "". ``report``: is
    told how far it is.
    """
    folder = os.path.join(builder.work, "probe")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for source in (probe.source, SHARED):
        shutil.copy(source, folder)
    with open(os.path.join(folder, "go.mod"), "w", encoding="utf-8") as file:
        file.write(f"module program\n\ngo {'.'.join(map(str, builder.toolchain.version))}\n")
    probe.prepare(folder)
    program = os.path.join(folder, "probe")
    _prebuild_packages(builder, folder, probe.flags, report)
    built = builder.go("build", *probe.flags, *_BUILD, "-o", program, ".", cwd=folder)
    if built.code != 0:
        return f"its self-test does not build with checks: {' '.join(built.stderr.split())[:300]}"
    if not builder.toolchain.native:
        return ""
    with open(probe.source, encoding="utf-8") as file:
        return failures(program, folder, file.read().count('\n\t{"'))


def _prebuild_packages(
    builder: Builder, folder: str, flags: tuple[str, ...], report: Callable[[str], object]
) -> None:
    """Build the packages of a program some at a time, the lowest first, so that there is something
    to tell. What goes wrong the whole build says.
    """
    listed = builder.go(
        "list", "-deps", "-f", "{{if .Standard}}{{.ImportPath}}{{end}}", ".", cwd=folder
    )
    packages = listed.stdout.split() if listed.code == 0 else []
    for done in range(0, len(packages), _AT_ONCE):
        report(f"  {done} of {len(packages)} packages")
        builder.go("build", *flags, *_BUILD, *packages[done : done + _AT_ONCE], cwd=folder)


def failures(program: str, folder: str, expected: int) -> str:
    """Run a self-test of so many operations with a broker that refuses everything; returns what was
    let through, or "".
    """
    ours, theirs = channel.pair()
    environment = {
        "PATH": os.defpath,
        "INTERLOCK_BROKER": str(theirs.fileno()),
        "INTERLOCK_CANARY": "probe",
    }
    with ours, subprocess.Popen(  # noqa: S603 - a program that was just built, and does nothing but ask
        [program], cwd=folder, env=environment, pass_fds=[theirs.fileno()], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT
    ) as process:  # fmt: skip
        theirs.close()
        ours.settimeout(_SECONDS)
        try:
            while _refuse(ours):
                pass
            said = process.communicate(timeout=_SECONDS)[0].decode(errors="replace")
        except (OSError, subprocess.TimeoutExpired) as error:
            process.kill()
            return f"its self-test did not end: {error}"
    lines = said.splitlines()
    through = [line for line in lines if not line.endswith(" refused")]
    if process.returncode != 0 or through or len(lines) != expected:
        return (
            "its self-test found:"
            f" {'; '.join(through[:5]) or f'{len(lines)} of {expected} operations'} (exit status"
            f" {process.returncode})"
        )
    return ""


def _refuse(line: channel.Line) -> bool:
    """Answer one question with no; False at the end."""
    data = line.recv(channel.MAX_MESSAGE)
    fields = data.split(b"\0")
    if fields[0] == b"hello":
        line.send(b"allow\0\0\0")
    elif data:
        line.send(
            b"\0".join(
                [b"deny", b"probe", b"nothing is allowed in a self-test", fields[0], *fields[3:4]]
            )
        )
    return bool(data)
