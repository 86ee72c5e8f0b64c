"""What a guard may be built with, as protocols: the services know nothing of each other, and the
guard little of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, Required, TypedDict

from interlock.approvals.service import Approvals
from interlock.audit.log import Audit
from interlock.checkpoint.service import Checkpoints
from interlock.ledger.sessions import Ledger
from interlock.limits.meter import Meter
from interlock.model.action import Action
from interlock.model.call import ToolCall
from interlock.model.decision import Approval, Decision, Finding
from interlock.model.effect import Reading
from interlock.model.facts import Facts

EmbedderRule = Callable[[ToolCall, Reading], Finding | Action | None]
"""An embedder's own rule: None abstains."""
Ask = Callable[[Decision, ToolCall, Reading], Approval | None]
"""Asks a person: None and anything but an approval of this very decision is a no."""
Validator = Callable[[ToolCall, Reading, Decision], Finding | None]
"""Judges what rules want reviewed: a finding with ALLOW settles them, one with ASK or DENY adds
to them, None leaves it to a person.
"""
Classifier = Callable[[str, tuple[str, ...]], tuple[str, ...] | None]
"""Reads a prompt beside the table of cues: its words and the intents of the table to intents,
or None to abstain.
"""
Flags = Callable[[ToolCall], tuple[Finding, ...]]
"""Says of a call, before it is read, that it belongs to something that is stopped."""
Presence = Callable[[str], tuple[str, ...]]
"""Says what of the guard itself is gone, once: to the session's model (``session``), or to the
person at its screen (``person``).
"""


class SessionAlarm(Protocol):
    """Stops sessions and tells people; waits for nobody. Both return what failed, in words."""

    def tell(self, title: str, text: str) -> tuple[str, ...]:
        """Have people told."""

    def halt(self, session: str, why: str, *, kill: bool) -> tuple[str, ...]:
        """Stop a session; ``kill``: end its processes too."""


class Services(TypedDict, total=False):
    """What a guard is made of.

    ``facts`` answers questions about the world; the others keep records, in one store, and may
    be missing. What few calls need is handed over as what makes it. Where the policy has limits
    and nothing counts them, every call is asked about. ``carries``: obligations that who runs
    the call carries out itself (``sandbox``, ``redact``).
    """

    facts: Required[Facts]
    audit: Audit | None
    ledger: Ledger | None
    approvals: Callable[[], Approvals] | None
    limits: Callable[[], Meter] | None
    classifier: Classifier | None
    carries: frozenset[str]
    checkpoints: Callable[[], Checkpoints] | None
    flags: Flags | None
    alarm: Callable[[], SessionAlarm] | None
    presence: Presence | None


SERVICES = tuple(
    (
        "facts audit ledger approvals limits classifier carries checkpoints flags alarm presence"
    ).split()
)


class Sentinel:
    """A way to ask that is no callable: ``NATIVE``, ``QUEUE``."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


NATIVE = Sentinel("NATIVE")
"""The client itself asks the person, so an ASK is passed on to it."""
QUEUE = Sentinel("QUEUE")
"""The client cannot ask: an ASK is a DENY with a request that a person approves; the retry runs."""
