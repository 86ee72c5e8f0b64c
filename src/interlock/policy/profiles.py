"""Profiles: the policy files that come with interlock. Whoever is highest chooses the one that
everything builds on; others can only tighten it.
"""

from __future__ import annotations

from collections.abc import Mapping

from interlock.model.policy import Policy
from interlock.model.rule import Rule
from interlock.policy import cache, reading
from interlock.policy import compile as compiling
from interlock.policy.files import PolicyLocations
from interlock.policy.layer import Layer
from interlock.policy.problem import PolicyError
from interlock.policy.schema import DEFAULT, OBSERVE, OBSERVERS, ORGANISATION, SESSION, USER
from interlock.policy.source import PolicySource, Reader

FOLDER = f"{__file__.replace(chr(92), '/').rpartition('/')[0]}/shipped"


def profile(name: str, known: Mapping[str, Rule], reader: Reader | None = None) -> Layer:
    """Return what a profile says; raises ``PolicyError``. Its examples are run where there is a
    ``reader``: tests do, no call has to.
    """
    path = f"{FOLDER}/{name}.yaml"
    with open(path, "rb") as file:
        section, problems = reading.read(file.read(), path, ORGANISATION)
    layer = compiling.compile_layer(
        section, PolicySource(ORGANISATION, path, "", known, reader, problems, loosens=True)
    )
    if problems.broken:
        raise PolicyError(problems.found)
    return layer


def rules_of(name: str, policy: Policy, where: PolicyLocations | None = None) -> tuple[Rule, ...]:
    """Return the rules that a profile adds to a policy; raises ``PolicyError``. ``where``: where
    compiled policies are kept, so that the next run parses no YAML.
    """
    path = f"{FOLDER}/{name}.yaml"
    found = cache.of_profile(where, path, policy.hash) if where else None
    if found is None:
        known = {rule.id: rule for rule in policy.rules}
        found = tuple([written.rule for written in profile(name, known).rules])
        if where:
            cache.keep_of_profile(where, path, policy.hash, found)
    return found


def layers_of(layers: tuple[Layer, ...], known: Mapping[str, Rule]) -> tuple[Layer, ...]:
    """Return the layers of the profiles that these layers choose, each with the rank of who chose
    it: only the first one may loosen.

    What the organisation chose binds everybody below it; what a person chose for themselves does
    not bind what they say besides.
    """
    chosen = [
        layer
        for layer in layers
        if layer.profile
        and layer.profile != DEFAULT
        and (layer.profile != OBSERVE or layer.name in OBSERVERS)
    ]
    return tuple(
        [
            profile(layer.profile, known).replace(
                name=layer.name,
                loosens=layer.loosens and layer is chosen[0],
                base=layer.name in (USER, SESSION),
            )
            for layer in chosen
        ]
    )


def describe_profile(name: str) -> str:
    """Return what the comment at the top of a profile's file says of it."""
    with open(f"{FOLDER}/{name}.yaml", encoding="utf-8") as file:
        lines = file.read().split("\nversion:")[0].splitlines()
    return " ".join([line.lstrip("# ") for line in lines]).removeprefix(f"{name}: ")
