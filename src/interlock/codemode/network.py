"""The network's door: names are resolved here, addresses judged here, connections made here. A
program gets the connection, never the network.

A host that is allowed by name and leads to an address of this machine, of the local network or of a
cloud's metadata service is refused, unless that very address was allowed: whoever answers for a
name could point it anywhere.
"""

from __future__ import annotations

import ipaddress
import socket

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

SECONDS = 20.0
LOCALHOST = "localhost"
"""The one name that means an address of this machine, whoever answers for it."""
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
"""Addresses that a translator takes for those of IPv4 in their last bytes (RFC 6052)."""


class HostUnreachableError(OSError):
    """The host was not reached; the text says why."""


def dial(host: str, port: int, allowed: tuple[str, ...]) -> int:
    """Return the descriptor of a TCP connection; raises ``OSError``; the host was judged before."""
    reached = connect_host(host, port, allowed)
    reached.setblocking(True)
    return reached.detach()


def connect_host(host: str, port: int, allowed: tuple[str, ...]) -> socket.socket:
    """Return a connection to a host's first address that may be reached; raises ``OSError``."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError, OverflowError) as error:
        raise HostUnreachableError(
            113, f"{host} was not found: {error.args[-1] if error.args else error}"
        ) from error
    open_ones = [
        str(address[0]) for *_, address in found if may_be_reached(host, str(address[0]), allowed)
    ]
    if not open_ones:
        raise HostUnreachableError(
            13,
            f"{host} leads to {found[0][4][0]}, an address of this machine or its network; allow"
            " that address itself if it is meant",
        )
    last: OSError = HostUnreachableError(113, f"{host} was not reached")
    for address in open_ones[:4]:
        try:
            return socket.create_connection((address, port), SECONDS)
        except OSError as error:
            last = error
    raise last


def may_be_reached(host: str, address: str, allowed: tuple[str, ...]) -> bool:
    """Tell whether an address that a host leads to may be connected to: it is public, it was itself
    allowed, or it is what ``localhost`` means.
    """
    if is_public(address) or address in allowed:
        return True
    return (
        LOCALHOST in allowed
        and host.lower() == LOCALHOST
        and ipaddress.ip_address(address).is_loopback
    )


def is_public(address: str) -> bool:
    """Tell whether an address is anybody's in the world: not private, local, link-local, multicast
    or reserved (IANA's special registries).
    """
    found = _unwrap_ipv4(ipaddress.ip_address(address.partition("%")[0]))
    return found.is_global and not found.is_multicast


def _unwrap_ipv4(address: Address) -> Address:
    """Return the address of IPv4 that one of IPv6 stands for: mapped, translated, or tunnelled (RFC
    4291, 6052, 3056).
    """
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(address.packed[-4:])
    return address.ipv4_mapped or address.sixtofour or address
