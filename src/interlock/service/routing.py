"""A row of the table of routes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from starlette.responses import Response

from interlock.model.record import Record
from interlock.service.context import ServiceContext
from interlock.service.json_shape import Shape
from interlock.service.request import ServiceRequest
from interlock.service.roles import PERMISSIONS, Permission

API = ("/v1/", "/access/v1/", "/.well-known/", "/healthz", "/readyz", "/metrics")
"""How the paths of routes for programs begin."""
SMALL, CHECKS = 16 << 10, 128 << 10
Answer = Callable[[ServiceContext, ServiceRequest], Response | Awaitable[Response]]
NONE: Mapping[str, Shape] = {}


def is_api(path: str) -> bool:
    """Tell whether a path is for programs."""
    return path.startswith(API)


class Row(Record):
    """One route. ``may``: the name of the permission that it takes; ``most``: bytes that it takes.

    Of a route for programs also what it takes (``body``, in the words of ``takes``; ``query``,
    ``headers``) and what it gives (``says``: in which words), with which status;
    a stream of events has no shape.
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
    says: str = "application/json"

    @property
    def permission(self) -> Permission:
        """The permission that it takes."""
        return PERMISSIONS[self.may]
