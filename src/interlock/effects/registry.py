"""The code of programs and of languages, by name: the one place that knows all of it, and imports
each when the first program that needs it is met.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any


def function(name: str) -> Any:
    """Return a function of a module of programs: ``files.remove``, whatever its case is.

    Raises:
        AttributeError: there is none of that name (``tests/data/test_programs.py``).
    """
    module, _, own = name.partition(".")
    found = _programs(module)
    return getattr(found, f"_{own}", None) or getattr(found, own)


def code(language: str) -> Any:
    """Return the function that reads code of a language that is no shell of Unix: Python and
    Windows' shells are followed, other languages are searched for calls that matter.
    """
    if language in ("sed", "awk"):
        return _programs(language).read_code
    return _language(language).read_code


def call_text(shell: str) -> Any:
    """Return the function that reads the text of a whole call, for a shell of Windows."""
    return _language(shell).read_input


def _programs(name: str) -> ModuleType:
    # with a list of names the module itself is returned; importlib could import anything
    return __import__(f"interlock.effects.programs.{name}", None, None, ["__name__"])


def _language(name: str) -> ModuleType:
    if name == "python":
        from interlock.effects import python

        return python
    if name == "powershell":
        from interlock.effects import powershell

        return powershell
    if name == "cmd":
        from interlock.effects import cmd

        return cmd
    from interlock.effects import foreign

    return foreign
