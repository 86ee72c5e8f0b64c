"""Connections that a call makes, added as effects on hosts."""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.context import CallContext
from interlock.effects.outgoing_words import in_address
from interlock.model.effect import Connects, Effect, Kind, Span
from interlock.shell.value import HOLE


def to_host(
    context: CallContext,
    kind: Kind,
    host: str,
    span: Span | None = None,
    traits: frozenset[str] = frozenset(),
    by: str = "",
) -> Effect:
    """Add an effect on a host; one that is named as no host is carries data in its name."""
    if hosts.carries_data(host):
        traits |= {"unknown-word"}
    if host.count(".") > 1 and in_address(context, "", host):
        traits |= {"carries-token"}
    return context.add(
        kind,
        host.replace(HOLE, "?"),
        host=hosts.classify(host),
        span=span,
        traits=traits,
        by=by,
    )


def to_url(
    context: CallContext,
    text: str,
    span: Span | None = None,
    traits: frozenset[str] = frozenset(),
    by: str = "",
) -> Effect:
    """Add a connection to the host a URL names."""
    host = hosts.host_of(text)
    if text.startswith(("file:", "FILE:")):
        traits |= {"file-url"}
    if HOLE in host:
        traits |= {"unknown-host"}
    if HOLE in text.partition(host)[2] if host else False:
        traits |= {"unknown-word"}
    if host and in_address(context, text, host):
        traits |= {"carries-token"}
    if host and ("?" in text.partition(host)[2] or "@" in text.partition(host)[0]):
        traits |= {"query"}
    return to_host(context, Connects, host, span, traits, by)
