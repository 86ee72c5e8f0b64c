"""Places of a policy's own: what lies there, besides what everybody knows."""

from __future__ import annotations

from interlock.model.effect import Effect
from interlock.model.glob import path_fits
from interlock.model.policy import Named


def add_natures(effect: Effect, places: tuple[Named, ...]) -> Effect:
    """Return the effect with the natures that the policy gives its path, or where that leads."""
    place = effect.place
    if place is None:
        return effect
    more = natures_at(places, *[path for path in (effect.target, place.real) if path])
    return effect.replace(place=place.replace(natures=place.natures | more)) if more else effect


def natures_at(places: tuple[Named, ...], *paths: str) -> frozenset[str]:
    """Return what a policy's own places say of a path under any of its names."""
    found = [
        named.natures
        for named in places
        if any(path_fits(pattern, path) for pattern in named.paths for path in paths)
    ]
    return frozenset().union(*found)
