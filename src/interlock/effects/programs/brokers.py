"""Clients of message brokers: what they publish goes to whoever listens there."""

from __future__ import annotations

from interlock.effects.connecting import to_host
from interlock.effects.programs.sending import carried, file_carries
from interlock.effects.run import Run
from interlock.model.effect import Connects, Sends
from interlock.shell.value import NOTHING, Flow


def _kcat(run: Run) -> Flow:
    """``kcat -P -b HOST -t TOPIC [-l FILE]`` produces; ``-L``, ``-C`` and ``-Q`` look."""
    host = run.parsed.value("-b")
    where = host.text.partition(",")[0].partition(":")[0] if host is not None else "localhost"
    if not run.has("-P"):
        to_host(run.context, Connects, where, run.span(host), frozenset({"get"}), run.name)
        return Flow(None, frozenset({"network"}))
    traits = {"post", *carried(run.stdin)}
    for value in [*run.parsed.values("-l"), *run.operands]:
        traits |= {"upload", *file_carries(run, value)}
    to_host(run.context, Sends, where, run.span(host), frozenset(traits), run.name)
    return NOTHING
