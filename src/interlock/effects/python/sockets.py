"""Addresses of sockets: hosts with their ports, and files."""

from __future__ import annotations

from interlock.effects.python.call import PyCall
from interlock.effects.python.values import PyValue, is_text, text_of
from interlock.shell.value import HOLE


def address_of(thing: PyValue | None) -> tuple[str, str]:
    """Return host and port of ``(host, port)``."""
    if thing is not None and isinstance(thing.value, list) and len(thing.value) >= 2:
        return text_of(thing.value[0]), text_of(thing.value[1])
    return HOLE, ""


def reach(call: PyCall, address: PyValue | None) -> None:
    """A socket that is a file, by its path: ``connect("/run/x.sock")``."""
    if address is not None and is_text(address.value) and "/" in text_of(address):
        from interlock.effects.programs.network import reach_socket  # few programs do

        reach_socket(call.run, call.word(address))
