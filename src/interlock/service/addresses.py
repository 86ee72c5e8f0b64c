"""What is an address on the web, for all that this service asks by itself."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit


def split_url(url: str) -> SplitResult:
    """Return the parts of an address; raises ``ValueError`` where nobody could be asked there."""
    where = urlsplit(url)
    if not url.isprintable() or " " in url:
        raise ValueError("it has spaces or control characters")
    if not where.hostname or where.username is not None:
        raise ValueError("it names no host, or names a user")
    where.hostname.encode("idna")
    where.port  # noqa: B018 - looked at, it says whether it is one
    return where
