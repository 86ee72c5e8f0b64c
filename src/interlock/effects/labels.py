"""Labels of what flows through pipes and files: where data comes from."""

from __future__ import annotations

from interlock.model.effect import PROJECT_SECRET, SECRET, SINK, TEMP, WORKSPACE
from interlock.shell.value import FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.effect import Effect, Place


def place_labels(effect: Effect) -> frozenset[str]:
    """Labels of data read from a place."""
    return frozenset() if effect.place is None else labels_of(effect.place)


def labels_of(place: Place) -> frozenset[str]:
    """What is read in a place for temporary files is the agent's own work, like the workspace."""
    if SINK in place.natures:
        return frozenset()
    labels = {FILE, "workspace" if place.location in {WORKSPACE, TEMP} else "outside"}
    if SECRET in place.natures or PROJECT_SECRET in place.natures:
        labels.add("secret")
    return frozenset(labels)
