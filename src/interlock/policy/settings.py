"""The settings that layers may change, one row each: how values combine, and which is stricter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interlock.model.action import ALLOW
from interlock.model.effect import GENERATED, SINK
from interlock.model.policy import APPROVE, IN_WORKSPACE, PASS, SCOPES, Approving
from interlock.model.record import Record

LOOSENING = frozenset({GENERATED, SINK})
"""Natures that rules are lenient with, for places of one's own only where the layer may loosen."""

ONE, GROWS, OPENS, ALLOWED, HELD = "one", "grows", "opens", "allowed", "held"
"""One value; what tightens; what loosens; the allowed paths; who holds which role."""


class SettingRow(Record):
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


ROWS: dict[str, SettingRow] = {
    row.name: row
    for row in (
        SettingRow("observe", ONE, start=False, stricter=min),
        SettingRow("audit_required", ONE, start=False),
        SettingRow("audit_durable", ONE, start=False),
        SettingRow("prompts_full", ONE, start=False, stricter=min),
        SettingRow("retention_days", ONE, 0, _longer),
        SettingRow("intent", ONE, "on", _misfits),
        SettingRow("reviewing", ONE, None, _higher),
        SettingRow("tenant", ONE, "", lambda one, other: one or other),
        *[
            SettingRow(f"approving.{name}", ONE, Approving.defaults[name], min)
            for name in Approving.fields
            if name != "token_always"
        ],
        SettingRow("approving.token_always", ONE, start=False),
        SettingRow("limits.lease", ONE, 600, max),
        SettingRow("checkpointing.loss", ONE, "run", _loss),
        SettingRow("checkpointing.days", ONE, 14),
        SettingRow("checkpointing.megabytes", ONE, 2048),
        SettingRow("proven", ONE, PASS, _silent, people=True),
        SettingRow("unproven", ONE, ALLOW, people=True),
        SettingRow("proven_scope", ONE, IN_WORKSPACE, _narrower, people=True),
        SettingRow("stopping.repeats", ONE, 0, _sooner),
        SettingRow("stopping.refused_goals", ONE, 0, _sooner),
        SettingRow("stopping.kill", ONE, start=False),
        *[SettingRow(f"stopping.{name}", GROWS) for name in ("denials", "calls", "rules", "tags")],
        SettingRow("notify", GROWS),
        *[
            SettingRow(f"limits.{name}", GROWS)
            for name in ("rates", "tokens", "costs", "concurrent", "durations")
        ],
        SettingRow("places", GROWS),
        SettingRow("redacted", GROWS),
        SettingRow("duties", GROWS),
        SettingRow("hosts", OPENS),
        SettingRow("programs", OPENS),
        SettingRow("roots", OPENS),
        SettingRow("limits.prices", OPENS),
        SettingRow("allowed", ALLOWED),
        SettingRow("roles", HELD),
        SettingRow("any_of", HELD),
    )
}
