"""An undo as a list of steps that a crash cannot cut in half.

First everything that comes back is written beside the work tree, on the same disk; the work tree is
not touched. Then the list of steps is put in its place: from there on the undo happens, whatever
ends this process. The steps are renames; each may be done twice. What was cut off is finished by
whoever comes next (``finish``): the next command of interlock, or the next call of an agent.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from interlock.checkpoint import CheckpointError
from interlock.checkpoint.entry import FILE, FOLDER, LINK, FileEntry
from interlock.checkpoint.restore import UndoPlan
from interlock.checkpoint.vault import CheckpointTree, Vault

Step = tuple[str, str, str, int, int]
"""What is done, where, with which prepared file, with which permissions and which time."""

FLAG = "undo"
"""The file in ``flags/`` there while an undo is under way, and locked by whoever does it."""
LIST = "steps.json"
REMOVED = "removed"
"""The file that says that all that was to be removed is: what is there now came back."""
REMOVE, MAKE, PLACE, SET = "remove", "make", "place", "set"


@contextmanager
def alone(vault: Vault) -> Iterator[int]:
    """Let nobody else undo or finish an undo meanwhile; waits for whoever does. Yields the
    descriptor that holds the lock.
    """
    import fcntl

    path = f"{vault.state}/flags/{FLAG}"
    os.makedirs(f"{vault.state}/flags", mode=0o700, exist_ok=True)
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            if os.stat(path).st_ino == os.fstat(descriptor).st_ino:
                break
        except FileNotFoundError:
            os.close(descriptor)
            continue
        os.close(descriptor)
    try:
        yield descriptor
    finally:
        if not _waiting(vault):
            # whoever was killed just before may have left it empty
            _drop_folder(f"{vault.folder}/undo")
            os.unlink(path)
        os.close(descriptor)


@contextmanager
def finish_if_killed(vault: Vault, lock: int) -> Iterator[None]:
    """Have another process finish what this one does, should it be killed meanwhile. ``lock``: the
    descriptor that holds the lock.
    """
    reader, writer = os.pipe()
    watcher = os.fork()
    if watcher == 0:
        _finish_for_another(vault, lock, (reader, writer))
    os.close(reader)
    try:
        yield
    finally:
        os.write(writer, b"done")
        os.close(writer)
        os.waitpid(watcher, 0)


def _finish_for_another(vault: Vault, lock: int, pipe: tuple[int, int]) -> NoReturn:
    """Wait until the process that undoes is done, or gone, and finish then what is left; ends this
    process.
    """
    code = 1
    try:
        os.setsid()
        os.close(lock)
        os.close(pipe[1])
        if not os.read(pipe[0], 4):
            with alone(vault):
                finish(vault)
        code = 0
    finally:
        os._exit(code)


def _drop_folder(path: str) -> None:
    """Take a folder away where nothing is in it."""
    try:
        os.rmdir(path)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
            raise


def _waiting(vault: Vault) -> list[str]:
    try:
        return sorted(os.listdir(f"{vault.folder}/undo"))
    except FileNotFoundError:
        return []


def prepare(vault: Vault, name: str, tree: CheckpointTree, todo: UndoPlan) -> None:
    """Write all that comes back beside the work tree, then the list of steps. Raises
    ``CheckpointError``; then nothing of it is left.
    """
    folder = f"{vault.folder}/undo/{name}"
    os.makedirs(folder, mode=0o700)
    try:
        steps = [(REMOVE, path, "", 0, 0) for path in sorted(todo.away, key=len, reverse=True)]
        made, placed, finally_set = [], [], []
        for number, path in enumerate(todo.back):
            entry = tree.entries[path]
            if entry.kind == FOLDER:
                made.append((MAKE, path, "", entry.mode, 0))
                finally_set.append((SET, path, "", entry.mode, entry.modified))
            else:
                staged = f"{folder}/{number}"
                _stage(vault, entry, path, staged)
                placed.append((PLACE, path, staged, 0, 0))
        opened, closed = _steps_to_open(todo)
        steps = [
            *opened,
            *steps,
            *sorted(made, key=_length),
            *placed,
            *sorted(finally_set, key=_length, reverse=True),
            *closed,
        ]
        fresh = f"{folder}/{LIST}.new"
        with open(fresh, "w", encoding="ascii") as file:
            json.dump(steps, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, f"{folder}/{LIST}")
    except OSError as error:
        _drop(vault, folder)
        raise CheckpointError(f"{error.filename or folder}: {error.strerror or error}") from error
    except BaseException:
        _drop(vault, folder)
        raise


def _drop(vault: Vault, folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _drop_folder(f"{vault.folder}/undo")


def _length(step: Step) -> int:
    return len(step[1])


def _steps_to_open(todo: UndoPlan) -> tuple[list[Step], list[Step]]:
    """Return steps to open folders closed to their owner, and ones that close them again."""
    folders = {path.rpartition("/")[0] for path in (*todo.back, *todo.away)}
    found = []
    for folder in sorted(folders):
        try:
            stat = os.lstat(folder)
        except OSError:
            continue
        if stat.st_mode & 0o300 != 0o300:
            found.append((folder, stat.st_mode & 0o7777, stat.st_mtime_ns))
    opened = [(SET, folder, "", mode | 0o700, modified) for folder, mode, modified in found]
    return opened, [(SET, folder, "", mode, modified) for folder, mode, modified in found]


def _stage(vault: Vault, entry: FileEntry, path: str, staged: str) -> None:
    if entry.kind == LINK:
        os.symlink(entry.digest, staged)
    else:
        descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(vault.content(entry, path))
    if os.geteuid() == 0:
        os.chown(staged, entry.user, entry.group, follow_symlinks=False)
    if entry.kind == FILE:
        os.chmod(staged, entry.mode)
        os.utime(staged, ns=(entry.modified, entry.modified))


def finish(vault: Vault) -> dict[str, str]:
    """Do the steps of every undo that has its list, and drop those that have none; return the paths
    where something could not be done, and why.

    To be called by who is ``alone``.
    """
    problems: dict[str, str] = {}
    for name in _waiting(vault):
        folder = f"{vault.folder}/undo/{name}"
        try:
            with open(f"{folder}/{LIST}", encoding="ascii") as file:
                steps = json.load(file)
        except (OSError, ValueError):
            steps = []
        removed = f"{folder}/{REMOVED}"
        for number, step in enumerate(steps):
            if step[0] == REMOVE and os.path.exists(removed):
                continue
            if step[0] not in (REMOVE, SET) and (
                number == 0 or steps[number - 1][0] in (REMOVE, SET)
            ):
                _mark(removed)
            try:
                _do(*step)
            except OSError as error:
                problems[step[1]] = error.strerror or str(error)
        _drop(vault, folder)
    return problems


def _mark(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))


def _do(what: str, path: str, staged: str, mode: int, modified: int) -> None:
    above = path.rpartition("/")[0]
    if os.path.realpath(above) != above:
        raise OSError(errno.ELOOP, "a link stands where a folder was")
    if what == REMOVE:
        _remove(path)
    elif what == MAKE:
        os.makedirs(path, exist_ok=True)
        os.chmod(path, mode | 0o700)
    elif what == PLACE:
        os.makedirs(above, exist_ok=True)
        _place(staged, path)
    else:
        os.chmod(path, mode)
        if modified:
            os.utime(path, ns=(modified, modified))


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except (IsADirectoryError, PermissionError):
        os.rmdir(path)


def _place(staged: str, path: str) -> None:
    try:
        os.rename(staged, path)
    except FileNotFoundError:
        if os.path.lexists(staged):
            raise
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        fresh = f"{path}.interlock-new"
        try:
            shutil.copy2(staged, fresh, follow_symlinks=False)
            os.replace(fresh, path)
        except OSError:
            _remove(fresh)
            raise
        os.unlink(staged)
