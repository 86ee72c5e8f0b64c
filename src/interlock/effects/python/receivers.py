"""Whose method or attribute something of a Python program is."""

from __future__ import annotations

from interlock.effects.python.values import (
    BoundAttribute,
    Class,
    Function,
    KnownObject,
    PyValue,
    path_item,
    text_of,
)


def own_function(thing: PyValue) -> tuple[Function | None, PyValue | None]:
    """Return the function of the program that a value is, and the object whose method it is."""
    value = thing.value
    if isinstance(value, Function):
        return value, None
    owner = value.thing.value if isinstance(value, BoundAttribute) else None
    cls = owner.of if isinstance(owner, KnownObject) else owner
    if isinstance(value, BoundAttribute) and isinstance(cls, Class):
        method = cls.method(value.attribute)
        if method is not None and isinstance(method.value, Function):
            return method.value, None if method.value.has_decorator("staticmethod") else value.thing
    return None, None


def kind_of(owner: PyValue) -> str:
    """Return how rows name the kind of an object whose method is called: ``<socket>``."""
    if isinstance(owner.value, KnownObject):
        return f"<{owner.value.kind}>"
    return "?"


def of_path(owner: PyValue, name: str) -> PyValue:
    """Return an attribute of a ``pathlib.Path``."""
    text = text_of(owner)
    folder, slash, last = text.rstrip("/").rpartition("/")
    if name == "parent":
        return path_item(folder or (slash or "."), like=owner)
    if name == "name":
        return PyValue(last, owner.labels, owner.why)
    if name == "stem":
        return PyValue(last.rpartition(".")[0] or last, owner.labels, owner.why)
    if name == "suffix":
        return PyValue(
            "." + last.rpartition(".")[2] if "." in last else "", owner.labels, owner.why
        )
    if name == "parents":
        parts = folder.split("/")
        return PyValue(
            [
                path_item("/".join(parts[:end]) or (slash or "."), like=owner)
                for end in range(len(parts), 0, -1)
            ]
        )
    return PyValue(BoundAttribute(owner, name), owner.labels, owner.why)
