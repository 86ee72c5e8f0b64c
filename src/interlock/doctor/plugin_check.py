"""The doctor's look at a client's plugin: whether it is there and as it was written, and what holds
where it is not loaded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from interlock.doctor.report_row import AMBER, GREEN, RED, ReportRow
from interlock.integrations import install, plugin
from interlock.integrations.install import HookCommand, HookEntry, SettingsError, line_for
from interlock.integrations.protocol import Plugin, Settings


def plugins(
    settings: Settings, own: Plugin, client: str, folders: list[str]
) -> tuple[list[HookEntry], list[ReportRow]]:
    """Return what starts interlock as entries of a client with hooks, and the rows of the table."""
    found: list[HookEntry] = []
    rows: list[ReportRow] = []
    for path in [os.path.join(folder, own.file) for folder in folders]:
        try:
            text = plugin.own(path, client)
        except SettingsError as error:
            rows.append(
                ReportRow(
                    RED,
                    "plugin",
                    str(error),
                    f"mv {path} {path}.mine && interlock install {client}",
                )
            )
            continue
        line = plugin.line_of(text, client)
        if line is not None:
            found.append(
                HookEntry(settings.events[0].event, "*", {"command": line.command(note=False)})
            )
            rows += [_plugin(path, text, line, own), *_second(path, settings, own, client)]
    return found, rows or [
        ReportRow(RED, "plugin", f"{client} does not ask interlock", f"interlock install {client}")
    ]


def _plugin(path: str, text: str, line: HookCommand, own: Plugin) -> ReportRow:
    mend = f"interlock install {line.client}"
    if text != plugin.text_of(own, line):
        return ReportRow(
            RED,
            "plugin",
            f"{path} is not as interlock writes it: edited, or of another version",
            mend,
        )
    if line != line_for(line.client):
        return ReportRow(
            AMBER, "plugin", f"{path} runs another installation of interlock than this one", mend
        )
    return ReportRow(GREEN, "plugin", path)


def _second(path: str, settings: Settings, own: Plugin, client: str) -> Iterator[ReportRow]:
    """Tell whether nothing runs where the plugin is not loaded: the line has to be the last of its
    table.
    """
    if not own.line:
        return
    key, name, value = own.line
    beside = os.path.join(path.removesuffix(own.file), settings.file)
    mend = f"interlock install {client}"
    try:
        held = plugin.holds(install.content(beside), own, beside)
    except SettingsError as error:
        yield ReportRow(
            AMBER,
            "without plugin",
            f"everything runs where the plugin is not loaded: {error}",
            f'put "{name}": "{value}" last into {key}',
        )
        return
    if held:
        yield ReportRow(GREEN, "without plugin", f"no tool runs ({key} in {beside})")
    else:
        why = (
            f'everything runs where the plugin is not loaded: "{name}" is not the last of {key} in'
            f" {beside}"
        )
        yield ReportRow(AMBER, "without plugin", why, mend)
