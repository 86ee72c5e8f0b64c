"""A program is built with the imports that were read, and with no others, however it is written."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from interlock.codemode.golang.imports import keep_needs, read_needs, seal
from interlock.codemode.golang.toolchain import NoGoError, Toolchain, find

MAIN = "\n\nfunc main() {}\n"
PLAIN = {
    "none": ("package main" + MAIN, ()),
    "one": ('package main\n\nimport "fmt"' + MAIN, ("fmt",)),
    "a group": ('package main\n\nimport (\n\t"os"\n\n\t"fmt"\n)' + MAIN, ("fmt", "os")),
    "a group on one line": ('package main; import ("os"; f "fmt")' + MAIN, ("fmt", "os")),
    "several": ('package main\nimport "os"\nimport . "net/http"' + MAIN, ("net/http", "os")),
    "comments": (
        '// what it does "unsafe"\n//go:debug panicnil=1\npackage main // "C"\n\nimport "fmt" // for all' + MAIN,
        ("fmt",),
    ),
    "comments in a group": ('package main\nimport (\n// one "os"\n"fmt" // two\n)' + MAIN, ("fmt",)),
    "ends of lines of Windows": ('package main\r\n\r\nimport "fmt"\r\n\r\nfunc main() {}\r\n', ("fmt",)),
    "twice": ('package main\nimport "fmt"\nimport f "fmt"' + MAIN, ("fmt",)),
}  # fmt: skip
ODD = {
    "a block comment": '/* */ package main\nimport "fmt"' + MAIN,
    "one behind an import": 'package main\nimport "fmt" /* */' + MAIN,
    "a path with escapes": 'package main\nimport "f\\x6dt"' + MAIN,
    "a raw path": "package main\nimport `fmt`" + MAIN,
    "one of another module": 'package main\nimport "example.org/x"' + MAIN,
    "the second of another module": 'package main\nimport "os"\nimport "example.org/x"' + MAIN,
    "unsafe": 'package main\nimport "unsafe"' + MAIN,
    "below what is refused": 'package main\nimport "runtime/cgo"' + MAIN,
    "syscall": 'package main\nimport (\n"syscall"\n"fmt"\n)' + MAIN,
    "C": 'package main\nimport "C"' + MAIN,
    "an import that stands too late": 'package main\nvar a = 1\nimport "os"' + MAIN,
    "another package": 'package other\nimport "fmt"' + MAIN,
    "a mark at the beginning": '\ufeffpackage main\nimport "fmt"' + MAIN,
    "nothing": "",
}
HIDDEN = {
    "behind a comment that ends twice": 'package main\nimport "fmt"\n/* /* */ import "os" /* */'
    + MAIN,
    "behind a rune": 'package main\nimport "fmt"\n\';import "os";\'' + MAIN,
    "behind a string that is no path": 'package main\nimport "fmt"\n;"";import "os"' + MAIN,
    "behind a raw text": 'package main\nimport "fmt"\n;``;import "os"' + MAIN,
    "behind semicolons": 'package main\nimport "fmt";;;import "os"' + MAIN,
    "behind a line that goes on": 'package main\nimport "fmt" // \\\nimport "os"' + MAIN,
    "behind another end of a line": 'package main\nimport "fmt" // \rimport "os"' + MAIN,
    "in another script's letters": 'package main\nimport "fmt"\n\u0456mport "os"' + MAIN,
    "in a group that stays open": 'package main\nimport ("fmt"\nimport "os"' + MAIN,
}
"""Whatever one reader of these may see, none of them is built with more than was read."""


@pytest.mark.parametrize(("text", "imports"), PLAIN.values(), ids=PLAIN)
def test_plain_imports_are_closed(text: str, imports: tuple[str, ...]) -> None:
    """All lines stay where they are, and the rest of the program as it is."""
    sealed = seal(text)
    assert sealed is not None
    assert sealed.imports == imports
    assert sealed.text.count("\n") == text.count("\n")
    assert sealed.text.replace("; const _ = 0", "", 1) == text


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_what_may_be_read_otherwise_is_listed(text: str) -> None:
    """As is what the library is not, and what is refused."""
    assert seal(text) is None


@pytest.fixture(scope="module")
def toolchain(tmp_path_factory: pytest.TempPathFactory) -> Toolchain:
    """The Go of this machine."""
    try:
        return find(os.environ.get("PATH", ""), str(tmp_path_factory.mktemp("kept")))
    except NoGoError as missing:
        pytest.skip(str(missing))


def test_go_reads_no_other_imports(toolchain: Toolchain, tmp_path: Path) -> None:
    """What Go itself finds in a sealed program is what was read, for the plain and for those in
    which something may be hidden; that a text was sealed at all is checked besides.
    """
    (tmp_path / "go.mod").write_text("module program\n\ngo 1.22\n")
    read = {}
    for at, text in enumerate([*[text for text, _ in PLAIN.values()], *HIDDEN.values()]):
        sealed = seal(text)
        if sealed is not None:
            (tmp_path / f"p{at}").mkdir()
            (tmp_path / f"p{at}/run.go").write_text(sealed.text, encoding="utf-8", newline="")
            read[f"program/p{at}"] = list(sealed.imports)
    done = subprocess.run(
        [toolchain.go, "list", "-e", "-json=ImportPath,Imports", "./..."],
        cwd=tmp_path, env=toolchain.environment(str(tmp_path)), capture_output=True, text=True,
        timeout=300, check=True,
    )  # fmt: skip
    found = json.loads(f"[{done.stdout.replace('}' + chr(10) + '{', '},{')}]")
    assert {one["ImportPath"]: one.get("Imports", []) for one in found} == read
    assert len(read) >= len(PLAIN)


def test_what_is_needed_is_kept_by_imports_and_system(tmp_path: Path) -> None:
    """The order of imports says nothing, another system is asked about by itself."""
    here = Toolchain("/go", "go1.26.8", str(tmp_path))
    assert read_needs(here, ("fmt", "os")) is None
    keep_needs(here, ("fmt", "os"), ("probe", "probe_net"))
    keep_needs(here, (), ())
    assert read_needs(here, ("fmt", "os")) == ("probe", "probe_net")
    assert read_needs(here, ()) == ()
    assert read_needs(here, ("fmt",)) is None
    assert read_needs(here.target("darwin", "arm64"), ("fmt", "os")) is None
