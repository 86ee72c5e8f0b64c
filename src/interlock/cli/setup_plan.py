"""What setting up would change, as a plan and in words: the agents on this machine, and for each
file what comes into it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from interlock.cli import install as installing
from interlock.cli import machine
from interlock.cli.colors import Painter, visible
from interlock.cli.show import wrap_text
from interlock.integrations import install
from interlock.integrations.changes import Change
from interlock.integrations.clients import CLIENTS, adapter_of
from interlock.integrations.install import SettingsError
from interlock.integrations.protocol import Settings
from interlock.model.record import Record


class SetupStep(Record):
    """One agent: the changes that protect it, none where it is protected; ``seen``: by what it was
    found; ``note``: what cannot be done.
    """

    client: str
    seen: str
    todo: tuple[Change, ...] = ()
    note: str = ""


class SetupPlan(Record):
    """All that would be changed: agents in their order, then the person's policy."""

    steps: tuple[SetupStep, ...]
    policy: Change | None = None

    @property
    def changes(self) -> list[Change]:
        """Every change that changes something."""
        return [change for step in self.steps for change in step.todo] + (
            [self.policy] if self.policy is not None else []
        )


def find_agents() -> list[str]:
    """Return the agents that are here: by a program on the PATH or settings in the home."""
    return [client for client in CLIENTS if locate_agent(adapter_of(client).SETTINGS)]


def locate_agent(settings: Settings) -> str:
    """Return by what an agent is found, ``""`` where it is not."""
    folder = install.folder_of(settings, None)
    return shutil.which(settings.program) or (folder if os.path.isdir(folder) else "")


def only_read_about() -> list[str]:
    """Return those agents here known from their pages only, for which nothing is written."""
    from interlock.integrations.documented import CLIENTS as ROWS

    folders = {name: os.path.dirname(os.path.expanduser(row.file)) for name, row in ROWS.items()}
    return [
        name
        for name, folder in folders.items()
        if shutil.which(name) or (folder[:1] == "/" and os.path.isdir(folder))
    ]


def plan(clients: list[str]) -> SetupPlan:
    """Return what protecting agents would change; what cannot be changed is a note of its step."""
    return SetupPlan(tuple([_step(client) for client in clients]))


def _step(client: str) -> SetupStep:
    by = locate_agent(adapter_of(client).SETTINGS) or "not found here"
    try:
        todo, note = installing.plan_changes(client, None)
    except SettingsError as error:
        return SetupStep(
            client, by, note=f"{error}; mend the file, or see `interlock install {client}`"
        )
    return SetupStep(
        client, by, tuple([change for change in todo if change.after != change.before]), note
    )


def to_dicts(made: SetupPlan) -> list[dict[str, object]]:
    """Return the plan for a program: each agent, by what it was found, and its files."""
    return [
        {
            "client": step.client,
            "seen": step.seen,
            "files": machine.files(step.todo),
            "note": step.note,
        }
        for step in made.steps
    ]


def render_plan(made: SetupPlan, paint: Painter) -> Iterator[str]:
    """Yield the plan line by line, for a person."""
    for step in made.steps:
        state = (
            "would be protected"
            if step.todo
            else "cannot be protected"
            if step.note
            else "is protected already"
        )
        yield (
            f"{paint(step.client, 'bold')} {state}  {paint('(' + visible(step.seen) + ')', 'grey')}"
        )
        for change in step.todo:
            yield (
                f"  {visible(change.path)}{'' if change.before else paint('  (a new file)', 'grey')}"
            )
            for line in _words(step.client, change):
                first, *more = wrap_text(line, 4, 6)
                yield f"    {paint(line[:1], 'green' if line[:1] == '+' else 'amber')}{first[5:]}"
                yield from more
        if step.todo and adapter_of(step.client).SETTINGS.trusting:
            yield (
                f"    {paint('+', 'green')} {step.client} is told that you trust these hooks; it"
                " runs no others"
            )
        for line in step.note.splitlines():
            yield f"  {paint('!', 'amber')} {visible(line)}"


def render_removal(client: str, todo: list[Change]) -> Iterator[str]:
    """Yield in words what taking an agent's hooks out would change."""
    settings = adapter_of(client).SETTINGS
    for change in todo:
        if change.after == change.before:
            continue
        events = (
            []
            if settings.plugin is not None
            else [
                entry.event
                for entry in install.entries(change.before, settings, client, change.path)
            ]
        )
        yield f"  {visible(change.path)}" + ("" if change.after else "  (the file would go)")
        if events:
            yield from wrap_text(f"- {', '.join(dict.fromkeys(events))}", 4, 6)


def _words(client: str, change: Change) -> Iterator[str]:
    """Yield what comes into a file (``+``), or is written anew there (``~``)."""
    settings = adapter_of(client).SETTINGS
    if change.own:
        yield (
            f"{'~' if change.before else '+'} a plugin file, owned by interlock: it asks before every"
            " tool call; if it fails, the call is refused"
        )
        return
    if settings.plugin is not None:
        key, name, value = settings.plugin.line
        yield (
            f'+ "{name}": "{value}", last under "{key}": where the plugin is not loaded no tool'
            " runs"
        )
        return
    there = {entry.event for entry in install.entries(change.before, settings, client, change.path)}
    for notes in (False, True):
        for mark, held in (("+", False), ("~", True)):
            events = ", ".join(
                [
                    one.event
                    for one in settings.events
                    if one.note is notes and (one.event in there) is held
                ]
            )
            what = (
                "only recorded; never delays the agent"
                if notes
                else "interlock is asked before every tool call; if it fails, the call is refused"
            )
            if events:
                yield f"{mark} {events}: {what}"
