"""A request as the routes see it: who asks, what for, with what."""

from __future__ import annotations

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl

from interlock.model.jsontext import JsonError, loads, whole
from interlock.model.record import Record
from interlock.service.answers import RequestEnd, problem
from interlock.service.store.rows import Machine
from interlock.service.viewer import Viewer


class ServiceRequest(Record):
    """``names``: what the path names (``{chain}``); ``words``: its query; ``headers``: by their
    names in small letters; ``at``: the service's clock, UTC.

    ``machine`` or ``viewer`` is who asks, where the route is for machines or for people; whoever
    it is holds the route's permission.
    """

    path: str
    names: Mapping[str, str]
    words: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    at: str
    machine: Machine | None = None
    viewer: Viewer | None = None

    @property
    def name(self) -> str:
        """What whoever asks is called where that is written down: an id, or a person's name."""
        if self.machine is not None:
            return self.machine.id
        if self.viewer is None:
            return ""
        return self.viewer.token.id if self.viewer.token is not None else self.viewer.person.name

    @property
    def who(self) -> Viewer:
        """The person who asks, where the route is for people."""
        if self.viewer is None:
            raise LookupError(f"{self.path} is no route for people")
        return self.viewer

    @property
    def sender(self) -> Machine:
        """The machine that asks; raises ``RequestEnd``."""
        if self.machine is None:
            raise RequestEnd(
                problem(401, "credential", "this is no machine's credential (any more)")
            )
        return self.machine

    @property
    def given(self) -> dict[str, Any]:
        """The object that was sent; raises ``RequestEnd``."""
        try:
            found = loads(self.body)
        except JsonError as error:
            raise bad_request(str(error)) from error
        if not isinstance(found, dict):
            raise bad_request("expected an object")
        return found

    @property
    def form(self) -> Mapping[str, str]:
        """What a form says; the last of several fields of one name counts."""
        return dict(parse_qsl(self.body.decode("utf-8", "replace"), keep_blank_values=True))

    @property
    def cookies(self) -> Mapping[str, str]:
        """What the browser remembers."""
        found = SimpleCookie()
        try:
            found.load(self.headers.get("cookie", ""))
        except CookieError:
            return {}
        return {name: one.value for name, one in found.items()}


MOST_NUMBER = 2**53 - 1


def number(
    given: Mapping[str, object],
    name: str,
    usual: int = 1,
    *,
    least: int = 1,
    most: int = MOST_NUMBER,
) -> int:
    """Return a whole number of what was sent; raises ``RequestEnd``."""
    found = whole(given.get(name, usual))
    if found is None or not least <= found <= most:
        raise bad_request(f"`{name}` is a number from {least} to {most}")
    return found


def texts(given: Mapping[str, object], *names: str) -> list[str]:
    """Return texts of what was sent, empty where they are left out; raises ``RequestEnd``."""
    found = [given.get(name, "") for name in names]
    if not all(isinstance(one, str) for one in found):
        raise bad_request(f"expected texts: {', '.join(names)}")
    return [str(one) for one in found]


def bad_request(why: str) -> RequestEnd:
    """Return how a request ends that nobody can read."""
    return RequestEnd(problem(400, "malformed", f"the request cannot be read: {why}"))
