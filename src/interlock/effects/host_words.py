"""Which host a word of a command names, where nobody described what the word is for."""

from __future__ import annotations

from interlock.effects.filenames import FILE_ENDINGS
from interlock.effects.hosts import classify, host_of
from interlock.model.effect import LOCAL
from interlock.shell.value import HOLE, Value

_IMAGES = "pull push run create search manifest image buildx"
_PACKAGES = "view info show search v outdated versions"
LOOKUPS = {
    **dict.fromkeys(("docker", "podman", "nerdctl", "buildah"), _IMAGES),
    **dict.fromkeys(
        ("skopeo", "crane", "oras", "regctl"),
        "inspect copy pull push manifest digest ls list-tags cp discover",
    ),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), f"{_PACKAGES} dist-tag pack"),
    **dict.fromkeys(
        ("pip", "pip3", "uv", "poetry", "conda", "mamba"), f"{_PACKAGES} index download"
    ),
    **dict.fromkeys(
        ("cargo", "gem", "brew", "composer", "nuget", "dotnet", "helm", "snap", "flatpak"),
        f"{_PACKAGES} fetch pull list",
    ),
    "go": "list get mod",
}
"""Programs that ask a registry for the names they are given -> in which of their commands."""


def address(value: Value) -> str:
    """Return the host that a word with a hole in it names, or ``""``: ``https://host/?HOLE``,
    ``HOLE.host``, ``HOLE@host``, ``host/HOLE``.
    """
    text = value.text
    if "://" in text:
        return host_of(text).replace(HOLE, "") or "?"
    tail = text.rpartition(HOLE)[2]
    if tail[:1] in (".", "@") and host_in(tail[1:]):
        return tail[1:]
    head = text.partition(HOLE)[0]
    return host_in(head.partition("/")[0]) if "/" in head else ""


def host_in(text: str) -> str:
    """Return a word's host, or ``""``: a name with a domain, an address; no file."""
    name = host_of(text) if "://" in text else text.partition(":")[0].partition("/")[0]
    labels = name.split(".")
    named = (
        len(labels) > 1
        and all(label and label.replace("-", "").isalnum() for label in labels)
        and labels[-1].isalpha()
        and len(labels[-1]) > 1
    )
    return name if named and labels[-1] not in FILE_ENDINGS and classify(name) != LOCAL else ""
