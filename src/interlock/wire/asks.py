"""A call that waits for people: what a machine says of it, and the service's signed yes.

The yes names the very request, its digest (keyed by the machine, so that only the machine knows
what it stands for), on what terms people answered, and who may use it: one store of one machine,
since one start of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.model.jsontext import whole
from interlock.model.record import Record
from interlock.wire.signed import encode_signed

MOST_TEXT, MOST_ROLES, MOST_QUORUM = 500, 20, 50
LONGEST_SECONDS = 30 * 86400
NUMBERS = (
    ("quorum", 1, MOST_QUORUM),
    ("seconds", 1, LONGEST_SECONDS),
    ("left", 0, LONGEST_SECONDS),
)
"""Numbers of a request: the least, the most."""


class WireRequestError(ValueError):
    """What came is none of these; one sentence says why."""


class WireRequest(Record):
    """A request. ``left``: seconds until it expires, ``seconds``: how long a yes counts after it
    was given; ``shown``: an ``approvals.summary.Asked`` as plain data, free of secrets. ``fleet``:
    what the call is on every machine, empty where the yes counts on this one alone.
    """

    id: str
    digest: str
    decision: str
    session: str
    project: str
    requester: str
    agent: str
    roles: tuple[str, ...]
    quorum: int
    second_person: bool
    seconds: int
    left: int
    shown: Mapping[str, Any]
    fleet: str = ""


class WireGrant(Record):
    """The yes. ``by``: who gave it; ``holder``: what a machine draws of itself, which a copy of its
    folder does not share; ``expires``: UTC.
    """

    request: str
    digest: str
    roles: str
    quorum: int
    second_person: int
    by: str
    chain: str
    holder: str
    expires: str
    signature: str = ""


def ask_of(given: object) -> WireRequest:
    """Return the request that JSON holds; raises ``WireRequestError``."""
    if not isinstance(given, dict):
        raise WireRequestError("expected an object")
    found: dict[str, Any] = {name: given.get(name) for name in WireRequest.fields}
    roles = found["roles"]
    found["fleet"] = given.get("fleet", "")  # whoever knows of none leaves it out
    texts = [*(found[name] for name in WireRequest.fields[:7]), found["fleet"]]
    if not isinstance(roles, list) or len(roles) > MOST_ROLES:
        raise WireRequestError("`roles` is a list of names")
    if not all(type(one) is str and len(one) <= MOST_TEXT for one in (*texts, *roles)):
        raise WireRequestError(f"expected texts of at most {MOST_TEXT} characters")
    if not found["id"] or not found["digest"]:
        raise WireRequestError("a request has an id and a digest")
    for name, least, most in NUMBERS:
        found[name] = _number(found[name], name, least, most)
    if type(found["second_person"]) is not bool or not isinstance(found["shown"], dict):
        raise WireRequestError("expected `second_person` and what is `shown`")
    return WireRequest(**{**found, "roles": tuple(roles)})


def grant_of(given: object) -> WireGrant:
    """Return the yes that JSON holds; raises ``WireRequestError``."""
    found: dict[str, Any] = {}
    if isinstance(given, dict):
        found = {name: given.get(name) for name in WireGrant.fields}
    numbers = ("quorum", "second_person")
    if not found or not all(
        type(value) is (int if name in numbers else str) for name, value in found.items()
    ):
        raise WireRequestError("that is no yes of a service")
    return WireGrant(**found)


def plain(what: WireRequest | WireGrant) -> dict[str, Any]:
    """Return it as JSON has it."""
    found = {name: getattr(what, name) for name in type(what).fields}
    return {**found, "roles": list(what.roles)} if isinstance(what, WireRequest) else found


def bytes_to_sign(grant: WireGrant) -> bytes:
    """Return what is signed."""
    return encode_signed("approval", grant)


def roles_of(roles: tuple[str, ...]) -> str:
    """Return the roles of a request as a yes names them."""
    return ", ".join(sorted(roles))


def _number(value: object, name: str, least: int, most: int) -> int:
    number = whole(value)
    if number is None or not least <= number <= most:
        raise WireRequestError(f"`{name}` is a number from {least} to {most}")
    return number
