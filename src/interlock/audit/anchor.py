"""The head of the chain, signed, as a line that is kept where whoever can change the store cannot
change it.

``interlock-anchor {"at":...,"hash":...,"seq":...,"signature":...,"store":...}``: ``hash`` is that
of the event ``seq``, ``store`` names the key that signed. Any text whose lines hold such a line
will do: a file, a file in git, what a system's log prints.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.model.jsontext import JsonError, dumps, loads
from interlock.model.record import Record
from interlock.store.chain import canonical, extend, head, now
from interlock.store.protocol import Connection, Storage
from interlock.store.secret import AUDIT, key

MARK = "interlock-anchor "


class Anchor(Record):
    """One anchored head. ``store``: the name of the key that signed it."""

    seq: int
    hash: str
    at: str
    store: str
    signature: str = ""


def sign(signing: bytes, *values: object) -> str:
    """Return the keyed hash of some values; the first says what they are, so that no signature
    serves for another thing.
    """
    from hashlib import blake2b

    return blake2b(canonical(values), key=signing, digest_size=32).hexdigest()


def key_name(signing: bytes) -> str:
    """Return the name of a key, which tells nothing of it."""
    return sign(signing, "store")[:16]


def signature(signing: bytes, anchor: Anchor) -> str:
    """Return the signature that an anchor should have."""
    return sign(signing, "anchor", anchor.seq, anchor.hash, anchor.at, anchor.store)


def record_anchor(store: Storage, sink: str) -> Anchor:
    """Record that the head is to be anchored in a sink, and return that head, signed; raises
    ``StoreError``.

    Recorded first, so that the anchor covers this event too; where the sink then fails, ``verify``
    misses the anchor there and says so.
    """
    signing = key(store.folder, AUDIT)

    def work(connection: Connection) -> tuple[int, str]:
        extend(connection, "anchor", sink, {"store": key_name(signing)})
        return head(connection)

    seq, hashed = store.transact(work)
    anchor = Anchor(seq, hashed, now(), key_name(signing))
    return anchor.replace(signature=signature(signing, anchor))


def line(anchor: Anchor) -> str:
    """Return the anchor as one line, without its end."""
    return MARK + dumps({field: getattr(anchor, field) for field in Anchor.fields}, sort_keys=True)


def anchors(lines: Iterable[str]) -> tuple[list[Anchor], int]:
    """Return the anchors that a text holds, and how many of its lines say to be one and are not."""
    found, bad = [], 0
    for text in lines:
        _, mark, rest = text.partition(MARK)
        if mark:
            anchor = _read(rest.strip())
            found += [anchor] if anchor is not None else []
            bad += anchor is None
    return found, bad


def _read(text: str) -> Anchor | None:
    try:
        said = loads(text)
        anchor = Anchor(**{field: said[field] for field in Anchor.fields})
    except (JsonError, KeyError, TypeError):
        return None
    return (
        anchor
        if [type(said[field]) for field in Anchor.fields] == [int, str, str, str, str]
        and anchor.seq > 0
        else None
    )
