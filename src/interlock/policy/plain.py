"""Policies as plain tuples and back, for the compiled cache: what ``marshal`` can hold, and nothing that runs.

A rule that is the built-in one is only its id. Of a record only what is not its default is kept.
"""

from __future__ import annotations

from interlock.model.action import Action
from interlock.model.effect import Kind
from interlock.model.record import Record
from interlock.model.rule import Call, Match, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_HOMES = {
    "Rate": "limits", "TokenBudget": "limits", "CostBudget": "limits", "Concurrency": "limits", "Duration": "limits", "Price": "limits",
    "Limits": "limits", "Approving": "policy", "Named": "policy", "Duty": "policy", "Policy": "policy",
    "Layer": "layer", "Written": "layer", "Tune": "layer", "Exemption": "layer", "Setting": "layer",
}  # fmt: skip
"""Records besides the rule's own, and the module of ``model`` or ``policy`` each lives in."""
_RULES: dict[str, type[Record]] = {"Rule": Rule, "Match": Match, "Call": Call}


def pack(value: Any, built_in: Mapping[str, Rule]) -> Any:
    """Return a value as plain data; raises ``TypeError`` for what no policy holds."""
    if isinstance(value, Action):
        return ("action", int(value))
    if isinstance(value, Kind):
        return ("kind", str(value))
    if value is None or isinstance(value, (str, bool, int, float, bytes)):
        return value
    if isinstance(value, Record):
        return _record(value, built_in)
    if isinstance(value, tuple):
        return ("tuple", *[pack(one, built_in) for one in value])
    if isinstance(value, frozenset):
        return ("set", *sorted([pack(one, built_in) for one in value]))
    if isinstance(value, dict):
        return ("dict", *[(pack(key, built_in), pack(one, built_in)) for key, one in value.items()])
    raise TypeError(f"a {type(value).__name__} is nothing a policy holds")


def _record(record: Record, built_in: Mapping[str, Rule]) -> tuple[Any, ...]:
    if isinstance(record, Rule) and built_in.get(record.id) == record:
        return ("built-in", record.id)
    cls = type(record)
    kept = [(field, getattr(record, field)) for field in cls.fields]
    told = [(field, pack(value, built_in)) for field, value in kept if field not in cls.defaults or value != cls.defaults[field]]
    return ("record", cls.__name__, dict(told))


def unpack(data: Any, built_in: Mapping[str, Rule]) -> Any:
    """Return the value; raises ``ValueError``, ``KeyError`` or ``TypeError`` for what ``pack`` did not write."""
    if not isinstance(data, tuple):
        return data
    what, rest = data[0], data[1:]
    if what == "tuple":
        return tuple([unpack(one, built_in) for one in rest])
    if what == "set":
        return frozenset([unpack(one, built_in) for one in rest])
    if what == "built-in":
        return built_in[rest[0]]
    if what == "record":
        return _class(rest[0])(**{field: unpack(value, built_in) for field, value in rest[1].items()})
    if what == "kind":
        return Kind(rest[0])
    if what == "action":
        return Action(rest[0])
    if what == "dict":
        return {unpack(key, built_in): unpack(value, built_in) for key, value in rest}
    raise ValueError(f"{what!r} is no plain form")


def _class(name: str) -> type[Record]:
    known = _RULES.get(name)
    if known is None:
        home = _HOMES[name]
        module = f"interlock.policy.{home}" if home == "layer" else f"interlock.model.{home}"
        known = _RULES[name] = getattr(__import__(module, None, None, [name]), name)
    return known
