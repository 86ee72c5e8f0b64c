"""Roots: once a minute one hash over all ends of chains that moved, and over the root before. So a
whole chain that vanishes shows, and not only a record within one.
"""

from __future__ import annotations

from interlock.model.jsontext import dumps, loads
from interlock.service.store.protocol import Reading, Writing, heads
from interlock.service.store.rows import Root
from interlock.store.chain import GENESIS, digest

MINUTE = len("2026-01-31T23:59")


def take(keeping: Writing, at: str) -> Root | None:
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
    said = dumps(moved)
    root = Root(minute, digest((last.hash if last else GENESIS, minute, said)), said)
    if last is not None and root.minute <= last.minute:
        return None
    keeping.add_root(root)
    return root


def wrong(known: Reading) -> list[str]:
    """Return what the roots prove to be missing or changed, a sentence each."""
    found: list[str] = []
    previous = GENESIS
    for root in known.roots():
        if root.hash != digest((previous, root.minute, root.heads)):
            found.append(f"the root of {root.minute} does not follow from the one before")
        previous = root.hash
        for chain, _, seq, hashed in loads(root.heads):
            if seq and (seq, hashed) not in known.nodes(chain, seq, seq):
                found.append(
                    f"record {seq} of chain {chain} was here at {root.minute} and is not any more"
                )
    return found
