"""Code that a row of data names: ``files.copy``, or made with words: ``network.peer mail``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any


def name_modules(modules: Iterable[ModuleType]) -> dict[str, Any]:
    """Return modules by the last part of their names."""
    return {module.__name__.rpartition(".")[2]: module for module in modules}


def find_functions(rows: Mapping[str, str], modules: Mapping[str, Any]) -> dict[str, Any]:
    """Return for each key of rows the function that its value names; one that rows share is made
    once. Raises ``KeyError`` and ``AttributeError`` where there is none.
    """
    made = {what: find_function(what, modules) for what in dict.fromkeys(rows.values())}
    return {key: made[what] for key, what in rows.items()}


def find_function(what: str, modules: Mapping[str, Any]) -> Any:
    """Return a function of a module, whatever its case is. Raises as ``find_functions``."""
    name, *words = what.split()
    module, _, own = name.partition(".")
    found = getattr(modules[module], f"_{own}", None) or getattr(modules[module], own)
    return found(*words) if words else found
