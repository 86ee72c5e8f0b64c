"""Hosts and URLs: which machine a word names, and what kind of machine that is."""

from __future__ import annotations

from interlock.model.effect import LOCAL, METADATA_SERVICE, UNKNOWN_HOST
from interlock.shell.value import HOLE

METADATA = frozenset(
    (
        "169.254.169.254 169.254.170.2 metadata.google.internal metadata 100.100.100.200"
        " fd00:ec2::254 metadata.azure.com metadata.azure.internal metadata.goog"
        " metadata.tencentyun.com metadata.platformequinix.com metadata.packet.net"
        " instance-data instance-data.ec2.internal rancher-metadata 192.0.0.192"
        " 169.254.170.23 169.254.0.23 169.254.42.42 fd00:ec2::23 fd20:ce::254 168.63.129.16"
    ).split()
)
"""Where a cloud tells a machine of itself and hands out its keys (AWS, ECS, EKS, Google, Azure,
Alibaba, Oracle, Tencent, Scaleway, Equinix).
"""

WILDCARD_NAMES = (".nip.io", ".sslip.io", ".xip.io", ".traefik.me", ".1u.ms", ".rbndr.us")
"""Name services that answer with the address written in the name (``10.0.0.1.nip.io``,
``app.10-0-0-1.sslip.io``).
"""

LOCAL_NAMES = frozenset(
    {
        "localhost",
        "::1",
        "0.0.0.0",  # noqa: S104 - names, not an address to bind
        "host.docker.internal",
        "localhost.localdomain",
        "::",
        "ip6-localhost",
    }
)


def host_of(url: str) -> str:
    """Return the host a URL or ``user@host:path`` names, in lower case, or ``""``."""
    text = url.strip()
    _, slashes, rest = text.partition("://")
    if not slashes:
        rest = text.removeprefix("//")
    rest = rest.replace("\\", "/")
    authority = rest.split("/", 1)[0].split("?", 1)[0].split("#", 1)[0]
    authority = authority.rpartition("@")[2]
    if authority.startswith("["):
        return authority[1:].partition("]")[0].lower()
    if authority.count(":") > 1:
        return authority.lower()
    return authority.partition(":")[0].rstrip(".").lower()


def classify(host: str) -> str:
    """Return ``local``, ``metadata-service`` or ``unknown``; the policy says which are allowed."""
    if HOLE in host:
        return UNKNOWN_HOST
    host = _unwrap_ipv6(host)
    if host.endswith(WILDCARD_NAMES):
        return (
            METADATA_SERVICE
            if classify(_address_in_name(host)) == METADATA_SERVICE
            else UNKNOWN_HOST
        )
    number = _address(host)
    if number is not None:
        host = ".".join([str(number >> shift & 255) for shift in (24, 16, 8, 0)])
    if host in METADATA:
        return METADATA_SERVICE
    if (
        host in LOCAL_NAMES
        or host.endswith(".localhost")
        or (number is not None and (number >> 24) == 127)
    ):
        return LOCAL
    return UNKNOWN_HOST


def _unwrap_ipv6(host: str) -> str:
    """Return the IPv4 address inside an IPv6 one (``::ffff:1.2.3.4``, ``::ffff:a9fe:a9fe``), or the
    address in its short form.
    """
    if ":" not in host:
        return host
    host = host.partition("%")[0]
    groups = host.lower().split(":")
    if "ffff" in groups and all(group.strip("0") == "" for group in groups[: groups.index("ffff")]):
        rest = groups[groups.index("ffff") + 1 :]
        if len(rest) == 1 and "." in rest[0]:
            return rest[0]
        if len(rest) == 2 and all(group and not group.strip("0123456789abcdef") for group in rest):
            return str((int(rest[0], 16) << 16) + int(rest[1], 16))
    if all(group.strip("0") == "" for group in groups[:-1]) and groups[-1].lstrip("0") == "1":
        return "::1"
    short = ":".join([group.lstrip("0") for group in groups])
    while ":::" in short:
        short = short.replace(":::", "::")
    return short


def _address_in_name(host: str) -> str:
    """Return the address that stands in a name of a wildcard name service: its last four numbers,
    with dots or dashes.
    """
    ending = next(end for end in WILDCARD_NAMES if host.endswith(end))
    words = host[: -len(ending)].replace("-", ".").split(".")
    return ".".join(words[-4:]) if len(words) > 3 else words[-1]


ODD = frozenset("=+,;!*'\"()%&$ \t<>{}|\\^`~")
"""Characters that no name of a host has: a name with one of them is made to carry something."""


def carries_data(host: str) -> bool:
    """Whether a host is not named as hosts are: data may be in the name
    (``dGVzdA==.evil.test``).
    """
    return not ODD.isdisjoint(host) and ":" not in host


def _address(host: str) -> int | None:
    """Read an IPv4 address in any spelling ``inet_aton`` takes: ``127.1``, ``0x7f000001``,
    ``2130706433``, ``0251.0376.0251.0376``.
    """
    parts = host.split(".")
    if not 1 <= len(parts) <= 4:
        return None
    numbers = []
    for part in parts:
        number = _number(part)
        if number is None:
            return None
        numbers.append(number)
    *heads, last = numbers
    if any(head > 255 for head in heads) or last >= 256 ** (5 - len(numbers)):
        return None
    total = last
    for index, head in enumerate(heads):
        total += head << (24 - 8 * index)
    return total


def _number(text: str) -> int | None:
    digits, base = text, 10
    if text[:2].lower() == "0x":
        digits, base = text[2:], 16
    elif text[:1] == "0" and len(text) > 1:
        digits, base = text[1:], 8
    allowed = "0123456789abcdef"[:base]
    return (
        int(digits, base)
        if digits and all(char in allowed for char in digits.lower()) and len(digits) < 20
        else None
    )
