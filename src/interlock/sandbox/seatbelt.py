"""macOS: the profile that ``sandbox-exec`` starts a program under (sandbox-exec(1)). The last rule
that fits decides, so what is denied stands last.

Written from its documentation and from profiles that macOS ships
(``/System/Library/Sandbox/Profiles``); what is tested is the text.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator

from interlock.sandbox.bounds import OPEN, Walls

PROGRAM = "/usr/bin/sandbox-exec"
_RUNTIME = tuple(
    "/usr/lib /System /Library/Apple /private/var/db/timezone /private/var/db/dyld".split()
)
"""What every program is linked with."""
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/dtracehelper", "/dev/fd")
_ALIASES = ("/tmp", "/var", "/etc")  # noqa: S108 - names to compare
"""Links at the top of the disk; rules are about what they lead to (firmlinks and links of macOS lie
in /private).
"""


def fits() -> bool:
    """Tell whether this is a system that has it."""
    return sys.platform == "darwin"


def command(walls: Walls, program: str) -> list[str]:
    """Return what to put before the command line of a program, which may be started besides what
    these walls let be.
    """
    return [PROGRAM, "-p", profile(walls, program)]


def profile(walls: Walls, program: str) -> str:
    """Return the rules of these walls, in the language of profiles; raises ``ValueError`` for paths
    that cannot be held.
    """
    return "\n".join(_lines(walls, program)) + "\n"


def _lines(walls: Walls, program: str) -> Iterator[str]:
    yield "(version 1)"
    yield "(deny default)"
    yield "(allow sysctl-read)"
    yield "(allow process-info* (target same-sandbox))"
    yield "(allow signal (target same-sandbox))"
    yield "(allow file-read-metadata)"
    yield '(allow file-read* (literal "/"))'
    yield f"(allow file-read* file-write-data file-ioctl {_each('literal', _DEVICES)})"
    yield (
        "(allow file-read* file-map-executable"
        f" {_each('subpath', (*_RUNTIME, *walls.reads, *walls.writes, *walls.executes))})"
    )
    if walls.forks:
        yield "(allow process-fork)"
    yield f"(allow process-exec {_each('literal', [program, os.path.realpath(program)])})"
    if walls.executes:
        yield f"(allow process-exec {_each('subpath', walls.executes)})"
    if walls.writes:
        yield f"(allow file-write* {_each('subpath', walls.writes)})"
    if walls.network == OPEN:
        yield "(allow system-socket)"
        yield '(allow network* (local ip "*:*") (remote ip "*:*"))'
        yield (
            '(allow mach-lookup (global-name "com.apple.dnssd.service") (global-name'
            ' "com.apple.SystemConfiguration.configd"))'
        )
        yield "(deny network-outbound (remote unix-socket))"
    if walls.still:
        yield (
            "(deny file-write-mode file-write-owner file-write-times file-write-flags"
            " file-write-xattr)"
        )
    for path in sorted(walls.hidden):
        yield f"(deny file-read* file-write* {_each('subpath', [path])})"
    for path in sorted(walls.fixed):
        yield f"(deny file-write* {_each('subpath', [path])})"


def _each(form: str, paths: Iterable[str]) -> str:
    return " ".join([f"({form} {_quote(_real(path))})" for path in dict.fromkeys(paths)])


def _real(path: str) -> str:
    return (
        f"/private{path}"
        if path.startswith(tuple([f"{alias}/" for alias in _ALIASES])) or path in _ALIASES
        else path
    )


def _quote(path: str) -> str:
    """Write a path as a text of the language; raises ``ValueError`` if it could end a rule."""
    if "\n" in path or "\0" in path:
        raise ValueError(f"a path with a line break cannot be held: {path!r}")
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
