"""What is signed of a thing that the service says."""

from __future__ import annotations

from interlock.model.record import Record
from interlock.store.chain import canonical


def encode_signed(word: str, thing: Record) -> bytes:
    """Return what is signed: all of a thing but its signature, which comes last, behind a word that
    says what it is, so that no signature serves for another thing.
    """
    fields = type(thing).fields[:-1]
    return canonical((f"interlock {word} 1", *[getattr(thing, name) for name in fields]))
