"""A program that says in its own comments which packages it needs (PEP 723), as ``uv run --script``
and ``pipx run`` read them.

Its environment is made by ``uv sync --script FILE``, outside the walls and by the person: to make
one is to download and run what the program names. Here it is only found, and uv is asked in a
folder and with settings that no agent writes, for it starts the interpreters that it looks at.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess

from interlock.codemode.commands import search, within
from interlock.codemode.python.interpreter import is_interpreter

_BEGINS = "# /// script"
# the reference in PEP 723, as far as the block named `script` goes
_BLOCK = re.compile(r"(?m)^# /// script$\s((?:^#(?:| .*)$\s)+)^# ///$")
PATIENCE = 20
"""Seconds that uv may take to look."""
_FIND = "python find --offline --no-config --no-python-downloads --script".split()


def needs(source: str) -> tuple[str, ...]:
    """Return the packages that a program says it needs; nothing where it says none, or nonsense."""
    found = _BLOCK.findall(source) if _BEGINS in source else ()
    if len(found) != 1:
        return ()
    import tomllib  # few programs say what they need

    lines = [line[2:] if line[1:2] == " " else line[1:] for line in found[0].splitlines(True)]
    try:
        said = tomllib.loads("".join(lines)).get("dependencies")
    except tomllib.TOMLDecodeError:
        return ()
    return tuple([one for one in said if isinstance(one, str)]) if isinstance(said, list) else ()


def uv(barred: tuple[str, ...]) -> str:
    """Return where uv is, ``""`` where it is not. ``barred``: folders in which an agent writes."""
    found = shutil.which("uv", path=search(barred=barred)) or ""
    return "" if within(_real(found), barred) else found


def environment_of(file: str, barred: tuple[str, ...]) -> str:
    """Return the interpreter of the environment that uv keeps for a program, ``""`` where there is
    none, or no uv. ``barred``: folders in which an agent writes.
    """
    program = uv(barred)
    if not program:
        return ""
    given = {name: os.environ.get(name, "") for name in _OWN}
    own = {name: one for name, one in given.items() if one and not within(_real(one), barred)}
    try:
        # found where no agent writes, and told nothing that one may have written
        done = subprocess.run(  # noqa: S603
            [program, *_FIND, file], cwd="/", env={**own, "PATH": search(barred=barred)},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return _sound(done.stdout.strip(), barred) if done.returncode == 0 else ""


def _sound(path: str, barred: tuple[str, ...]) -> str:
    """Return an interpreter's path if it is that of an environment for a program, which no agent
    writes; where none was made uv names any interpreter.
    """
    own = os.path.dirname(os.path.dirname(path))
    kept = os.path.basename(os.path.dirname(own)).startswith(_KEPT)
    outside = kept and os.path.isfile(f"{own}/pyvenv.cfg") and not within(_real(own), barred)
    return path if outside and is_interpreter(path, barred) else ""


_KEPT = "environments-"
"""What the folder is called in which uv keeps the environments of programs (uv 0.13,
``environments-v2``).
"""
_OWN = ("HOME", "UV_CACHE_DIR", "XDG_CACHE_HOME", "XDG_DATA_HOME")
"""Variables that say where uv keeps what it makes."""
_real = os.path.realpath
