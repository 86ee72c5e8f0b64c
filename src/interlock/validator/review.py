"""What a review took: which judge spoke, in how many turns, with how many tokens."""

from __future__ import annotations

from interlock.model.record import Record
from interlock.model.usage import Usage


class Review(Record):
    """One review. ``counted``: the endpoint told the tokens, else they are guessed. ``remembered``:
    an earlier answer, so nobody was asked.

    ``skills``: the names of those that the judge was told.
    """

    judge: str
    model: str
    turns: int = 0
    usage: Usage = Usage()
    counted: bool = True
    remembered: bool = False
    skills: tuple[str, ...] = ()
