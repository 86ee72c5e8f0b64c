"""Roots: once a minute one hash over all ends of chains that moved, and over the root before. So a
whole chain that vanishes shows, and not only a record within one.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.model.jsontext import JsonError, dumps, loads
from interlock.service.store.protocol import ServiceReader, ServiceWriter, heads
from interlock.service.store.rows import Root
from interlock.store.chain import GENESIS, digest
from interlock.wire.tree import hash_tree

MINUTE = len("2026-01-31T23:59")
MARK = "interlock-root "
"""Begins a line that holds a root, to be kept where who can write the service cannot write."""


def take(keeping: ServiceWriter, at: str) -> Root | None:
    """Add the root of the minute before a time (UTC), where something grew since the last one;
    return it.
    """
    last = keeping.last_root()
    grown = keeping.grown(last.minute if last else "")
    grown = [one for one in grown if one.grown[:MINUTE] < at[:MINUTE]]
    before = {(row[0], row[1]): row[2:] for row in loads(last.heads)} if last else {}
    moved = [row for row in heads(grown) if before.get((row[0], row[1])) != row[2:]]
    if not moved:
        return None
    minute = max(one.grown for one in grown)[:MINUTE]
    hashed = digest((last.hash if last else GENESIS, minute, hash_tree(moved)))
    root = Root(minute, hashed, dumps(moved))
    if last is not None and root.minute <= last.minute:
        return None
    keeping.add_root(root)
    return root


def wrong(known: ServiceReader) -> list[str]:
    """Return what the roots prove to be missing or changed, a sentence each."""
    found: list[str] = []
    previous = GENESIS
    for root in known.roots():
        if summarize(root, previous) is None:
            found.append(f"the root of {root.minute} does not follow from the one before")
        previous = root.hash
        for chain, _, seq, hashed in loads(root.heads):
            if seq and (seq, hashed) not in known.nodes(chain, seq, seq):
                found.append(
                    f"record {seq} of chain {chain} was here at {root.minute} and is not any more"
                )
    return found


def summarize(root: Root, previous: str) -> str | None:
    """Return what of a root's heads is hashed: the hash of their tree, or their text in a root of
    an older interlock; None where it does not follow from the root before.
    """
    for said in (hash_tree(loads(root.heads)), root.heads):
        if root.hash == digest((previous, root.minute, said)):
            return said
    return None


def line(root: Root) -> str:
    """Return a root as one line, without its end; any text with such lines will do."""
    return MARK + dumps({"hash": root.hash, "minute": root.minute}, sort_keys=True)


def otherwise(known: ServiceReader, lines: Iterable[str]) -> list[str]:
    """Return which of the roots that a text holds are not here, or are others, a sentence each."""
    here = {root.minute: root.hash for root in known.roots()}
    found: list[str] = []
    for text in lines:
        _, mark, rest = text.partition(MARK)
        if not mark:
            continue
        try:
            said = loads(rest.strip())
            minute, hashed = str(said["minute"]), str(said["hash"])
        except (JsonError, KeyError, TypeError):
            found.append(f"a line says to be a root and cannot be read: {rest[:40]}")
            continue
        if here.get(minute) != hashed:
            what = "is not the one" if minute in here else "is not here any more, and is one"
            found.append(f"the root of {minute} {what} that was anchored")
    return found
