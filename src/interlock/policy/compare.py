"""Two policies side by side: of one file alone, and what differs in the rules of two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from interlock.model.record import Record
from interlock.model.rule import Rule
from interlock.policy.builtin import builtin
from interlock.policy.load import compile_file
from interlock.policy.merge import MergedPolicy, merge
from interlock.policy.profiles import layers_of, profile
from interlock.policy.schema import DEFAULT
from interlock.policy.source import PolicySource

FIELDS = ("action", "floor", "possible", "approver", "quorum", "anywhere", "match", "excepts")
"""What of a rule makes a difference to a call."""


def of_file(data: bytes, source: PolicySource, today: str) -> MergedPolicy:
    """Return a file's policy of the built-in rules, tenants apart; raises ``PolicyError``."""
    layers, _ = compile_file(data, source.path, source)
    layers = tuple([layer for layer in layers if "#" not in layer.path])
    return merge(builtin(), (*layers_of(layers, source.known), *layers), today)


def of_profile(name: str) -> MergedPolicy:
    """Return the policy of a profile."""
    if name == DEFAULT:
        return MergedPolicy(builtin())
    return merge(builtin(), (profile(name, {rule.id: rule for rule in builtin().rules}),))


class RuleChange(Record):
    """A rule that differs. ``field``: one of ``FIELDS``, or ``rule`` for one that only one policy
    has; ``at``: the lines that say so.
    """

    rule: str
    field: str
    old: str
    new: str
    at: tuple[str, ...] = ()


def changes(old: MergedPolicy, new: MergedPolicy) -> Iterator[RuleChange]:
    """Yield what differs between two policies' rules, in the order of the rules."""
    before, after = _by_id(old), _by_id(new)
    for name in {**before, **after}:
        one, other = before.get(name), after.get(name)
        at = tuple(
            dict.fromkeys(
                [
                    origin.at
                    for side in (old, new)
                    for origin in side.origins
                    if about(origin.what, name)
                ]
            )
        )
        if one is None or other is None:
            yield RuleChange(
                name,
                "rule",
                "-" if one is None else str(one.action),
                "-" if other is None else str(other.action),
                at,
            )
            continue
        for field in FIELDS:
            was, now = getattr(one, field), getattr(other, field)
            if was != now:
                yield RuleChange(name, field, _words(field, was), _words(field, now), at)


def _by_id(merged: MergedPolicy) -> Mapping[str, Rule]:
    return {rule.id: rule for rule in merged.policy.rules}


def about(what: str, name: str) -> bool:
    """Tell whether an origin is about a rule."""
    return what == name or what.rpartition(".")[0] == name


def _words(field: str, value: object) -> str:
    if field == "excepts":
        return (
            f"{len(value)} exceptions"
            if isinstance(value, tuple) and len(value) != 1
            else "1 exception"
        )
    if field == "match":
        return "as it was" if value is None else "other effects"
    return "-" if value in (None, "") else str(value)
