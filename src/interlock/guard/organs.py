"""What a guard may be built with, as protocols: the organs know nothing of each other, and the guard little of them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Required, TypedDict

    from interlock.audit.log import Audit
    from interlock.ledger.sessions import Ledger
    from interlock.model.action import Action
    from interlock.model.call import ToolCall
    from interlock.model.decision import Approval, Decision, Finding
    from interlock.model.effect import Reading
    from interlock.model.facts import Facts

    EmbedderRule = Callable[[ToolCall, Reading], Finding | Action | None]
    """An embedder's own rule: None abstains."""
    Ask = Callable[[Decision, ToolCall], Approval | None]
    """Asks a person: None and anything but an approval of this very decision is a no."""
    Validator = Callable[[ToolCall, Reading, Decision], Finding | None]
    """Judges what rules want reviewed: a finding with ALLOW settles them, one with ASK or DENY adds to them, None leaves it to a person."""

    class Organs(TypedDict, total=False):
        """``facts`` answers questions about the world; ``audit`` and ``ledger`` keep records, in one store, and may be missing."""

        facts: Required[Facts]
        audit: Audit | None
        ledger: Ledger | None


ORGANS = ("facts", "audit", "ledger")


class Native:
    """The sentinel ``NATIVE``: the client itself asks the person, so an ASK is passed on to it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NATIVE"


NATIVE = Native()
