"""Profiles: the policy files that come with interlock. Whoever is highest chooses the one that everything builds on; others can only tighten it."""

from __future__ import annotations

from interlock.policy.layer import Layer, Setting
from interlock.policy.schema import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.policy.compile import Source

DEFAULT, OBSERVE = "default", "observe"
PROFILES = (DEFAULT, OBSERVE)


def layers_of(layers: tuple[Layer, ...], source: Callable[..., Source]) -> tuple[Layer, ...]:
    """Return the layers of the profiles that these layers choose, each with the rank of who chose it."""
    del source
    found: list[Layer] = []
    chosen = [layer for layer in layers if layer.profile]
    for layer in chosen:
        if layer.profile == OBSERVE and layer.name != PROJECT:
            at = f"{layer.path} (profile {OBSERVE})"
            found.append(Layer(layer.name, layer.path, layer.loosens and layer is chosen[0], settings=(Setting("observe", value=True, at=at),)))
    return tuple(found)
