"""Tenants: organisations apart from each other in one process. Each has a folder with a database,
keys and streams of its own, and a name in front of the service's, by which alone it is reached: so
no question to one can find anything of another, and browsers keep them apart, too.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.routing import Host, Mount

from interlock.service.app import make
from interlock.service.context import ServiceContext

FOLDER, OIDC_FILE = "tenants", "oidc.json"
"""Where tenants are kept; in a tenant's folder: the provider that its people sign in with."""
NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?")
LOCALHOST = "localhost"


class TenantError(Exception):
    """There is no such tenant, and can be none; one sentence says why."""


def folder_of(folder: str, name: str) -> str:
    """Return where a tenant's things are kept, below the service's folder; raises
    ``TenantError``.
    """
    if not NAME.fullmatch(name):
        raise TenantError(
            f"{name!r} is no tenant's name: expected small letters, digits and -, 32 at most"
        )
    return f"{folder}/{FOLDER}/{name}"


def tenants(folder: str) -> list[str]:
    """Return the tenants that there are."""
    try:
        found = os.listdir(f"{folder}/{FOLDER}")
    except FileNotFoundError:
        return []
    return sorted(one for one in found if NAME.fullmatch(one))


def address(url: str, name: str) -> str:
    """Return how a tenant is called where the service is called so; raises ``TenantError``."""
    there = urlsplit(url)
    host = there.hostname or ""
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        pass
    else:
        if not number.is_loopback:
            raise TenantError(
                f"tenants are told apart by names, and {url} is a number: say how the service is"
                " called, --url https://NAME"
            )
        host = LOCALHOST
    return f"{there.scheme}://{name}.{host}" + (f":{there.port}" if there.port else "")


def apart(first: ServiceContext, others: Sequence[ServiceContext]) -> Starlette:
    """Return what answers for all of them: each by its own name, the first by any other."""
    apps = [make(one) for one in (first, *others)]

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        del app
        async with AsyncExitStack() as stack:
            for one in apps:
                await stack.enter_async_context(one.router.lifespan_context(one))
            yield

    named = [
        Host(urlsplit(one.url).hostname or "", app)
        for one, app in zip(others, apps[1:], strict=True)
    ]
    return Starlette(routes=[*named, Mount("", apps[0])], lifespan=life)
