"""The switches in a client's settings files that turn its hooks off, or leave our plugin out: which
are on, and a text without them.
"""

from __future__ import annotations

import json
import tomllib
from fnmatch import fnmatch
from typing import Any

from interlock.effects.variables import UNHOOKING
from interlock.integrations import install
from interlock.integrations.install import SettingsError
from interlock.integrations.protocol import ANY, EXCLUDED, Plugin, Settings


def document(text: str, path: str, settings: Settings) -> object:
    """Return what a settings file says; raises ``ValueError`` for what is neither JSON nor TOML."""
    text = install.readable(text, settings).removeprefix("\ufeff")
    return tomllib.loads(text) if path.endswith(".toml") else json.loads(text or "{}")


def on(said: object, settings: Settings) -> list[str]:
    """Return the keys of the switches that are on."""
    return [
        key for key, value in settings.switches if _is_on(at(said, key), value, settings.plugin)
    ]


def unhooking(said: object, settings: Settings) -> list[str]:
    """Return the variables of a settings file that switch the client's hooks off, as keys."""
    given = at(said, "env")
    return (
        [f"env.{name}" for name in given if name in UNHOOKING.get(settings.program, ())]
        if isinstance(given, dict)
        else []
    )


def _is_on(held: object, value: object, plugin: Plugin | None) -> bool:
    excluded = value == EXCLUDED and plugin is not None and excludes(held, plugin)
    return held == value or (value == ANY and bool(held)) or excluded


def at(said: object, path: str) -> object:
    """Return what stands under keys with dots between, None where nothing does."""
    for key in path.split("."):
        said = said.get(key) if isinstance(said, dict) else None
    return said


def excludes(found: object, own: Plugin) -> bool:
    """Tell whether a list of resources takes out our plugin: ``-PATH``, ``!PATTERN``."""
    return any(_names(entry, own) for entry in found) if isinstance(found, list) else False


def _names(entry: object, own: Plugin) -> bool:
    pattern = entry[1:] if isinstance(entry, str) and entry[:1] in ("-", "!") else ""
    name = own.file.rpartition("/")[2]
    return bool(pattern) and (
        fnmatch(own.file, pattern) or fnmatch(name, pattern) or pattern.endswith(name)
    )


def without(text: str, keys: list[str], path: str, settings: Settings) -> str:
    """Return settings without switches; raises ``SettingsError`` for those we do not rewrite."""
    if path.endswith(".toml"):
        raise SettingsError(f"{path}: remove {', '.join(keys)} yourself: interlock writes no TOML")
    said = install.parse_settings(text, path)
    for key in keys:
        above, _, name = key.rpartition(".")
        table: Any = at(said, above) if above else said
        if (
            isinstance(table, dict)
            and isinstance(table.get(name), list)
            and settings.plugin is not None
        ):
            table[name] = [entry for entry in table[name] if not _names(entry, settings.plugin)]
        elif isinstance(table, dict):
            table.pop(name, None)
    return install.dump_settings(said, text)
