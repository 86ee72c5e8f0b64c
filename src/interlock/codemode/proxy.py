"""The network's door: names are resolved here, addresses judged here, connections made here. A program gets the connection, never the network.

A host that is allowed by name and leads to an address of this machine, of the local network or of a cloud's metadata service is refused, unless that
very address was allowed: whoever answers for a name could point it anywhere.
"""

from __future__ import annotations

import ipaddress
import socket

SECONDS = 20.0


class NotReached(OSError):
    """The host was not reached; the text says why."""


def dialled(host: str, port: int, allowed: tuple[str, ...]) -> int:
    """Return the descriptor of a TCP connection; raises ``OSError``. That the host is allowed was judged before."""
    reached = connected(host, port, allowed)
    reached.setblocking(True)
    return reached.detach()


def connected(host: str, port: int, allowed: tuple[str, ...]) -> socket.socket:
    """Return a connection to the first address of a host that may be reached; raises ``OSError``."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        raise NotReached(113, f"{host} was not found: {error.strerror}") from error
    named = host.lower() in allowed
    open_ones = [address for *_, address in found if named or is_public(str(address[0]))]
    if not open_ones:
        raise NotReached(13, f"{host} leads to {found[0][4][0]}, an address of this machine or its network; allow that address itself if it is meant")
    last: OSError = NotReached(113, f"{host} was not reached")
    for address in open_ones[:4]:
        try:
            return socket.create_connection((str(address[0]), port), SECONDS)
        except OSError as error:
            last = error
    raise last


def is_public(address: str) -> bool:
    """Tell whether an address is anybody's in the world: not private, local, link-local, multicast or reserved (IANA's special registries)."""
    found = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_global and not found.is_multicast
