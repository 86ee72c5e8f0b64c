"""Which release this is; the build reads it here, and so does `interlock version`, which loads
nothing else.
"""

from __future__ import annotations

__version__ = "0.1.0"
RULES_VERSION = "2026.11.21"
"""Which state of the rules this is."""


def describe(python: str) -> str:
    """Return which release this is, with which rules, and which Python (``sys.version``) runs
    it.
    """
    return f"interlock {__version__}, rules {RULES_VERSION}, Python {python.split(maxsplit=1)[0]}"
