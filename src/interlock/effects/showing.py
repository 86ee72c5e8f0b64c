"""Words by which a program shows a secret that it keeps: ``wallet decrypt-keystore``, ``auth
token``, ``get-password``. Listing the names of secrets shows none.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.verbwords import parts

_REVEALS = frozenset(words("verbs", "reveals"))
_SECRETS = frozenset(words("verbs", "secrets"))
_KEEPS = frozenset(words("verbs", "keeps"))


def reveals(said: list[str]) -> str:
    """Return the word of a command by which a secret is shown, or ``""``."""
    for at, word in enumerate(said):
        own = parts(word)
        kept = _KEEPS.intersection(said[at - 1 : at]) if at else frozenset()
        if kept and "-".join(own) in _SECRETS:
            return word
        beside = [piece for one in said[max(at - 1, 0) : at + 3] for piece in parts(one)]
        if not _REVEALS.isdisjoint(own) and _names_secret(own if len(own) > 1 else beside):
            return word
    return ""


def _names_secret(pieces: list[str]) -> bool:
    """Whether words name a secret, by one of them or by two in a row."""
    pairs = {f"{one}-{pieces[at + 1]}" for at, one in enumerate(pieces[:-1])}
    return not _SECRETS.isdisjoint(pairs.union(pieces))
