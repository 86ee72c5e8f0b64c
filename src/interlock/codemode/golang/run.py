"""One run of a Go program: judged as text, built in a folder of its own with checks in the library, judged again as built, run behind walls."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import TYPE_CHECKING

from interlock.codemode.golang import gate
from interlock.codemode.golang.building import Builder
from interlock.codemode.golang.instrument import instrumented
from interlock.codemode.golang.project import NoProgram, laid_out, returned
from interlock.codemode.golang.toolchain import NoGo, find
from interlock.codemode.program import FAILED, GATE, LAUNCHER, REFUSED, Prepared, Refusal, Result, refused
from interlock.codemode.running import run_prepared
from interlock.sandbox.probe import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.codemode.golang.project import Project
    from interlock.codemode.golang.toolchain import Toolchain
    from interlock.codemode.program import Scene

NAME = "run.go"
BUILD = ("-trimpath", "-buildvcs=false", "-ldflags=-s -w -checklinkname=1")


def run(source: str, scene: Scene, arguments: tuple[str, ...] = (), report: Callable[[str], None] = lambda _: None, name: str = NAME) -> Result:
    """Run a Go program: ``package main`` with ``func main()``, or with ``func Run(ctx context.Context) ([]mcp.Content, error)``.

    ``name``: what its lines are reported under; ``report``: is told what takes long, such as the first build of the library. Total: what is refused,
    or does not build, is a result that says so.
    """
    passed = gate.of_source(source, name)
    if passed.refused:
        return _refused(passed.refused, passed.notices)
    try:
        toolchain = find(os.environ.get("PATH", ""), scene.guard.facts.home() or os.path.expanduser("~"), scene.call.roots)
    except NoGo as missing:
        return refused(Refusal("build", name, "go.not-found", LAUNCHER, str(missing)))
    work = os.path.realpath(tempfile.mkdtemp(prefix="interlock-go-"))
    try:
        project = laid_out(source, name, work, toolchain.version, scene.call.cwd)
        return _built_and_run(project, toolchain, scene, arguments, report)
    except NoProgram as wrong:
        return refused(Refusal("build", name, "go.no-program", GATE, str(wrong)))
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _built_and_run(project: Project, toolchain: Toolchain, scene: Scene, arguments: tuple[str, ...], report: Callable[[str], None]) -> Result:
    builder = Builder(toolchain, scene, project.folder)
    walled = bool(kernel(scene.state).best)
    listed = builder.go("list", "-deps", f"-json={gate.FIELDS}", ".")
    if listed.status == REFUSED:
        return listed
    if listed.code != 0:
        return _failed(listed, project)
    passed = gate.of_graph(listed.stdout, project.name, _read, walled=walled)
    if passed.refused:
        return _refused(passed.refused, passed.notices)
    library = instrumented(builder, report)
    if not library.listing:
        return _unguarded(project, toolchain, library.why)
    program = os.path.join(project.folder, "program.exe" if toolchain.system == "windows" else "program")
    built = builder.go("build", "-overlay", library.listing, *BUILD, "-o", program, ".")
    if built.code != 0:
        return _failed(built, project)
    prepared = Prepared((program, *arguments), scene.call.cwd, {}, reads=(program,), executes=(program,), guard="go", name=project.name)
    ran = run_prepared(prepared, scene)
    printed, content = returned(project, ran.stdout)
    return ran.replace(stdout=printed, content=content, notices=(*passed.notices, *ran.notices))


def _unguarded(project: Project, toolchain: Toolchain, why: str) -> Result:
    message = f"{toolchain.release} cannot be guarded: {why}"
    return refused(Refusal("build", project.name, "go.unknown-release", LAUNCHER, message, instead="Install a release of Go that is known."))


def _refused(found: tuple[Refusal, ...], notices: tuple[str, ...]) -> Result:
    return Result(REFUSED, 126, refused=found, notices=notices)


def _failed(built: Result, project: Project) -> Result:
    """Return a build that failed, as the compiler says it: its lines are the program's own."""
    said = (built.stderr + built.stdout).replace(f"{project.folder}{os.sep}", "")
    lines = [line.removeprefix("./") for line in said.splitlines() if not line.startswith("# ")]
    return built.replace(status=FAILED, stdout="", stderr="\n".join(lines) + "\n", refused=(), tier=Result(FAILED).tier)


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
