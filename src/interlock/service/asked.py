"""A request as the routes see it: who asks, what for, with what."""

from __future__ import annotations

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl

from interlock.model.record import Record
from interlock.service.store.rows import Machine
from interlock.service.viewer import Viewer


class Asking(Record):
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
    def who(self) -> Viewer:
        """The person who asks, where the route is for people."""
        if self.viewer is None:
            raise LookupError(f"{self.path} is no route for people")
        return self.viewer

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
