"""Hosts and URLs: which machine a word names, and what kind of machine that is."""

from __future__ import annotations

from interlock.model.effect import LOCAL, METADATA_SERVICE, UNKNOWN_HOST
from interlock.shell.value import HOLE

METADATA = frozenset(
    {
        "169.254.169.254",
        "169.254.170.2",
        "metadata.google.internal",
        "metadata",
        "100.100.100.200",
        "fd00:ec2::254",
        "metadata.azure.com",
        "192.0.0.192",
    }
)
LOCAL_NAMES = frozenset({"localhost", "::1", "0.0.0.0", "host.docker.internal", "localhost.localdomain", "::", "ip6-localhost"})  # noqa: S104 - names, not an address to bind


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
    """Return ``local``, ``metadata-service`` or ``unknown``; which hosts are allowed is the policy's to say."""
    if HOLE in host:
        return UNKNOWN_HOST
    host = host.removeprefix("::ffff:")
    number = _address(host)
    if number is not None:
        host = ".".join([str(number >> shift & 255) for shift in (24, 16, 8, 0)])
    if host in METADATA:
        return METADATA_SERVICE
    if host in LOCAL_NAMES or host.endswith(".localhost") or (number is not None and (number >> 24) == 127):
        return LOCAL
    return UNKNOWN_HOST


def _address(host: str) -> int | None:
    """Read an IPv4 address in any spelling ``inet_aton`` takes: ``127.1``, ``0x7f000001``, ``2130706433``, ``0251.0376.0251.0376``."""
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
    return int(digits, base) if digits and all(char in allowed for char in digits.lower()) and len(digits) < 20 else None
