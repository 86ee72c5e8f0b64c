"""Whose method or attribute something of a Python program is."""

from __future__ import annotations

from interlock.effects.python.values import (
    Bound,
    Class,
    Function,
    Item,
    Thing,
    path_item,
    text_of,
)


def own_function(thing: Thing) -> tuple[Function | None, Thing | None]:
    """Return the function of the program that a value is, and the object whose method it is."""
    value = thing.value
    if isinstance(value, Function):
        return value, None
    owner = value.thing.value if isinstance(value, Bound) else None
    cls = owner.of if isinstance(owner, Item) else owner
    if isinstance(value, Bound) and isinstance(cls, Class):
        method = cls.method(value.attribute)
        if method is not None and isinstance(method.value, Function):
            return method.value, None if method.value.decorated("staticmethod") else value.thing
    return None, None


def kind_of(owner: Thing) -> str:
    """Return how rows name the kind of an object whose method is called: ``<socket>``."""
    if isinstance(owner.value, Item):
        return f"<{owner.value.kind}>"
    return "?"


def of_path(owner: Thing, name: str) -> Thing:
    """Return an attribute of a ``pathlib.Path``."""
    text = text_of(owner)
    folder, slash, last = text.rstrip("/").rpartition("/")
    if name == "parent":
        return path_item(folder or (slash or "."), like=owner)
    if name == "name":
        return Thing(last, owner.labels, owner.why)
    if name == "stem":
        return Thing(last.rpartition(".")[0] or last, owner.labels, owner.why)
    if name == "suffix":
        return Thing("." + last.rpartition(".")[2] if "." in last else "", owner.labels, owner.why)
    if name == "parents":
        parts = folder.split("/")
        return Thing(
            [
                path_item("/".join(parts[:end]) or (slash or "."), like=owner)
                for end in range(len(parts), 0, -1)
            ]
        )
    return Thing(Bound(owner, name), owner.labels, owner.why)
