"""How Go programs are built: for other systems, from modules, in spite of settings that would lead
elsewhere; and what is refused before it runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.codemode.golang import run as go
from interlock.codemode.golang.building import Builder
from interlock.codemode.golang.instrument import prepare_library
from interlock.codemode.golang.toolchain import NoGoError, Toolchain, find
from interlock.codemode.permissions import RunPermissions
from interlock.sandbox.probe import Kernel
from tests.e2e.go_scenes import Place, place
from tests.lasting import lasting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.codemode.program import RunResult

pytestmark = [pytest.mark.e2e, pytest.mark.long]
NONE = RunPermissions()
HELLO = 'package main\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc main() {\n\tfmt.Println("hello", len(os.Args))\n}\n'


@pytest.fixture(scope="module")
def toolchain() -> Toolchain:
    """Return the Go of this machine, with a cache that is kept."""
    folder = str(lasting("go"))
    try:
        return find(os.environ.get("PATH", ""), os.path.join(folder, "state"))
    except NoGoError as missing:
        pytest.skip(str(missing))


@pytest.fixture
def here(toolchain: Toolchain) -> Place:
    """Return the folders, made anew."""
    return place(os.path.dirname(os.path.dirname(os.path.dirname(toolchain.cache))))


def ran(here: Place, source: str, permits: RunPermissions = NONE, require: str = "") -> RunResult:
    """Run a program to its end."""
    return go.run(source, here.scene(permits, require), ("one",))


@pytest.mark.parametrize(
    ("system", "machine"),
    [("darwin", "arm64"), ("darwin", "amd64"), ("windows", "amd64"), ("linux", "arm64")],
)
def test_other_systems(
    toolchain: Toolchain,
    here: Place,
    tmp_path_factory: pytest.TempPathFactory,
    system: str,
    machine: str,
) -> None:
    """A program is built with checks for macOS, Windows and another processor: the self-test's
    program, which uses every choke point there is.
    """
    work = os.path.realpath(tmp_path_factory.mktemp("cross"))
    for tried in Path(toolchain.cache).glob(f"overlay-{system}-{machine}-*/tried*"):
        tried.unlink()  # what an earlier run found out is not asked
    library = prepare_library(
        Builder(toolchain.target(system, machine), here.scene(RunPermissions()), work), print
    )
    assert library.why == ""
    with open(os.path.join(work, "probe", "probe"), "rb") as file:
        head = file.read(4)
    assert (
        head[: 2 if system == "windows" else 4]
        == {"darwin": b"\xcf\xfa\xed\xfe", "windows": b"MZ", "linux": b"\x7fELF"}[system]
    )


def test_a_program_of_either_shape(here: Place) -> None:
    """A plain program prints; one with Run returns content, and its errors are its exit status."""
    plain = ran(here, HELLO)
    assert (plain.status, plain.stdout, plain.content) == ("ran", "hello 2\n", "")
    head = 'package main\n\nimport (\n\t"context"\n\t"errors"\n\t"fmt"\n\n\t"github.com/modelcontextprotocol/go-sdk/mcp"\n)\n\nvar _ = errors.New\n\n'
    body = "func Run(ctx context.Context) ([]mcp.Content, error) {\n\tfmt.Println(*ptr(7))\n\treturn RETURNED\n}\n"
    gives = ran(
        here, head + body.replace("RETURNED", '[]mcp.Content{&mcp.TextContent{Text: "a\\nb"}}, nil')
    )
    assert gives.status == "ran", gives
    assert (gives.status, gives.stdout, gives.content) == (
        "ran",
        "7\n",
        '[{"text":"a\\nb","type":"text"}]',
    )
    fails = ran(here, head + body.replace("RETURNED", 'nil, errors.New("no luck")'))
    assert (fails.status, fails.code, fails.stderr, fails.content) == (
        "failed",
        1,
        "error: no luck\n",
        "",
    )


def test_errors_of_the_compiler(here: Place) -> None:
    """What does not build says so with the program's own lines."""
    wrong = ran(here, HELLO.replace("len(os.Args)", "missing"))
    assert (wrong.status, wrong.code) == ("failed", 1)
    assert "run.go:9:23: undefined: missing" in wrong.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GOFLAGS", "-toolexec=/bin/false"),
        ("GOFLAGS", "-ldflags=-checklinkname=0"),
        ("GOENV", "/nonexistent"),
        ("CGO_ENABLED", "1"),
        ("GOROOT", "/nonexistent"),
        ("GOTOOLCHAIN", "go1.99"),
        ("GO111MODULE", "off"),
        ("GOCACHEPROG", "/bin/false"),
        ("GOPROXY", "https://example.invalid"),
    ],
)
def test_settings_from_outside(
    here: Place, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    """No variable of the caller's, and no go.env, go.work or go.mod beside the program, reaches a
    build.
    """
    monkeypatch.setenv(name, value)
    for file, text in (
        ("go.work", "go 1.99\n"),
        ("go.mod", "module x\n\ngo 1.99\n\ntoolchain go1.99.0\n\nreplace a.b/c => /etc\n"),
    ):
        with open(os.path.join(here.workspace, file), "w", encoding="utf-8") as written:
            written.write(text)
    assert ran(here, HELLO).stdout == "hello 2\n"


def test_no_file_from_outside_is_built_in(here: Place) -> None:
    """A program builds nothing in but itself: what lies beside it, or behind a path, is not
    there.
    """
    for pattern in ("data.txt", "../outside/data.txt", "/etc/hostname"):
        result = ran(
            here,
            HELLO.replace("func main", f"//go:embed {pattern}\nvar s string\n\nfunc main").replace(
                '\t"os"', '\t_ "embed"\n\t"os"'
            ),
        )
        assert result.status == "failed", pattern
        assert pattern in result.stderr


def test_a_program_without_checks_is_not_run_as_one(
    here: Place, toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A program that does not show its guard is ended before it has done anything; one that shows
    it runs.
    """
    work = os.path.realpath(tmp_path_factory.mktemp("plain"))
    built = go.build(HELLO, here.scene(RunPermissions()), work)
    assert isinstance(built, go.GoBuild)
    assert go.start(built, here.scene(RunPermissions())).status == "ran"
    environment = toolchain.environment(work)
    subprocess.run(
        [toolchain.go, "build", "-o", built.program, "."], cwd=work, env=environment, check=True
    )
    result = go.start(built, here.scene(RunPermissions()))
    assert (result.status, [one.rule for one in result.refused]) == ("refused", ["code.not-armed"])


# -- modules ---------------------------------------------------------------------------------------


def module_cache(
    folder: str, toolchain: Toolchain, modules: Mapping[str, Mapping[str, str]]
) -> tuple[str, str]:
    """Make a cache with modules in it, as ``go mod download`` leaves one, and the ``go.sum`` for
    them; nothing is fetched from a network.
    """
    proxy, cache, sums = os.path.join(folder, "proxy"), os.path.join(folder, "cache"), ""
    for path, files in modules.items():
        place_ = os.path.join(proxy, path, "@v")
        os.makedirs(place_)
        texts = {"go.mod": f"module {path}\n\ngo 1.22\n", **files}
        for name, text in (
            ("list", "v1.0.0\n"),
            ("v1.0.0.info", '{"Version": "v1.0.0"}'),
            ("v1.0.0.mod", texts["go.mod"]),
        ):
            with open(os.path.join(place_, name), "w", encoding="utf-8") as file:
                file.write(text)
        with zipfile.ZipFile(os.path.join(place_, "v1.0.0.zip"), "w") as archive:
            for name, text in texts.items():
                archive.writestr(f"{path}@v1.0.0/{name}", text)
        environment = {
            **toolchain.environment(folder, cache),
            "GOPROXY": f"file://{proxy}",
            "GOFLAGS": "-modcacherw",
        }
        command = [toolchain.go, "mod", "download", "-json", f"{path}@v1.0.0"]
        found = json.loads(
            subprocess.run(
                command, cwd=folder, env=environment, check=True, capture_output=True
            ).stdout
        )
        sums += f"{path} v1.0.0 {found['Sum']}\n{path} v1.0.0/go.mod {found['GoModSum']}\n"
    return cache, sums


MODULES: dict[str, dict[str, str]] = {
    "a.test/files": {
        "files.go": 'package files\n\nimport "os"\n\nfunc Drop(path string) error { return os.Remove(path) }\n'
    },
    "a.test/asm": {
        "asm.go": "package asm\n\nfunc F()\n\nfunc Drop(path string) error { F(); return nil }\n",
        "asm_amd64.s": "TEXT ·F(SB),4,$0\n\tRET\n",
    },
    "a.test/raw": {
        "raw.go": 'package raw\n\nimport "syscall"\n\nfunc Drop(path string) error { return syscall.Unlink(path) }\n'
    },
    "a.test/linked": {
        "linked.go": 'package linked\n\nimport _ "unsafe"\n\n//go:linkname f os.f\nfunc f()\n\nfunc Drop(string) error { return nil }\n',
        "empty.s": "",
    },
}


@pytest.fixture
def cached(
    here: Place,
    toolchain: Toolchain,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Place:
    """Put four modules into a cache of modules that programs are built from, and require them in
    the workspace.
    """
    folder = os.path.realpath(tmp_path_factory.mktemp("modules"))
    cache, sums = module_cache(folder, toolchain, MODULES)
    monkeypatch.setenv("GOMODCACHE", cache)
    lines = "".join([f"require {path} v1.0.0\n" for path in MODULES])
    for name, text in (("go.mod", f"module work\n\ngo 1.22\n\n{lines}"), ("go.sum", sums)):
        with open(os.path.join(here.workspace, name), "w", encoding="utf-8") as file:
            file.write(text)
    return here


def dropping(module: str, path: str) -> str:
    """Write a program that has a module remove a file."""
    return f'package main\n\nimport (\n\t"fmt"\n\n\tx "{module}"\n)\n\nfunc main() {{\n\tfmt.Println(x.Drop("{path}"))\n}}\n'


def test_modules(cached: Place) -> None:
    """A module of the cache is built in, and what it does is checked with the program's own line;
    nothing of the cache is fetched.
    """
    permits = RunPermissions(deny_paths=(cached.outside,))
    denied = ran(cached, dropping("a.test/files", f"{cached.outside}/data.txt"), permits)
    assert [one.where for one in denied.refused] == ["run.go:10"]
    assert os.path.exists(f"{cached.outside}/data.txt")
    allowed = ran(cached, dropping("a.test/files", f"{cached.lent}/data.txt"), permits)
    assert (allowed.stdout, os.path.exists(f"{cached.lent}/data.txt")) == ("<nil>\n", False)
    assert ran(cached, dropping("a.test/other", "x")).status == "failed"


@pytest.mark.parametrize(
    ("module", "rule"), [("a.test/asm", "go.assembly"), ("a.test/linked", "go.linkname")]
)
def test_modules_with_more_than_go(cached: Place, module: str, rule: str) -> None:
    """A module with assembly, or with a private function of another's, is refused before it is
    built.
    """
    result = ran(cached, dropping(module, "data.txt"))
    assert result.status == "refused"
    assert rule in {one.rule for one in result.refused}


def test_a_module_past_the_checks(cached: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that speaks to the kernel itself is told of where walls hold it, and refused where
    none do; its calls are checked all the same.
    """
    permits = RunPermissions(deny_paths=(cached.outside,))
    walled = ran(cached, dropping("a.test/raw", f"{cached.outside}/data.txt"), permits)
    if walled.status != "refused":
        assert "a.test/raw imports syscall" in walled.notices[0]
        assert os.path.exists(f"{cached.outside}/data.txt")
        assert [one.where for one in walled.refused] == ["run.go:10"]
    monkeypatch.setattr(go, "kernel", lambda _: Kernel())
    assert [one.rule for one in ran(cached, dropping("a.test/raw", "x"), permits).refused] == [
        "go.unchecked-library"
    ]
