"""Paths that stand inside a word: ``-Dx=-javaagent:/tmp/a.jar``, ``pythonpath=~/x``,
``{"setupFiles": ["../a.js"]}``.

A program that splits a word takes what stands behind a mark for a path of its own, so that whatever
is known of paths that are words counts for these as well.
"""

from __future__ import annotations

_MARKS = ":,;&|<>=+()[]{} \t\n\"'`"
"""What may stand before or behind a path in a word."""
_APART = str.maketrans(_MARKS, "\n" * len(_MARKS))
_TOLD_APART = ("-", "{", "[")
"""What a word with blanks begins with that a program takes apart: options, JSON."""
_ADDRESS = "\n?"
_BEGINS = ("/", "~/", "../")


def find_paths(text: str) -> list[str]:
    """Return what stands in a word that is an absolute path, one of a home, or one that leads up;
    no part of an address, nor of a sentence or a command.
    """
    if " " in text and text[:1] not in _TOLD_APART:
        return []
    if "/" not in text and "~" not in text and ".." not in text:
        return []
    told = text.replace("file://", "\n").replace("=@", "=").replace("://", _ADDRESS)
    return [part for part in told.translate(_APART).split("\n") if _is_path(part)]


def _is_path(part: str) -> bool:
    leads_up = part == ".." or part.endswith("/..") or "/../" in part
    return leads_up or part == "~" or part.startswith(_BEGINS)
