"""The older shape of a policy (version "1.0"): for all tenants, and besides for one of them. It
becomes the same records as version 1.

``require_confirmation: true`` is what the built-in rules do already; ``always`` asks about every
deletion. ``require_approval_from`` names roles of which one has to approve what destroys,
publishes, changes others' machines or takes another's rights. ``blocked_patterns`` are commands and
statements of databases, which are denied (``policy.blocked_patterns``).
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.model.action import ASK
from interlock.model.effect import Deletes, DiscardsWork
from interlock.model.limits import CONTEXT, Rate, TokenBudget
from interlock.model.rule import Match
from interlock.policy.blocked_patterns import pattern_rules
from interlock.policy.compile import blocking_rule, exempt_writes, rule_of
from interlock.policy.compile_settings import each, holders
from interlock.policy.layer import Exemption, Layer, Setting, Tune, Written
from interlock.policy.patterns import below
from interlock.policy.reading import Section
from interlock.policy.source import PolicySource

WINDOW = 200_000
"""Tokens that a model's context holds where the policy does not say."""
DESTRUCTIVE = ("GR-001", "GR-002", "GR-003")
GRAVE = (*DESTRUCTIVE, "data-loss", "publish", "production", "privilege")
"""Tags of the rules whose questions take a role's approval, whatever program asks for it."""


def compile_layers(section: Section, source: PolicySource) -> tuple[Layer, ...]:
    """Return the layers of a file: what holds for all, and for each tenant what holds besides (its
    ``path`` ends in ``#NAME``).
    """
    settings = []
    if section.get("tenant"):
        settings.append(Setting("tenant", section.get("tenant"), source.at(section.at("tenant"))))
    if section.get("roles"):
        settings.append(
            Setting("roles", holders(section.get("roles")), source.at(section.at("roles")))
        )
    whole = _layer(section.get("global"), source, ())
    found = [whole.replace(settings=(*settings, *whole.settings))]
    known = {**source.known, **{one.rule.id: one.rule for one in whole.rules}}
    for name, scope in section.get("tenant_overrides", {}).items():
        own = source.replace(layer="tenant", path=f"{source.path}#{name}", known=known)
        found.append(_layer(scope, own, ()))
    return tuple(found)


def _layer(scope: Section | None, source: PolicySource, settings: tuple[Setting, ...]) -> Layer:
    if scope is None:
        return Layer(source.layer, source.path, source.loosens, settings=settings)
    written, tunes, more = _destructive(scope.get("destructive_operations"), source)
    paths, exemptions, allowed = _paths(scope.get("file_access"), source)
    limits = (
        *_rates(scope.get("rate_limits"), source),
        *_budget(scope.get("token_budget"), source),
    )
    return Layer(
        source.layer,
        source.path,
        source.loosens,
        "",
        (*written, *paths),
        tunes,
        exemptions,
        (*settings, *more, *allowed, *limits),
    )


# -- destructive operations ------------------------------------------------------------------------


def _destructive(
    section: Section | None, source: PolicySource
) -> tuple[tuple[Written, ...], tuple[Tune, ...], tuple[Setting, ...]]:
    if section is None:
        return (), (), ()
    written = list(_blocking_rules(section, source))
    at = source.at(section.node)
    roles: tuple[str, ...] = section.get("require_approval_from", ())
    role = " or ".join(roles)
    if section.get("require_confirmation") == "always":
        match = Match((Deletes, DiscardsWork))
        written.append(
            Written(
                rule_of("files.confirm-delete", "deletes something", match, ASK, approver=role), at
            )
        )
    confirmed = (
        [Tune((), DESTRUCTIVE, at, ASK, at_least=True)]
        if section.get("require_confirmation") in ("true", "always")
        else []
    )
    approved = [Tune((), GRAVE, at, approver=role)] if role else []
    return (
        tuple(written),
        (*confirmed, *approved),
        (Setting("any_of", (role, roles), at),) if role else (),
    )


def _blocking_rules(section: Section, source: PolicySource) -> Iterator[Written]:
    for number, (text, node) in enumerate(each(section, "blocked_patterns"), 1):
        for rule in pattern_rules(text, number, node, source):
            yield Written(rule, source.at(node))


# -- paths, rates, budget --------------------------------------------------------------------------


def _paths(
    section: Section | None, source: PolicySource
) -> tuple[tuple[Written, ...], tuple[Exemption, ...], tuple[Setting, ...]]:
    if section is None:
        return (), (), ()
    closed, opened = section.get("blocked_paths", ()), section.get("allowed_paths", ())
    at = source.at(section.at("allowed_paths"))
    written = (
        (Written(blocking_rule(closed, source.home), source.at(section.at("blocked_paths"))),)
        if closed
        else ()
    )
    exemptions = tuple(exempt_writes(opened, source.home, at))
    return (
        written,
        exemptions,
        (
            (Setting("allowed", tuple([below(path, source.home) for path in opened]), at),)
            if opened
            else ()
        ),
    )


def _rates(section: Section | None, source: PolicySource) -> Iterator[Setting]:
    for name, rate in (section.values if section is not None else {}).items():
        yield Setting(
            "limits.rates",
            Rate(rate, name),
            f"{source.path}:{section.at(name).line}" if section is not None else "",
        )


def _budget(section: Section | None, source: PolicySource) -> Iterator[Setting]:
    if section is None:
        return
    hard = section.get("hard_limit", 0.95)
    warning = section.get("warning_threshold", min(0.8, hard))
    if warning > hard:
        source.say(
            section.at("warning_threshold"),
            f"the warning at {warning} comes after the end at {hard}",
        )
    yield Setting(
        "limits.tokens",
        TokenBudget(section.get("context_tokens", WINDOW), warning, hard, of=CONTEXT),
        source.at(section.node),
    )
