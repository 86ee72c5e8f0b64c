"""Interpreters as they are installed: what one is made of, which it is asked once, and the guard
compiled for it.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import subprocess
import sys
from collections.abc import Iterator

from interlock.model.record import Record
from interlock.sandbox.process import ENTRANCE

INSIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inside")
"""The folder with the guard that runs in a program's interpreter."""
QUESTION = """
import sys, sysconfig
print(sys.executable, sys.prefix, sys.base_prefix, sysconfig.get_path("stdlib"), sep="\\n")
print(*sys.version_info[:2], sys.implementation.cache_tag, sep="\\n")
"""
OLDEST = (3, 10)
"""The Python from which on the guard works in programs."""
ANSWERS = 7
"""Lines that an interpreter answers with."""
SECONDS = 20


class Interpreter(Record):
    """An interpreter: the path it is started by, which tells a virtual environment, and the folders
    that it is made of.
    """

    path: str
    folders: tuple[str, ...]


_known: dict[str, Interpreter] = {}


def interpreter(path: str = "", state: str = "") -> Interpreter:
    """Return an interpreter by its path, this one where it is empty; raises ``OSError`` or
    ``ValueError`` where it cannot be asked. ``state``: the folder in which answers are kept.
    """
    if path not in _known:
        own = not path or path == sys.executable
        _known[path] = _describe_own() if own else _describe(path, state)
    return _known[path]


def _describe_own() -> Interpreter:
    _compile_guard(sys.executable, sys.implementation.cache_tag or "")
    path, library = os.path.abspath(sys.executable), os.path.dirname(os.__file__)
    return Interpreter(path, _folders(path, sys.prefix, sys.base_prefix, library))


def _describe(path: str, state: str) -> Interpreter:
    real = os.path.realpath(path)  # of an environment nothing is run before the walls stand
    lines = _ask_once(real, state)
    version = int(lines[4]), int(lines[5])
    if version < OLDEST:
        raise ValueError(
            f"{path} is Python {version[0]}.{version[1]}; programs run under"
            f" {OLDEST[0]}.{OLDEST[1]} or later"
        )
    _compile_guard(real, lines[6])
    own = os.path.dirname(os.path.dirname(path))
    environment = [own] if os.path.isfile(f"{own}/pyvenv.cfg") else []
    started = os.path.abspath(path) if environment else lines[0]
    return Interpreter(started, _folders(started, *environment, *lines[1:4]))


def _folders(executable: str, *prefixes: str) -> tuple[str, ...]:
    """Return the folders and links by which an interpreter is found, and its own."""
    steps, at = [], executable
    for _ in range(8):
        steps.append(at)
        if not os.path.islink(at):
            break
        leads = os.readlink(at)
        at = (
            leads
            if leads.startswith("/")
            else os.path.normpath(os.path.join(os.path.dirname(at), leads))
        )
    own = [folder for folder in prefixes if folder not in ("/", "/usr", "")]
    return tuple(
        dict.fromkeys([*steps, os.path.realpath(executable), *own, *map(os.path.realpath, own)])
    )


# -- what it answers -------------------------------------------------------------------------------


def _ask_once(real: str, state: str) -> list[str]:
    """Return what an interpreter answers, as it was kept while its file is the same; raises
    ``OSError`` and ``ValueError``.
    """
    seen = os.stat(real)
    sign = seen.st_mtime_ns, seen.st_ctime_ns, seen.st_size, seen.st_ino
    kept = _read_kept(state)
    found = kept.get(real)
    if found is not None and found[0] == sign:
        return found[1]
    lines = _ask(real)
    # what only starts another one (a shim) may start a third the next time
    if state and os.path.realpath(lines[0]) == real:
        _keep(state, {**kept, real: (sign, lines)})
    return lines


def _ask(real: str) -> list[str]:
    done = subprocess.run(  # noqa: S603 - the person's own
        [real, "-I", "-c", QUESTION], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    lines = done.stdout.split("\n")
    if done.returncode or len(lines) <= ANSWERS:
        raise ValueError(f"{real} is no Python that works: {done.stderr.strip()[-200:]}")
    return lines[:ANSWERS]


Kept = dict[str, tuple[tuple[int, ...], list[str]]]
"""Interpreters by their files: how the file looked, and what was answered."""


def _read_kept(state: str) -> Kept:
    found: Kept = {}
    with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
        with open(f"{state}/interpreters", "rb") as file:
            question, answers = marshal.load(file)  # noqa: S302 - of the guard's own folder
        found = answers if question == QUESTION else {}
    return found


def _keep(state: str, kept: Kept) -> None:
    """Write answers down; on a disk that is full they are asked for again."""
    with contextlib.suppress(OSError):
        os.makedirs(state, 0o700, exist_ok=True)
        with open(f"{state}/interpreters.{os.getpid()}", "wb") as file:
            marshal.dump((QUESTION, kept), file)
        os.replace(f"{state}/interpreters.{os.getpid()}", f"{state}/interpreters")


# -- the guard, compiled ---------------------------------------------------------------------------


def _compile_guard(real: str, tag: str) -> None:
    """Have what runs in an interpreter before a program compiled for it, where that is not so yet:
    behind walls nothing can be kept, and every program would compile it anew.
    """
    folders = [one for one in (INSIDE, ENTRANCE) if not all(_list_compiled(one, tag))]
    folders = [one for one in folders if os.access(one, os.W_OK)]
    if folders:
        with contextlib.suppress(OSError, subprocess.SubprocessError):  # then it starts more slowly
            subprocess.run(  # noqa: S603 - the person's own
                [real, "-I", "-S", "-m", "compileall", "-q", *folders],
                stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False,
            )  # fmt: skip


def _list_compiled(folder: str, tag: str) -> Iterator[bool]:
    """Yield of each module in a folder whether it is compiled as it stands (PEP 552)."""
    for name in os.listdir(folder):
        if name.endswith(".py"):
            seen = os.stat(f"{folder}/{name}")
            head = _head(f"{folder}/__pycache__/{name[:-3]}.{tag}.pyc")
            same = int(seen.st_mtime).to_bytes(4, "little") + seen.st_size.to_bytes(4, "little")
            yield head[8:] == same if head[4:8] == bytes(4) else len(head) > 8


def _head(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(16)
    except OSError:
        return b""
