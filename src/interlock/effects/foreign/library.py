"""Every word that a row may use, and doing what a row says."""

from __future__ import annotations

from interlock.effects.foreign.actions import ACTIONS as BASIC
from interlock.effects.foreign.exchange import Action
from interlock.effects.foreign.handles import HANDLES
from interlock.effects.foreign.objects import OBJECTS
from interlock.effects.python.call import PyCall
from interlock.effects.python.calls import perform_call
from interlock.effects.python.values import UNKNOWN, PyValue
from interlock.effects.rows import PATH_ROLES

ACTIONS: dict[str, Action] = {**BASIC, **HANDLES, **OBJECTS}


def perform(call: PyCall, row: str) -> PyValue | None:
    """Do what a row says; return what the call gives."""
    result: PyValue | None = None
    for word in row.split():
        role, _, places = word.partition("=")
        if not role:
            return perform_call(call.program, places, call.arguments, call.keywords, call.node)
        role, _, traits = role.partition(":")
        things = _pick_arguments(call, places)
        if role in PATH_ROLES:
            kind, more = PATH_ROLES[role]
            for thing in things:
                call.path(kind, thing, *more, *[trait for trait in traits.split(",") if trait])
            continue
        made = ACTIONS[role](call, things, traits.split(",") if traits else [])
        result = made if made is not None else result
    return result


def _pick_arguments(call: PyCall, places: str) -> list[PyValue]:
    """Return the arguments a row speaks of."""
    if places in ("", "*"):
        return list(call.arguments)
    out = []
    for place in places.split(","):
        thing = (
            call.owner
            if place == "self"
            else call.argument(int(place))
            if place.isdigit()
            else call.keywords.get(place)
        )
        if thing is not None:
            out.append(thing)
        elif place != places.rpartition(",")[2]:
            out.append(PyValue(UNKNOWN))
    return out


_METHODS = frozenset({"post", "put", "patch", "delete"})


def request(calls: dict[str, str], name: str) -> str | None:
    """Return the row of a method of HTTP that nobody listed, of what has one for ``GET``: who can
    get can delete (``HTTParty.delete``, ``<agent>.patch``).
    """
    owner, _, method = name.rpartition(".")
    verb = method.rstrip("!").lower()
    like = calls.get(f"{owner}.get") or calls.get(f"{owner}.GET", "")  # R's are in capitals
    if verb not in _METHODS or not like.startswith("get=0"):
        return None
    return f"get:{verb}=0,1"


def row_of(calls: dict[str, str], name: str) -> str | None:
    """Return what a function of this full name does; of one that nobody listed what one of its
    class does, of that name in any class, or of something nobody knows.
    """
    found = calls.get(name) or request(calls, name)
    if found is None and "/" in name[1:]:
        found = calls.get(name.rpartition("/")[2])  # Clojure's ``s/sh``, by what ``s`` stands for
    if found is not None or "." not in name:
        return found
    head, _, last = name.rpartition(".")
    return (
        _of_made(calls, head, last)
        or calls.get(f"{head.rpartition('.')[2]}.{last}")
        or calls.get(f"?.{last}")
    )


def _of_made(calls: dict[str, str], made: str, method: str) -> str | None:
    """Return what a method does of an object that is made on the way: ``(new Client)->get(..)``."""
    kind = calls.get(made, "").partition("=")[0]
    if not kind.startswith("item:"):
        return None
    name = f"<{kind[5:]}>.{method}"
    return calls.get(name) or request(calls, name)
