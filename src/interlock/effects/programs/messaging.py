"""Programs that talk to a socket of the web, or publish to a broker."""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.connecting import to_host
from interlock.effects.programs.brokers import publish
from interlock.effects.programs.netweb import connect, part
from interlock.effects.programs.requests import calls, orders_loss
from interlock.effects.programs.sending import (
    NETWORK_FLOW,
    file_carries,
    flow_carries,
    send,
    word_carries,
)
from interlock.effects.run import Run
from interlock.model.effect import LOCAL, ChangesInfrastructure, Connects, Sends
from interlock.shell.value import NOTHING, Flow


def _socket_tool(run: Run) -> Flow:
    """websocat, wscat, grpcurl: a URL; ``cmd:`` and ``exec:`` of websocat run programs."""
    host = ""
    for value in [*run.parsed.values("-c", "--connect"), *run.operands]:
        scheme, _, rest = value.text.partition(":")
        if scheme in ("cmd", "sh-c", "exec"):
            run.effect(Connects, "", "socket", "shell", value=value, host="unknown")
            run.code(part(value, rest))
        elif "://" in value.text or ":" in value.text:
            host = connect(run, value, "get")
    if run.stdin is not None and run.stdin.text != "":
        send(run, host, {"post", *flow_carries(run.stdin)})
    calls(run, host)
    if hosts.classify(host) != LOCAL and orders_loss(run, host):
        run.effect(ChangesInfrastructure, f"{run.name} {host}", "delete")
    for value in run.parsed.values("-d", "-x", "--execute"):
        send(run, host, {"post", *word_carries(run, value)}, value)
    return NETWORK_FLOW


def _publish_message(run: Run) -> Flow:
    """``mosquitto_pub -h HOST -m TEXT | -f FILE``."""
    host = run.parsed.value("-h", "--host")
    publish(run, host, "localhost")
    traits = {"post"}
    for value in run.parsed.values("-m", "--message"):
        traits |= word_carries(run, value)
    for value in run.parsed.values("-f", "--file"):
        traits |= file_carries(run, value)
    to_host(
        run.context,
        Sends,
        host.text if host is not None else "localhost",
        run.span(host),
        frozenset(traits),
        run.name,
    )
    return NOTHING
