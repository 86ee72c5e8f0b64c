"""The world that tests see: the same wherever this repository lies, whoever runs them, and whatever
is set in their terminal.

A test that needs a home, a variable or a folder makes it. What is left of the tester's own world is
the search path, how packages are fetched, and the disk: the folder of the tests' own temporary
files, this repository, and what the system holds.
"""

from __future__ import annotations

import os
import pwd
import tempfile
import time

HOME = "INTERLOCK_TESTS_HOME"
"""The home that all processes of one run share."""
SWITCHES = frozenset(
    {
        HOME,
        "INTERLOCK_CLIENTS",
        "INTERLOCK_FUZZ",
        "INTERLOCK_CRASHES",
        "INTERLOCK_PROVE",
        "INTERLOCK_FRAMEWORKS",
        "INTERLOCK_WINDOWS_PYTHON",
    }
)
KEPT = SWITCHES | {
    "PATH",
    "CI",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "GOPROXY",
    "GOFLAGS",
    "GOSUMDB",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
}
BEGINS = ("PYTEST_", "PIP_", "NODE_EXTRA_", "npm_config_", "COV_")
"""Variables that are left: of the tests themselves, and of how programs and packages are found."""
PROXY = "_proxy"
PERSON = pwd.getpwuid(os.getuid()).pw_dir
"""The home of who runs the tests; only what has to lie outside of the folders for temporary files
goes there (tests/lasting.py).
"""


def enter() -> None:
    """Leave the tester's variables, home, time zone, locale, size of terminal and permissions of
    new files behind, once a process.
    """
    for name in list(os.environ):
        if name not in KEPT and not name.startswith(BEGINS) and not name.lower().endswith(PROXY):
            del os.environ[name]
    tempfile.tempdir = None
    if HOME not in os.environ:
        os.environ[HOME] = tempfile.mkdtemp(prefix="interlock-home-")
    os.environ.update(HOME=home(), LANG="C.UTF-8", TZ="UTC", TERM="dumb")
    time.tzset()
    os.umask(0o022)


def home() -> str:
    """Return the home of this run."""
    return os.environ[HOME]
