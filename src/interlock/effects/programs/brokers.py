"""Clients of message brokers: what they publish goes to whoever listens there."""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.connecting import to_host
from interlock.effects.programs.sending import file_carries, flow_carries
from interlock.effects.run import Run
from interlock.model.effect import LOCAL, ChangesInfrastructure, Connects, Sends
from interlock.shell.value import NOTHING, Flow, Value


def publish(run: Run, host: Value | None, default: str = "localhost") -> str:
    """Add that whoever listens at a broker elsewhere is told something; return its host."""
    first = (host.text if host is not None else default).partition(",")[0]
    where = first.partition("://")[2] or first
    where = where.rpartition("@")[2].partition(":")[0]
    if hosts.classify(where) != LOCAL:
        run.effect(
            ChangesInfrastructure,
            f"{run.name} {where}",
            "modify",
            value=host,
            detail="published, to whoever listens there",
        )
    return where


def _producer(run: Run) -> Flow:
    """``kafka-console-producer --bootstrap-server HOST --topic T`` publishes its input's lines."""
    host = run.parsed.value("--bootstrap-server", "--broker-list")
    where = publish(run, host)
    traits = frozenset({"post", *flow_carries(run.stdin)})
    to_host(run.context, Sends, where, run.span(host), traits, run.name)
    return NOTHING


def _kcat(run: Run) -> Flow:
    """``kcat -P -b HOST -t TOPIC [-l FILE]`` produces; ``-L``, ``-C`` and ``-Q`` look."""
    host = run.parsed.value("-b")
    where = host.text.partition(",")[0].partition(":")[0] if host is not None else "localhost"
    if not run.has("-P"):
        to_host(run.context, Connects, where, run.span(host), frozenset({"get"}), run.name)
        return Flow(None, frozenset({"network"}))
    publish(run, host)
    traits = {"post", *flow_carries(run.stdin)}
    for value in [*run.parsed.values("-l"), *run.operands]:
        traits |= {"upload", *file_carries(run, value)}
    to_host(run.context, Sends, where, run.span(host), frozenset(traits), run.name)
    return NOTHING
