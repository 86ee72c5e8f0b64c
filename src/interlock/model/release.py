"""Which release this is; the build reads it here, and so does `interlock version`, which loads
nothing else.
"""

from __future__ import annotations

import sys

__version__ = "0.1.0"
RULES_VERSION = "2026.11.21"
"""Which state of the rules this is."""


def describe() -> str:
    """Return which release this is, with which rules, and which Python runs it."""
    return f"interlock {__version__}, rules {RULES_VERSION}, Python {sys.version.split()[0]}"
