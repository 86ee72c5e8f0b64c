"""What was installed is written down by a person's commands, and what became of it is told to them
(``integrations.drift`` compares).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping

from interlock.approvals import answers, caller
from interlock.audit.entry import parameters
from interlock.audit.log import Audit
from interlock.cli import build
from interlock.guard.missing_stage import PERSON
from interlock.integrations import installed_things
from interlock.integrations.drift import OURS, notice_losses, write_own_file
from interlock.integrations.install import line_for
from interlock.model.call import OTHER, ToolCall
from interlock.model.record import Record
from interlock.policy.files import places
from interlock.presence.file_state import FOLDER, RECORD, SEEN, PresenceState, read_seen, sign
from interlock.presence.record import (
    ClientInstall,
    DamagedError,
    InstalledItem,
    InstallRecord,
    read,
)
from interlock.presence.unjudged_calls import INSTALLED, calls, gaps
from interlock.store.database import Store

Tell = Callable[[str, str], tuple[str, ...]]

NOT_JUDGED = "not judged"


class Trouble(Record):
    """Something that is not as it was installed, in words, and by whom: ``person`` or ``agent``."""

    item: InstalledItem
    said: str
    by: str


# -- writing down ----------------------------------------------------------------------------------


def remember(
    environment: Mapping[str, str],
    clients: Iterable[str],
    project: str | None = None,
    repair: bool | None = None,
) -> str:
    """Write down what was installed for some clients, as it is now; return why that could not be
    done, or ``""``.

    What only a person says, which is how policy files are to be and whether what is gone is put
    back, is taken where no agent started this.
    ``repair``: as it was where it is None.
    """
    try:
        kept = build.store(environment)
        made = _read(kept.folder)
        for client in clients:
            made = _with(made, client, project)
        if by_person(kept):
            layers = _layers(made, environment, project)
            made = made.replace(layers=layers, repair=made.repair if repair is None else repair)
        return _save_record(kept, made, list(clients))
    except (build.StoreError, OSError) as problem:
        return sentence(problem)


def sentence(problem: Exception) -> str:
    """Return what the machine would not do, in words for a person."""
    return (
        f"{problem.filename}: {problem.strerror}"
        if isinstance(problem, OSError) and problem.strerror
        else str(problem)
    )


def accept_layers(environment: Mapping[str, str]) -> str:
    """Take the policy files as they are now, where something was written down at all: a person has
    just written one. As ``remember``.
    """
    try:
        return (
            remember(environment, ())
            if os.path.isdir(f"{build.store(environment).folder}/{FOLDER}")
            else ""
        )
    except build.StoreError as problem:
        return str(problem)


def repairs(environment: Mapping[str, str]) -> bool:
    """Tell whether what is gone is put back: as a person chose by `init`, who is offered it
    otherwise. Raises ``StoreError``.
    """
    try:
        made = read(build.store(environment).folder)
    except DamagedError:
        made = None
    return made is None or made.repair is not False


def forget(
    environment: Mapping[str, str], client: str | None = None, project: str | None = None
) -> None:
    """Let a person's uninstalling be one: what is no longer written down is not missed. An agent's
    changes nothing here.

    ``client``: None for all of them. Raises ``StoreError`` and ``OSError``.
    """
    kept = build.store(environment)
    if not os.path.isdir(f"{kept.folder}/{FOLDER}") or not by_person(kept):
        return
    old = _read(kept.folder)
    gone = [
        one
        for one in old.installs
        if client in (None, one.client) and _place(project) == one.project
    ]
    left = tuple([one for one in old.installs if one not in gone])
    if left and gone:
        _save_record(kept, old.replace(installs=left), [one.client for one in gone])
    if not left:
        shutil.rmtree(f"{kept.folder}/{FOLDER}")
        _record_install(kept, [])


def by_person(kept: Store) -> bool:
    """Tell whether no agent's session started this, as far as can be seen."""
    try:
        caller.examine(
            caller.agents_alive(answers.agents(kept) if os.path.exists(kept.path) else ())
        )
    except caller.AgentCallerError:
        return False
    except caller.UnknownCallerError:
        return True
    return True


def _read(state: str) -> InstallRecord:
    """Return what was written down; nothing if unreadable, as it is written anew."""
    try:
        return read(state) or InstallRecord()
    except DamagedError:
        return InstallRecord()


def _place(project: str | None) -> str:
    return "" if project is None else os.path.abspath(project)


def _with(made: InstallRecord, client: str, project: str | None) -> InstallRecord:
    items, line = installed_things.items_of(client, project), line_for(client)
    others = made.without(client, _place(project))
    return (
        others.replace(
            installs=(
                *others.installs,
                ClientInstall(client, _place(project), line.python, line.file, items),
            )
        )
        if _there(items)
        else others
    )


def _there(items: tuple[InstalledItem, ...]) -> bool:
    """Tell whether a client asks interlock at all."""
    return installed_things.in_place(items)


def _layers(
    made: InstallRecord, environment: Mapping[str, str], project: str | None
) -> tuple[InstalledItem, ...]:
    """Return the policy files of now; those of other projects as they were written down."""
    fresh = installed_things.layers_of(places(environment, _place(project)))
    paths = {item.path for item in fresh}
    return (
        *fresh,
        *[item for item in made.layers if item.path not in paths and item.kind == "project-layer"],
    )


def _save_record(kept: Store, made: InstallRecord, clients: list[str]) -> str:
    """Write the record, the bytes of what can be put back, and how all of it was seen; raises
    ``StoreError`` and ``OSError``.
    """
    last = read_seen(kept.folder) or PresenceState()
    signs = {item.path: sign(item.path) for item in made.items}
    known = {}
    for item in made.items:
        if installed_things.now(item) == item.state:
            installed_things.keep(item, kept.folder)
        elif item.key in last.known:
            known[item.key] = last.known[item.key]
        else:
            signs[item.path] = ["not looked at"]
    problem = write_own_file(kept.folder, RECORD, made.text())
    if not problem:
        problem = write_own_file(
            kept.folder, SEEN, PresenceState(sign(f"{kept.folder}/{RECORD}"), signs, known).text()
        )
    _record_install(kept, clients)
    return "".join(problem)


def _record_install(kept: Store, clients: list[str]) -> None:
    """Record that a person said anew what is to be there, if anything is; raises ``StoreError``."""
    if os.path.exists(kept.path):
        build.record(kept, INSTALLED, ", ".join(clients), {"clients": clients})


# -- telling ---------------------------------------------------------------------------------------


def check_presence(environment: Mapping[str, str]) -> tuple[tuple[str, ...], list[Trouble]]:
    """Compare for a person at a command line: what is to be told now, and what is not as it was
    installed.

    Raises ``StoreError`` and ``DamagedError``.
    """
    kept = build.store(environment)
    if not os.path.isdir(f"{kept.folder}/{FOLDER}"):
        return (), []
    said = notice_losses(build.desk(environment, kept), PERSON, again=True)
    record, last = read(kept.folder) or InstallRecord(), read_seen(kept.folder) or PresenceState()
    found = [(item, *last.known[item.key]) for item in record.items if item.key in last.known]
    return said, [
        Trouble(item, installed_things.describe_change(item, state), by)
        for item, state, by in found
        if by != OURS
    ]


def read_installed(environment: Mapping[str, str]) -> InstallRecord | None:
    """Return what was written down, None for nothing. Raises ``StoreError``, ``DamagedError``."""
    return read(build.store(environment).folder)


def find_unjudged(kept: Store) -> list[dict[str, object]]:
    """Return the calls of the last days that nobody judged, the oldest first, as rows like those of
    the audit, free of secrets.
    """
    redactor = Audit(kept).redactor

    def told(given: Mapping[str, object]) -> str:
        return parameters(ToolCall(OTHER, "", given), redactor)

    return [
        {
            "timestamp": one.at, "decision_id": "", "verdict": NOT_JUDGED, "strictest": NOT_JUDGED,
            "action": redactor.text(one.name),
            "agent": one.agent,
            "parameters": told(one.given),
            "status": None,
            "rule_id": None, "session_id": one.session, "call_id": one.id, "radius": None,
        }
        for one in calls(kept, gaps(kept), told)
    ]  # fmt: skip
