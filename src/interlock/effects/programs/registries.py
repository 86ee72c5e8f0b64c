"""Where packages come from, and where they go: the registry that everybody uses or another one,
the project, the user's home or the whole machine.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.run import Run
from interlock.model.effect import TEMP, WORKSPACE

GLOBAL = ("-g", "--global", "--break-system-packages", "--system", "--location=global")
_INDEXES = words("installing", "indexes")
_INDEX_VARIABLES = frozenset(words("installing", "index variables"))
_KNOWN = words("installing", "known indexes")


def scope_of(run: Run, traits: tuple[str, ...]) -> set[str]:
    """Return where the packages go: into the project, the user's home, or everywhere; and whether
    from an index of its own.
    """
    scope = set(traits)
    if run.has(*GLOBAL):
        scope.add("global")
    if run.has("--user"):
        scope.add("user")
    for value in run.parsed.values(
        "-t", "--target", "--root", "--prefix", "--install-dir", "--tool-path"
    ):
        path = None if value.hollow else run.context.normal(value.text, run.cwd)
        if path is None or run.context.place(path).location not in (WORKSPACE, TEMP):
            scope.add("global")
    if other_registry(run):
        scope.add("other-index")
    return scope if scope & {"global", "user", "system"} else scope | {"project"}


def other_registry(run: Run) -> bool:
    """Whether options or variables name an unusual registry, or switch its checks off."""
    for name, value in run.parsed.options:
        channel = name == "-c" and run.name in ("conda", "mamba", "micromamba")
        if unusual_index("--channel" if channel else name, value.text):
            return True
    given = [
        *run.execution.prefix,
        *[
            (name, run.walker.state.variables[name])
            for name in _INDEX_VARIABLES & run.walker.state.variables.keys()
        ],
    ]
    return any(name in _INDEX_VARIABLES and _unusual(name, value.text) for name, value in given)


def unusual_index(option: str, text: str) -> bool:
    """Whether an option names a registry that not everybody uses."""
    named = "://" in text or option == "--trusted-host"
    return option in _INDEXES and named and not is_known(text)


def is_known(text: str) -> bool:
    """Whether an address is that of a registry that everybody uses."""
    host = text.partition("://")[2] or text
    return host.rpartition("@")[2].startswith(_KNOWN)


def _unusual(name: str, text: str) -> bool:
    if name in ("GONOSUMDB", "GONOSUMCHECK", "GOINSECURE"):
        return bool(text)
    if name == "GOSUMDB":
        return text == "off"
    if name == "GOFLAGS":
        return "-insecure" in text
    return any(
        "://" in part and not is_known(part)
        for part in text.replace(",", " ").replace("|", " ").split()
    )
