"""The guard's own package, however its name is spelled."""

from __future__ import annotations

from interlock.shell.value import Value

_OWN_NAMES = frozenset({"interlock", "python3-interlock", "python-interlock"})


def own_package(value: Value) -> list[str]:
    """Return the trait of the guard's own package, in whatever way its name is spelled (PEP 503)
    and whatever version is asked for.
    """
    text = value.text.lower().replace("_", "-").replace(".", "-").partition("[")[0]
    for mark in "=<>!~@ ;":
        text = text.partition(mark)[0]
    return ["own-package"] if text in _OWN_NAMES else []
