"""Every record as plain data and back: ``encode`` for the audit and replies, ``decode`` by the
annotations.

Plain data is what JSON can say: dict, list, str, int, float, bool, None. A field that has its
default is left out. Actions and verdicts go by name, sets are sorted lists, ``UNKNOWN`` is
``{"unknown": true}``. ``SCHEMA_VERSION`` counts incompatible changes;
``tests/model/schema.golden.json`` shows every field, so that no change goes unseen. Only ``encode``
is on the hook path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from interlock.model.action import Action, Verdict, _Ordered
from interlock.model.facts import UNKNOWN, Unknown
from interlock.model.record import Record, make

R = TypeVar("R", bound=Record)
Decoder = Callable[[object], Any]

SCHEMA_VERSION = 1


class MalformedError(ValueError):
    """The data is not such a record; the text says where, what was expected and what was found."""


def encode(value: object) -> Any:
    """Return the value as plain data; raises ``TypeError`` for what no record may hold."""
    if value is None or isinstance(value, (str, bool, float)):
        return value
    if isinstance(value, _Ordered):
        return value.name
    if isinstance(value, int):
        return value
    if isinstance(value, Record):
        return _encode_record(value)
    if isinstance(value, (tuple, list)):
        return [encode(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(encode(item) for item in value)
    if isinstance(value, Unknown):
        return {"unknown": True}
    if hasattr(value, "items"):
        return {_key(key): encode(item) for key, item in value.items()}
    raise TypeError(f"a {type(value).__name__} cannot be written as plain data")


def _encode_record(record: Record) -> dict[str, Any]:
    defaults = type(record).defaults
    values = [(field, getattr(record, field)) for field in type(record).fields]
    return {
        field: encode(value)
        for field, value in values
        if field not in defaults or value != defaults[field]
    }


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a key must be text, not {type(key).__name__}")
    return key


def wrap(record: Record) -> dict[str, Any]:
    """Return the record with its name and the schema's version, where neither is known."""
    return {"schema": SCHEMA_VERSION, "record": type(record).__name__, "value": encode(record)}


def unwrap(data: object) -> Record:
    """Return the record that ``wrap`` wrote; raises ``MalformedError``, for a newer schema too."""
    if not isinstance(data, dict) or set(data) != {"schema", "record", "value"}:
        raise MalformedError("expected an object with schema, record and value")
    version = data["schema"]
    if (
        not isinstance(version, int)
        or isinstance(version, bool)
        or not 1 <= version <= SCHEMA_VERSION
    ):
        raise MalformedError(
            f"schema {version!r} is not known to this interlock, which reads 1 to {SCHEMA_VERSION}:"
            " upgrade interlock"
        )
    cls = records().get(data["record"]) if isinstance(data["record"], str) else None
    if cls is None:
        raise MalformedError(f"there is no record called {data['record']!r}")
    return decode(cls, data["value"])


def decode(cls: type[R], data: object) -> R:
    """Return the record that the data describes; raises ``MalformedError``, also for a field that
    is not known.
    """
    try:
        return _record(cls)(data)  # type: ignore[no-any-return]
    except MalformedError as error:
        raise _within(cls.__name__, error) from None


# -- the types a field may have, read from its annotation ------------------------------------------


def records() -> dict[str, type[Record]]:
    """Return every record of the model by its name."""
    from interlock.model import call, decision, effect, facts, limits, policy, radius, rule, usage

    return {
        name: value
        for module in (call, decision, effect, facts, limits, policy, radius, rule, usage)
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, Record)
        and value.__module__ == module.__name__
    }


_known: dict[str, Decoder] = {}
_readers: dict[type[Record], Decoder] = {}


def _within(place: str, error: MalformedError) -> MalformedError:
    """Return the error with a place before its own: a path is put together only where one is."""
    return MalformedError(f"{place}{error}")


def _record(cls: type[Record]) -> Decoder:
    found = _readers.get(cls)
    if found is None:
        types: dict[str, str] = {}
        for base in reversed(cls.__mro__):
            types.update(vars(base).get("__annotations__", {}))
        found = _read_fields(cls, {field: types[field] for field in cls.fields})
        _readers[cls] = found
    return found


def _read_fields(cls: type[Record], types: dict[str, str]) -> Decoder:
    """Return what reads a record. ``plain``: fields whose value is taken as it is, by its type."""
    decoders = {field: _decoder(annotation) for field, annotation in types.items()}
    plain = {field: _PLAIN[name] for field, name in types.items() if name in _PLAIN}

    def read(data: object) -> Record:
        if not isinstance(data, dict):
            raise _make_error("an object", data)
        values = cls.defaults.copy()
        field = ""
        try:
            for field, value in data.items():
                as_it_is = type(value) is plain.get(field)
                values[field] = value if as_it_is else decoders[field](value)
        except MalformedError as error:
            raise _within(f".{field}", error) from None
        except KeyError:
            fields = ", ".join(cls.fields)
            raise MalformedError(
                f": there is no field {field!r}; a {cls.__name__} has {fields}"
            ) from None
        if len(values) != len(types):
            missing = next(field for field in types if field not in values)
            raise MalformedError(f": the field {missing!r} is missing")
        return make(cls, values)

    return read


def _decoder(annotation: str) -> Decoder:
    """Return what reads a field of this type. The few forms in use are parsed."""
    choices = _split(annotation, "|")
    if len(choices) > 1:
        return _union([_later(choice) for choice in choices])
    name, bracket, rest = annotation.strip().partition("[")
    if not bracket:
        return _atom(name)
    arguments = _split(rest.rstrip()[:-1], ",")
    if name == "frozenset":
        return _collection(frozenset, _later(arguments[0]))
    if name == "Mapping":
        return _mapping(_later(arguments[1]))
    if name == "tuple" and arguments[-1] == "...":
        return _collection(tuple, _later(arguments[0]))
    if name == "tuple":
        return _tuple([_later(argument) for argument in arguments])
    raise TypeError(f"no record field may have the type {annotation}")


def _later(annotation: str) -> Decoder:
    """Return a decoder that is built at its first use, since records may hold one another."""
    if annotation in _ATOMS:
        return _ATOMS[annotation]

    def read(data: object) -> Any:
        decoder = _known.get(annotation)
        if decoder is None:
            decoder = _known[annotation] = _decoder(annotation)
        return decoder(data)

    return read


def _split(text: str, separator: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char == "[") - (char == "]")
        if char == separator and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def _atom(name: str) -> Decoder:
    simple = _ATOMS.get(name)
    if simple is not None:
        return simple
    cls = records().get(name)
    if cls is None:
        raise TypeError(f"no record field may have the type {name}")
    return _record(cls)


def _make_error(what: str, data: object) -> MalformedError:
    shown = repr(data)
    return MalformedError(
        f": expected {what}, found {shown if len(shown) <= 60 else shown[:60] + '...'}"
    )


def _union(choices: list[Decoder]) -> Decoder:
    may_be_none = _ATOMS["None"] in choices

    def read(data: object) -> Any:
        if data is None and may_be_none:
            return None
        problem = None
        for choice in choices:
            try:
                return choice(data)
            except MalformedError as error:
                problem = problem or error
        raise problem or _make_error("something", data)

    return read


def _collection(kind: Callable[[list[Any]], Any], item: Decoder) -> Decoder:
    def read(data: object) -> Any:
        if not isinstance(data, list):
            raise _make_error("a list", data)
        try:
            return kind([item(one) for one in data])
        except MalformedError:
            return kind(_list_items([item] * len(data), data))  # which one it was

    return read


def _list_items(members: list[Decoder], data: list[object]) -> list[Any]:
    found = []
    for at, (member, one) in enumerate(zip(members, data, strict=True)):
        try:
            found.append(member(one))
        except MalformedError as error:
            raise _within(f"[{at}]", error) from None
    return found


def _tuple(members: list[Decoder]) -> Decoder:
    def read(data: object) -> tuple[Any, ...]:
        if not isinstance(data, list):
            raise _make_error("a list", data)
        if len(data) != len(members):
            raise _make_error(f"{len(members)} items", data)
        return tuple(_list_items(members, data))

    return read


def _mapping(item: Decoder) -> Decoder:
    def read(data: object) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise _make_error("an object", data)
        return dict(zip(data, _list_values(item, data), strict=True))

    return read


def _list_values(item: Decoder, data: dict[str, object]) -> list[Any]:
    found = []
    for key, one in data.items():
        try:
            found.append(item(one))
        except MalformedError as error:
            raise _within(f".{key}", error) from None
    return found


def _exactly(kind: type, what: str) -> Decoder:
    def read(data: object) -> Any:
        if type(data) is not kind:
            raise _make_error(what, data)
        return data

    return read


def _number(data: object) -> float:
    if type(data) not in (int, float):
        raise _make_error("a number", data)
    return float(data)  # type: ignore[arg-type]


def _kind(data: object) -> Any:
    from interlock.model.effect import KINDS

    if not _kinds:
        _kinds.update({str(kind): kind for kind in KINDS})
    found = _kinds.get(data) if isinstance(data, str) else None
    if found is None:
        raise _make_error("a kind of effect", data)
    return found


_kinds: dict[str, object] = {}


def _name_of(cls: type[_Ordered]) -> Decoder:
    values = {name: cls(rank) for rank, name in enumerate(cls.names)}

    def read(data: object) -> Any:
        found = values.get(data) if isinstance(data, str) else None
        if found is None:
            raise _make_error("one of " + ", ".join(cls.names), data)
        return found

    return read


def _unknown(data: object) -> Unknown:
    if data != {"unknown": True}:
        raise _make_error("unknown", data)
    return UNKNOWN


_PLAIN: dict[str, type] = {"str": str, "int": int, "bool": bool}
_ATOMS: dict[str, Decoder] = {
    "str": _exactly(str, "text"),
    "int": _exactly(int, "a whole number"),
    "bool": _exactly(bool, "true or false"),
    "float": _number,
    "None": _exactly(type(None), "null"),
    "object": lambda data: data,
    "Kind": _kind,
    "Action": _name_of(Action),
    "Verdict": _name_of(Verdict),
    "Unknown": _unknown,
}


def schema() -> dict[str, Any]:
    """Return every record's fields with type and default, and the closed lists of words."""
    from interlock.model import call, effect, radius

    shown: dict[str, Any] = {}
    for name, cls in sorted(records().items()):
        types = vars(cls)["__annotations__"]
        shown[name] = {
            field: {
                "type": types[field],
                **({"default": encode(cls.defaults[field])} if field in cls.defaults else {}),
            }
            for field in cls.fields
        }
    words = {
        "action": Action.names,
        "verdict": Verdict.names,
        "kind": effect.KINDS,
        "location": effect.LOCATIONS,
        "nature": effect.NATURES,
        "host": effect.HOSTS,
        "tool": call.TOOLS,
        "stake": radius.STAKES,
    }
    return {
        "schema": SCHEMA_VERSION,
        "records": shown,
        "words": {name: list(values) for name, values in words.items()},
    }
