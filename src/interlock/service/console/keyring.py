"""The passkeys of the site that a page was asked from."""

from __future__ import annotations

from interlock.service.context import ServiceContext
from interlock.service.people.passkeys import Passkeys, Site
from interlock.service.request import ServiceRequest


def site(scene: ServiceContext, asking: ServiceRequest) -> Site:
    """Return by which of its names the service was called."""
    return Site(f"{'https' if scene.secure else 'http'}://{asking.headers.get('host', '')}")


def keyring(scene: ServiceContext, asking: ServiceRequest) -> Passkeys:
    """Return its passkeys."""
    return Passkeys(scene.keeping, scene.keys, site(scene, asking))
