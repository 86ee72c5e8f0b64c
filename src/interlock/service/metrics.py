"""What a service counts, in the words of Prometheus. Labels are names of routes, verdicts and the
like: never what somebody sent.
"""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import generate_latest

from interlock.model.release import __version__

KIND = "text/plain; version=1.0.0; charset=utf-8"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SIZES = (1, 2, 4, 8, 16, 32, 64)
STATES = {
    "interlock_machines": "machines and runners that are enrolled",
    "interlock_streams": "machines that listen now",
    "interlock_callers": "programs that have asked for decisions",
    "interlock_requests_waiting": "calls that wait for a person",
    "interlock_stops_standing": "stops that were not resumed",
    "interlock_leases": "parts of shared limits that machines have now",
    "interlock_limits_near_end": "shared limits of which no more than a tenth is left",
    "interlock_decisions_queued": "steps that wait for their turn and their record",
}
"""What stands at the moment of a look, by name."""

EXPORTS = {
    "interlock_export_sent": "events that a destination of the record has taken",
    "interlock_export_behind": "events that it does not have yet, 100000 for that many or more",
    "interlock_export_tries": "times that it did not take what is sent now",
}
"""How exports stand, each with its destination and kind."""


class ServiceMetrics:
    """The counts of one tenant; safe for threads."""

    def __init__(self) -> None:
        own = self._registry = CollectorRegistry()
        self._requests = Counter(
            "interlock_requests", "requests that were answered", ["method", "route", "status"],
            registry=own,
        )  # fmt: skip
        self._seconds = Histogram(
            "interlock_request_seconds", "from a request to its answer", ["route"],
            buckets=SECONDS, registry=own,
        )  # fmt: skip
        self._decisions = Counter(
            "interlock_decisions", "decisions over HTTP", ["verdict"], registry=own
        )
        self._group = Histogram(
            "interlock_group_size", "steps of one transaction", buckets=SIZES, registry=own
        )
        self._events = Counter("interlock_events", "events of machines, once each", registry=own)
        self._failures = Counter(
            "interlock_failures", "times that something kept it from its work", registry=own
        )
        self._states = {name: Gauge(name, said, registry=own) for name, said in STATES.items()}
        self._exports = {
            name: Gauge(name, said, ["destination", "kind"], registry=own)
            for name, said in EXPORTS.items()
        }
        build = Gauge("interlock_build", "the version that runs", ["version"], registry=own)
        build.labels(__version__).set(1)

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def count_decision(self, verdict: str) -> None:
        """Count a decision that was recorded."""
        self._decisions.labels(verdict).inc()

    def count_group(self, size: int) -> None:
        """Count what was recorded together."""
        self._group.observe(size)

    def count_events(self, new: int) -> None:
        """Count events that were taken in."""
        self._events.inc(new)

    def count_failure(self) -> None:
        """Count what kept the service from its work."""
        self._failures.inc()

    def set_exports(self, found: Mapping[tuple[str, str], tuple[float, ...]]) -> None:
        """Note how exports stand: by destination and kind, in the order of ``EXPORTS``."""
        for gauge in self._exports.values():
            gauge.clear()
        for labels, values in found.items():
            for gauge, value in zip(self._exports.values(), values, strict=True):
                gauge.labels(*labels).set(value)

    def render(self, states: Mapping[str, float]) -> bytes:
        """Return all counts as text; ``states``: how things stand, by the names of ``STATES``."""
        for name, value in states.items():
            self._states[name].set(value)
        return generate_latest(self._registry)
