"""What is installed with an extra of this package, and how: for the interpreter that runs interlock, whichever `pip` is on the PATH."""

from __future__ import annotations

import sys


def install_with(extra: str) -> str:
    """Return the command that installs what an extra names, beside the interlock that is running."""
    return f"{sys.executable} -m pip install 'interlock[{extra}]'"
