"""How long checkpoints are kept: until they are too old, and as long as all of them together are not too large. The oldest go first."""

from __future__ import annotations

import os
from time import time

from interlock.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.checkpoint.vault import Head, Vault

PARTS = (".head", ".after", ".undone", ".tree")
"""The files of a checkpoint; the head first, so that it is gone as a whole."""
STALE = 3600.0
"""Seconds after which a file that was being written, or the mark of a call that never ended, is nobody's any more."""


class Keeping(Record):
    """``days``: how old a checkpoint may get. ``size``: bytes of all of them together."""

    days: int = 14
    size: int = 2 * 1024 * 1024 * 1024


def prune(vault: Vault, keeping: Keeping, now: float = 0.0) -> list[Head]:
    """Take away what is too old or too much, and contents that nothing names any more; return the checkpoints that went.

    Where a checkpoint is being taken or read at this moment nothing is taken away.
    """
    now = now or time()
    with vault.held(alone=True, wait=False) as mine:
        if not mine:
            return []
        heads = vault.heads()
        gone = [head for head in heads if head.taken < now - keeping.days * 86400]
        kept = [head for head in heads if head not in gone]
        while kept and _size(vault, kept) > keeping.size:
            gone.append(kept.pop())
        for head in gone:
            for part in PARTS:
                vault.remove(f"{head.id}{part}")
        _sweep(vault, kept, now)
    return gone


def all_bytes(vault: Vault) -> int:
    """Return how many bytes all checkpoints take."""
    return _size(vault, vault.heads())


def _size(vault: Vault, heads: Iterable[Head]) -> int:
    packs = {pack for head in heads for pack in head.packs}
    return sum(_bytes(f"{vault.folder}/packs/{pack}") for pack in packs) + sum(_bytes(f"{vault.folder}/{head.id}.tree") for head in heads)


def _bytes(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def _sweep(vault: Vault, kept: Iterable[Head], now: float) -> None:
    """Take away contents without a checkpoint, trees without a head, and what was left by a process that was ended."""
    live = {pack for head in kept for pack in head.packs}
    heads = {head.id for head in kept}
    for name in vault.packs() - live:
        vault.remove(f"packs/{name}")
    for folder in ("", "packs/", "latest/", "open/"):
        for name in _listed(f"{vault.folder}/{folder}"):
            path = folder + name
            stale = (name.endswith(".new") or folder == "open/") and os.stat(f"{vault.folder}/{path}").st_mtime < now - STALE
            headless = not folder and name.endswith(PARTS) and name.rpartition(".")[0] not in heads
            if stale or headless:
                vault.remove(path)


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
