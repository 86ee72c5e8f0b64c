"""The older shape of a policy (version "1.0"): for all tenants, and besides for one of them. It becomes the same records as version 1.

``require_confirmation: true`` is what the built-in rules do already; ``always`` asks about every deletion. ``require_approval_from`` names
roles of which one has to approve. ``blocked_patterns`` are commands: what does the same as one of them is denied, however it is
written; where only the words stand in a call it is asked about.
"""

from __future__ import annotations

from interlock.model.action import ASK, DENY
from interlock.model.effect import ChangesDatabase, Deletes, DiscardsWork, Executes, Opaque, Pushes
from interlock.model.limits import CONTEXT, Rate, TokenBudget
from interlock.model.rule import Match
from interlock.policy.compile import allowed_writes, blocked, holders, rule_of
from interlock.policy.layer import Layer, Setting, Tune, Written
from interlock.policy.patterns import below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.model.effect import Effect
    from interlock.model.rule import Rule
    from interlock.policy.compile import Source
    from interlock.policy.layer import Exemption
    from interlock.policy.reading import Section

WINDOW = 200_000
"""Tokens that a model's context holds where the policy does not say."""
DESTRUCTIVE = ("GR-001", "GR-002", "GR-003")
_OF_NO_MATTER = frozenset({"force", "interactive", "verbose"})
"""Traits of a blocked deletion that make it no other deletion."""


def compiled(section: Section, source: Source) -> tuple[Layer, ...]:
    """Return the layers of a file: what holds for all, and for each tenant what holds besides (its ``path`` ends in ``#NAME``)."""
    settings = []
    if section.get("tenant"):
        settings.append(Setting("tenant", section.get("tenant"), source.at(section.at("tenant"))))
    if section.get("roles"):
        settings.append(Setting("roles", holders(section.get("roles")), source.at(section.at("roles"))))
    whole = _layer(section.get("global"), source, ())
    found = [whole.replace(settings=(*settings, *whole.settings))]
    known = {**source.known, **{one.rule.id: one.rule for one in whole.rules}}
    for name, scope in section.get("tenant_overrides", {}).items():
        own = source.replace(layer="tenant", path=f"{source.path}#{name}", known=known)
        found.append(_layer(scope, own, ()))
    return tuple(found)


def _layer(scope: Section | None, source: Source, settings: tuple[Setting, ...]) -> Layer:
    if scope is None:
        return Layer(source.layer, source.path, source.loosens, settings=settings)
    written, tunes, more = _destructive(scope.get("destructive_operations"), source)
    paths, exemptions, allowed = _paths(scope.get("file_access"), source)
    limits = (*_rates(scope.get("rate_limits"), source), *_budget(scope.get("token_budget"), source))
    return Layer(source.layer, source.path, source.loosens, "", (*written, *paths), tunes, exemptions, (*settings, *more, *allowed, *limits))


# -- destructive operations ------------------------------------------------------------------------


def _destructive(section: Section | None, source: Source) -> tuple[tuple[Written, ...], tuple[Tune, ...], tuple[Setting, ...]]:
    if section is None:
        return (), (), ()
    written = list(_blocked(section, source))
    at = source.at(section.node)
    roles: tuple[str, ...] = section.get("require_approval_from", ())
    role = " or ".join(roles)
    if section.get("require_confirmation") == "always":
        match = Match((Deletes, DiscardsWork))
        written.append(Written(rule_of("files.confirm-delete", "deletes something", match, ASK, approver=role), at))
    tunes = [Tune((), DESTRUCTIVE, at, ASK if section.get("require_confirmation") in ("true", "always") else None, approver=role, at_least=True)]
    return tuple(written), tuple(tunes), (Setting("any_of", (role, roles), at),) if role else ()


def _blocked(section: Section, source: Source) -> Iterator[Written]:
    patterns: tuple[str, ...] = section.get("blocked_patterns", ())
    at = source.at(section.at("blocked_patterns"))
    for number, text in enumerate(patterns, 1):
        for rule in as_command(text, f"patterns.blocked-{number}", source):
            yield Written(rule, at)
    if patterns:
        words = Match((), text=patterns)
        rule = rule_of("patterns.words", "holds words that the policy blocks as a command", words, ASK)
        yield Written(rule.replace(instead="Ask the user; if it is only text, write it with the file tool."), at)


def as_command(text: str, name: str, source: Source) -> Iterator[Rule]:
    """Yield a rule for each effect of a command: what has that effect on that target is denied, whatever program does it."""
    effects = _effects(text, source) or _effects(f"psql -c '{text}'", source)
    told = [effect for effect in effects if effect.certain and effect.kind not in (Executes, Opaque)]
    for number, effect in enumerate(told):
        match = _like(effect)
        if match is not None:
            yield rule_of(name if number == 0 else f"{name}-{number + 1}", f"does what the policy blocks: {text[:60]}", match, DENY)


def _effects(text: str, source: Source) -> tuple[Effect, ...]:
    if "'" in text and text.startswith("psql"):
        text = text.replace("'", '"')
    effects = source.reader(text)[1].effects if source.reader is not None else ()
    return () if any(effect.kind is Executes and "unknown-program" in effect.traits for effect in effects) else effects


def _like(effect: Effect) -> Match | None:
    """Return what matches effects that do the same, or None where the effect names nothing."""
    if effect.kind is Pushes:
        refs = tuple([ref.rpartition(":")[2] for ref in effect.only])
        return Match((Pushes,), has=effect.traits - {"default-refs"}, ref=refs)
    if effect.place is not None and effect.place.where == "here" and effect.target:
        traits = effect.traits - _OF_NO_MATTER - {"all-of"}
        return Match((effect.kind,), has=traits, path=(effect.target,))
    if effect.kind is ChangesDatabase:
        name = effect.target.lower()
        return Match((ChangesDatabase,), has=effect.traits, like=(name, f"{name} *"), fold=True)
    return Match((effect.kind,), has=effect.traits, like=(effect.target,)) if effect.target else None


# -- paths, rates, budget --------------------------------------------------------------------------


def _paths(section: Section | None, source: Source) -> tuple[tuple[Written, ...], tuple[Exemption, ...], tuple[Setting, ...]]:
    if section is None:
        return (), (), ()
    closed, opened = section.get("blocked_paths", ()), section.get("allowed_paths", ())
    at = source.at(section.at("allowed_paths"))
    written = (Written(blocked(closed, source.home), source.at(section.at("blocked_paths"))),) if closed else ()
    exemptions = tuple(allowed_writes(opened, source.home, at))
    return written, exemptions, (Setting("allowed", tuple([below(path, source.home) for path in opened]), at),) if opened else ()


def _rates(section: Section | None, source: Source) -> Iterator[Setting]:
    for name, rate in (section.values if section is not None else {}).items():
        yield Setting("limits.rates", Rate(rate, name), f"{source.path}:{section.at(name).line}" if section is not None else "")


def _budget(section: Section | None, source: Source) -> Iterator[Setting]:
    if section is None:
        return
    hard = section.get("hard_limit", 0.95)
    warning = section.get("warning_threshold", min(0.8, hard))
    if warning > hard:
        source.say(section.at("warning_threshold"), f"the warning at {warning} comes after the end at {hard}")
    yield Setting("limits.tokens", TokenBudget(section.get("context_tokens", WINDOW), warning, hard, of=CONTEXT), source.at(section.node))
