"""What machines ask for of the limits that they share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from starlette.responses import Response

from interlock.service.answers import RequestEnd, json_response, problem
from interlock.service.context import ServiceContext
from interlock.service.limits.leases import TooManyLimitsError, end, give, renew
from interlock.service.request import ServiceRequest, bad_request
from interlock.service.store.protocol import ServiceWriter
from interlock.wire.leases import (
    MOST_ENTRIES,
    MOST_TEXT,
    LeaseError,
    plain,
    return_of,
    wish_of,
)

T = TypeVar("T")


def exchange_leases(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Take leases back, have some hold longer, and give new ones: in one step."""
    machine, given = asking.sender, asking.given
    try:
        back, want = _parse(given, "back", return_of), _parse(given, "want", wish_of)
        keep = _parse(given, "keep", _name)
    except LeaseError as error:
        raise bad_request(str(error)) from error

    def work(keeping: ServiceWriter) -> dict[str, object]:
        for one in back:
            end(keeping, machine, one)
        kept = {name: renew(keeping, machine, name) for name in keep}
        leases = [plain(give(keeping, machine, one)) for one in want]
        return {"back": [one.id for one in back], "kept": kept, "leases": leases}

    try:
        return json_response(scene.keeping.write(work))
    except TooManyLimitsError:
        full = problem(429, "full", "too many shared limits are counted here", after=60)
        raise RequestEnd(full) from None


def _parse(given: dict[str, Any], name: str, read: Callable[[object], T]) -> list[T]:
    found = given.get(name, [])
    if not isinstance(found, list) or len(found) > MOST_ENTRIES:
        raise LeaseError(f"`{name}` is a list of {MOST_ENTRIES} at most")
    return [read(one) for one in found]


def _name(given: object) -> str:
    if not isinstance(given, str) or not 0 < len(given) <= MOST_TEXT:
        raise LeaseError("expected the name of a lease")
    return given
