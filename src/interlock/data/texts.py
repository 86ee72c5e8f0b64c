"""Texts that are written out as they are, each a file of ``data/texts``."""

from __future__ import annotations

from interlock.data import words

FOLDER = f"{__file__.rpartition('/')[0]}/texts"


def read_text(name: str) -> str:
    """Return the text of a file. Raises ``OSError`` where the package has lost it."""
    return words.read_text(f"{FOLDER}/{name}")
