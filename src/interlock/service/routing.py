"""A row of the table of routes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from starlette.responses import Response

from interlock.model.record import Record
from interlock.service.context import ServiceContext
from interlock.service.request import ServiceRequest
from interlock.service.roles import PERMISSIONS, Permission
from interlock.service.shapes import Shape

API = "/v1/"
"""Where routes for programs begin."""
SMALL, CHECKS = 16 << 10, 128 << 10
Answer = Callable[[ServiceContext, ServiceRequest], Response]
NONE: Mapping[str, Shape] = {}


class Row(Record):
    """One route. ``may``: the name of the permission that it takes; ``most``: bytes that it takes.

    Of a route for programs also what it takes (``body``, in the words of ``takes``; ``query``,
    ``headers``) and what it gives, with which status; a stream of events has no shape.
    """

    method: str
    path: str
    may: str
    answer: Answer
    most: int = SMALL
    body: Shape | None = None
    gives: Shape | None = None
    status: int = 200
    query: Mapping[str, Shape] = NONE
    headers: Mapping[str, Shape] = NONE
    takes: str = "application/json"

    @property
    def permission(self) -> Permission:
        """The permission that it takes."""
        return PERMISSIONS[self.may]
