"""Go releases that are not known: calls of the program get checks, and what is not vouched for runs
behind the kernel's walls, or not at all.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from interlock.codemode.golang import run as go
from interlock.codemode.golang.building import Builder
from interlock.codemode.golang.instrument import OverlayListing
from interlock.codemode.golang.toolchain import find
from interlock.codemode.permissions import RunPermissions
from interlock.sandbox.probe import Kernel
from tests.e2e.go_scenes import KERNELS, built_from, hold, kept, place, said, serving, tried

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.e2e, pytest.mark.long]
NONE = RunPermissions()


@pytest.fixture(scope="module")
def home() -> str:
    """Return a home that is kept."""
    return kept()


@pytest.fixture(scope="module", autouse=True)
def _unknown() -> Iterator[None]:
    """Take the installed release for one whose library cannot be given checks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(go, "prepare_library", lambda *_: OverlayListing("", "it is too new"))
        yield


@pytest.fixture(scope="module")
def built(home: str, tmp_path_factory: pytest.TempPathFactory) -> go.GoBuild:
    """Build the program with all cases, once."""
    return built_from(
        "calls.go", place(home).scene(NONE, "guard"), str(tmp_path_factory.mktemp("calls"))
    )


@pytest.fixture(params=KERNELS)
def tier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, home: str) -> str:
    """Run with the guard alone, and with the kernel's walls too."""
    hold(request.param, monkeypatch, home)
    return str(request.param)


FILES = """
    read alias old method-value in-a-map interface goroutine deferred append rename-out hard-link symlink dots proc-root chdir list walk old-walk glob
    mkdir times temporary
""".split()


@pytest.mark.parametrize("case", FILES)
def test_files(built: go.GoBuild, home: str, tier: str, case: str) -> None:
    """What is not lent is refused whichever call leads there, with the program's line; the same
    call on what is lent works.
    """
    here = place(home)
    permits = RunPermissions(deny_paths=(here.outside,))
    denied = tried(built, here.scene(permits), case, here.outside)
    assert said(denied) == "refused", (tier, denied)
    assert sorted(os.listdir(here.outside)) == [".git", "a.zip", "data.txt", "page.tmpl", "sub"]
    assert any(
        one.where.startswith("calls.go:") and one.layer == "guard" for one in denied.refused
    ), denied
    allowed = tried(built, place(home).scene(permits), case, here.lent)
    assert (said(allowed), allowed.refused) == ("done", ()), (tier, allowed)
    assert allowed.tier.guard == go.CALLS


@pytest.mark.parametrize("case", ["command", "context", "output", "changed"])
def test_programs(built: go.GoBuild, home: str, tier: str, case: str) -> None:
    """A program that is not allowed is not started, not even by a command that was another one when
    it was made; an allowed one is.
    """
    scene = place(home).scene(RunPermissions(allow_commands=("true",)))
    assert said(tried(built, scene, case, "/usr/bin/touch")) == "refused", tier
    allowed = tried(built, scene, case, "/usr/bin/true")
    assert said(allowed) == "done", (tier, allowed)


@pytest.mark.parametrize("case", ["get", "client", "dial", "with-limit"])
def test_hosts(built: go.GoBuild, home: str, tier: str, case: str) -> None:
    """A host is reached by no call where none is allowed, and by all where it is."""
    with serving() as address:
        here = place(home)
        assert said(tried(built, here.scene(NONE), case, address)) == "refused", tier
        allowed = tried(
            built, here.scene(RunPermissions(allow_hosts=("127.0.0.1",))), case, address
        )
    assert said(allowed) == "done", (tier, allowed)


HEAD = 'package main\n\nimport (\n\t"fmt"\n\tIMPORT\n)\n\nfunc main() {\n\tfmt.Println(USE)\n}\n'
DOUBTS = [
    ('"os"', 'os.OpenRoot("x")', "run.go:9: os.OpenRoot"),
    ('"os/exec"', "exec.Cmd{}.Path", "run.go:9: os/exec.Cmd made by hand"),
    ('. "os"', 'ReadFile("x")', 'run.go:5: import . "os"'),
    ('"reflect"', "reflect.TypeOf(1)", 'run.go:5: import "reflect"'),
    ('"html/template"', 'template.ParseFiles("x")', "run.go:9: html/template.ParseFiles"),
    ('. "html/template"', 'ParseFiles("x")', 'run.go:5: import . "html/template"'),
    ('"text/template"', 'new(template.Template).ParseGlob("x")', "run.go:9: a call of .ParseGlob"),
    ('"net/http"', "http.DefaultTransport", "run.go:9: net/http.DefaultTransport"),
]


@pytest.mark.parametrize(("imported", "use", "doubt"), DOUBTS)
def test_what_is_not_vouched_for(home: str, imported: str, use: str, doubt: str) -> None:
    """A program with anything that has no check is refused where a guard is required, and says what
    it is.
    """
    result = go.run(
        HEAD.replace("IMPORT", imported).replace("USE", use), place(home).scene(NONE, "guard")
    )
    assert [one.rule for one in result.refused] == ["go.unknown-release"]
    assert doubt in result.refused[0].message


def test_walls_alone(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is not vouched for runs behind walls alone, and says so; where there are none
    it is refused.
    """
    source = HEAD.replace("IMPORT", '"reflect"').replace("USE", "reflect.TypeOf(1)")
    here = place(home)
    walled = go.run(source, here.scene(NONE))
    if walled.status != "refused":
        assert (walled.stdout, walled.tier.guard, bool(walled.tier.kernel)) == ("int\n", "", True)
        assert "only the kernel's walls hold it" in walled.notices[-1]
    monkeypatch.setattr(go, "kernel", lambda _: Kernel())
    assert [one.rule for one in go.run(source, here.scene(NONE)).refused] == ["go.unknown-release"]


def test_no_cached_object_skips_the_checks(
    home: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The same program, built without checks into the same cache before, has them when it is built
    with them.
    """
    source = HEAD.replace("IMPORT", '"os"').replace("USE", "os.Remove(os.Args[1])")
    here = place(home)
    permits = RunPermissions(deny_paths=(here.outside,))
    target = os.path.join(here.outside, "data.txt")
    made = go.build(source, here.scene(NONE), str(tmp_path_factory.mktemp("cached")))
    assert isinstance(made, go.GoBuild)
    folder = made.project.folder
    toolchain = find(os.environ.get("PATH", ""), os.path.join(home, "state"))
    plain = Builder(toolchain, here.scene(NONE), folder)
    assert plain.go("build", *go.BUILD, "-o", "plain", ".").code == 0
    again = plain.go(
        "build",
        "-toolexec",
        os.path.join(folder, "interlock-toolexec"),
        *go.BUILD,
        "-o",
        made.program,
        ".",
    )
    assert again.code == 0, again
    result = go.start(made, here.scene(permits), (target,))
    assert [one.where for one in result.refused] == ["run.go:9"], result
    assert os.path.exists(target)


def test_errors_of_the_compiler(home: str) -> None:
    """Lines and columns of errors are the program's own, though what is compiled is another
    text.
    """
    wrong = HEAD.replace("IMPORT", '"os"').replace("USE", 'os.Remove("x"), os.Remove("y"), missing')
    result = go.run(wrong, place(home).scene(NONE))
    column = wrong.splitlines()[8].index("missing") + 1
    assert (result.status, f"run.go:9:{column}: undefined: missing" in result.stderr) == (
        "failed",
        True,
    ), result


def test_a_program_that_imports_nothing(home: str) -> None:
    """It reaches nothing, and runs."""
    result = go.run("package main\n\nfunc main() {}\n", place(home).scene(NONE))
    assert (result.status, result.refused) == ("ran", ()), result


def test_content(home: str) -> None:
    """A program with Run returns its content here too."""
    source = (
        'package main\n\nimport (\n\t"context"\n\t"os"\n\n\t"github.com/modelcontextprotocol/go-sdk/mcp"\n)\n\n'
        "func Run(ctx context.Context) ([]mcp.Content, error) {\n"
        '\tdata, err := os.ReadFile("data.txt")\n\treturn []mcp.Content{&mcp.TextContent{Text: string(data)}}, err\n}\n'
    )
    result = go.run(source, place(home).scene(NONE, "guard"))
    assert (result.status, result.content) == ("ran", '[{"text":"mine","type":"text"}]'), result
