"""``Record``: small immutable values, without the import cost of ``dataclasses``.

The hook starts a process for every tool call, and ``dataclasses`` alone doubles the start of the
interpreter. A subclass lists its fields as annotations, defaults included::

    class Span(Record):
        start: int
        end: int = 0

and gets ``__slots__``, a constructor by position or name, equality, a hash, a ``repr`` and a refusal of
assignment. To a type checker it is a frozen dataclass.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_: object):  # noqa: ANN201 - what a type checker sees is typing's own
        """Mark nothing at run time."""
        return lambda cls: cls


_put = object.__setattr__


class _RecordType(type):
    """Turns the annotations of a class body into slots; a subclass's fields follow its base's."""

    fields: tuple[str, ...]
    defaults: dict[str, object]

    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> _RecordType:
        own = tuple(space.get("__annotations__", ()))
        defaults = {field: space.pop(field) for field in own if field in space}
        space["__slots__"] = own
        cls = super().__new__(mcs, name, bases, space)
        base = bases[0] if bases else None
        cls.fields = (*getattr(base, "fields", ()), *own)
        cls.defaults = {**getattr(base, "defaults", {}), **defaults}
        return cls


@dataclass_transform(frozen_default=True)
class Record(metaclass=_RecordType):
    """The base of every word of the house. Raises ``TypeError`` on missing, unknown or surplus arguments."""

    if not TYPE_CHECKING:

        def __init__(self, *args, **kwargs) -> None:  # noqa: ANN002, ANN003 - a type checker sees the fields instead
            cls = type(self)
            fields = cls.fields
            if len(args) > len(fields):
                raise TypeError(f"{cls.__name__} takes {len(fields)} arguments, not {len(args)}")
            for field, value in zip(fields, args, strict=False):
                _put(self, field, value)
            for field in fields[len(args) :]:
                if field in kwargs:
                    _put(self, field, kwargs.pop(field))
                elif field in cls.defaults:
                    _put(self, field, cls.defaults[field])
                else:
                    raise TypeError(f"{cls.__name__} needs {field!r}")
            if kwargs:
                raise TypeError(f"{cls.__name__} has no field {next(iter(kwargs))!r}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable; use replace({name}=...)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def _values(self) -> tuple[Any, ...]:
        return tuple([getattr(self, field) for field in type(self).fields])

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and self._values() == other._values())

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._values()))

    def __repr__(self) -> str:
        shown = ", ".join(f"{field}={getattr(self, field)!r}" for field in type(self).fields)
        return f"{type(self).__name__}({shown})"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self._values()

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed."""
        values = dict(zip(type(self).fields, self._values(), strict=True))
        values.update(changes)
        return type(self)(**values)
