"""The whole chain as text: JSON lines, which ``verify`` reads like the store, or CSV."""

from __future__ import annotations

from collections.abc import Callable

from interlock.audit.source import ENDED, ROW, ChainEvent, StoreChain
from interlock.model.jsontext import dumps
from interlock.store.chain import FIELDS
from interlock.store.protocol import Connection, Storage

JSONL, CSV = "jsonl", "csv"
FORMATS = (JSONL, CSV)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def export(store: Storage, form: str, write: Callable[[str], object]) -> int:
    """Write every event, oldest first, one line each (a CSV field may hold line ends); return how
    many. Raises ``StoreError``.
    """

    def work(connection: Connection) -> int:
        count = 0
        if form == CSV:
            write(_line([*FIELDS, *ROW]))
        for event in StoreChain(connection).events():
            write(as_json(event) if form == JSONL else _csv(event))
            count += 1
        return count

    return store.view(work)


def as_json(event: ChainEvent) -> str:
    """Return an event as a line of JSON, its end included."""
    said: dict[str, object] = {**dict(zip(FIELDS, event.values, strict=False)), "hash": event.hash}
    if event.row is not None:
        row = dict(zip(ROW, event.row, strict=True))
        said["row"] = row if event.kind == "decision" else {name: row[name] for name in ENDED}
    return dumps(said) + "\n"


def _csv(event: ChainEvent) -> str:
    row = event.row if event.kind == "decision" and event.row is not None else [None] * len(ROW)
    return _line([*event.values, event.hash, *row])


def _line(values: list[object]) -> str:
    """Write one line as RFC 4180 has it. A field that a table would work out as a formula gets an
    apostrophe before it.
    """
    texts = ["" if value is None else str(value) for value in values]
    safe = [f"'{text}" if text.startswith(_FORMULA) else text for text in texts]
    return (
        ",".join(
            [
                (
                    '"' + text.replace('"', '""') + '"'
                    if any(char in text for char in ',"\r\n')
                    else text
                )
                for text in safe
            ]
        )
        + "\r\n"
    )
