"""Clients that are told about the guard by a plugin: one file that is all ours, and a line in the
client's settings where it knows one.

The file is put together of the sources in ``plugins/``: the line that starts interlock, what asks
it, what the client is told. The line in the settings denies every tool; the plugin lifts it when it
is loaded, so that a plugin that is missing or broken lets nothing run.
"""

from __future__ import annotations

import json
import os
import re

from interlock.integrations import install
from interlock.integrations.install import HookCommand, SettingsError
from interlock.integrations.protocol import Plugin

HEAD = (
    "// Asks interlock about every tool call before it runs. `interlock install {client}` writes"
    " this file: do not edit it.\n"
)
_GUARD = re.compile(r"^const GUARD = (\[.*\])$", re.MULTILINE)
_SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugins")


def text_of(plugin: Plugin, line: HookCommand) -> str:
    """Return the plugin's file for an installation of interlock."""
    guard = json.dumps(line.words)
    return (
        HEAD.format(client=line.client)
        + f"const GUARD = {guard}\n\n"
        + _source("guard.js")
        + _source(plugin.source)
    )


def _source(name: str) -> str:
    with open(os.path.join(_SOURCES, name), encoding="utf-8") as file:
        return file.read()


def line_of(text: str, client: str) -> HookCommand | None:
    """Return the line that a plugin's file starts interlock by, None for no plugin of ours."""
    found = _GUARD.search(text)
    try:
        words = json.loads(found[1]) if found else None
    except ValueError:
        return None
    if (
        not isinstance(words, list)
        or not all(isinstance(word, str) for word in words)
        or words[-1:] != [client]
    ):
        return None
    made = {
        5: lambda: HookCommand(words[0], words[3], client),
        6: lambda: HookCommand(words[3], words[4], client, words[0]),
    }.get(len(words))
    return made() if made is not None else None


def own(path: str, client: str) -> str:
    """Return the text of our plugin, ``""`` where there is none; raises ``SettingsError`` where the
    file is another's.
    """
    text = install.content(path)
    if text and line_of(text, client) is None:
        raise SettingsError(
            f"{path}: expected interlock's plugin or nothing, found another file; move it away"
        )
    return text


def with_line(text: str, plugin: Plugin, path: str = "settings") -> str:
    """Return settings in which the line is the last of its table, before what is above it."""
    key, name, value = plugin.line
    document = install.parse_settings(text, path)
    table = document.get(key, {})
    if isinstance(table, str):
        table = {"*": table}  # the same in the client's own reading
    if not isinstance(table, dict):
        raise SettingsError(f"{path}: expected an object under {key!r}")
    if table and list(table)[-1] == name and table[name] == value:
        return text
    document[key] = {**{word: rule for word, rule in table.items() if word != name}, name: value}
    return install.dump_settings(document, text)


def without_line(text: str, plugin: Plugin, path: str = "settings") -> str:
    """Return settings without the line, and without the table where it held nothing else."""
    key, name, value = plugin.line
    document = install.parse_settings(text, path)
    table = document.get(key)
    if not isinstance(table, dict) or table.get(name) != value:
        return text
    del table[name]
    if not table:
        del document[key]
    return install.dump_settings(document, text)


def holds(text: str, plugin: Plugin, path: str = "settings") -> bool:
    """Tell whether settings hold the line, and nothing below it that goes before it."""
    return bool(text) and with_line(text, plugin, path) == text
