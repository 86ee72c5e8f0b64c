"""The part of JSON Schema that the table of routes is described in, and the check by it: what
OpenAPI shows is what is asked of whoever sends something.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from interlock.model.jsontext import whole

Shape = Mapping[str, Any]
TEXT: Shape = {"type": "string"}
ANY: Shape = {}
YES: Shape = {"type": "boolean"}


class ShapeError(ValueError):
    """Something has not its shape; the sentence says what, where and what was expected."""


def whole_number(least: int, most: int) -> Shape:
    """Return the shape of a whole number."""
    return {"type": "integer", "minimum": least, "maximum": most}


def text_up_to(most: int, **more: Any) -> Shape:
    """Return the shape of a text of so many characters."""
    return {"type": "string", "maxLength": most, **more}


def some(shape: Shape, **more: Any) -> Shape:
    """Return the shape of a list."""
    return {"type": "array", "items": shape, **more}


def thing(needed: Mapping[str, Shape], may: Mapping[str, Shape] | None = None) -> Shape:
    """Return the shape of an object: what it has, and what it may have."""
    names = {"required": list(needed)} if needed else {}
    return {"type": "object", "properties": {**needed, **(may or {})}, **names}


def close_shape(shape: Shape) -> Shape:
    """Return the shape of an object that has nothing else: a name that was mistyped is told."""
    return {**shape, "additionalProperties": False}


def map_of(shape: Shape, most: int) -> Shape:
    """Return the shape of an object with so many names of any kind."""
    return {"type": "object", "additionalProperties": shape, "maxProperties": most}


def check_shape(shape: Shape, value: object, where: str = "the request") -> None:
    """Make sure that a value has a shape; raises ``ShapeError``."""
    kinds = shape.get("type")
    named = [kinds] if isinstance(kinds, str) else list(kinds or _KINDS)
    kind = next((one for one in named if _KINDS[one](value)), None)
    if kind is None:
        raise ShapeError(f"{where} is no {' or '.join(named)}")
    if "enum" in shape and value not in shape["enum"]:
        raise ShapeError(f"{where} is none of {', '.join(map(str, shape['enum']))}")
    if "anyOf" in shape:
        _check_any(shape["anyOf"], value, where)
    if isinstance(value, str):
        _check_text(shape, value, where)
    elif isinstance(value, list):
        _check_list(shape, value, where)
    elif isinstance(value, dict):
        _check_object(shape, value, where)
    elif kind == "integer":
        least, most = shape.get("minimum", value), shape.get("maximum", value)
        if not least <= value <= most:
            raise ShapeError(f"{where} is a number from {least} to {most}")


def _check_any(shapes: list[Shape], value: object, where: str) -> None:
    """Make sure that a value has one of these shapes; what is said is of the first."""
    wrong: list[ShapeError] = []
    for one in shapes:
        try:
            return check_shape(one, value, where)
        except ShapeError as error:
            wrong.append(error)
    raise wrong[0]


def _check_text(shape: Shape, value: str, where: str) -> None:
    least, most = shape.get("minLength", 0), shape.get("maxLength", len(value))
    if not least <= len(value) <= most:
        raise ShapeError(f"{where} has {len(value)} characters; expected {least} to {most}")
    if "pattern" in shape and not re.search(shape["pattern"], value):
        raise ShapeError(f"{where} is not of the form {shape['pattern']}")


def _check_list(shape: Shape, value: list[object], where: str) -> None:
    least, most = shape.get("minItems", 0), shape.get("maxItems", len(value))
    if not least <= len(value) <= most:
        raise ShapeError(f"{where} has {len(value)} items; expected {least} to {most}")
    for number, one in enumerate(value):
        check_shape(shape.get("items", ANY), one, f"{where}[{number}]")


def _check_object(shape: Shape, value: dict[str, object], where: str) -> None:
    known, others = shape.get("properties", {}), shape.get("additionalProperties", ANY)
    if len(value) > shape.get("maxProperties", len(value)):
        raise ShapeError(f"{where} has more than {shape['maxProperties']} names")
    for name in shape.get("required", ()):
        if name not in value:
            raise ShapeError(f"{where} has no `{name}`")
    for name, one in value.items():
        inner = known.get(name, others)
        if inner is False:
            raise ShapeError(f"{where} has `{name[:40]}`; expected one of {', '.join(known)}")
        check_shape(inner, one, f"`{name[:40]}`")


_KINDS: dict[str, Callable[[object], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: whole(value) is not None,
    "number": lambda value: type(value) in (int, float),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
}
