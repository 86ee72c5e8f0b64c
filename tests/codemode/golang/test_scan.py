"""What the text of a Go file says of its imports and its orders to the toolchain, whatever comments
and strings look like.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.codemode.golang.scan import Directive, Import, scan


@pytest.mark.parametrize(
    ("text", "imports"),
    [
        ('package main\nimport "os"\n', [Import("os", "", 2)]),
        ('package main\nimport o "os"\n', [Import("os", "o", 2)]),
        (
            'package main\nimport . "os"\nimport _ "embed"\n',
            [Import("os", ".", 2), Import("embed", "_", 3)],
        ),
        (
            'package main\nimport (\n\t"os"\n\n\tx "a.b/c" // why\n)\n',
            [Import("os", "", 3), Import("a.b/c", "x", 5)],
        ),
        ('package main\nimport ("os"; "fmt")\n', [Import("os", "", 2), Import("fmt", "", 2)]),
        ("package main\nimport `unsafe`\n", [Import("unsafe", "", 2)]),
        ('package main\n/* import "a" */ import /* b */ "C" // "d"\n', [Import("C", "", 2)]),
        (
            'package main\n// import "unsafe"\nvar s = "import \\"unsafe\\""\nvar r = `\nimport "unsafe"\n`\n',
            [],
        ),
        (
            'package main\nfunc f() { x.import_("unsafe") }\nvar q = \'"\'\nimport "os"\n',
            [Import("os", "", 4)],
        ),
    ],
)
def test_imports(text: str, imports: list[Import]) -> None:
    """Every import is found with its name and line; what stands in comments and strings is none."""
    assert list(scan(text).imports) == imports


@pytest.mark.parametrize(
    ("text", "directives"),
    [
        ("package main\n//go:linkname f os.f\n", [Directive("go:linkname", "f os.f", 2)]),
        ("package main\n\t//go:linkname f os.f\n", [Directive("go:linkname", "f os.f", 2)]),
        ("package main\n// go:linkname f os.f\n", []),
        ("package main\nvar s = `\n//go:linkname f os.f\n`\n", []),
        ('package main\nvar s = "//go:linkname f os.f"\n', []),
        (
            "package main\n//line x.go:1\n/*line y.go:2*/\n",
            [Directive("line", "x.go:1", 2), Directive("line", "y.go:2", 3)],
        ),
        ("package main\nvar x = 1 // line up\n//lines\n", []),
    ],
)
def test_directives(text: str, directives: list[Directive]) -> None:
    """An order to the toolchain is found where the toolchain would obey it."""
    assert list(scan(text).directives) == directives


def test_functions_and_package() -> None:
    """The package and its functions are known by name; a method is none of them."""
    found = scan(
        "// x\npackage main\nfunc main() {}\nfunc (t T) Run() {}\nfunc ptr[T any](v T) *T { return &v }\n"
    )
    assert (found.package, found.functions) == ("main", frozenset({"main", "ptr"}))


@given(st.text(alphabet="\"`'/*\\\n ()._;importpackageosx"))
def test_total(text: str) -> None:
    """Whatever a text is, it is scanned."""
    assert scan(text) is not None
