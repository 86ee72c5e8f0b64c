"""Redirections of a command: files, descriptors, and the texts that stand in the script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from interlock.shell.api import ShellWalk
from interlock.shell.execution import DESCRIPTORS, Execution, Redirection
from interlock.shell.expand import single
from interlock.shell.tree import Redirect
from interlock.shell.value import (
    NETWORK,
    NOTHING,
    SOCKETS,
    UNREAD,
    Flow,
    Value,
    text_flow,
)


class RedirectingWalk(ShellWalk, Protocol):
    """Who walks, and knows what can be read at a path."""

    def opened(self, path: str) -> Flow | None:
        """Return what can be read at a path that stands for ``<(..)`` or a descriptor."""


def redirect(walker: RedirectingWalk, nodes: Sequence[Redirect], execution: Execution) -> None:
    """Add to a command what its redirections say, and what stands on its standard input."""
    for node in nodes:
        flow = None
        if node.operator in ("<<", "<<-"):
            target = Value("", node.start, node.end)
            flow = text_flow(single(node.body, walker)) if node.body is not None else NOTHING
        else:
            target = single(node.target, walker)
            if node.operator == "<<<":
                flow = text_flow(target)
                if flow.text is not None:
                    flow = Flow(flow.text + "\n", flow.labels)
            else:
                flow = _descriptor_flow(walker, node, target, execution)
        if flow is not None and (node.fd == "0" or (node.fd == "" and node.operator[0] == "<")):
            execution.stdin = flow
        execution.redirects.append(Redirection(node.fd, node.operator, target, flow))


def _descriptor_flow(
    walker: RedirectingWalk, node: Redirect, target: Value, execution: Execution
) -> Flow | None:
    """Return what can be read from a descriptor that is joined to a file, a socket or another
    descriptor; None where nothing is known.
    """
    if target.text.startswith(SOCKETS):
        return Flow(None, frozenset({NETWORK}), target.text)
    if node.operator == "<&" and target.hollow:
        return UNREAD
    if node.operator in ("<", "<>"):
        return walker.opened(target.text) or Flow(None, frozenset({"file"}), target.text)
    folder, _, number = target.text.rpartition("/")
    if (node.operator in ("<&", ">&") and target.text.rstrip("-").isdigit()) or (
        folder in DESCRIPTORS and node.operator[:1] == ">"
    ):
        number = number.rstrip("-")
        here = [
            redirect.flow
            for redirect in execution.redirects
            if redirect.fd == number and redirect.flow is not None
        ]
        return here[-1] if here else walker.state.descriptors.get(number)
    return None
