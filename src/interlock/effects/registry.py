"""The code of programs and of languages, by name: the one place that knows all of it, and imports
each when the first program that needs it is met.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

FOLLOWED = ("python", "powershell", "cmd")
"""Languages with a package of their own; all others are in ``foreign``."""


def function(name: str) -> Any:
    """Return a function of a module of programs: ``files.remove``, whatever its case is.

    Raises:
        AttributeError: there is none of that name (``tests/data/test_programs.py``).
    """
    module, _, own = name.partition(".")
    found = _module(f"programs.{module}")
    return getattr(found, f"_{own}", None) or getattr(found, own)


def code(language: str) -> Any:
    """Return the function that reads code of a language that is no shell of Unix: Python and
    Windows' shells are followed, other languages are searched for calls that matter.
    """
    if language in FOLLOWED:
        return _module(language).read_code
    return _module(f"programs.{language}" if language in ("sed", "awk") else "foreign").read_code


def _module(name: str) -> ModuleType:
    # with a list of names the module itself is returned; importlib could import anything
    return __import__(f"interlock.effects.{name}", None, None, ["__name__"])
