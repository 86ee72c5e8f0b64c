"""What trying a policy takes of the world, handed down by who starts the service."""

from __future__ import annotations

from collections.abc import Callable

from interlock.audit.rejudge import Commands, Misfits
from interlock.model.decision import Decision
from interlock.model.policy import Policy
from interlock.model.record import Record
from interlock.policy.cases import Case
from interlock.policy.source import Reader


class TrialTools(Record):
    """What trying a policy needs of the world: how examples are read, cases judged, and rows of
    the history.
    """

    reader: Reader
    judge: Callable[[Case, Policy], Decision]
    misfits: Misfits
    commands: Commands
