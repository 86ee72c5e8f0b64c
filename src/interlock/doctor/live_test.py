"""The client itself, driven: a call that is forbidden should not happen, and its permitted twin
should, with the hooks as they are installed.

A throw-away home holds a copy of what concerns hooks, permissions and our policy, and nothing else
of the person's: no key, no account, no history. The client gets that home, an environment of its
own, and a made-up model on 127.0.0.1 that calls two commands: one that writes into the guard's own
folder (of the throw-away home), and one that makes a file in a made-up project.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from interlock.doctor.client_launchers import STARTS, ClientLauncher
from interlock.doctor.report_row import AMBER, GREEN, RED, ReportRow
from interlock.effects.variables import UNHOOKING
from interlock.integrations import install
from interlock.integrations.protocol import Settings

PATIENCE = 180
"""Seconds for the client: some install something at their first start with a new home."""
CANARY = ".config/interlock/doctor-canary"
TWIN = "doctor-permitted"
_POLICY = ".config/interlock"
_KEPT = ("permissions", "permission")
"""Keys of settings that are copied beside hooks and switches."""


class ThrowawayHome:
    """The throw-away home and project of one run."""

    def __init__(
        self,
        top: str,
        client: str,
        settings: Settings,
        project: str,
        environment: Mapping[str, str],
    ) -> None:
        self._client = client
        self.home, self.project = os.path.join(top, "home"), os.path.join(top, "home", "project")
        self._settings, self._real, self._environment, self._top = (
            settings,
            project,
            environment,
            top,
        )
        os.makedirs(self.project)

    def furnish(self, start: ClientLauncher, url: str) -> None:
        """Write the client's settings: what it needs for the model, and what of the person's and of
        the project's concerns hooks.
        """
        prepared = {os.path.join(self.home, name): text for name, text in start.files(url).items()}
        theirs = install.folder_of(self._settings, None)
        pairs = [(theirs, os.path.join(self.home, self._settings.folder), True)]
        pairs.append(
            (
                install.folder_of(self._settings, self._real),
                install.folder_of(self._settings, self.project),
                False,
            )
        )
        for source, target, own in pairs:
            for name in self._settings.files:
                path = os.path.join(target, name)
                hooks = own or self._ours(os.path.join(source, name))
                prepared[path] = _merge_settings(
                    prepared.get(path, ""), os.path.join(source, name), self._settings, hooks=hooks
                )
            if self._settings.plugin is not None and own:
                path = os.path.join(target, self._settings.plugin.file)
                prepared[path] = _text(os.path.join(source, self._settings.plugin.file))
        for path, text in prepared.items():
            if text:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
        policy = os.path.join(self._environment.get("HOME", ""), _POLICY)
        (
            shutil.copytree(policy, os.path.join(self.home, _POLICY))
            if os.path.isdir(policy)
            else os.makedirs(os.path.join(self.home, _POLICY))
        )

    def _ours(self, path: str) -> bool:
        """Tell whether all hooks of a project's settings are this installation's: no line that
        somebody else wrote is run.
        """
        lines = [install.line_for(self._client).command(note=note) for note in (True, False)]
        try:
            document = json.loads(_text(path) or "{}")
        except (ValueError, RecursionError):
            return False
        return isinstance(document, dict) and all(
            command in lines for command in _commands(document.get(self._settings.key))
        )

    def variables(self, program: str) -> dict[str, str]:
        """Return the environment: the person's PATH alone, and the switches to be seen."""
        path = os.pathsep.join(
            [os.path.dirname(program), self._environment.get("PATH", os.defpath)]
        )
        switches = {
            name: self._environment[name]
            for name in UNHOOKING.get(self._settings.program, ())
            if name in self._environment
        }
        return {
            "PATH": path,
            "HOME": self.home,
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "TMPDIR": self._top,
            **switches,
        }


def rows(
    client: str, settings: Settings, project: str, environment: Mapping[str, str]
) -> Iterator[ReportRow]:
    """Yield what driving the client showed."""
    start, program = STARTS.get(client), shutil.which(settings.program)
    if start is None or program is None:
        missing = (
            f"{settings.program} is not on the PATH"
            if start
            else f"how to start {client} is not known"
        )
        yield ReportRow(AMBER, "live", f"{missing}, so it was not driven")
        return
    top = tempfile.mkdtemp(prefix="interlock-doctor-")
    try:
        yield _drive_client(
            client, settings, start, ThrowawayHome(top, client, settings, project, environment)
        )
    finally:
        shutil.rmtree(top, ignore_errors=True)


def _drive_client(
    client: str, settings: Settings, start: ClientLauncher, stage: ThrowawayHome
) -> ReportRow:
    program = shutil.which(settings.program) or settings.program
    forbidden, permitted = os.path.join(stage.home, CANARY), os.path.join(stage.project, TWIN)
    with start.wire(start.types(f"touch {forbidden}"), start.types(f"touch {permitted}")) as model:
        stage.furnish(start, model.url)
        own = {**stage.variables(program), **start.variables(model.url, os.path.expanduser("~"))}
        problem = _trust_hooks(client, settings, stage, own) if settings.trusting else ""
        if problem:
            return ReportRow(AMBER, "live", problem, f"interlock install {client} --trust")
        said = _run([program, *start.command("Do as you are told.", model.url)], own, stage.project)
        told = model.results()
        heard = bool(model.requests)
    if os.path.exists(forbidden):
        return ReportRow(
            RED,
            "live",
            f"{program} ran a forbidden call: its hooks do not hold it back",
            f"interlock install {client}",
        )
    if not heard or not told:
        return ReportRow(AMBER, "live", f"{program} made no call, so nothing was shown: {said}")
    if "interlock" not in told[0]:
        return ReportRow(
            RED,
            "live",
            f"{program} refused the forbidden call, and not for interlock: {_short(told[0])}",
            f"interlock install {client}",
        )
    if not os.path.exists(permitted):
        return ReportRow(
            RED,
            "live",
            f"{program} did not run the permitted call either: {_short(told[-1])}",
            f"interlock install {client}",
        )
    return ReportRow(
        GREEN, "live", f"{program} did not run a forbidden call, and ran its permitted twin"
    )


def _run(command: list[str], environment: dict[str, str], folder: str) -> str:
    """Run the client to its end; return the last that it said, for where it did nothing."""
    try:
        done = subprocess.run(  # noqa: S603 - the client that is installed
            command,
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not end within {PATIENCE} seconds"
    except OSError as error:
        return f"it cannot be started: {error.strerror}"
    return _short((done.stderr or done.stdout)[-400:]) or f"exit {done.returncode}"


def _trust_hooks(
    client: str, settings: Settings, stage: ThrowawayHome, environment: dict[str, str]
) -> str:
    """Trust the copied hooks in the throw-away home, where their path is another; return what
    stands in the way.
    """
    from interlock.integrations import trust

    try:
        found = trust.trust(settings, client, stage.project, environment)
    except trust.TrustError as error:
        return f"the hooks could not be trusted in the throw-away home: {error}"
    return (
        ""
        if found and all(hook.trusted for hook in found)
        else "the client sees no hook of interlock"
    )


def _merge_settings(prepared: str, source: str, settings: Settings, *, hooks: bool) -> str:
    """Return settings for the throw-away home: what was prepared, and of those that are there only
    what concerns hooks and permissions.
    """
    text = _text(source)
    if source.endswith(".toml"):
        return prepared + _switches_of(text, settings)
    try:
        document = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return text  # the client is to see what is wrong with it
    kept = {
        *([settings.key] if hooks else []),
        *_KEPT,
        *[key.partition(".")[0] for key, _ in settings.switches],
    }
    mine: dict[str, Any] = (
        {key: value for key, value in document.items() if key in kept}
        if isinstance(document, dict)
        else {}
    )
    made = {**json.loads(prepared or "{}"), **mine}
    return json.dumps(made) if made else ""


def _switches_of(text: str, settings: Settings) -> str:
    """Return the switches of a TOML file as lines of TOML."""
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError):
        return "\n" + text
    lines = []
    for key, _ in settings.switches:
        table, _, name = key.rpartition(".")
        held = (
            document.get(table, {}).get(name) if isinstance(document.get(table, {}), dict) else None
        )
        if isinstance(held, bool):
            lines.append(f"\n[{table}]\n{name} = {str(held).lower()}\n")
    return "".join(lines)


def _commands(table: object) -> Iterator[object]:
    """Yield what each hook of a table runs, None for one that runs no command."""
    if isinstance(table, dict):
        if not {"type", "command", "bash", "powershell", "url"}.isdisjoint(table):
            yield table.get("command")
            return
        table = list(table.values())
    for part in table if isinstance(table, list) else ():
        yield from _commands(part)


def _text(path: str) -> str:
    try:
        return install.content(path)
    except install.SettingsError:
        return ""


def _short(text: str) -> str:
    return " ".join(text.split())[:200]
