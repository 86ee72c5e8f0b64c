"""Policies as plain data and back, for the compiled cache: what ``marshal`` can hold, and nothing
that runs.

Texts, numbers, and tuples and sets of such, stand for themselves; a list begins with what it stands
for. A rule that is the built-in one is only its id. Of a record only what is not its default is
kept. Kinds of effects come back as texts, which they are equal to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.model.action import Action
from interlock.model.record import Record
from interlock.model.rule import Call, Match, Rule

_HOMES = {
    "Rate": "limits", "TokenBudget": "limits", "CostBudget": "limits", "Concurrency": "limits",
    "Duration": "limits", "Price": "limits",
    "Limits": "limits", "Approving": "policy", "Named": "policy", "Duty": "policy",
    "Reviewing": "policy", "Policy": "policy",
    "Layer": "layer", "Written": "layer", "Tune": "layer", "Exemption": "layer", "Setting": "layer",
}  # fmt: skip
"""Records besides the rule's own, and the module of ``model`` or ``policy`` each lives in."""
_KNOWN: dict[str, type[Record]] = {"Rule": Rule, "Match": Match, "Call": Call}
_ACTIONS = tuple([Action(rank) for rank in range(len(Action.names))])


def pack(value: Any, built_in: Mapping[str, Rule]) -> Any:
    """Return a value as plain data; raises ``TypeError`` for what no policy holds."""
    if isinstance(value, Action):
        return ["action", int(value)]
    if value is None or type(value) in (str, bool, int, float, bytes):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Record):
        return _record(value, built_in)
    if isinstance(value, dict):
        return ["dict", *[(key, pack(one, built_in)) for key, one in value.items()]]
    if not isinstance(value, (tuple, frozenset)):
        raise TypeError(f"a {type(value).__name__} is nothing a policy holds")
    parts = [pack(one, built_in) for one in value]
    if any(type(part) is list or (type(part) is tuple and _holds_list(part)) for part in parts):
        return ["set" if isinstance(value, frozenset) else "tuple", *parts]
    return type(value)(parts)


def _holds_list(parts: tuple[Any, ...]) -> bool:
    return any(type(part) is list or (type(part) is tuple and _holds_list(part)) for part in parts)


def _record(record: Record, built_in: Mapping[str, Rule]) -> list[Any]:
    if isinstance(record, Rule) and built_in.get(record.id) == record:
        return ["built-in", record.id]
    cls = type(record)
    kept = [(field, getattr(record, field)) for field in cls.fields]
    return [
        cls.__name__,
        {
            field: pack(value, built_in)
            for field, value in kept
            if field not in cls.defaults or value != cls.defaults[field]
        },
    ]


def unpack(data: Any, built_in: Mapping[str, Rule]) -> Any:
    """Return the value; raises ``ValueError``, ``KeyError`` or ``TypeError`` for what ``pack`` did
    not write.
    """
    if type(data) is not list:
        return data
    what = data[0]
    if what == "action":
        return _ACTIONS[data[1]]
    if what == "built-in":
        return built_in[data[1]]
    if what == "tuple":
        return tuple([unpack(one, built_in) for one in data[1:]])
    if what == "set":
        return frozenset([unpack(one, built_in) for one in data[1:]])
    if what == "dict":
        return {key: unpack(one, built_in) for key, one in data[1:]}
    fields = data[1]
    for field, value in fields.items():
        if type(value) is list:
            fields[field] = unpack(value, built_in)
    return (_KNOWN.get(what) or _class(what))(**fields)


def _class(name: str) -> type[Record]:
    home = _HOMES[name]
    module = f"interlock.policy.{home}" if home == "layer" else f"interlock.model.{home}"
    known: type[Record] = getattr(__import__(module, None, None, [name]), name)
    _KNOWN[name] = known
    return known
