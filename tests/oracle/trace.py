"""What strace saw, as happenings: which process of which programs wrote, deleted, changed or
started what.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.oracle.world import LINKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WROTE, MADE, DELETED, MODE, STARTED, REACHED, SIGNALLED = (
    "wrote",
    "made",
    "deleted",
    "changed the mode of",
    "started",
    "reached",
    "signalled",
)
REFUSED = ("EROFS", "EACCES", "EPERM", "EBUSY", "ETXTBSY")
"""Errors of a call that was meant and would succeed elsewhere: it counts as happened."""
FORKS = frozenset({"clone", "clone3", "fork", "vfork"})
_LINE = re.compile(
    r"(\d+) +(\w+)\((.*)\) += (-?\d+|0x[0-9a-f]+|\?)(?:<((?:[^<>\\]|\\.)*)>)?(?: (\w+) \(|)"
)
_STARTS = re.compile(r"(\d+) +(\w+)\((.*) <unfinished \.\.\.>$")
_RESUMES = re.compile(r"(\d+) +<\.\.\. (\w+) resumed>(.*)$")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"(\.\.\.)?')
_FOLDER = re.compile(r"^(?:AT_FDCWD|-?\d+)(?:<((?:[^<>\\]|\\.)*)>)?$")
_ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9a-f]{2}|.)")
_LETTERS = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "v": "\v",
    "f": "\f",
    "e": "\x1b",
    "a": "\a",
    "b": "\b",
}


@dataclass
class Process:
    """A process: its folder, and the programs it and its parents were, the innermost last."""

    cwd: str
    programs: tuple[str, ...] = ()
    seen: bool = False


@dataclass(frozen=True)
class Happening:
    """One thing that happened.

    ``path``: the file or program, ``real``: the same with links followed where strace told, ``by``:
    programs, innermost last.
    """

    what: str
    path: str
    by: tuple[str, ...]
    pid: int
    real: str = ""
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.by[-1] if self.by else '?'} {self.what} {self.path}{' ' + ' '.join(self.words[1:4]) if self.words else ''}"


@dataclass
class Reading:
    """What is known while a trace is read."""

    cwd: str
    processes: dict[int, Process] = field(default_factory=dict)
    parents: dict[int, int] = field(default_factory=dict)
    first: int = 0

    def process(self, pid: int) -> Process:
        """Return a process; one not met before begins as its parent is now."""
        found = self.processes.get(pid)
        if found is None:
            parent = self.processes.get(self.parents.get(pid, self.first))
            found = (
                Process(parent.cwd, parent.programs) if parent is not None else Process(self.cwd)
            )
            self.processes[pid] = found
        return found


def happenings(text: str, cwd: str) -> list[Happening]:
    """Read a whole trace of what began in ``cwd`` of the world."""
    calls, links = list(_calls(text)), dict(LINKS)
    reading = Reading(cwd, first=calls[0][0] if calls else 0)
    for pid, name, _, result, *_ in calls:
        if name in FORKS and result.isdigit() and int(result) > 0:
            reading.parents.setdefault(int(result), pid)
    found: list[Happening] = []
    for pid, name, arguments, result, real, error in calls:
        process = reading.process(pid)
        if name in FORKS and result.isdigit() and int(result) > 0:
            reading.process(int(result))
        succeeded = not result.startswith(("-", "?"))
        read = _READERS.get(name)
        if read is not None and (
            succeeded or error in REFUSED or (name == "connect" and error != "ENOENT")
        ):
            found.extend(read(Call(name, _split(arguments), real, pid, succeeded, links), process))
    return [
        happening
        for happening in found
        if happening.what != SIGNALLED or not _own_child(happening, reading.parents)
    ]


def _own_child(happening: Happening, parents: dict[int, int]) -> bool:
    """Whether a program that is no shell signals a process that it started: it ends what it
    began.
    """
    pid = int(happening.path) if happening.path.isdigit() else 0
    while pid and pid != happening.pid:
        pid = parents.get(pid, 0)
    return pid == happening.pid and happening.by[-1].rpartition("/")[2] not in (
        "bash",
        "sh",
        "dash",
        "zsh",
    )


def physical(path: str, links: dict[str, str]) -> str:
    """Return a path as the kernel goes it: links of its folders followed before ``..`` is taken;
    its last part is not followed.
    """
    done: list[str] = []
    rest, steps = path.split("/"), 0
    while rest:
        part = rest.pop(0)
        if part in ("", "."):
            continue
        if part == "..":
            del done[-1:]
            continue
        done.append(part)
        leads = links.get("/" + "/".join(done)) if any(rest) and steps < 40 else None
        if leads is not None:
            steps += 1
            done = [] if leads.startswith("/") else done[:-1]
            rest = leads.split("/") + rest
    return "/" + "/".join(done)


@dataclass(frozen=True)
class Call:
    """One system call: its arguments as strace writes them, and the real path of the descriptor it
    returned.
    """

    name: str
    arguments: list[str]
    real: str
    pid: int
    succeeded: bool
    links: dict[str, str]

    def path(self, process: Process, at: int, folder: int = -1) -> str:
        """Return the path that argument ``at`` names, below the folder that argument ``folder``
        is.
        """
        base = process.cwd
        if folder >= 0:
            match = _FOLDER.match(self.arguments[folder])
            base = _plain(match.group(1)) if match and match.group(1) else base
        match = _STRING.match(self.arguments[at])
        return physical(os.path.join(base, _plain(match.group(1))), self.links) if match else ""

    def opened(self, at: int) -> str:
        """Return the path of an open descriptor."""
        match = _FOLDER.match(self.arguments[at])
        return _plain(match.group(1)) if match and match.group(1) else ""


def _calls(text: str) -> Iterator[tuple[int, str, str, str, str, str]]:
    """Return each call as process, name, arguments, result, real path, error; halves of interrupted
    lines are joined.
    """
    begun: dict[str, str] = {}
    for said in text.split("\n"):
        line = said
        resumed = _RESUMES.match(line)
        if resumed:
            pid, name, rest = resumed.groups()
            line = f"{pid} {name}({begun.pop(pid, '')}{rest}"
        started = _STARTS.match(line)
        if started:
            begun[started.group(1)] = started.group(3)
            if started.group(2) == "kill":
                # a shell that kills itself never comes back from it
                line = line.replace(" <unfinished ...>", ") = 0")
        match = _LINE.match(line)
        if match is not None:
            pid, name, arguments, result, real, error = match.groups()
            yield int(pid), name, arguments, result, _plain(real or ""), error or ""


def _plain(text: str) -> str:
    """Decode the escapes of strace's strings; bytes above 127 are UTF-8."""

    def one(match: re.Match[str]) -> str:
        word = match.group(1)
        if word[0] in "01234567":
            return chr(int(word, 8))
        return (
            chr(int(word[1:], 16)) if word[0] == "x" and len(word) > 1 else _LETTERS.get(word, word)
        )

    return _ESCAPE.sub(one, text).encode("latin-1", "replace").decode("utf-8", "surrogateescape")


def _split(text: str) -> list[str]:
    """Split arguments at commas outside strings, brackets and the paths of descriptors."""
    parts, depth, at, start = [], 0, 0, 0
    while at < len(text):
        char = text[at]
        if char == '"':
            match = _STRING.match(text, at)
            at = match.end() if match else len(text)
            continue
        if char == "<" and at and (text[at - 1].isalnum()):
            end = text.find(">", at)
            at = end if end > 0 else at
        elif char in "[{(":
            depth += 1
        elif char in "]})":
            depth -= 1
        elif char == "," and not depth:
            parts.append(text[start:at].strip())
            start = at + 1
        at += 1
    return [*parts, text[start:].strip()]


# -- what each call means --------------------------------------------------------------------------


def _one(what: str, at: int, folder: int = -1) -> Callable[[Call, Process], list[Happening]]:
    def read(call: Call, process: Process) -> list[Happening]:
        return [Happening(what, call.path(process, at, folder), process.programs, call.pid)]

    return read


def _link(at: int, folder: int = -1) -> Callable[[Call, Process], list[Happening]]:
    """A symbolic link: what is reached through it later is elsewhere."""

    def read(call: Call, process: Process) -> list[Happening]:
        path, leads = call.path(process, at, folder), _STRING.match(call.arguments[0])
        if leads and call.succeeded:
            call.links[path] = _plain(leads.group(1))
        return [Happening(MADE, path, process.programs, call.pid)]

    return read


def _open(path: int, folder: int = -1) -> Callable[[Call, Process], list[Happening]]:
    def read(call: Call, process: Process) -> list[Happening]:
        modes = " ".join(call.arguments[path + 1 :])
        if "O_WRONLY" not in modes and "O_RDWR" not in modes and call.name != "creat":
            return []
        if "O_TMPFILE" in modes:
            return []
        return [
            Happening(
                WROTE, call.path(process, path, folder), process.programs, call.pid, call.real
            )
        ]

    return read


def _on_open(what: str) -> Callable[[Call, Process], list[Happening]]:
    def read(call: Call, process: Process) -> list[Happening]:
        path = call.opened(0)
        return [Happening(what, path, process.programs, call.pid)] if path.startswith("/") else []

    return read


def _two(
    old: int, old_folder: int, new: int, new_folder: int
) -> Callable[[Call, Process], list[Happening]]:
    """Renames: the old name is gone, the new one written."""

    def read(call: Call, process: Process) -> list[Happening]:
        return [
            Happening(DELETED, call.path(process, old, old_folder), process.programs, call.pid),
            Happening(WROTE, call.path(process, new, new_folder), process.programs, call.pid),
        ]

    return read


def _chdir(call: Call, process: Process) -> list[Happening]:
    if call.succeeded:
        process.cwd = call.opened(0) if call.name == "fchdir" else call.path(process, 0)
    return []


def _execve(call: Call, process: Process) -> list[Happening]:
    if not call.succeeded:
        return []
    path = call.path(process, 1, 0) if call.name == "execveat" else call.path(process, 0)
    words = tuple(
        [_plain(match.group(1)) for match in _STRING.finditer(" ".join(call.arguments[1:]))]
    )
    process.programs = (*process.programs, path)
    return [Happening(STARTED, path, process.programs[:-1], call.pid, words=words)]


def _connect(call: Call, process: Process) -> list[Happening]:
    text = " ".join(call.arguments)
    if "AF_INET" not in text:
        return []
    host = re.search(r'inet_(?:addr|pton)\((?:AF_INET6?, )?"([^"]*)"', text)
    return [Happening(REACHED, host.group(1) if host else "?", process.programs, call.pid)]


def _kill(call: Call, process: Process) -> list[Happening]:
    target = call.arguments[0]
    return (
        [Happening(SIGNALLED, target, process.programs, call.pid)]
        if target != str(call.pid) and call.arguments[-1] != "0"
        else []
    )


_READERS: dict[str, Callable[[Call, Process], list[Happening]]] = {
    "open": _open(0), "openat": _open(1, 0), "openat2": _open(1, 0), "creat": _open(0),
    "unlink": _one(DELETED, 0), "unlinkat": _one(DELETED, 1, 0), "rmdir": _one(DELETED, 0),
    "mkdir": _one(MADE, 0), "mkdirat": _one(MADE, 1, 0), "mknod": _one(MADE, 0), "mknodat": _one(MADE, 1, 0),
    "rename": _two(0, -1, 1, -1), "renameat": _two(1, 0, 3, 2), "renameat2": _two(1, 0, 3, 2),
    "link": _one(MADE, 1), "linkat": _one(MADE, 3, 2), "symlink": _link(1), "symlinkat": _link(2, 1),
    "truncate": _one(WROTE, 0), "ftruncate": _on_open(WROTE),
    "chmod": _one(MODE, 0), "fchmod": _on_open(MODE), "fchmodat": _one(MODE, 1, 0),
    "chown": _one(MODE, 0), "lchown": _one(MODE, 0), "fchown": _on_open(MODE), "fchownat": _one(MODE, 1, 0),
    "chdir": _chdir, "fchdir": _chdir, "execve": _execve, "execveat": _execve,
    "connect": _connect, "kill": _kill, "tgkill": _kill,
}  # fmt: skip
