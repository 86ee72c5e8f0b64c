"""Texts for people's terminals: what a call says must not command the terminal that shows it."""

from __future__ import annotations

import unicodedata

_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters without a shape, that Unicode does not count as formatting."""


def visible(text: str) -> str:
    """Return the text with every character that could move, hide or reverse others written out."""
    return (
        text
        if text.isascii() and text.isprintable()
        else "".join([char if _shows(char) else _escape(char) for char in text])
    )


def _shows(char: str) -> bool:
    return char.isprintable() and unicodedata.category(char) != "Cf" and char not in _BLANK


def _escape(char: str) -> str:
    return f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}"
