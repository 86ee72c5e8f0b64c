"""Patterns of names given to a search: where they lead, if out of the searched folder."""

from __future__ import annotations

from collections.abc import Iterator

MOST = 32
"""Alternatives of one pattern that are looked at; what has more counts as leading anywhere."""
ANYWHERE = "/"
_WILD = "*?["
_FIRST = ("/", "~", "$HOME", "${HOME}", "file:")


def alternatives(pattern: str) -> list[str]:
    """Return a pattern without braces: ``{/etc,src}/*`` is two. What it omits (``!``) is none."""
    if "{" not in pattern:
        return [] if pattern[:1] == "!" else [pattern]
    from interlock.shell.braces import braces  # few patterns have any
    from interlock.shell.tree import Literal

    found = [
        "".join([part.text for part in parts if isinstance(part, Literal)])
        for parts in braces([Literal(0, 0, pattern)])
    ]
    return [one for one in found if one[:1] != "!"] if len(found) <= MOST else [ANYWHERE]


def is_absolute(pattern: str) -> bool:
    """Tell whether a pattern begins somewhere by itself, and not in the folder that is searched."""
    return pattern.startswith(_FIRST) or pattern[1:2] == ":"


def leads_to(pattern: str, folder: str) -> Iterator[str]:
    """Yield the folders, or the file, that a pattern leads to from a folder, where it may lead out:
    as far as it is written out.
    """
    parts = pattern.split("/")
    if not is_absolute(pattern):
        if ".." not in parts:
            return
        parts = [*folder.split("/"), *parts]
    first = next(
        (at for at, part in enumerate(parts) if any(mark in part for mark in _WILD)), len(parts)
    )
    yield "/".join(parts[:first]) or ANYWHERE
    if ".." in parts[first:]:  # ``**`` may be no folder at all
        last = len(parts) - parts[::-1].index("..")
        yield "/".join([part for part in parts[:last] if part != "**"])
