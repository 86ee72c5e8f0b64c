"""A request as the routes see it: who asks, what for, with what."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.model.record import Record
from interlock.service.store.rows import Machine, Visit


class Asking(Record):
    """``names``: what the path names (``{chain}``); ``words``: its query; ``headers``: by their
    names in small letters; ``at``: the service's clock, UTC.

    ``machine`` or ``visit`` is who asks, where the route is for machines or for people.
    """

    path: str
    names: Mapping[str, str]
    words: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    at: str
    machine: Machine | None = None
    visit: Visit | None = None
