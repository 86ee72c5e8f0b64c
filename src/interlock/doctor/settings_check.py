"""What is written in a client's settings: which files count, our entries in them, and whether these
are as they should be.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from interlock.doctor import plugin_check
from interlock.doctor.report_row import AMBER, GREEN, RED, ReportRow
from interlock.integrations import install
from interlock.integrations.install import HookEntry, SettingsError, line_for
from interlock.integrations.protocol import HookedEvent, Settings


def files(settings: Settings, project: str) -> list[str]:
    """List every settings file the client may read: the user's, the project's, those above it."""
    folders = [install.folder_of(settings, None)]
    home, folder = os.path.expanduser("~"), project
    while folder not in (home, os.path.dirname(folder)):
        folders.append(install.folder_of(settings, folder))
        folder = os.path.dirname(folder)
    return list(
        dict.fromkeys(os.path.join(folder, name) for folder in folders for name in settings.files)
    )


def runnable(
    found: list[HookEntry], paths: list[str], settings: Settings, client: str
) -> list[HookEntry]:
    """Return the entries whose lines may be run as a proof: the user's own, and of a project's
    those that are this installation's, word by word.

    Whoever wrote a repository may have written a line that only looks like ours.
    """
    folder = install.folder_of(settings, None)
    mine = entries(
        [path for path in paths if path.startswith(os.path.join(folder, ""))], settings, client
    )[0]
    own = line_for(client).command(note=False)
    return [entry for entry in found if entry in mine or entry.hook.get("command") == own]


def entries(
    paths: list[str], settings: Settings, client: str
) -> tuple[list[HookEntry], list[ReportRow]]:
    """Return our entries, rows about unreadable files, or about a client's plugin."""
    if settings.plugin is not None:
        return plugin_check.plugins(
            settings,
            settings.plugin,
            client,
            list(dict.fromkeys(os.path.dirname(path) for path in paths)),
        )
    found: list[HookEntry] = []
    problems: list[ReportRow] = []
    for path in paths:
        if path.endswith(".toml"):
            continue  # read for its switches only: what we write is JSON
        try:
            found += install.entries(
                install.readable(install.content(path), settings), settings, client, path
            )
        except SettingsError as error:
            problems.append(ReportRow(RED, "settings", str(error), f"mend {path}"))
    return found, problems


def installation(found: list[HookEntry], settings: Settings, client: str) -> Iterator[ReportRow]:
    """Yield a row for each event that the guard listens to."""
    if not found:
        yield ReportRow(
            RED, "installed", f"{client} does not ask interlock", f"interlock install {client}"
        )
        return
    for hooked in settings.events:
        yield _entry(
            hooked, [entry for entry in found if entry.event == hooked.event], settings, client
        )


def _entry(
    hooked: HookedEvent, mine: list[HookEntry], settings: Settings, client: str
) -> ReportRow:
    what, mend, worst = (
        f"installed: {hooked.event}",
        f"interlock install {client}",
        AMBER if hooked.note else RED,
    )
    full = [entry for entry in mine if entry.matcher in (hooked.matcher, "*", "")]
    if not full:
        return ReportRow(worst, what, f"only for {mine[0].matcher!r}" if mine else "missing", mend)
    hook = full[0].hook
    for key, value in () if hooked.note else settings.block:
        if hook.get(key) != value:
            return ReportRow(
                RED,
                what,
                f"{key} is not {value!r}: a guard that fails would let the call run",
                mend,
            )
    timeout = hook.get("timeout", settings.timeout)
    if not isinstance(timeout, int | float) or timeout < settings.timeout / 2:
        return ReportRow(
            worst, what, f"time-out {timeout!r}: the guard may be cut off before it answers", mend
        )
    if hook.get("command") != line_for(client).command(note=hooked.note):
        return ReportRow(AMBER, what, "runs another installation of interlock than this one", mend)
    return ReportRow(GREEN, what, "in place")
