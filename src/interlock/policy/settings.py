"""The settings that layers may change, one row each: how two values combine, and which of two is
the stricter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interlock.model.action import ALLOW
from interlock.model.effect import GENERATED, SINK
from interlock.model.policy import APPROVE, IN_WORKSPACE, PASS, SCOPES, Approving
from interlock.model.record import Record

LOOSENING = frozenset({GENERATED, SINK})
"""Natures that rules are lenient with: a place of one's own may be so only where the layer may
loosen.
"""

ONE, GROWS, OPENS, ALLOWED, HELD = "one", "grows", "opens", "allowed", "held"
"""One value; a list of what tightens; a list of what loosens; the paths that are allowed; who holds
which role.
"""


class Row(Record):
    """A setting.

    ``kind``: how layers combine; ``stricter``: of two single values the stricter; ``start``: the
    value before any layer. ``people``: no project may loosen it, not even one whose user trusted
    its file.
    """

    name: str
    kind: str
    start: Any = None
    stricter: Callable[[Any, Any], Any] = max
    people: bool = False


_INTENT = ("off", "warn", "on", "ask")


def _misfits(one: str, other: str) -> str:
    return max(one, other, key=_INTENT.index)


def _loss(one: str, other: str) -> str:
    return max(one, other, key=("run", "ask").index)


def _narrower(one: str, other: str) -> str:
    return min(one, other, key=SCOPES.index)


def _silent(one: str, other: str) -> str:
    return PASS if PASS in (one, other) else APPROVE


def _sooner(one: int, other: int) -> int:
    """Of two counts, 0 being never, the one that is reached first."""
    return min(filter(None, (one, other)), default=0)


def _higher(one: Any, other: Any) -> Any:
    """None is the stricter, for then a person is asked; of two others the higher layer's: what a
    lower one names would answer in its place.
    """
    return None if other is None else one


def _longer(one: int, other: int) -> int:
    """Of two times in days, 0 being without end, the longer."""
    return 0 if 0 in (one, other) else max(one, other)


ROWS: dict[str, Row] = {
    row.name: row
    for row in (
        Row("observe", ONE, start=False, stricter=min),
        Row("audit_required", ONE, start=False),
        Row("audit_durable", ONE, start=False),
        Row("prompts_full", ONE, start=False, stricter=min),
        Row("retention_days", ONE, 0, _longer),
        Row("intent", ONE, "on", _misfits),
        Row("reviewing", ONE, None, _higher),
        Row("tenant", ONE, "", lambda one, other: one or other),
        *[
            Row(f"approving.{name}", ONE, Approving.defaults[name], min)
            for name in Approving.fields
            if name != "token_always"
        ],
        Row("approving.token_always", ONE, start=False),
        Row("limits.lease", ONE, 600, max),
        Row("checkpointing.loss", ONE, "run", _loss),
        Row("checkpointing.days", ONE, 14),
        Row("checkpointing.megabytes", ONE, 2048),
        Row("proven", ONE, PASS, _silent, people=True),
        Row("unproven", ONE, ALLOW, people=True),
        Row("proven_scope", ONE, IN_WORKSPACE, _narrower, people=True),
        Row("stopping.repeats", ONE, 0, _sooner),
        Row("stopping.refused_goals", ONE, 0, _sooner),
        Row("stopping.kill", ONE, start=False),
        *[Row(f"stopping.{name}", GROWS) for name in ("denials", "calls", "rules", "tags")],
        Row("notify", GROWS),
        *[
            Row(f"limits.{name}", GROWS)
            for name in ("rates", "tokens", "costs", "concurrent", "durations")
        ],
        Row("places", GROWS),
        Row("redacted", GROWS),
        Row("duties", GROWS),
        Row("hosts", OPENS),
        Row("programs", OPENS),
        Row("roots", OPENS),
        Row("limits.prices", OPENS),
        Row("allowed", ALLOWED),
        Row("roles", HELD),
        Row("any_of", HELD),
    )
}
