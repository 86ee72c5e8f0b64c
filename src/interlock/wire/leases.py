"""What a machine and its team's service say of limits that machines share, as JSON has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.model.jsontext import whole
from interlock.model.leases import (
    KINDS,
    RATE,
    LeaseAnswer,
    LeaseReturn,
    LeaseWish,
    SharedLimit,
)
from interlock.model.limits import SHARED
from interlock.model.record import Record

MOST_AMOUNT = 10**15
MOST_TEXT = 200
MOST_ENTRIES = 64
"""Leases that are asked for, renewed or given back at once."""


MOST_SECONDS = 10**9
_MOST = {"every": MOST_SECONDS, "hold": MOST_SECONDS}


class LeaseError(ValueError):
    """What came is no word about leases; one sentence says why."""


def plain(one: LeaseReturn | LeaseWish | LeaseAnswer) -> dict[str, Any]:
    """Return it as JSON has it."""
    found = {name: getattr(one, name) for name in type(one).fields}
    if "limit" in found:
        limit: SharedLimit = found.pop("limit")
        found["limit"] = {name: getattr(limit, name) for name in SharedLimit.fields}
    return found


def limit_of(given: object) -> SharedLimit:
    """Return the limit that JSON holds; raises ``LeaseError``."""
    found = SharedLimit(**_fields(SharedLimit, given, ("scope", "kind", "tools")))
    if found.scope not in SHARED or found.kind not in KINDS or not found.most:
        raise LeaseError("that is no limit that machines share")
    each = min(max(1, found.each), 2 * MOST_AMOUNT // found.most) if found.kind == RATE else 0
    return found.replace(each=each)


def return_of(given: object) -> LeaseReturn:
    """Return the end of a lease that JSON holds; raises ``LeaseError``."""
    limit, rest = _split(given)
    return LeaseReturn(limit, **_fields(LeaseReturn, rest, ("id",), LeaseReturn.fields[1:]))


def wish_of(given: object) -> LeaseWish:
    """Return the wish that JSON holds; raises ``LeaseError``."""
    limit, rest = _split(given)
    found = LeaseWish(limit, **_fields(LeaseWish, rest, ("id",), LeaseWish.fields[1:]))
    if not found.amount:
        raise LeaseError("nothing is asked for")
    return found


def answer_of(given: object) -> LeaseAnswer:
    """Return the answer that JSON holds; raises ``LeaseError``."""
    return LeaseAnswer(**_fields(LeaseAnswer, given, ("id",)))


def _split(given: object) -> tuple[SharedLimit, Mapping[str, Any]]:
    if not isinstance(given, dict):
        raise LeaseError("expected an object")
    return limit_of(given.get("limit")), given


def _fields(
    kind: type[Record], given: object, words: tuple[str, ...], names: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return the fields of a record: words that are short, and numbers that are not negative."""
    wanted = names or kind.fields
    found = {name: given.get(name) for name in wanted} if isinstance(given, dict) else {}
    for name in [one for one in found if one not in words]:
        found[name] = whole(found[name])
    right = [
        (type(value) is str and len(value) <= MOST_TEXT)
        if name in words
        else (value is not None and 0 <= value <= _MOST.get(name, MOST_AMOUNT))
        for name, value in found.items()
    ]
    if not found or not all(right) or not all(found[name] for name in words if name == "id"):
        raise LeaseError(f"expected {', '.join(wanted)}: texts and whole numbers")
    return found
