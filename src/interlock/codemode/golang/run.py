"""One run of a Go program: judged as text, built in a folder of its own with checks in the library,
judged again as built, run behind walls.
"""

from __future__ import annotations

import os
import re
import shutil
from typing import NamedTuple

from interlock.codemode import leftovers
from interlock.codemode.golang import gate
from interlock.codemode.golang.building import Builder
from interlock.codemode.golang.calls import doubts, lay_guard, replacing, speaks_http
from interlock.codemode.golang.imports import Sealed, keep_needs, read_needs, seal
from interlock.codemode.golang.instrument import prepare_library, select_self_tests
from interlock.codemode.golang.project import (
    NoProgramError,
    Project,
    bring_library,
    split_output,
    write_project,
)
from interlock.codemode.golang.toolchain import NoGoError, find, modules
from interlock.codemode.program import (
    BOTH,
    FAILED,
    GATE,
    GO,
    GUARD,
    LAUNCHER,
    REFUSED,
    Refusal,
    RunCommand,
    RunContext,
    RunResult,
    refuse_run,
)
from interlock.codemode.running import run_prepared
from interlock.sandbox.probe import kernel

NAME = "run.go"
CALLS = "go-calls"
"""The guard of a program whose own calls have checks, and not the library."""
_PLAIN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*\.go")
"""Names of files that every build takes: an underscore may make one a test, or another system's."""
BUILD = ("-trimpath", "-buildvcs=false", "-ldflags=-s -w -checklinkname=1")


class GoBuild(NamedTuple):
    """A program ready to run, in its folder. ``notices``: what the gate told of. ``guard``: ``go``,
    ``go-calls``, or "" where nothing asks.
    """

    project: Project
    program: str
    notices: tuple[str, ...] = ()
    guard: str = GO


class BuildChecks(NamedTuple):
    """How a program's build is told to put checks in. ``guard`` as in ``GoBuild``."""

    flags: tuple[str, ...]
    guard: str
    notices: tuple[str, ...] = ()


def run(
    source: str, scene: RunContext, arguments: tuple[str, ...] = (), file: str = ""
) -> RunResult:
    """Run a Go program: ``package main`` with ``func main()``, or with ``func Run(ctx
    context.Context) ([]mcp.Content, error)``.

    ``file``: its own path if it has one. Total: what is refused, or does not build, is a result
    that says so.
    """
    work = leftovers.make_folder("go")
    try:
        built = build(source, scene, work, file)
        return built if isinstance(built, RunResult) else start(built, scene, arguments)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def build(source: str, scene: RunContext, work: str, file: str = "") -> GoBuild | RunResult:
    """Build a program in the empty folder ``work``; a result says why it is not."""
    name = os.path.basename(file) if _PLAIN_NAME.fullmatch(os.path.basename(file)) else NAME
    passed = gate.of_source(source, name)
    if passed.refused:
        return _refusal_result(passed)
    sealed = seal(source)
    try:
        toolchain = find(os.environ.get("PATH", ""), scene.state or _state(scene), scene.call.roots)
        project = write_project(
            sealed.text if sealed else source,
            name,
            work,
            toolchain.version,
            os.path.dirname(file) or scene.call.cwd,
        )
    except NoGoError as missing:
        return refuse_run(Refusal("build", name, "go.not-found", LAUNCHER, str(missing)))
    except NoProgramError as wrong:
        return refuse_run(Refusal("build", name, "go.no-program", GATE, f"{wrong}."))
    builder = Builder(toolchain, scene, work, modules(os.environ))
    listed = _list_graph(builder, project, None if project.returns else sealed)
    if isinstance(listed, RunResult):
        return listed
    notices = passed.notices + listed.notices
    checks = _checks(builder, project, source, scene, listed.needs)
    if isinstance(checks, RunResult):
        return checks
    program = os.path.join(work, "program")
    built = builder.go("build", *checks.flags, *BUILD, "-o", program, ".")
    return (
        GoBuild(project, program, notices + checks.notices, checks.guard)
        if built.code == 0
        else _failure_result(built, project)
    )


class GoGraph(NamedTuple):
    """What is built with a program: the self-tests that its library has to pass, and what the gate
    tells of.
    """

    needs: tuple[str, ...]
    notices: tuple[str, ...] = ()


def _list_graph(builder: Builder, project: Project, sealed: Sealed | None) -> GoGraph | RunResult:
    """Return what is built with a program, if all of it passes the gate; a result says why it does
    not. ``sealed``: its imports where it can have no others, so that they need not be listed again.
    """
    known = read_needs(builder.toolchain, sealed.imports) if sealed else None
    if known is not None:
        return GoGraph(known)
    listed = builder.go("list", "-deps", f"-json={gate.FIELDS}", ".")
    if listed.code != 0:
        return _failure_result(listed.replace(stdout=""), project)
    walled = bool(kernel(builder.scene.state).best)
    graph = gate.of_graph(listed.stdout, project.name, _read, walled=walled)
    if graph.refused:
        return _refusal_result(graph)
    needs = select_self_tests(listed.stdout)
    if sealed:
        keep_needs(builder.toolchain, sealed.imports, needs)
    return GoGraph(needs, graph.notices)


def _checks(
    builder: Builder, project: Project, source: str, scene: RunContext, needs: tuple[str, ...]
) -> BuildChecks | RunResult:
    """Return how a program gets its checks: in the library, else in its own calls; else none, where
    walls hold it and no guard is required. ``needs``: the self-tests that its library has to pass.
    """
    library = prepare_library(builder, scene.report, needs)
    if library.listing:
        bring_library(project, source)
        return BuildChecks(("-overlay", library.listing), GO)
    said = (
        f"{builder.toolchain.release} is not a release whose library can be given checks:"
        f" {library.why}."
    )
    calls = replacing(builder, scene.report)
    doubtful = doubts(builder, calls.tool, project) if calls.tool else [calls.why]
    if not doubtful:
        lay_guard(project.folder, web=speaks_http(source))
        return BuildChecks(
            calls.flags, CALLS, (f"{said} The program's own calls were given checks instead.",)
        )
    said = f"{said} Neither can the program's own calls: {'; '.join(doubtful[:5])}."
    if not kernel(scene.state).best or scene.require in {GUARD, BOTH}:
        instead = (
            "Write it with functions of os, os/exec and net/http that are known, or install a"
            " release of Go that is."
        )
        return refuse_run(
            Refusal("build", project.name, "go.unknown-release", LAUNCHER, said, instead=instead)
        )
    return BuildChecks(
        (), "", (f"{said} The program asks nobody: only the kernel's walls hold it.",)
    )


def start(built: GoBuild, scene: RunContext, arguments: tuple[str, ...] = ()) -> RunResult:
    """Run what was built, in the folder of the scene's call."""
    program = built.program
    prepared = RunCommand(
        (program, *arguments),
        scene.call.cwd,
        {},
        reads=(program,),
        executes=(program,),
        guard=built.guard,
        name=built.project.name,
    )
    ran = run_prepared(prepared, scene)
    printed, content = split_output(built.project, ran.stdout)
    return ran.replace(stdout=printed, content=content, notices=(*built.notices, *ran.notices))


def _state(scene: RunContext) -> str:
    """Return where interlock keeps what no agent may change."""
    return os.path.join(
        scene.guard.facts.home() or os.path.expanduser("~"), ".local", "state", "interlock"
    )


def _refusal_result(passed: gate.GateResult) -> RunResult:
    return RunResult(REFUSED, 126, refused=passed.refused, notices=passed.notices)


def _failure_result(built: RunResult, project: Project) -> RunResult:
    """Return a build that failed, as the compiler says it: its lines are the program's own. One
    that could not be started stays what it is.
    """
    if built.status == REFUSED:
        return built
    said = (built.stderr + built.stdout).replace(f"{project.folder}{os.sep}", "")
    lines = [line.removeprefix("./") for line in said.splitlines() if not line.startswith("# ")]
    return built.replace(
        status=FAILED,
        stdout="",
        stderr="\n".join(lines) + "\n",
        refused=(),
        tier=RunResult(FAILED).tier,
    )


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
