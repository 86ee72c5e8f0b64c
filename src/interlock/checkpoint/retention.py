"""How long checkpoints are kept: until they are too old, and as long as all of them together are
not too large. The oldest go first.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from time import time

from interlock.checkpoint.vault import CheckpointHead, Vault
from interlock.model.record import Record

PARTS = (".after", ".undone", ".tree")
"""The files of a checkpoint but its head, which goes first, so that it is gone as a whole."""
SWEPT = "swept"
"""The file whose time tells when what was too old or too much was taken away last."""
DAY = 86400
STALE = 3600.0
"""Seconds after which a file that was being written, or the mark of a call that never ended, is
nobody's any more.
"""


class RetentionLimits(Record):
    """``days``: how old a checkpoint may get. ``size``: bytes of all of them together."""

    days: int = 14
    size: int = 2 * 1024 * 1024 * 1024


def prune(vault: Vault, keeping: RetentionLimits, now: float = 0.0) -> list[CheckpointHead]:
    """Take away what is too old or too much, and contents that nothing names any more; return the
    checkpoints that went.

    The oldest go first. Where a checkpoint is being taken or read at this moment, or cannot be read
    just now, nothing is taken away.
    """
    now = now or time()
    with vault.held(alone=True, wait=False) as mine:
        if not mine:
            return []
        try:
            heads = vault.heads(every=True)
        except OSError:
            return []  # it may be whole, and then its contents are needed
        young = [head for head in heads if head.taken >= now - keeping.days * DAY]
        kept = young[: len(young) - _too_many(vault, young, keeping.size)]
        gone = heads[len(kept) :][::-1]
        for head in gone:
            vault.remove(f"{head.id}.head")
        _sweep(vault, kept, now)
        vault.write(SWEPT, b"", lasting=False)
    return gone


def due(vault: Vault, keeping: RetentionLimits, now: float = 0.0) -> bool:
    """Tell whether something may have to go: once a day, and where there is too much. Nothing is
    read, for it is asked before every checkpoint.
    """
    names = [
        folder + name
        for folder in ("", "packs/")
        for name in os.listdir(f"{vault.folder}/{folder}")
    ]
    return sum(_bytes(vault, name) for name in names) > keeping.size or not _younger(
        f"{vault.folder}/{SWEPT}", DAY, now or time()
    )


def _younger(path: str, seconds: float, now: float) -> bool:
    try:
        return os.stat(path).st_mtime > now - seconds
    except FileNotFoundError:
        return False


def all_bytes(vault: Vault) -> int:
    """Return how many bytes all checkpoints take."""
    return sum(
        _bytes(vault, name) for name in {name for head in vault.heads() for name in _files(head)}
    )


def _files(head: CheckpointHead) -> tuple[str, ...]:
    """Return what large files a checkpoint needs: its contents, its tree, and its base's."""
    return (
        *[f"packs/{pack}" for pack in head.packs],
        f"{head.id}.tree",
        *([f"{head.base}.tree"] if head.base else []),
    )


def _too_many(vault: Vault, heads: list[CheckpointHead], most: int) -> int:
    """Return how many of the checkpoints, the newest first, have to go from the end so that what
    the others need is not too large.
    """
    needed = Counter([name for head in heads for name in _files(head)])
    sizes = {name: _bytes(vault, name) for name in needed}
    total, gone = sum(sizes.values()), 0
    while total > most and gone < len(heads):
        gone += 1
        for name in _files(heads[-gone]):
            needed[name] -= 1
            total -= 0 if needed[name] else sizes[name]
    return gone


def _bytes(vault: Vault, name: str) -> int:
    try:
        return os.stat(f"{vault.folder}/{name}").st_size
    except FileNotFoundError:
        return 0


def _sweep(vault: Vault, kept: Iterable[CheckpointHead], now: float) -> None:
    """Take away contents without a checkpoint, headless trees and what ended processes left."""
    needed, heads = {name for head in kept for name in _files(head)}, {head.id for head in kept}
    for name in vault.packs():
        if f"packs/{name}" not in needed:
            vault.remove(f"packs/{name}")
    for folder in ("", "packs/", "latest/", "open/"):
        for name in _list_folder(f"{vault.folder}/{folder}"):
            path = folder + name
            stale = (name.endswith(".new") or folder == "open/") and not _younger(
                f"{vault.folder}/{path}", STALE, now
            )
            headless = (
                not folder
                and name.endswith(PARTS)
                and name not in needed
                and (name.endswith(".tree") or name.rpartition(".")[0] not in heads)
            )
            if stale or headless:
                vault.remove(path)


def _list_folder(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
