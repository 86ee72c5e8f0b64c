"""The relay in C: shipped with this wheel or else compiled where a compiler is, tried, and put
beside the socket that it asks.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from interlock.resident.start import is_wanted
from interlock.store.place import StoreError, state_folder

SOURCE = Path(__file__).with_name("relay.c")
BARE = Path(__file__).with_name("bare.c")
"""What the relay needs of a C library, for the machines that most people have."""
SHIPPED = Path(__file__).with_name("relay")
"""The relay that a wheel for one kind of machine brings along (``scripts/relay_wheel.py``)."""
COMPILERS = ("cc", "gcc", "clang", "musl-gcc")
WAYS = (
    ("-static", "-nostdlib", "-fno-stack-protector", "-U_FORTIFY_SOURCE", str(BARE)),
    ("-static",),
    (),
)
"""The first starts in a third of the second's time, on two kinds of machine; a program that needs
no library to be found starts faster, and not every machine has the libraries for that.
"""
SECONDS = 30
NO_WORDS = 126
"""How the relay ends that is started without words."""


def path_of(environment: Mapping[str, str]) -> str:
    """Return where the relay of this version lies in this user's state folder; ``""`` where there
    is no such folder, or no relay is wanted.
    """
    source = SOURCE.read_bytes() + BARE.read_bytes()
    try:
        folder = state_folder(environment) if is_wanted(environment) else ""
    except StoreError:
        return ""
    return f"{folder}/relay-{sha256(source).hexdigest()[:12]}" if folder else ""


def ensure_relay(environment: Mapping[str, str]) -> str:
    """Return the path of this user's relay, made where it is not there; ``""`` where that cannot
    be. Raises ``OSError``.
    """
    path = path_of(environment)
    if not path or is_sound(path):
        return path
    folder = os.path.dirname(path)
    os.makedirs(folder, 0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as fresh:
        if _copy_shipped(f"{fresh}/relay") or _compile_relay(f"{fresh}/relay"):
            os.replace(f"{fresh}/relay", path)
            return path
    return ""


def find_relay(environment: Mapping[str, str]) -> str:
    """Return the path of this user's relay where it is there and wanted, else ``""``."""
    path = path_of(environment)
    return path if path and os.access(path, os.X_OK) else ""


def is_shipped(path: str) -> bool:
    """Whether this relay is the shipped one; else it was built here."""
    return SHIPPED.exists() and filecmp.cmp(path, SHIPPED, shallow=False)


def is_sound(path: str) -> bool:
    """Whether the relay is there and starts."""
    try:
        done = subprocess.run(  # noqa: S603 - our own
            [path], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == NO_WORDS and not done.stdout + done.stderr


def _copy_shipped(path: str) -> bool:
    """Take the shipped relay, where there is one and it starts on this machine."""
    if not SHIPPED.exists():
        return False
    shutil.copyfile(SHIPPED, path)
    os.chmod(path, 0o700)
    return is_sound(path)


def _compile_relay(path: str) -> bool:
    """Compile it in the first way that gives one that starts."""
    return any(
        _try_compiler(compiler, way, path)
        for compiler in filter(None, map(shutil.which, COMPILERS))
        for way in WAYS
    )


def _try_compiler(compiler: str, way: tuple[str, ...], path: str) -> bool:
    try:
        command = [compiler, "-O2", "-s", "-o", path, str(SOURCE), *way]
        done = subprocess.run(  # noqa: S603 - our own source
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and is_sound(path)
