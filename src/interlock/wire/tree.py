"""A hash over many heads that is proven for one of them by a few others: a binary tree of hashes.

Leaves and inner nodes are hashed under different words, so that none passes for the other. Of an
odd row the last one goes up as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.store.chain import digest

LEFT, RIGHT = "left", "right"
Head = Sequence[object]
Path = list[tuple[str, str]]
"""On which side of it a neighbour stands, and its hash; from a leaf upwards."""


def hash_leaf(head: Head) -> str:
    """Return the hash of a head: chain, branch, last event, its hash."""
    return digest(("leaf", *head))


def hash_tree(heads: Sequence[Head]) -> str:
    """Return the hash over all heads."""
    row = [hash_leaf(one) for one in heads]
    while len(row) > 1:
        row = _join(row)
    return row[0] if row else digest(("none",))


def find_path(heads: Sequence[Head], at: int) -> Path:
    """Return what proves the head at a place."""
    row, found = [hash_leaf(one) for one in heads], []
    while len(row) > 1:
        beside = at ^ 1
        if beside < len(row):
            found.append((LEFT if beside < at else RIGHT, row[beside]))
        row, at = _join(row), at // 2
    return found


def _join(row: Sequence[str]) -> list[str]:
    pairs = [row[at : at + 2] for at in range(0, len(row), 2)]
    return [digest(("node", *pair)) if len(pair) == 2 else pair[0] for pair in pairs]
