"""``Record``: small immutable values, without the import cost of ``dataclasses``.

The hook starts a process for every tool call, and ``dataclasses`` alone doubles the start of the
interpreter. A subclass lists its fields as annotations, defaults included::

    class Span(Record):
        start: int
        end: int = 0

and gets a constructor by position or name, equality, a hash, a ``repr`` and a refusal of
assignment. To a type checker it is a frozen dataclass. A record's fields are put into it all at
once, as its ``__dict__``: one by one, into slots, costs the hook's process, which makes some
thousand records, a tenth of its work.
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
    """Turns the annotations of a class body into fields; a subclass's fields follow its base's."""

    fields: tuple[str, ...]
    defaults: dict[str, object]
    names: frozenset[str]

    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> _RecordType:
        own = tuple(space.get("__annotations__", ()))
        defaults = {field: space.pop(field) for field in own if field in space}
        cls = super().__new__(mcs, name, bases, space)
        base = bases[0] if bases else None
        cls.fields = (*getattr(base, "fields", ()), *own)
        cls.defaults = {**getattr(base, "defaults", {}), **defaults}
        cls.names = frozenset(cls.fields)
        return cls


@dataclass_transform(frozen_default=True)
class Record(metaclass=_RecordType):
    """The base of every word of the house. Raises ``TypeError`` on wrong arguments."""

    if not TYPE_CHECKING:

        def __init__(self, *args, **kwargs) -> None:  # noqa: ANN002, ANN003 - a type checker sees the fields instead
            cls = type(self)
            fields, count = cls.fields, len(args)
            if count == len(fields) and not kwargs:
                _put(self, "__dict__", dict(zip(fields, args, strict=True)))
                return
            values = {**cls.defaults, **dict(zip(fields, args, strict=False)), **kwargs}
            if (
                len(values) != len(fields)
                or count > len(fields)
                or not cls.names.issuperset(kwargs)
                or not kwargs.keys().isdisjoint(fields[:count])
            ):
                raise TypeError(_misfit(cls, args, kwargs))
            _put(self, "__dict__", values)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable; use replace({name}=...)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def _values(self) -> tuple[Any, ...]:
        values = vars(self)
        return tuple([values[field] for field in type(self).fields])

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and vars(self) == vars(other))

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._values()))

    def __repr__(self) -> str:
        shown = ", ".join(f"{field}={getattr(self, field)!r}" for field in type(self).fields)
        return f"{type(self).__name__}({shown})"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self._values()

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed."""
        cls = type(self)
        if not cls.names.issuperset(changes):
            raise TypeError(_misfit(cls, (), changes))
        other = object.__new__(cls)
        _put(other, "__dict__", vars(self) | changes)
        return other


def make(cls: type[Record], values: dict[str, Any]) -> Record:
    """Return a record of a value for each of its fields, by name; they are not looked at again."""
    made = object.__new__(cls)
    _put(made, "__dict__", values)
    return made


def _misfit(cls: _RecordType, args: tuple[object, ...], kwargs: dict[str, object]) -> str:
    """Say what is wrong with the arguments of a record."""
    if len(args) > len(cls.fields):
        return f"{cls.__name__} takes {len(cls.fields)} arguments, not {len(args)}"
    given = cls.fields[: len(args)]
    strange = [name for name in kwargs if name not in cls.names or name in given]
    if strange:
        return f"{cls.__name__} has no field {strange[0]!r}"
    missing = [
        field
        for field in cls.fields[len(args) :]
        if field not in kwargs and field not in cls.defaults
    ]
    return f"{cls.__name__} needs {missing[0]!r}"
