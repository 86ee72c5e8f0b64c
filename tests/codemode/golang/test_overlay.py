"""A function gets its check on the line where it began, and every function that a row names is
found in the installed Go.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from interlock.codemode.golang.instrument import LISTED, library_files, packages
from interlock.codemode.golang.overlay import UnknownReleaseError, instrument_text, overlay
from interlock.codemode.golang.rows import EVERYWHERE, ROWS, GuardRow, read_rows, surprises

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

FILE = """package syscall

import "unsafe"

// THIS FILE IS GENERATED
func unlinkat(dirfd int, path string, flags int) (err error) {
	_, _, e1 := Syscall(SYS_UNLINKAT, uintptr(dirfd), 0, uintptr(flags))
	return
}
"""


def test_a_check_moves_no_line() -> None:
    """The check and the function as it was stand on the line where the function began."""
    text = instrument_text(
        FILE, GuardRow("syscall", "unlinkat", before='GuardAt("delete", dirfd, path, false)')
    )
    assert text is not None
    assert text.count("\n") == FILE.count("\n")
    line = text.splitlines()[5]
    assert line == (
        "func unlinkat(dirfd int, path string, flags int) (err error) "
        '{ if err := GuardAt("delete", dirfd, path, false); err != nil { return err }; return guard_unlinkat(dirfd, path, flags) }; '
        "func guard_unlinkat(dirfd int, path string, flags int) (err error) {"
    )


@pytest.mark.parametrize(
    ("head", "function", "expected"),
    [
        (
            "func (p *Process) signal(sig Signal) error {",
            "Process.signal",
            "{ if err := C; err != nil { return err }; return p.guard_signal(sig) }",
        ),
        (
            "func F(a, b int) (n int, s string, err error) {",
            "F",
            "{ if err := C; err != nil { return *new(int), *new(string), err }; return guard_F(a, b) }",
        ),
        (
            "func F(a ...string) ([]byte, error) {",
            "F",
            "{ if err := C; err != nil { return *new([]byte), err }; return guard_F(a...) }",
        ),
        (
            "func F(f func(int, int) error, x map[string]int) (*T, error) {",
            "F",
            "{ if err := C; err != nil { return *new(*T), err }; return guard_F(f, x) }",
        ),
    ],
)
def test_shapes_of_functions(head: str, function: str, expected: str) -> None:
    """Methods, grouped and variadic parameters, and results of any kind are carried over."""
    text = instrument_text(
        f"package syscall\n\n{head}\n}}\n", GuardRow("syscall", function, before="C")
    )
    assert text is not None
    assert expected in text


def test_a_parameter_by_its_number() -> None:
    """A parameter that has another name elsewhere is named by its number."""
    text = instrument_text(FILE, GuardRow("syscall", "unlinkat", before="GuardAt($1, $2)"))
    assert text is not None
    assert "{ if err := GuardAt(dirfd, path); err" in text


def test_another_package_imports_the_guard_on_its_own_line() -> None:
    """A package without syscall gets it on the line of its package clause; one that has it keeps
    its imports.
    """
    row = GuardRow("net/http", "F", before="GuardResolve(a)")
    bare = instrument_text("package http\n\nfunc F(a string) error {\n}\n", row)
    assert bare is not None
    assert bare.startswith('package http; import interlock_syscall "syscall"\n')
    assert "interlock_syscall.GuardResolve(a)" in bare
    has = instrument_text('package http\n\nimport "syscall"\n\nfunc F(a string) error {\n}\n', row)
    assert has is not None
    assert "{ if err := syscall.GuardResolve(a)" in has


def test_a_function_that_is_not_there_is_none() -> None:
    """A function without a body, or of another name, is not found."""
    assert (
        instrument_text(
            "package syscall\n\nfunc unlinkat(path string) error\n",
            GuardRow("syscall", "unlinkat", before="C"),
        )
        is None
    )
    assert instrument_text(FILE, GuardRow("syscall", "linkat", before="C")) is None


def test_a_new_function_on_paths_is_a_surprise() -> None:
    """A release with a function on paths that no row knows is not known; the ones that rows name
    are.
    """
    newer = FILE.replace("unlinkat(", "unlinkat9(")
    assert surprises("syscall", "zsyscall_linux_amd64.go", newer) == ["syscall.unlinkat9"]
    assert surprises("syscall", "zsyscall_linux_amd64.go", FILE) == []


@pytest.fixture(scope="module")
def root() -> str:
    """Return the GOROOT of the installed Go."""
    go = shutil.which("go") or "/usr/local/go/bin/go"
    place = os.path.dirname(os.path.dirname(os.path.realpath(go)))
    if not os.path.isdir(os.path.join(place, "src", "syscall")):
        pytest.skip("Go is not installed: its library cannot be instrumented")
    return place


def files(root: str, system: str, machine: str, kept: str) -> Mapping[str, Sequence[str]]:
    """Return the library's files for a machine, as the Go command lists them."""
    environment = {
        "GOOS": system,
        "GOARCH": machine,
        "GOENV": "off",
        "GOFLAGS": "",
        "CGO_ENABLED": "0",
        "GOTOOLCHAIN": "local",
        "HOME": kept,
        "GOCACHE": kept,
    }
    command = [os.path.join(root, "bin", "go"), "list", LISTED, *packages(system)]
    listed = subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    return library_files(listed.stdout)


@pytest.mark.parametrize(
    ("system", "machine"),
    [
        ("linux", "amd64"),
        ("linux", "arm64"),
        ("darwin", "arm64"),
        ("darwin", "amd64"),
        ("windows", "amd64"),
    ],
)
def test_the_installed_library(root: str, tmp_path: Path, system: str, machine: str) -> None:
    """Every row finds its function in the installed release, nothing is left over, and what is
    written is Go.
    """
    made = overlay(files(root, system, machine, str(tmp_path)), system)
    assert {
        f"{row.package}.{row.function}" for row in ROWS if system in row.on and not row.optional
    } <= set(made.sites)
    assert len(made.sites) > 30
    formatter = os.path.join(root, "bin", "gofmt")
    for path, text in made.replaced.items():
        done = subprocess.run(
            [formatter, "-e"], input=text, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (path, done.stderr)


def test_a_row_without_its_function_is_an_unknown_release(root: str, tmp_path: Path) -> None:
    """A release that lacks what a row names is not instrumented at all."""
    found = files(root, "linux", "amd64", str(tmp_path))
    with pytest.raises(UnknownReleaseError, match="unlinkat9"):
        overlay(
            found, "linux", (*ROWS, GuardRow("syscall", "unlinkat9", before="C", on=EVERYWHERE))
        )


def test_what_a_line_of_the_rows_means() -> None:
    """A check before, a body, a body that the guard may have done; a question mark where some
    releases lack the function; systems and package stand above.
    """
    text = "[os on linux windows]\n# of nothing\nbefore A C()\ninstead? B return RAW\ndoes D E()\n"
    on = frozenset({"linux", "windows"})
    done = "if done, err := E(); done || err != nil { return err }; return RAW"
    assert list(read_rows(text)) == [
        GuardRow("os", "A", "C()", "", on),
        GuardRow("os", "B", "", "return RAW", on, optional=True),
        GuardRow("os", "D", "", done, on),
    ]


@pytest.mark.parametrize(
    "text", ["before A C()", "[os on linux]\nbefore A", "[os on linux]\nnever A B"]
)
def test_a_line_that_is_no_row(text: str) -> None:
    """It is an error that says which line: a function would be left without its check."""
    with pytest.raises(ValueError, match=r"rows\.txt, line \d: .* is no row"):
        list(read_rows(text))
