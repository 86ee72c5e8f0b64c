"""Patterns of searches: whether one may find a secret's own text."""

from __future__ import annotations

from interlock.model.secrets import NAMES
from interlock.model.tokens import SHAPES

LEAST = 3
"""Characters of the shortest text that tells anything: a pattern without one finds anything."""
_PARTS = (
    *NAMES,
    "private key",
    "private.*key",
    "begin",
    "bearer",
    "credential",
    "api.key",
    "access.key",
    "openssh",
    "aws_",
    "github_pat",
)
_WORDS = frozenset("key keys auth oauth pass login rsa ecdsa ed25519 netrc ssh".split())
"""Parts of patterns that look for secrets, and words of them."""
_PREFIXES = tuple(dict.fromkeys([prefix.lower() for prefix, *_ in SHAPES if len(prefix) > LEAST]))
_TELLING = (*_PARTS, *_PREFIXES)
_LOUD = "PRIVATE"


def may_show(pattern: str) -> bool:
    """Tell whether a search for a pattern may show the text of a secret: it fits nearly everything,
    or speaks of what secrets are called.
    """
    return any(_may_show(one) for one in pattern.replace("\\|", "|").split("|"))


def _may_show(pattern: str) -> bool:
    low = pattern.lower()
    words = _literals(pattern)
    if max(map(len, words), default=0) < LEAST or _LOUD in pattern:
        return True
    if any(part in low for part in _TELLING):
        return True
    spelled = "".join([char if char.isalnum() else " " for char in low]).split()
    return not _WORDS.isdisjoint(spelled)


def _literals(pattern: str) -> list[str]:
    """Return the runs of plain characters in a regular expression, without classes and escapes."""
    out, at = [], 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            out.append(" " if pattern[at + 1 : at + 2].isalnum() else pattern[at + 1 : at + 2])
            at += 2
        elif char == "[":
            end = pattern.find("]", at + 2)
            out.append(" ")
            at = end + 1 if end > 0 else len(pattern)
        elif char in ".*+?{}()^$":
            out.append(" ")
            at += 1
        else:
            out.append(char)
            at += 1
    return "".join(out).split()


def plain(pattern: str) -> str:
    """Return the text that a pattern is, where it is one that stands for itself, else ``""``."""
    return (
        pattern if pattern and all(char.isalnum() or char in "_-= :/," for char in pattern) else ""
    )
