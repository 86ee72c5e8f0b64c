"""What ``interlock code`` and ``interlock run`` have in common: their options, the scene of a run,
its result as people read it.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable
from typing import Any

from interlock.cli import build
from interlock.cli.colors import complain
from interlock.cli.folders import folder
from interlock.codemode.permissions import WORKSPACE_WRITE, RunPermissions, apply_permits
from interlock.codemode.program import REQUIRES, RunContext, RunResult
from interlock.guard.services import Ask, Sentinel
from interlock.guard.workspace import may_be_root, widen_roots
from interlock.model.call import ToolCall
from interlock.model.display import visible
from interlock.policy.files import places
from interlock.policy.schema import OBSERVE, PROFILES
from interlock.sandbox.bounds import Bounds

MIB = 1 << 20
SECONDS_OF_RUN = 60.0
SECONDS = 300.0
"""For an answer."""


def positive(text: str) -> int:
    """Read a number above zero; raises ``ValueError``."""
    number = int(text)
    if number <= 0:
        raise ValueError
    return number


def seconds(text: str) -> float:
    """Read a time above zero; raises ``ValueError``."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise ValueError
    return number


LISTS = (
    ("--allow-path", "FOLDER", "a folder that counts as the workspace too"),
    ("--deny-path", "PATTERN", "paths that are neither read nor changed"),
    ("--allow-command", "NAME", "a program that may be started; `*` for any"),
    ("--deny-command", "NAME", "a program that may not"),
    ("--allow-host", "HOST", "a host that may be reached; `*` for any"),
)
"""What may be named, once or many times: an option, what stands behind it, what it means."""
BOUNDS: tuple[tuple[str, Callable[[str], float], float | None, str, str], ...] = (
    ("--seconds", seconds, None, "N", "how long it may run (60; an agent: without end)"),
    ("--memory", positive, 4096, "MIB", "memory of each process (%(default)s)"),
    ("--processes", positive, 64, "N", "how many processes there may be (%(default)s)"),
    ("--output", positive, 64, "KIB", "how much output is kept of each stream (%(default)s)"),
)
"""How much a run may use: an option, what reads its value, what holds without it, in what it is
counted, what it means.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what a run may do and use."""
    presets = [name for name in PROFILES if name != OBSERVE]
    parser.add_argument(
        "--preset", choices=presets, default=WORKSPACE_WRITE, help="the profile (%(default)s)"
    )
    for option, behind, means in LISTS:
        parser.add_argument(option, action="append", default=[], metavar=behind, help=means)
    parser.add_argument(
        "--allow-loopback",
        action="store_true",
        help="it may wait for connections on this machine, and reach itself there",
    )
    parser.add_argument(
        "--ask",
        action="store_true",
        help="ask the person at the terminal about what was not allowed, instead of denying it",
    )
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="a file with codeMode.sandboxing, instead of the options above",
    )
    parser.set_defaults(quiet=False)
    _add_bounds(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def _add_bounds(parser: argparse.ArgumentParser) -> None:
    """Declare where a run is, what has to hold around it, and how much it may use."""
    parser.add_argument(
        "--require",
        choices=[name for name in REQUIRES if name] + ["none"],
        help="run nothing without it: the sandbox of the kernel, the checks of the guard, or both",
    )
    parser.add_argument(
        "--root", type=folder, metavar="FOLDER", help="the workspace (default: this folder)"
    )
    for option, reads, default, unit, means in BOUNDS:
        parser.add_argument(option, type=reads, default=default, metavar=unit, help=means)
    parser.add_argument(
        "--keep", metavar="FOLDER", help="a folder for output that is longer than that"
    )


def sentence(problem: Exception) -> str:
    """Return what is wrong as a person reads it: of a file, its name and why."""
    return (
        f"{problem.filename}: {problem.strerror}"
        if isinstance(problem, OSError) and problem.strerror
        else str(problem)
    )


def permits(options: argparse.Namespace) -> tuple[RunPermissions, tuple[str, ...]]:
    """Return what the command line allows and denies, and what has to be told of it; raises
    ``OSError``, ``ValueError`` or ``PolicyError``.
    """
    if options.config:
        return _permits_from_file(options)
    return _permits_from_args(options), ()


def _permits_from_file(options: argparse.Namespace) -> tuple[RunPermissions, tuple[str, ...]]:
    from interlock.codemode.sandboxing import read, resolve_permits

    path = os.path.realpath(options.config)
    with open(path, "rb") as file:
        said = read(file.read(), path)
    if not said.code:
        raise ValueError(f"{path}: codeMode.enabled is false, so nothing runs")
    options.quiet = not said.permits.interactive
    return resolve_permits(
        said, trusted=not f"{path}/".startswith(os.path.realpath(options.root or os.getcwd()) + "/")
    )


def _permits_from_args(options: argparse.Namespace) -> RunPermissions:
    return RunPermissions(
        options.preset,
        tuple([os.path.realpath(path) for path in options.allow_path]),
        tuple(options.deny_path),
        (),
        tuple(options.allow_command),
        tuple(options.deny_command),
        tuple([host.lower() for host in options.allow_host]),
        loopback=options.allow_loopback,
        asks=options.ask,
    )


def bounds(options: argparse.Namespace) -> Bounds:
    """Return how much a run may use."""
    return Bounds(
        options.seconds or SECONDS_OF_RUN,
        options.memory * MIB,
        options.processes,
        output=options.output << 10,
    )


def place_call(call: ToolCall, root: str | None, allowed: RunPermissions) -> ToolCall:
    """Return the call in its workspace, with the folders that were allowed besides."""
    home = build.home_folder(os.environ)
    folder = os.path.realpath(root or call.cwd)
    roots = (folder,) if may_be_root(folder, home) else ()
    return call.replace(
        roots=widen_roots(roots, allowed.allow_paths, home) if roots else allowed.allow_paths
    )


def scene(
    call: ToolCall,
    allowed: RunPermissions,
    options: argparse.Namespace,
    require: str,
    ask: Ask | Sentinel | None = None,
) -> RunContext:
    """Return the scene of a run that a command line describes: the person at the terminal is asked,
    if nothing else is said. Raises as ``build_scene``.
    """
    made = build_scene(call, allowed, bounds(options), require)
    made.keep = os.path.abspath(options.keep) if options.keep else ""
    made.guard.ask = None if options.quiet else ask if ask is not None else _asker(made.guard)
    return made


def build_scene(
    call: ToolCall, allowed: RunPermissions, limits: Bounds, require: str
) -> RunContext:
    """Return the scene of a run: this user's guard, its policy with what the person allowed for
    this run; nobody is asked.

    Raises ``ValueError`` for permits that mean nothing, ``PolicyError`` where the preset cannot be
    read.
    """
    folder = call.roots[0] if call.roots else ""
    guard = build.guard(os.environ, folder=folder)
    where = places(os.environ, folder)
    guard.policy = apply_permits(guard.policy, allowed, where.home, where)
    from interlock.sandbox.probe import kernel  # other commands need none of it

    made = RunContext(guard, call, allowed, limits, require, _state())
    if kernel(made.state).best:
        guard.carries = frozenset({*guard.carries, "sandbox"})
    if guard.audit is not None:
        guard.carries = frozenset({*guard.carries, "redact"})
    return made


def _asker(guard: Any) -> Ask | None:
    if not sys.stderr.isatty():
        return None
    from interlock.approvals.prompt import Prompt

    return Prompt(guard.policy, guard.facts)


def _state() -> str:
    try:
        return build.store(os.environ).folder
    except build.StoreError:
        return ""


WIDER = {"--allow-command": "allow_commands", "--allow-path": "allow_paths"}


def again(
    result: RunResult, allowed: RunPermissions, options: argparse.Namespace
) -> RunPermissions | None:
    """Return the permits of another run that has what a person approved in this one and its walls
    did not let through; None without their word.
    """
    if not result.wider or options.json or not sys.stderr.isatty():
        return None
    from time import monotonic

    from interlock.approvals.keys import Keyboard, NoTerminalError

    told = " ".join([word for one in result.wider for word in one])
    try:
        with Keyboard() as keyboard:
            keyboard.say(f"\n? interlock: run it again from its beginning, with {told}?\n")
            keyboard.settle()
            keyboard.say("  [y] again  [n] no ")
            pressed = keyboard.key(monotonic() + SECONDS)
            keyboard.say("\n")
    except (NoTerminalError, KeyboardInterrupt):
        return None
    if pressed != "y":
        return None
    for option, value in result.wider:
        name = WIDER[option]
        allowed = allowed.replace(**{name: (*getattr(allowed, name), value)})
    return allowed


_COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")


def sanitize_output(text: str) -> str:
    """Return what a program printed without power over the terminal: colours, tabs and the ends of
    lines stay, what moves or hides what stands there already is written out.
    """
    pieces = _COLOUR.split(text)
    return "".join([piece if at % 2 else _plain(piece) for at, piece in enumerate(pieces)])


def _plain(text: str) -> str:
    return "".join([char if char in "\n\t\r" else visible(char) for char in text])


LAYERS = {
    "reader": ", seen before it ran",
    "gate": ", seen before it ran",
    "guard": ", asked while it ran",
}
"""Who refused, in a person's words."""


def show(result: RunResult, *, plain: bool) -> None:
    """Print what the program printed where it printed it, and what was refused on standard error;
    ``plain``: all of it as JSON.
    """
    if plain:
        import json  # a person's run prints none

        from interlock.codemode.tools import result_to_dict

        print(json.dumps(result_to_dict(result), indent=2))
        return
    sys.stdout.write(sanitize_output(result.stdout) if sys.stdout.isatty() else result.stdout)
    sys.stdout.flush()
    sys.stderr.write(sanitize_output(result.stderr) if sys.stderr.isatty() else result.stderr)
    for one in result.refused:
        at = f"{one.where}: " if one.where else ""
        where = f"{one.rule}{LAYERS.get(one.layer, '')}"
        said = f"{at}{one.operation} {one.argument}: {one.message} [{where}]"
        complain(f"interlock: {visible(said)}\n")
        if one.instead:
            complain(f"           {visible(one.instead)}\n")
    if result.status == "timeout":
        complain(f"interlock: timed out after {result.seconds:.0f} s\n")
    for line in (
        *result.notices,
        *[f"more of what it printed is in {path}" for path in result.spilled],
    ):
        complain(f"interlock: {visible(line)}\n")
    never = result.status == "refused" and not result.tier.kernel and not result.tier.guard
    complain(
        "interlock: not run: blocked by policy\n"
        if never
        else f"interlock: {result.status} (sandbox: {result.tier})\n"
    )


def code_of(result: RunResult) -> int:
    """Return the exit code: the program's own; 124 out of time, 126 not started, 128 and the number
    of the signal that ended it.
    """
    return 128 - result.code if result.code < 0 else result.code
