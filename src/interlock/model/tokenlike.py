"""Whether a text may hold a token at all: asked first, so that the table of tokens is not even
loaded for ordinary words.
"""

from __future__ import annotations

LEAST = 20
"""Characters of the shortest token: ``tokens.LEAST``."""
_APART = dict.fromkeys(map(ord, " \t\r\n\"'`/\\,;:()[]{}<>|&?!#%*$@^="), " ")


def may_hold_token(text: str) -> bool:
    """Tell whether a word of the text is as long as a token and has a digit, or capitals only."""
    if len(text) < LEAST:
        return False
    words = [word for word in text.translate(_APART).split() if len(word) >= LEAST]
    return any(word.upper() == word or any(char in word for char in "0123456789") for word in words)
