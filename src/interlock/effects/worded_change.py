"""A change that words of a command line tell of."""

from __future__ import annotations

from interlock.effects.verb_words import parts, verb_of

DATABASES = frozenset(
    "db database databases schema migration migrations migrate sql table tables fixtures"
    " doctrine orm".split()
)
"""Groups of a framework's commands: ``doctrine:schema:drop``, ``db:wipe``."""
EMPTYING = frozenset("drop wipe fresh purge truncate flush destroy nuke".split())


class WordedChange:
    """A change that words tell of.

    ``action``: ``create``, ``modify``, ``delete`` or ``permission``. ``verb``: the word. ``mild``:
    worth a warning only.
    """

    __slots__ = ("action", "mild", "verb")

    def __init__(self, action: str, verb: str, *, mild: bool) -> None:
        self.action = action
        self.verb = verb
        self.mild = mild

    @property
    def strong(self) -> bool:
        """Whether the word alone says it, whatever stands beside it."""
        found = verb_of(self.verb) if self.verb[:1] != "-" else None
        return not self.mild and (found is None or not found[1] or empties(self))


def empties(found: WordedChange) -> bool:
    """Whether a word empties a database: ``schema:drop``, ``migrate:fresh``, ``db-wipe``."""
    pieces = parts(found.verb)
    return len(pieces) > 1 and not DATABASES.isdisjoint(pieces[:-1]) and pieces[-1] in EMPTYING
