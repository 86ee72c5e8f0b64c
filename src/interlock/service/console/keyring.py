"""The passkeys of the site that a page was asked from."""

from __future__ import annotations

from interlock.service.asked import Asking
from interlock.service.people.passkeys import Passkeys, Site
from interlock.service.scene import Scene


def site(scene: Scene, asking: Asking) -> Site:
    """Return by which of its names the service was called."""
    return Site(f"{'https' if scene.secure else 'http'}://{asking.headers.get('host', '')}")


def keyring(scene: Scene, asking: Asking) -> Passkeys:
    """Return its passkeys."""
    return Passkeys(scene.keeping, scene.keys, site(scene, asking))
