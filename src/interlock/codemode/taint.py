"""What a run is marked by: once it has read a secret, whatever it says to a host may hold it.

Nobody sees what a program says, so a person is asked (``code.send-after-secret``), and where nobody
can be asked it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.codemode.permissions import AFTER_SECRET
from interlock.codemode.program import RunContext
from interlock.effects.session_marks import shows_secret
from interlock.engine.policy_places import add_natures
from interlock.engine.workspace_bound import places_in
from interlock.model.effect import PROJECT_SECRET, SECRET, Connects, Effect, Reads, Sends

_OTHER_NAME = frozenset({"moved", "link"})
"""Traits of a change after which a secret is read by another name."""


def takes_secret(effects: Iterable[Effect], scene: RunContext) -> bool:
    """Tell whether effects show a program a secret, or give one another name; what the policy
    itself calls a secret is one.
    """
    places = places_in(scene.guard.policy.places, scene.call.roots)
    return any(_takes(add_natures(effect, places) if places else effect) for effect in effects)


def _takes(effect: Effect) -> bool:
    if effect.kind is Reads:
        return shows_secret(effect)
    return (
        effect.place is not None
        and not effect.traits.isdisjoint(_OTHER_NAME)
        and not effect.place.natures.isdisjoint({SECRET, PROJECT_SECRET})
    )


def carrying(effects: tuple[Effect, ...]) -> tuple[Effect, ...]:
    """Return effects as they are after a secret was read: whoever reaches a host sends something
    that may be the secret.
    """
    reached = {effect.target: effect for effect in effects if effect.kind in (Connects, Sends)}
    sent = [
        Effect(Sends, one.target, host=one.host, traits=frozenset({AFTER_SECRET}), by=one.by)
        for one in reached.values()
    ]
    return (*effects, *sent)
