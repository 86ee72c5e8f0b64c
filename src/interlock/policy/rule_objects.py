"""The rules of a compiled policy, made where they are looked at: of five hundred a call needs those
of the kinds of effects it has.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Mapping

from interlock.model.rule import Rule
from interlock.policy.plain_data import pack, unpack

Kept = tuple[str | bytes, ...]
"""Rules in order: the id of a built-in one, or the plain data of another."""


def keep(rules: tuple[Rule, ...], built_in: Mapping[str, Rule]) -> Kept:
    """Return rules as they are kept."""
    return tuple(
        [
            rule.id if built_in.get(rule.id) == rule else marshal.dumps(pack(rule, {}))
            for rule in rules
        ]
    )


class RuleSequence:
    """Rules that were kept, as a sequence: equal to the tuple of them."""

    def __init__(self, kept: Kept, built_in: Mapping[str, Rule]) -> None:
        self._keep_redirects = kept
        self._built_in = built_in
        self._make_module: dict[int, Rule] = {}

    def __len__(self) -> int:
        return len(self._keep_redirects)

    def __getitem__(self, place: int) -> Rule:
        rule = self._make_module.get(place)
        if rule is None:
            kept = self._keep_redirects[place]
            rule = (
                self._built_in[kept] if isinstance(kept, str) else unpack(marshal.loads(kept), {})  # noqa: S302 - part of what `cache` checked
            )
            self._make_module[place] = rule
        return rule

    def __iter__(self) -> Iterator[Rule]:
        return iter([self[place] for place in range(len(self._keep_redirects))])

    def __add__(self, more: tuple[Rule, ...]) -> tuple[Rule, ...]:
        return (*self, *more)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (tuple, RuleSequence)) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))
