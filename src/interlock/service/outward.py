"""Connections to others: to no address that only this network knows unless it was listed as one,
and to no other than the one that was looked at.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from urllib.parse import SplitResult, urlsplit


class InsideError(OSError):
    """An address of this network, which was not listed as one."""


def connect_http(
    url: str, *, private: bool, seconds: float, authority: str = ""
) -> http.client.HTTPConnection:
    """Return a connection to where an address leads now; ``authority``: certificates that vouch
    for it, instead of the system's. Raises ``OSError`` and ``ValueError``.
    """
    where = urlsplit(url)
    secure = where.scheme == "https"
    host, port = where.hostname or "", where.port or (443 if secure else 80)
    made = http.client.HTTPConnection(host, port, timeout=seconds)
    made.auto_open = 0  # by itself it would ask for the name once more
    made.sock = connect(host, port, private=private, seconds=seconds)
    if secure:
        made.sock = wrap_tls(made.sock, host, authority)
    return made


def request_target(where: SplitResult) -> str:
    """Return what a request names."""
    return (where.path or "/") + (f"?{where.query}" if where.query else "")


def wrap_tls(sock: socket.socket, host: str, authority: str = "") -> ssl.SSLSocket:
    """Return a connection with TLS over another one, which it takes over; raises ``OSError``."""
    try:
        context = ssl.create_default_context(cadata=authority or None)
        return context.wrap_socket(sock, server_hostname=host)
    except OSError:
        sock.close()
        raise


def connect(host: str, port: int, *, private: bool, seconds: float) -> socket.socket:
    """Return a connection to the first address of a host that answers; raises ``OSError``."""
    found = addresses(host, port, private=private)
    for address in found[:-1]:
        with suppress(OSError):  # the next one may
            return socket.create_connection((address, port), seconds)
    return socket.create_connection((found[-1], port), seconds)


@contextmanager
def limit_time(sock: socket.socket, seconds: float) -> Iterator[None]:
    """End a connection that is not done in time: whoever answers a byte at a time holds up what
    waits behind it.
    """
    limit = Timer(seconds, cut, (sock,))
    limit.daemon = True
    limit.start()
    try:
        yield
    finally:
        limit.cancel()


def cut(sock: socket.socket) -> None:
    """End a connection under whoever waits for it."""
    with suppress(OSError):  # it ended by itself
        socket.socket.shutdown(sock, socket.SHUT_RDWR)


def addresses(host: str, port: int, *, private: bool) -> list[str]:
    """Return where a host is; raises ``InsideError`` where one of that is an address that only
    this network knows, unless that is permitted, and ``OSError`` where it is nowhere.
    """
    found = [str(one[4][0]) for one in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    inside = [one for one in found if not is_public(one)]
    if inside and not private:
        raise InsideError(
            f"{host} is {inside[0]}, an address of this network: --private permits it"
        )
    return found


def is_public(address: str) -> bool:
    """Tell whether an address is one of the whole internet, also where it is wrapped in another."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo or (None, None))[1]
        if inner is None and found in ipaddress.ip_network("64:ff9b::/96"):
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is not None:
            return inner.is_global and found.ipv4_mapped is None
    return found.is_global
