"""What a policy says of a workspace, filled in for one call: ``${WORKSPACE}`` in patterns of paths
becomes the call's own folders.
"""

from __future__ import annotations

from interlock.engine.rule_index import WORKSPACE
from interlock.model.action import DENY
from interlock.model.call import ToolCall
from interlock.model.decision import Finding
from interlock.model.effect import Reads
from interlock.model.glob import path_fits
from interlock.model.policy import ByKind, Named
from interlock.model.rule import Match, Rule

NOWHERE = "\0"
"""A pattern that no path fits, for what would otherwise ask nothing."""


class BoundRules:
    """The rules of a policy as they are for one call, filled in where they are looked at.

    Where file names know no case, patterns know none either.
    """

    def __init__(self, held: ByKind, call: ToolCall) -> None:
        self._held = held
        self._roots = tuple([root.rstrip("/\\") for root in call.roots])
        self._fold = call.platform != "linux"
        self._filled: dict[int, Rule] = {}

    def __getitem__(self, place: int) -> Rule:
        found = self._filled.get(place)
        if found is None:
            found = self._filled[place] = self._rule(self._held.rules[place])
        return found

    def places(self, places: tuple[Named, ...]) -> tuple[Named, ...]:
        """Return the policy's own places with their patterns filled in."""
        return places_in(places, self._roots)

    def closed(self) -> tuple[Finding, ...]:
        """Return a refusal for each folder of the workspace that lies below a blocked path."""
        return tuple(
            [
                Finding(
                    rule.id,
                    DENY,
                    message=f"works in {root}, which the policy blocks ({pattern})",
                    instead=rule.instead,
                    tags=rule.tags,
                )
                for rule in map(self.__getitem__, self._held.under(Reads, self._roots, self._roots))
                if rule.match.holding and rule.action == DENY
                for pattern in rule.match.path
                for root in self._roots
                if path_fits(pattern, root.lower() if rule.match.fold else root)
            ]
        )

    def _rule(self, rule: Rule) -> Rule:
        if not (rule.match.path or rule.match.not_path or rule.excepts):
            return rule
        match = self._match(rule.match)
        if match is rule.match and not rule.excepts:
            return rule
        return rule.replace(match=match, excepts=tuple([self._match(one) for one in rule.excepts]))

    def _match(self, match: Match) -> Match:
        if not (match.path or match.not_path):
            return match
        path, not_path = (
            _fill_roots(match.path, self._roots),
            _fill_roots(match.not_path, self._roots),
        )
        if self._fold:
            path, not_path = (
                tuple([one.lower() for one in path]),
                tuple([one.lower() for one in not_path]),
            )
        if (path, not_path, self._fold) == (match.path, match.not_path, match.fold):
            return match
        return match.replace(path=path, not_path=not_path, fold=self._fold)


def places_in(places: tuple[Named, ...], roots: tuple[str, ...]) -> tuple[Named, ...]:
    """Return a policy's own places with their patterns filled in for a workspace."""
    return tuple([place.replace(paths=_fill_roots(place.paths, roots)) for place in places])


def _fill_roots(patterns: tuple[str, ...], roots: tuple[str, ...]) -> tuple[str, ...]:
    if not any(pattern.startswith(WORKSPACE) for pattern in patterns):
        return patterns
    found: list[str] = []
    for pattern in patterns:
        if pattern.startswith(WORKSPACE):
            found += [root + pattern[len(WORKSPACE) :] for root in roots]
        else:
            found.append(pattern)
    return tuple(found) or (NOWHERE,)
