"""What an exception has to fit, so that it never lets pass more than it names."""

from __future__ import annotations

from interlock.model.effect import HERE, Effect, Pushes
from interlock.model.glob import is_unknown_ref

_GLOBS = "*?["
_ANYTHING = "\x01\x01"
"""What a pattern in a command may stand for: a text that only a policy's own ``*`` fits."""


def aspects(effect: Effect) -> tuple[Effect, ...]:
    """Return the effect once for every way it has to be allowed in: where a path lies and where it
    leads, each ref, all that a pattern may mean.

    None at all where that is not known: what is only possible, a target that is unknown, a folder
    that is.
    """
    if not effect.certain or not effect.target or "unknown-target" in effect.traits:
        return ()
    place = effect.place
    if effect.kind is Pushes:
        if "default-refs" in effect.traits or any(map(is_unknown_ref, effect.only)):
            return ()  # git's own settings say what goes, and nobody read them
        return tuple([effect.replace(only=(ref,)) for ref in effect.only])
    if place is None or place.where != HERE:
        return (effect,)
    if effect.target[:1] != "/" and effect.target[1:2] != ":":
        return ()
    paths = [effect.target, place.real] if place.real else [effect.target]
    if "some-of" in effect.traits:
        paths = [_as_path(path) for path in effect.only]
    return tuple([effect.replace(target=path, place=place.replace(real="")) for path in paths])


def _as_path(path: str) -> str:
    """Return a pattern of a command as a path that stands for all it may match."""
    return "".join([_ANYTHING if char in _GLOBS else char for char in path])
