"""The table of cues: which words of a prompt mean which intent; ``data/words/cues.txt`` explains
how a phrase is written.
"""

from __future__ import annotations

from interlock.data.words import groups, parts

_ANY_OF = groups("cues", "any of")


def _expand_rows(name: str) -> tuple[tuple[str, str], ...]:
    """Return the rows of a list: what the phrases mean, and the phrases."""
    found = []
    for meaning, words in parts("cues", name):
        phrases = " ".join(words)
        for shared, alternatives in _ANY_OF.items():
            phrases = phrases.replace(f"{{{shared}}}", "|".join(alternatives))
        found.append((meaning, phrases))
    return tuple(found)


ASKS = _expand_rows("asks")
"""What a clause asks for: names of intents, and the phrases that mean them."""
STATES = _expand_rows("states")
"""What a sentence means that asks for nothing: it says what is wrong, what should be, or what
somebody wonders at.
"""
FOLLOWS = dict(_expand_rows("follows"))
"""Whole prompts that say nothing of their own: agreement, more of the same, talk."""
