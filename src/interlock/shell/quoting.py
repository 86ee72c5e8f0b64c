"""Words as a POSIX shell reads them back: one word each, whatever it holds (POSIX 2.2.2)."""

from __future__ import annotations

PLAIN = "@%+=:,./-_"
"""What needs no quotes beside letters and digits of ASCII."""


def quote(word: str) -> str:
    """Return a word so that a shell reads it as that one word."""
    plain = word.isascii() and word and all(char.isalnum() or char in PLAIN for char in word)
    return word if plain else "'" + word.replace("'", "'\\''") + "'"


def join(words: list[str]) -> str:
    """Return a command line that a shell takes apart into these words."""
    return " ".join([quote(word) for word in words])
