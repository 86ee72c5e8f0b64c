"""What a policy says of a workspace, filled in for one call: ``${WORKSPACE}`` in patterns of paths becomes the call's own folders."""

from __future__ import annotations

from interlock.model.action import DENY
from interlock.model.decision import Finding
from interlock.model.effect import Reads
from interlock.model.glob import path_fits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.call import ToolCall
    from interlock.model.policy import Policy
    from interlock.model.rule import Match, Rule

WORKSPACE = "${WORKSPACE}"
NOWHERE = "\0"
"""A pattern that no path fits, for what would otherwise ask nothing."""


def bound(policy: Policy, call: ToolCall) -> Policy:
    """Return the policy as it is for one call. Where file names know no case (Windows, macOS), patterns know none either."""
    fold = call.platform != "linux"
    roots = tuple([root.rstrip("/\\") for root in call.roots])
    rules = tuple([_rule(rule, roots, fold=fold) for rule in policy.rules])
    places = tuple([place.replace(paths=_filled(place.paths, roots)) for place in policy.places])
    return policy.replace(rules=rules, by_kind=None, places=places)


def closed(policy: Policy, call: ToolCall) -> tuple[Finding, ...]:
    """Return a refusal for each folder of the workspace that lies below a blocked path, naming both."""
    return tuple(
        [
            Finding(rule.id, DENY, message=f"works in {root}, which the policy blocks ({pattern})", instead=rule.instead, tags=rule.tags)
            for rule in policy.rules
            if rule.match.holding and rule.action == DENY and Reads in rule.match.kinds
            for pattern in rule.match.path
            for root in call.roots
            if path_fits(pattern, root.lower() if rule.match.fold else root)
        ]
    )


def _rule(rule: Rule, roots: tuple[str, ...], *, fold: bool) -> Rule:
    if not (rule.match.path or rule.match.not_path or rule.excepts):
        return rule
    return rule.replace(match=_match(rule.match, roots, fold=fold), excepts=tuple([_match(one, roots, fold=fold) for one in rule.excepts]))


def _match(match: Match, roots: tuple[str, ...], *, fold: bool) -> Match:
    if not (match.path or match.not_path):
        return match
    path, not_path = _filled(match.path, roots), _filled(match.not_path, roots)
    if fold:
        path, not_path = tuple([one.lower() for one in path]), tuple([one.lower() for one in not_path])
    return match.replace(path=path, not_path=not_path, fold=fold)


def _filled(patterns: tuple[str, ...], roots: tuple[str, ...]) -> tuple[str, ...]:
    found: list[str] = []
    for pattern in patterns:
        if pattern.startswith(WORKSPACE):
            found += [root + pattern[len(WORKSPACE) :] for root in roots]
        else:
            found.append(pattern)
    return tuple(found) if found or not patterns else (NOWHERE,)
