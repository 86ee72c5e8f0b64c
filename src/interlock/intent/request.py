"""``PromptIntent``: what one prompt says. ``SessionIntent``: what stands in a session after all its
prompts, and how that is kept as text.
"""

from __future__ import annotations

from interlock.model.record import Record


class PromptIntent(Record):
    """What one prompt asks for.

    ``names``: intents; none where it was not understood. ``unsure``: a part of it was not
    understood. ``follows``: how it stands to the prompt before it: ``agree`` (yes to whatever was
    proposed), ``more`` (goes on with it, or adds to it), ``chat`` (talk), ``remark`` (a few words
    that were not understood) or ``""`` (a request of its own). ``limits``: ``only PATH``, ``not
    PATH`` (it stays as it is), ``keep PATH`` (it is not deleted), ``no ACT``; a path may be the
    name of a group of files. ``lifts``: the acts and paths whose limits it takes back, or ``*``.
    """

    names: tuple[str, ...] = ()
    unsure: bool = False
    follows: str = ""
    limits: tuple[str, ...] = ()
    lifts: tuple[str, ...] = ()


class SessionIntent(Record):
    """What a person asked for in a session.

    ``names``: the intents that stand. ``before``: those of the request before, which may still be
    under way. ``unsure``: not all of it was understood, or the person agreed to something the guard
    did not hear. ``limits``: as in ``PromptIntent``; ``was``: those of the request before.
    """

    names: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    unsure: bool = False
    limits: tuple[str, ...] = ()
    was: tuple[str, ...] = ()

    @property
    def intent(self) -> str:
        """The intents as a call carries them."""
        return ",".join(self.names)

    @property
    def scope(self) -> str:
        """All the rest as a call carries it: ``only src/foo; no push; before: explain; unsure``."""
        parts = [*self.limits, *[f"was {limit}" for limit in self.was]]
        if self.before:
            parts.append(f"before {','.join(self.before)}")
        if self.unsure:
            parts.append("unsure")
        return "; ".join(parts)


def parse_asked(intent: str, scope: str) -> SessionIntent:
    """Read what ``intent`` and ``scope`` of a call say; words not ours are passed over."""
    limits: list[str] = []
    was: list[str] = []
    before: tuple[str, ...] = ()
    unsure = False
    for part in scope.split(";"):
        kind, _, rest = part.strip().partition(" ")
        if kind in ("only", "not", "keep", "no") and rest:
            limits.append(f"{kind} {rest}")
        elif kind == "was" and rest:
            was.append(rest)
        elif kind == "before":
            before = _names(rest)
        elif kind == "unsure":
            unsure = True
    return SessionIntent(_names(intent), before, unsure, tuple(limits), tuple(was))


def _names(text: str) -> tuple[str, ...]:
    return tuple([name for name in text.replace(",", " ").split() if name])
