"""Sockets that a program opens, and what it sends and takes over them."""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.python.call import PyCall, idle
from interlock.effects.python.sockets import address_of, reach
from interlock.effects.python.values import UNKNOWN, KnownObject, PyValue, text_of
from interlock.model.effect import (
    Connects,
    Listens,
)
from interlock.shell.value import HOLE, NETWORK


def socket(call: PyCall) -> PyValue:
    """``socket.socket()``."""
    del call
    return PyValue(KnownObject("socket"), frozenset({"socket"}))


def connect_to(call: PyCall) -> PyValue | None:
    """``s.connect((host, port))``."""
    address = call.argument(0, "address")
    reach(call, address)
    if address is None or (address.value is not UNKNOWN and not isinstance(address.value, list)):
        return None
    if idle(address):
        return None
    host, _ = address_of(address)
    traits = [
        "socket",
        *(
            ["scan"]
            if call.method == "connect_ex"
            and call.program.loops
            and hosts.classify(host) != "local"
            else []
        ),
    ]
    effect = call.host(Connects, host, *traits)
    call.program.marks.add("socket")
    call.program.peer = effect.target
    if call.owner is not None and isinstance(call.owner.value, KnownObject):
        call.owner.value.fields["host"] = PyValue(host)
    if call.method != "create_connection":
        return None
    return PyValue(KnownObject("socket", {"host": PyValue(host)}), frozenset({"socket"}))


def maybe_connect(call: PyCall) -> PyValue | None:
    """``x.connect((host, port))`` where nobody knows what x is."""
    address = call.argument(0, "address")
    return (
        connect_to(call)
        if address is not None and isinstance(address.value, list) and len(address.value) == 2
        else None
    )


def bind(call: PyCall) -> PyValue | None:
    """``s.bind((host, port))``."""
    address = call.argument(0, "address", "server_address")
    reach(call, address)
    host, port = address_of(address)
    call.effect(Listens, port, *(["public"] if host in ("", "0.0.0.0", "::") else []))  # noqa: S104 - a name that is looked for
    call.program.marks.add("socket")
    call.program.peer = port
    return None


def receive(call: PyCall) -> PyValue:
    """``s.recv(n)``: anything may come."""
    del call
    return PyValue(HOLE, frozenset({NETWORK, "socket"}), NETWORK)


def accept(call: PyCall) -> PyValue:
    """``s.accept()``: a connection, and who it is with."""
    return PyValue([socket(call), PyValue(UNKNOWN)])


def open_streams(call: PyCall) -> PyValue:
    """``asyncio.open_connection(host, port)``."""
    host = call.argument(0, "host")
    if host is not None and not idle(host):
        effect = call.host(Connects, text_of(host), "socket")
        call.program.marks.add("socket")
        call.program.peer = effect.target
    return PyValue([PyValue(UNKNOWN, frozenset({NETWORK, "socket"}), NETWORK), socket(call)])
