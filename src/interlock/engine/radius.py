"""What would be lost, in words: one line that a person understands.

``312 files, 41 MB, 3 of them in no commit; 2 commits exist only here``.
"""

from __future__ import annotations

from interlock.engine.explain import one_line
from interlock.model.radius import Radius

MAX_TOLD = 400
"""Characters of a line at most."""
MAX_NAME = 48
_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")
NOTHING = "nothing unsaved would be lost"


def render_radius(radius: Radius) -> str:
    """Return the figures in one printable line, at most 400 characters long."""
    parts = [
        _files(radius),
        *_history(radius),
        f"it is not known {' and '.join(radius.unknown)}" if radius.unknown else "",
    ]
    if not any(parts) and not radius.complete:
        return "not all of it could be checked; nothing unsaved would be lost in the rest"
    text = one_line("; ".join([part for part in parts if part]) or NOTHING)
    return text if len(text) <= MAX_TOLD else text[: MAX_TOLD - 3] + "..."


def render_examples(radius: Radius) -> str:
    """Return a few names of such files, quoted and printable, or ``""``. A name may be anybody's
    words, so quotes in it are changed.
    """
    names = [one_line(name).replace("`", "'") for name in radius.examples]
    shown = [
        f"`{name if len(name) <= MAX_NAME else '...' + name[3 - MAX_NAME :]}`" for name in names
    ]
    return ", ".join(shown)


def size(count: int) -> str:
    """Return a number of bytes in words, in decimal units: ``512 bytes``, ``1.4 kB``, ``41 MB``."""
    if count < 1000:
        return _some(count, "byte")
    number, unit = float(count), 0
    while number >= 999.5 and unit < len(_UNITS) - 1:
        number, unit = number / 1000, unit + 1
    return f"{number:.1f} {_UNITS[unit]}" if number < 9.95 else f"{number:.0f} {_UNITS[unit]}"


def _some(count: int, thing: str) -> str:
    return f"{count:,} {thing}" + ("" if count == 1 else "s")


def _files(radius: Radius) -> str:
    if not radius.files:
        return ""
    bound = (
        ("" if radius.complete else "at least ")
        if not radius.most
        else ("up to " if radius.complete else "some of at least ")
    )
    return ", ".join([f"{bound}{_some(radius.files, 'file')}", size(radius.size), *_states(radius)])


def _states(radius: Radius) -> list[str]:
    """What git has of the files; what is as the last commit has it is not lost."""
    parts = [
        (radius.uncommitted, "in no commit"),
        (radius.ignored, "ignored by git"),
        (radius.unversioned, "under no version control"),
        (radius.untold, "perhaps in no commit"),
        (radius.internal, "git's own data"),
    ]
    told = [(count, what) for count, what in parts if count]
    if not told:
        return ["as the last commit has " + ("it" if radius.files == 1 else "them")]
    if told[0][0] == radius.files:
        return [("" if radius.files == 1 else "all of them ") + told[0][1]]
    return [
        f"{count:,}{' of them' if not number else ''} {what}"
        for number, (count, what) in enumerate(told)
    ]


def _history(radius: Radius) -> list[str]:
    least = "" if radius.complete else "at least "
    said = []
    if radius.commits:
        said.append(
            f"{least}{_some(radius.commits, 'commit')}"
            f" {'exists' if radius.commits == 1 else 'exist'} only here"
        )
    if radius.remote_commits:
        said.append(
            f"{least}{_some(radius.remote_commits, 'commit')} of the remote, as it was last seen,"
            " would be gone there"
        )
    if radius.stashes:
        said.append(
            _some(radius.stashes, "stash") if radius.stashes == 1 else f"{radius.stashes:,} stashes"
        )
    return said
