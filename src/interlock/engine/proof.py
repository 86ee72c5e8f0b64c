"""Whether a call is proven harmless: all of it is known, and every effect lies within what the workspace may have done to it.

A proof is a property of a reading. Whatever is not named here as harmless is not.
"""

from __future__ import annotations

from interlock.model.effect import (
    GENERATED,
    HERE,
    LOCAL,
    SINK,
    SYSTEM,
    TEMP,
    WORKSPACE,
    WORKSPACE_ROOT,
    ChangesMode,
    Connects,
    Deletes,
    Executes,
    KillsProcess,
    Listens,
    Reads,
    RunsCode,
    Writes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.model.effect import Effect, Kind, Reading

_MILD = frozenset({GENERATED, SINK, WORKSPACE_ROOT})
"""What a place may be beside where it is."""
_OF_PROJECT = frozenset({"package-script", "tests", "build-output", "own-command"})
_OPEN = ("from-", "unknown-", "unread", "unseen")
"""What traits begin with of what nobody read, or what came from elsewhere."""


def doubts(reading: Reading) -> tuple[str, ...]:
    """Return why a call is not proven to be harmless, each a sentence; none where it is."""
    found = dict.fromkeys(reading.doubts)
    if reading.coverage != "full":
        found["not all of it could be read"] = None
    for effect in reading.effects:
        why = _doubt(effect)
        if why:
            found[why] = None
    return tuple(found)


def _doubt(effect: Effect) -> str:
    """Return why an effect is no harmless one, or ``""``."""
    name = f"{effect.kind} {effect.target}".strip()
    if not effect.certain:
        return f"it may be that it {name}"
    if any(trait.startswith(_OPEN) for trait in effect.traits):
        return f"{name}: {', '.join(sorted(trait for trait in effect.traits if trait.startswith(_OPEN)))}"
    harmless = _HARMLESS.get(effect.kind)
    return "" if harmless is not None and harmless(effect) else f"it {name}"


def _is_within(effect: Effect) -> bool:
    place = effect.place
    return place is not None and place.where == HERE and place.location in (WORKSPACE, TEMP) and place.natures <= _MILD


def _reads(effect: Effect) -> bool:
    place = effect.place
    return _is_within(effect) or (place is not None and place.where == HERE and place.location == SYSTEM and not place.natures)


def _deletes(effect: Effect) -> bool:
    place = effect.place
    return _is_within(effect) and place is not None and ("made-here" in effect.traits or place.natures == {GENERATED})


def _runs(effect: Effect) -> bool:
    return _is_within(effect) if effect.place is not None else not effect.traits - _OF_PROJECT


def _mode(effect: Effect) -> bool:
    return _is_within(effect) and effect.traits.isdisjoint({"world-writable", "setuid"})


_HARMLESS: dict[Kind, Callable[[Effect], bool]] = {
    Reads: _reads,
    Writes: _is_within,
    Deletes: _deletes,
    ChangesMode: _mode,
    Executes: _runs,
    RunsCode: lambda effect: effect.traits.isdisjoint({"decoded"}),
    Connects: lambda effect: effect.host == LOCAL,
    Listens: lambda effect: effect.host == LOCAL,
    KillsProcess: lambda effect: "made-here" in effect.traits,
}
