"""What a rule says (``Action``, ordered) and what a caller gets (``Verdict``, three-valued)."""

from __future__ import annotations


class _Ordered(int):
    """An integer that prints as its name; a subclass lists ``names`` in ascending order."""

    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.names[self]

    def __repr__(self) -> str:
        return self.names[self]

    @property
    def name(self) -> str:
        """The name, as policies and records spell it."""
        return self.names[self]


class Action(_Ordered):
    """``ALLOW < WARN < REVIEW < ASK < THROTTLE < DENY``; the strictest is ``max()``."""

    names = ("allow", "warn", "review", "ask", "throttle", "deny")

    @classmethod
    def of(cls, name: str) -> Action:
        """Return the action called ``name``; raises ``ValueError`` for any other word."""
        return cls(cls.names.index(name))


ALLOW, WARN, REVIEW, ASK, THROTTLE, DENY = (Action(rank) for rank in range(6))


class Verdict(_Ordered):
    """``allow < ask < deny``: what the caller gets."""

    names = ("allow", "ask", "deny")

    @classmethod
    def of(cls, action: Action) -> Verdict:
        """Total: WARN is an allow with a warning, an open REVIEW an ASK, THROTTLE is a DENY."""
        return _VERDICTS[action]


VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY = (Verdict(rank) for rank in range(3))
_VERDICTS = (VERDICT_ALLOW, VERDICT_ALLOW, VERDICT_ASK, VERDICT_ASK, VERDICT_DENY, VERDICT_DENY)
