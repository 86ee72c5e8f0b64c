"""Labels of what flows through pipes and files: where data comes from."""

from __future__ import annotations

from interlock.model.effect import PROJECT_SECRET, SECRET, SINK, TEMP, WORKSPACE, Effect, Place
from interlock.shell.value import ENVIRONMENT, FILE, NETWORK, OUTPUT, ChangedFlow, Flow


def place_labels(effect: Effect) -> frozenset[str]:
    """Labels of data read from a place; of a folder read whole or a file with a key, a secret's."""
    labels = frozenset[str]() if effect.place is None else labels_of(effect.place)
    return labels | {"secret"} if "holds-secret" in effect.traits else labels


def labels_of(place: Place) -> frozenset[str]:
    """What is read in a place for temporary files is the agent's own work, like the workspace."""
    if SINK in place.natures:
        return frozenset()
    labels = {FILE, "workspace" if place.location in {WORKSPACE, TEMP} else "outside"}
    if SECRET in place.natures or PROJECT_SECRET in place.natures:
        labels.add("secret")
    return frozenset(labels)


def origin_of(flow: Flow) -> str:
    """Return where code that nobody can read comes from: files of the workspace put together are a
    file too.
    """
    if NETWORK in flow.labels:
        return NETWORK
    if ENVIRONMENT in flow.labels:
        return ENVIRONMENT
    return (
        FILE
        if "workspace" in flow.labels and flow.labels <= {FILE, "workspace", "script"}
        else OUTPUT
    )


def derive_flow(flow: Flow) -> Flow:
    """Return what a program prints as something that it made of a file: what it is nobody knows,
    and it is no longer that file.
    """
    known = flow.text is not None or flow.path or flow.pieces or flow.choices or flow.data
    if known or FILE not in flow.labels or origin_of(flow) != FILE:
        return flow
    other = flow.naming(flow.listing)
    other.pieces = (ChangedFlow(Flow(None, flow.labels), lambda _: None),)
    return other
