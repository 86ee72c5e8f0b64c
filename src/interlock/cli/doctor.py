"""``interlock doctor``: prove that the guard works, by running what the client would run, and look for what switches it off."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib

from interlock.cli import bundle, plugged
from interlock.cli.install import line_for
from interlock.cli.paint import Painter
from interlock.guard.workspace import may_be_root
from interlock.integrations import install
from interlock.integrations.clients import CLIENTS, adapter_of
from interlock.integrations.install import Entry, SettingsError
from interlock.integrations.protocol import ANY, EXCLUDED
from interlock.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from interlock.integrations.protocol import Hooked, Settings

NAME = "doctor"
SUMMARY = "prove that the guard answers, and look for what switches it off"

GREEN, AMBER, RED = "green", "amber", "red"
_MARKS = {GREEN: "ok", AMBER: "look", RED: "BAD"}
_MOVED = re.compile(r"^(HOME|PATH|ENV|BASH_ENV|XDG_.*|LD_.*|DYLD_.*|PYTHON.*|CLAUDE_CONFIG_DIR|CLAUDE_PROJECT_DIR|TMPDIR|INTERLOCK_.*)$")
"""Variables that a settings file should not set for the hook."""


class Row(Record):
    """One line of the table: how it stands, what was looked at, what was seen, and the command that mends it."""

    colour: str
    what: str
    seen: str
    mend: str = ""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the client and the form of the answer."""
    parser.add_argument("client", nargs="?", default="claude-code", choices=sorted(CLIENTS), help="the agent client (default: claude-code)")
    parser.add_argument("--project", default=".", metavar="FOLDER", help="the project to look at (default: the current folder)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: Namespace) -> int:
    """Print the table. 0 when nothing is red, 1 otherwise."""
    rows = list(examine(options.client, os.path.abspath(options.project)))
    if options.json:
        print(json.dumps([dict(zip(Row.fields, row, strict=True)) for row in map(_cells, rows)], indent=2))
    else:
        _print(rows, Painter(sys.stdout))
    return 1 if any(row.colour == RED for row in rows) else 0


def _cells(row: Row) -> tuple[str, str, str, str]:
    return row.colour, row.what, row.seen, row.mend


def _print(rows: list[Row], paint: Painter) -> None:
    width = max(len(row.what) for row in rows)
    for row in rows:
        print(f"{paint(f'{_MARKS[row.colour]:<4}', row.colour)}  {row.what:<{width}}  {row.seen}")
        if row.mend:
            print(f"{'':<{width + 6}}  -> {row.mend}")


def examine(client: str, project: str) -> Iterator[Row]:
    """Yield every row for a client as it stands for a project."""
    settings = adapter_of(client).SETTINGS
    files = _files(settings, project)
    found, rows = _entries(files, settings, client)
    yield from rows
    if settings.plugin is None:
        yield from _installation(found, settings, client)
    yield from _proofs(found, settings, client)
    if settings.trusting and found:
        yield from _trust(settings, client, project)
    yield from _switches(files, settings)
    yield _version(settings)
    yield _workspace(project)
    if found:
        yield _bundle(client)


# -- what is written -------------------------------------------------------------------------------


def _files(settings: Settings, project: str) -> list[str]:
    """List every settings file the client may read: the user's, and those of the project and of the folders above it."""
    folders = [install.folder_of(settings, None)]
    home, folder = os.path.expanduser("~"), project
    while folder not in (home, os.path.dirname(folder)):
        folders.append(install.folder_of(settings, folder))
        folder = os.path.dirname(folder)
    return list(dict.fromkeys(os.path.join(folder, name) for folder in folders for name in settings.files))


def _entries(files: list[str], settings: Settings, client: str) -> tuple[list[Entry], list[Row]]:
    if settings.plugin is not None:
        found, cells = plugged.plugins(settings, settings.plugin, client, list(dict.fromkeys(os.path.dirname(path) for path in files)))
        return found, [Row(*row) for row in cells]
    return _hooked(files, settings, client)


def _hooked(files: list[str], settings: Settings, client: str) -> tuple[list[Entry], list[Row]]:
    found: list[Entry] = []
    problems: list[Row] = []
    for path in files:
        if path.endswith(".toml"):
            continue  # read for its switches only: what we write is JSON
        try:
            found += install.entries(install.content(path), settings, client, path)
        except SettingsError as error:
            problems.append(Row(RED, "settings", str(error), f"mend {path}"))
    return found, problems


def _installation(found: list[Entry], settings: Settings, client: str) -> Iterator[Row]:
    mend = f"interlock install {client}"
    if not found:
        yield Row(RED, "installed", f"{client} does not ask interlock", mend)
        return
    for hooked in settings.events:
        yield _entry(hooked, [entry for entry in found if entry.event == hooked.event], settings, client)


def _entry(hooked: Hooked, mine: list[Entry], settings: Settings, client: str) -> Row:
    what, mend, worst = f"installed: {hooked.event}", f"interlock install {client}", AMBER if hooked.note else RED
    full = [entry for entry in mine if entry.matcher in (hooked.matcher, "*", "")]
    if not full:
        return Row(worst, what, f"only for {mine[0].matcher!r}" if mine else "missing", mend)
    hook = full[0].hook
    for key, value in () if hooked.note else settings.block:
        if hook.get(key) != value:
            return Row(RED, what, f"{key} is not {value!r}: a guard that fails would let the call run", mend)
    timeout = hook.get("timeout", settings.timeout)
    if not isinstance(timeout, int | float) or timeout < settings.timeout / 2:
        return Row(worst, what, f"time-out {timeout!r}: the guard may be cut off before it answers", mend)
    if hook.get("command") != line_for(client).command(note=hooked.note):
        return Row(AMBER, what, "runs another installation of interlock than this one", mend)
    return Row(GREEN, what, "in place")


def _switches(files: list[str], settings: Settings) -> Iterator[Row]:
    bad = [row for path in files for row in _switches_of(path, settings)]
    yield from bad or [Row(GREEN, "switches", f"none in {len(files)} places")]


def _switches_of(path: str, settings: Settings) -> Iterator[Row]:
    try:
        text = install.content(path)
        document = tomllib.loads(text) if path.endswith(".toml") else json.loads(text or "{}")
    except tomllib.TOMLDecodeError as error:
        yield Row(RED, "settings", f"{path} is no TOML: {error}", f"mend {path}")
        return
    except (ValueError, SettingsError):
        return  # already a red row of its own
    if not isinstance(document, dict):
        return
    for key, value in settings.switches:
        found = _at(document, key)
        excluded = value == EXCLUDED and settings.plugin is not None and plugged.excludes(found, settings.plugin)
        if found == value or (value == ANY and found) or excluded:
            yield Row(RED, "switched off", f"{path} sets {key}", f"remove {key} from {path}")
    given = document.get("env")
    for name in given if isinstance(given, dict) else ():
        if _MOVED.match(name):
            yield Row(AMBER, "environment", f"{path} sets {name} for every hook", f"remove {name} from env in {path}")


def _at(document: object, path: str) -> object:
    for key in path.split("."):
        document = document.get(key) if isinstance(document, dict) else None
    return document


# -- what happens ----------------------------------------------------------------------------------


def _proofs(found: list[Entry], settings: Settings, client: str) -> Iterator[Row]:
    """Run the installed lines as the client would, with a call that every policy refuses and one that none does."""
    mend = f"interlock install {client}"
    event = next(hooked.event for hooked in settings.events if not hooked.note)
    checks = list(dict.fromkeys(str(entry.hook.get("command")) for entry in found if entry.event == event))
    for command in checks:
        code, out, err, took = _ran(command, _payload("rm -rf /", event, settings))
        judged = "could not judge" not in err and "interlock failed" not in err
        refused = code == 2 and 'ecision":"deny"' in out and judged
        yield _proof("refuses", f"`rm -rf /` was refused in {took} ms" if refused else "", f"`rm -rf /`: {_said(code, out, err)}", mend)
        code, out, err, took = _ran(command, _payload("echo hello", event, settings))
        passed = code == 0 and 'ecision":"' not in out
        yield _proof("permits", f"`echo hello` passed in {took} ms" if passed else "", f"`echo hello`: {_said(code, out, err)}", mend)
        if passed:
            unwritten = "audit.not-written" in out
            yield (
                Row(AMBER, "records", f"decisions are not recorded: {_said(code, out, err)}")
                if unwritten
                else Row(GREEN, "records", "see: interlock log")
            )


def _trust(settings: Settings, client: str, project: str) -> Iterator[Row]:
    """Ask the client itself whether it runs our hooks."""
    from interlock.integrations import trust

    mend = f"interlock install {client} --trust"
    try:
        found = trust.hooks(settings, client, project)
    except trust.TrustError as error:
        yield Row(RED, "trust", f"whether {client} runs these hooks cannot be seen: {error}", mend)
        return
    waiting = ", ".join(hook.event for hook in found if not hook.trusted)
    if waiting or not found:
        yield Row(RED, "trust", f"{client} does not run: {waiting or 'any hook of interlock'}", mend)
    else:
        yield Row(GREEN, "trust", f"{client} runs all {len(found)} hooks")


def _proof(what: str, good: str, bad: str, mend: str) -> Row:
    return Row(GREEN, what, good) if good else Row(RED, what, bad, mend)


def _payload(command: str, event: str, settings: Settings) -> str:
    folder = os.getcwd()
    call = {"tool_name": settings.shell_tool, "tool_input": {"command": command, "description": "a proof of interlock doctor; judged, never run"}}
    return json.dumps({"session_id": "interlock-doctor", "cwd": folder, "hook_event_name": event, "tool_use_id": "doctor", **call})


def _ran(command: str, payload: str) -> tuple[int, str, str, int]:
    started = time.perf_counter()
    try:
        done = subprocess.run(["/bin/sh", "-c", command], input=payload, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603 - the line that the client runs
    except (OSError, subprocess.TimeoutExpired) as error:
        return 126, "", str(error), 0
    return done.returncode, done.stdout, done.stderr, round((time.perf_counter() - started) * 1000)


def _said(code: int, out: str, err: str) -> str:
    words = " ".join((err or out).split())
    return f"exit {code}: {words[:200] or 'nothing said'}"


# -- what is around --------------------------------------------------------------------------------


def _version(settings: Settings) -> Row:
    program, oldest = shutil.which(settings.program), ".".join(map(str, settings.oldest))
    if program is None:
        return Row(AMBER, "client", f"{settings.program} is not on the PATH, so its version is unknown")
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=20, check=False, stdin=subprocess.DEVNULL).stdout  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        return Row(AMBER, "client", f"{program} does not tell its version: {error}")
    numbers = re.search(r"(\d+)\.(\d+)\.(\d+)", said)
    if numbers is None:
        return Row(AMBER, "client", f"{program} does not tell its version")
    if tuple(map(int, numbers.groups())) < settings.oldest:
        return Row(RED, "client", f"{numbers[0]}: before {oldest} {_older(settings)}", f"npm install -g {settings.package}@latest")
    return Row(GREEN, "client", f"{settings.program} {numbers[0]}")


def _older(settings: Settings) -> str:
    return "a guard that fails lets the call run" if settings.block else "it was not measured whether a refusal is kept"


def _workspace(project: str) -> Row:
    if may_be_root(os.path.realpath(project), os.path.expanduser("~")):
        return Row(GREEN, "workspace", project)
    return Row(AMBER, "workspace", f"{project} is too wide to be a workspace: every change to a file counts as outside", "cd into a project's folder")


def _bundle(client: str) -> Row:
    if os.path.exists(bundle.path_of(os.path.dirname(line_for(client).file))):
        return Row(GREEN, "start", "the modules are in one file")
    return Row(AMBER, "start", "the modules are not in one file, so every call waits longer", f"interlock install {client}")
