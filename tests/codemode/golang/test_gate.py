"""The static gate refuses what would go around the library's checks, and lets its twin pass."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from interlock.codemode.golang.gate import NAMES, of_graph, of_source

HEAD = "package main\n\n"


@pytest.mark.parametrize(
    ("banned", "rule", "twin"),
    [
        ('import "C"\n', "go.cgo", 'import "context"\n'),
        ('import "unsafe"\n', "go.unsafe", 'import "encoding/binary"\n'),
        ('import u "unsafe"\n', "go.unsafe", 'import u "unicode"\n'),
        ('import . "syscall"\n', "go.syscall", 'import . "os/signal"\n'),
        (
            'import "syscall"\nvar a, b = syscall.SIGTERM, syscall.Open\n',
            "go.syscall",
            'import "syscall"\nvar a, b = syscall.SIGTERM, syscall.ENOENT\n',
        ),
        (
            'import s "syscall"\nvar a = s.RawSyscall\n',
            "go.syscall",
            'import s "syscall"\nvar a = s.Errno(2)\n',
        ),
        ('import (\n\t"fmt"\n\t"syscall"\n)\n', "go.syscall", 'import (\n\t"fmt"\n\t"os"\n)\n'),
        ('import "golang.org/x/sys/unix"\n', "go.syscall", 'import "golang.org/x/text/language"\n'),
        ('import "plugin"\n', "go.plugin", 'import "plugins"\n'),
        ('import "runtime/cgo"\n', "go.cgo", 'import "runtime/debug"\n'),
        ('import _ "unsafe"\n\n//go:linkname f os.runtime_args\nfunc f() []string\n', "go.linkname", "//go:noinline\nfunc f() {}\n"),
        ('import "\\x75nsafe"\n', "go.unsafe", 'import "\\x75nicode"\n'),
        ('import "s\\u0079scall"\n', "go.syscall", 'import "s\\u006frt"\n'),
        ('import "\\165nsafe"\n', "go.unsafe", 'import "\\165nicode"\n'),
        ('import "reflect"\nvar p = reflect.Value{}.UnsafePointer()\n', "go.unsafe", 'import "reflect"\nvar p = reflect.Value{}.Pointer()\n'),
        ('import r "reflect"\nvar n = r.NewAt\n', "go.unsafe", 'import r "reflect"\nvar n = r.New\n'),
        ('import a "sync/atomic"\nvar l = a.LoadPointer\n', "go.unsafe", "func LoadPointer() {}\n"),
        ("//export f\nfunc f() {}\n", "go.cgo", "// export f\nfunc f() {}\n"),
        ("//go:cgo_ldflag \"-lx\"\n", "go.cgo", "//go:build linux\n"),
        ("//line other.go:7\nfunc f() {}\n", "go.line", "//go:generate rm -rf /\nfunc f() {}\n"),
    ],
)  # fmt: skip
def test_source(banned: str, rule: str, twin: str) -> None:
    """What is banned is refused by its rule at its line; its twin passes."""
    refused = of_source(HEAD + banned, "run.go").refused
    assert rule in {one.rule for one in refused}
    assert all(one.layer == "gate" and one.where.startswith("run.go:") for one in refused)
    assert of_source(HEAD + twin, "run.go").refused == ()


def test_every_name_of_the_library_with_unsafe_pointers_is_known() -> None:
    """Go's own lists of what it exports have no other in whose type such a pointer stands."""
    lists = Path("/usr/local/go/api")
    if not lists.is_dir():
        pytest.skip("Go's own lists of its library are not here")
    form = re.compile(r"pkg ([\w/]+)(?: \([^)]*\))?, (?:func|method \([^)]*\)) (\w+)")
    found = set()
    for file in lists.glob("go1*.txt"):
        for line in file.read_text(encoding="utf-8").splitlines():
            said = form.match(line)
            if said and "unsafe.Pointer" in line and said[1] not in ("unsafe", "syscall"):
                found.add((said[1], said[2]))
    assert found
    assert {(path, name) for path, names in NAMES.items() for name in names} >= found


def test_what_the_toolchain_lists_counts() -> None:
    """An import that the text hid and the toolchain names is refused; one that is none is not."""
    listing = package("program", {"GoFiles": ["run.go"]}, ("fmt", "unsafe"), main=True)
    refused = of_graph(listing, "run.go", empty, walled=True).refused
    assert [(one.rule, one.argument) for one in refused] == [("go.unsafe", "unsafe")]
    listing = package("program", {"GoFiles": ["run.go"]}, ("fmt",), main=True)
    assert of_graph(listing, "run.go", empty, walled=True).refused == ()


def test_reflect_is_told_of() -> None:
    """Reflection is reported and not refused: what it calls is checked like any other call."""
    passed = of_source(HEAD + 'import "reflect"\n', "run.go")
    assert (passed.refused, len(passed.notices)) == ((), 1)


def package(
    path: str,
    files: dict[str, list[str]],
    imports: tuple[str, ...] = (),
    *,
    main: bool = False,
    standard: bool = False,
) -> str:
    """Write a record as ``go list`` does."""
    return json.dumps(
        {
            "ImportPath": path,
            "Dir": f"/m/{path}",
            "Standard": standard,
            "Module": {"Main": main},
            "Imports": list(imports),
            **files,
        }
    )


def empty(_: str) -> str:
    """Every file is an empty package."""
    return "package x\n"


@pytest.mark.parametrize(
    ("field", "file", "rule"),
    [
        ("SFiles", "a_amd64.s", "go.assembly"),
        ("SysoFiles", "a.syso", "go.object"),
        ("CgoFiles", "a.go", "go.cgo"),
        ("CFiles", "a.c", "go.cgo"),
        ("SwigFiles", "a.swig", "go.cgo"),
    ],
)
@pytest.mark.parametrize("main", [True, False])
def test_files(field: str, file: str, rule: str, *, main: bool) -> None:
    """A file that is no Go is refused in the program and in a library; the standard library's own
    pass.
    """
    listing = package("p", {field: [file]}, main=main)
    assert {one.rule for one in of_graph(listing, "run.go", empty, walled=True).refused} == {rule}
    standard = package("crypto/aes", {field: [file]}, standard=True)
    assert of_graph(standard, "run.go", empty, walled=True).refused == ()


def test_library_past_the_checks() -> None:
    """A library that speaks to the kernel itself is refused where no kernel tier holds it, and told
    of where one does.
    """
    listing = (
        package("program", {"GoFiles": ["run.go"]}, ("a.b/c",), main=True)
        + "\n"
        + package("a.b/c", {"GoFiles": ["c.go"]}, ("os", "unsafe"))
    )
    bare = of_graph(listing, "run.go", empty, walled=False)
    assert {one.rule for one in bare.refused} == {"go.unchecked-library"}
    walled = of_graph(listing, "run.go", empty, walled=True)
    assert walled.refused == ()
    assert "a.b/c imports unsafe" in walled.notices[0]
    plain = package("a.b/c", {"GoFiles": ["c.go"]}, ("os", "fmt"))
    assert of_graph(plain, "run.go", empty, walled=False) == ((), ())


def test_directive_in_a_library() -> None:
    """A library that takes a private function of another is refused, wherever its file lies."""
    listing = package("a.b/c", {"GoFiles": ["c.go"]})
    assert [
        one.rule
        for one in of_graph(
            listing, "run.go", lambda _: "package c\n\n//go:linkname x os.y\n", walled=True
        ).refused
    ] == ["go.linkname"]
    assert (
        of_graph(listing, "run.go", lambda _: "package c\n\n//line c.y:1\n", walled=True).refused
        == ()
    )
