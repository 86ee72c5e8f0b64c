"""Plain paths: those whose name says nothing to any rule, so that a program may answer its own
question about them.

A path below a plain root is plain where no step of it begins with a dot and its last name is in
none of these tables. What is not plain is asked.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.effects import places
from interlock.model.record import Record


class PlainPaths(Record):
    """What is plain in one run.

    ``reads``, ``writes``: folders below which all may be read, or changed. ``lent``: folders of the
    workspace below which plain names may be read and, if ``written``, changed. ``names``,
    ``words``, ``endings``: whole names, parts and endings of names, in lower case, that are not
    plain.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    lent: tuple[str, ...] = ()
    written: bool = False
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()


NAMES: tuple[str, ...] = tuple(
    sorted(
        {
            name.lower()
            for name in places.KEY_NAMES | places.INSTRUCTIONS | places.STARTS_WITH_PYTHON
        }
    )
)
WORDS: tuple[str, ...] = tuple(sorted({*places.SENSITIVE_WORDS, "krb5cc_", "ssh_host_"}))
ENDINGS: tuple[str, ...] = tuple(
    sorted(
        {
            ending.lower()
            for ending in (
                *places.KEY_ENDINGS,
                *places.SENSITIVE_ENDINGS,
                *places.STATE_ENDINGS,
                ".pth",
                "~",
            )
        }
    )
)


def fields(plain: PlainPaths) -> Iterable[str]:
    """Yield the lines of a configuration that say what is plain."""
    for key, values in (
        ("read", plain.reads), ("write", plain.writes),
        ("edit" if plain.written else "look", plain.lent), ("name", plain.names),
        ("word", plain.words), ("end", plain.endings),
    ):  # fmt: skip
        for value in values:
            yield f"{key}={value}"


def is_plain(path: str, plain: PlainPaths) -> bool:
    """Tell whether a path below a lent folder has a plain name; the same as every guard inside a
    program computes it.
    """
    below = next((path[len(root) :] for root in plain.lent if path.startswith(root + "/")), "")
    name = path.rpartition("/")[2].lower()
    if not below or "/." in below or name in plain.names or name.endswith(plain.endings):
        return False
    return not any(word in name for word in plain.words)
