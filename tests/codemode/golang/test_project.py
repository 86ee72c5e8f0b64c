"""The folder that a program is built in holds the program, what starts it and what it requires, and
nothing else.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from interlock.codemode.golang.project import (
    NoProgramError,
    Project,
    bring_library,
    split_output,
    write_project,
)

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = "package main\n\nfunc main() {}\n"
RUN = """package main

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func Run(ctx context.Context) ([]mcp.Content, error) { return nil, nil }
"""


def names(folder: Path) -> list[str]:
    """Return all files below a folder."""
    return sorted(
        os.path.relpath(os.path.join(at, name), folder)
        for at, _, found in os.walk(folder)
        for name in found
    )


def test_a_plain_program(tmp_path: Path) -> None:
    """A program with a main of its own stands beside its go.mod, unchanged."""
    assert write_project(PLAIN, "run.go", str(tmp_path), (1, 26)).returns == ""
    assert names(tmp_path) == ["go.mod", "run.go"]
    assert (tmp_path / "run.go").read_text() == PLAIN
    assert (tmp_path / "go.mod").read_text() == "module program\n\ngo 1.26\n"


def test_a_program_that_imports_nothing(tmp_path: Path) -> None:
    """It gets what brings the library with checks into it; one that imports something does not need
    it.
    """
    project = write_project(PLAIN, "run.go", str(tmp_path), (1, 26))
    bring_library(project, 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println() }\n')
    assert names(tmp_path) == ["go.mod", "run.go"]
    bring_library(project, PLAIN)
    assert names(tmp_path) == ["go.mod", "interlock_armed.go", "run.go"]


def test_a_program_with_run(tmp_path: Path) -> None:
    """A program with Run gets a main, ptr unless it has one, and the types of its content."""
    project = write_project(RUN, "run.go", str(tmp_path), (1, 26))
    assert names(tmp_path) == [
        "go.mod",
        "interlock_main.go",
        "interlock_ptr.go",
        "run.go",
        "sdk/go.mod",
        "sdk/mcp/content.go",
    ]
    assert project.returns in (tmp_path / "interlock_main.go").read_text()
    other = tmp_path / "other"
    write_project(RUN + "\nfunc ptr() {}\n", "run.go", str(other), (1, 26))
    assert "interlock_ptr.go" not in names(other)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("package x\n\nfunc main() {}\n", "package x"),
        ("package main\n", "neither func main"),
        ("", "package nothing"),
        ("print(1)\n", "package nothing"),
    ],
)
def test_no_program(tmp_path: Path, source: str, message: str) -> None:
    """What is no program of either shape is said to be none."""
    with pytest.raises(NoProgramError, match=message):
        write_project(source, "run.go", str(tmp_path), (1, 26))


def test_requirements_of_the_workspace(tmp_path: Path) -> None:
    """What a program imports is required as the nearest go.mod says; what replaces a module, and
    which Go it wants, is not taken over.
    """
    work = tmp_path / "work"
    (work / "cmd/x").mkdir(parents=True)
    (work / "go.mod").write_text(
        "module w\n\ngo 1.99\n\ntoolchain go1.99.1\n\nrequire a.b/c v1.2.3 // indirect\n\nrequire (\n\td.e/f v0.1.0\n)\n\nreplace a.b/c => ../c\n"
    )
    (work / "go.sum").write_text("a.b/c v1.2.3 h1:x\n")
    made = tmp_path / "made"
    write_project(
        'package main\n\nimport _ "a.b/c"\n\nfunc main() {}\n',
        "run.go",
        str(made),
        (1, 26),
        str(work / "cmd/x"),
    )
    assert (
        (made / "go.mod").read_text().split()
        == "module program go 1.26 require a.b/c v1.2.3 require d.e/f v0.1.0".split()
    )
    assert (made / "go.sum").read_text() == "a.b/c v1.2.3 h1:x\n"
    plain = tmp_path / "plain"
    write_project(PLAIN, "run.go", str(plain), (1, 26), str(work))
    assert "require" not in (plain / "go.mod").read_text()


@pytest.mark.parametrize(
    ("stdout", "printed", "content"),
    [
        ('hello\nW\n[{"type":"text"}]\n', "hello\n", '[{"type":"text"}]'),
        ("W\nnull\n", "", "null"),
        ("hello\n", "hello\n", ""),
        ("W\n[cut\n", "W\n[cut\n", ""),
        ('W\n[]\nW\n["last"]\n', "W\n[]\n", '["last"]'),
    ],
)
def test_what_run_returned(stdout: str, printed: str, content: str) -> None:
    """What was printed and what was returned are told apart by the last announcement; what is not
    whole is shown as it is.
    """
    assert split_output(Project("", "run.go", "W"), stdout) == (printed, content)
    assert split_output(Project("", "run.go"), stdout) == (stdout, "")
