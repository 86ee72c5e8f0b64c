"""``/healthz``, ``/readyz`` and ``/metrics``."""

from __future__ import annotations

from starlette.responses import Response

from interlock.service.answers import json_response
from interlock.service.context import ServiceContext
from interlock.service.limits.overview import list_shared
from interlock.service.metrics import KIND
from interlock.service.request import ServiceRequest
from interlock.service.store.protocol import ServiceReader, ServiceWriter
from interlock.service.store.rows import CALLER

MOST = 10_000


def is_alive(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Say that the process answers; nothing else is looked at, so nothing else has it restarted."""
    del scene, asking
    return json_response({"status": "alive"})


def is_ready(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Say that it can read its database and write to it: whoever is sent here is served."""
    del asking
    scene.keeping.read(lambda known: known.setting("service"))
    scene.keeping.write(_write_nothing)
    return json_response({"status": "ready"})


def _write_nothing(keeping: ServiceWriter) -> None:
    keeping.setting("service")


def show_metrics(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Show what was counted since it started, and how things stand, for Prometheus."""
    del asking
    states = scene.keeping.read(_states)
    scene.metrics.set_exports(scene.keeping.read(_exports))
    states["interlock_streams"] = len(scene.bell.list_machines())
    states["interlock_decisions_queued"] = scene.group.waiting
    return Response(scene.metrics.render(states), media_type=KIND)


def _states(known: ServiceReader) -> dict[str, float]:
    live = [one for one in known.machines() if not one.retired]
    shared = list_shared(known)
    callers = sum(one.platform == CALLER for one in live)
    return {
        "interlock_machines": len(live) - callers,
        "interlock_callers": callers,
        "interlock_requests_waiting": len(known.requests(opened=True, most=MOST)),
        "interlock_leases": sum(one.leases for one in shared),
        "interlock_limits_near_end": sum(one.near for one in shared),
        "interlock_stops_standing": len(known.stops(0, standing=True)),
    }


def _exports(known: ServiceReader) -> dict[tuple[str, str], tuple[float, ...]]:
    return {
        (one.destination.id, one.destination.kind): (one.cursor.sent, one.behind, one.cursor.tries)
        for one in known.exports()
    }
