"""The keys of a policy file for what comes after: checkpoints, whom to tell, and when a session is
stopped by itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.model.limits import parse_rate
from interlock.policy.layer import Setting
from interlock.policy.reading import Section
from interlock.policy.source import PolicySource

DAY = 86400
SPOKEN = frozenset({"GR-006", "GR-007", "GR-009", "GR-010", "evasion"})
"""Tags of what limits, intent and the session's past say, which are no rules."""
_STOP = (("repeats", "repeats"), ("refused_goals", "refused_goals"), ("kill", "kill"))


def recovery_of(section: Section, source: PolicySource) -> Iterator[Setting]:
    """Yield the settings of ``checkpoints``, ``notify`` and ``stop``."""
    kept = section.get("checkpoints")
    if kept is not None:
        if kept.get("loss"):
            yield Setting("checkpointing.loss", kept.get("loss"), source.at(kept.at("loss")))
        if kept.get("keep"):
            if kept.get("keep") % DAY:
                source.say(kept.at("keep"), "checkpoints are kept for whole days, such as 14d")
            yield Setting(
                "checkpointing.days", kept.get("keep") // DAY or 1, source.at(kept.at("keep"))
            )
        if kept.get("megabytes"):
            yield Setting(
                "checkpointing.megabytes", kept.get("megabytes"), source.at(kept.at("megabytes"))
            )
    if section.get("notify"):
        yield Setting("notify", section.get("notify"), source.at(section.at("notify")))
    stop = section.get("stop")
    if stop is not None:
        yield from _triggers(stop, source)


def _triggers(stop: Section, source: PolicySource) -> Iterator[Setting]:
    for key, name in _STOP:
        if stop.get(key) is not None:
            yield Setting(f"stopping.{name}", stop.get(key), source.at(stop.at(key)))
    for key in ("denials", "calls"):
        if stop.get(key):
            yield Setting(f"stopping.{key}", parse_rate(stop.get(key)), source.at(stop.at(key)))
    for key, name in (("rule", "rules"), ("tag", "tags")):
        if stop.get(key):
            yield Setting(f"stopping.{name}", stop.get(key), source.at(stop.at(key)))
