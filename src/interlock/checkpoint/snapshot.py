"""A checkpoint is taken: what changed since the last one of the same folders is read, everything
else is known already.

A file counts as unchanged where kind, permissions, size, both times and inode are what they were,
and its last change lies a while before the last checkpoint began: one that changes within a tick of
the clock looks the same before and after. The work tree is only read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from time import monotonic, time, time_ns

from interlock.checkpoint import CheckpointError
from interlock.checkpoint.entry import FILE, FOLDER, LINK, FileEntry, entry_from_stat
from interlock.checkpoint.scan import NO_FILE, TOO_LONG, Omission, Scan, ScanTargets
from interlock.checkpoint.vault import (
    MOST_LEFT_OUT,
    CheckpointHead,
    CheckpointTree,
    Vault,
    digest_of,
)

TICK = 100_000_000
"""Nanoseconds within which two changes may bear one time, and more (a tick is 10 ms at most)."""
MAX_NEW = 512 * 1024 * 1024
"""Bytes that one checkpoint adds at most."""
PATIENCE, MORE_PATIENCE = 5.0, 3.0
"""Seconds that a call waits for a checkpoint of its workspace at most, and then for one of what
goes alone: inside the deadline of a hook.
"""
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


def take(
    vault: Vault,
    head: CheckpointHead,
    wanted: ScanTargets,
    most: int = MAX_NEW,
    patience: float = PATIENCE,
) -> CheckpointHead:
    """Take a checkpoint of what is wanted and return its head, filled in. Raises
    ``CheckpointError``; then nothing of it is left.

    ``most``: bytes that it may add; ``patience``: seconds that it may take.
    """
    if not hasattr(os, "O_NOFOLLOW") or sys.platform == "win32":
        raise CheckpointError("checkpoints are not taken on this system")
    try:
        with vault.held():
            return _take_snapshot(vault, head, wanted, (most, monotonic() + patience))
    except OSError as error:
        raise CheckpointError(
            f"{error.filename or vault.folder}: {error.strerror or error}"
        ) from error


def _take_snapshot(
    vault: Vault, head: CheckpointHead, wanted: ScanTargets, bounds: tuple[int, float]
) -> CheckpointHead:
    room, (most, until) = os.statvfs(vault.folder), bounds
    last = vault.latest(wanted.roots)
    began, scan = (
        time_ns(),
        Scan(wanted, vault.state, until, last.entries if last is not None else None),
    )
    pack = ContentPack(vault, head.id, last, min(most, room.f_bavail * room.f_frsize // 4))
    pack.until = until
    try:
        entries = {}
        for path, entry in scan.entries.items():
            kept = pack.kept(path, entry) if entry.kind != FOLDER else entry
            if isinstance(kept, FileEntry):
                entries[path] = kept
            elif kept is not None:
                scan.left_out.append(_check_left_out(kept, wanted))
        pack.close()
    except BaseException:
        pack.drop()
        raise
    files = [entry for entry in entries.values() if entry.kind == FILE]
    done = head.replace(
        taken=time(), roots=wanted.roots, whole=wanted.whole, repositories=wanted.repositories,
        files=len(files),
        size=sum(entry.size for entry in files),
        packs=tuple(sorted({entry.pack for entry in files} - {""})),
        left_out=tuple(sorted([left for left in scan.left_out if left.why != NO_FILE], key=_again)[:MOST_LEFT_OUT]),
    )  # fmt: skip
    return vault.keep(done, CheckpointTree(entries, began), last)


def _again(left: Omission) -> bool:
    return left.again


def _check_left_out(left: Omission, wanted: ScanTargets) -> Omission:
    if any(left.path == path or left.path.startswith(path + "/") for path in wanted.whole):
        raise CheckpointError(f"{left.path} {left.why}")
    return left


class ContentPack:
    """The contents one checkpoint adds. ``last``: what the checkpoint to compare with holds."""

    def __init__(self, vault: Vault, name: str, last: CheckpointTree | None, most: int) -> None:
        self._vault = vault
        self._name = f"{name}-{os.urandom(4).hex()}.pack"
        self._fresh = f"{vault.folder}/packs/{self._name}.new"
        self._file: int | None = None
        self._written, self._most = 0, most
        self._there = vault.packs() | {""}
        self._last: Mapping[str, FileEntry] = last.entries if last is not None else {}
        self._settle_holds = last.began - TICK if last is not None else 0
        self._contents: dict[str, tuple[str, int]] | None = None
        self.until = 0.0
        """When (``monotonic``) there is no more time to read."""

    def kept(self, path: str, entry: FileEntry) -> FileEntry | Omission | None:
        """Return a file or link with its content kept; None where it is gone meanwhile."""
        if (
            entry.changed < self._settle_holds
            and self._last.get(path) is entry
            and entry.pack in self._there
        ):
            return entry
        try:
            return self._link(path, entry) if entry.kind == LINK else self._read(path)
        except FileNotFoundError:
            return None
        except PermissionError:
            return Omission(path, "cannot be read")

    @staticmethod
    def _link(path: str, entry: FileEntry) -> FileEntry:
        return entry._replace(digest=os.readlink(path))

    def _read(self, path: str) -> FileEntry | Omission:
        if monotonic() > self.until:
            raise CheckpointError(TOO_LONG)
        descriptor = os.open(path, _FLAGS)
        try:
            for _ in range(3):
                seen = entry_from_stat(os.fstat(descriptor))
                if seen.kind != FILE:
                    return Omission(path, "became something else while it was read")
                data = _all_of(descriptor, self._most - self._written)
                after = entry_from_stat(os.fstat(descriptor))
                if after.seen == seen.seen and len(data) == seen.size:
                    digest = digest_of(data)
                    pack, offset = self._place(digest, data)
                    return seen._replace(digest=digest, pack=pack, offset=offset)
                os.lseek(descriptor, 0, os.SEEK_SET)
        finally:
            os.close(descriptor)
        return Omission(path, "is being written all the time")

    def _place(self, digest: str, data: bytes) -> tuple[str, int]:
        """Return where a content lies; written where it is new."""
        if self._contents is None:
            known = [
                entry
                for entry in self._last.values()
                if entry.kind == FILE and entry.pack in self._there
            ]
            self._contents = {entry.digest: (entry.pack, entry.offset) for entry in known}
        found = self._contents.get(digest)
        if found is None:
            found = self._contents[digest] = (self._name if data else "", self._written)
            self._write(data)
        return found

    def _write(self, data: bytes) -> None:
        if not data:
            return
        if self._file is None:
            self._file = os.open(
                self._fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600
            )
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]
        self._written += len(data)

    def close(self) -> None:
        """Put the pack in its place, so that it outlasts a crash of the machine."""
        if self._file is not None:
            os.fsync(self._file)
            os.close(self._file)
            self._file = None
            os.replace(self._fresh, f"{self._vault.folder}/packs/{self._name}")

    def drop(self) -> None:
        """Leave nothing of it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
            os.unlink(self._fresh)


def _all_of(descriptor: int, most: int) -> bytes:
    pieces, size = [], 0
    while piece := os.read(descriptor, 1 << 20):
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise CheckpointError("it would take more room than a checkpoint may")
    return b"".join(pieces)


def differences(tree: CheckpointTree, now: Mapping[str, FileEntry]) -> dict[str, FileEntry | None]:
    """Return what is not as the tree has it: by path, how it is now, or None where it is gone.
    Contents are not looked at.
    """
    found: dict[str, FileEntry | None] = {}
    for path, entry in now.items():
        was = tree.entries.get(path)
        if was is not entry and (was is None or was.seen != entry.seen):
            found[path] = entry
    found.update({path: None for path in tree.entries if path not in now})
    return found
