"""Who somebody is: the user of the operating system, by the number of the process, never by a
variable that anybody can set.
"""

from __future__ import annotations

import sys


def me() -> str:
    """Return the name of the user whose process this is; the bare number where no name is known."""
    if sys.platform == "win32":
        from nt import getlogin  # asks the system (GetUserNameW), not the environment

        return str(getlogin())
    from posix import getuid

    try:
        from pwd import getpwuid

        return getpwuid(getuid()).pw_name
    except (ImportError, KeyError):
        return str(getuid())
