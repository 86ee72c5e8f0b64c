"""What is known of cmdlets of PowerShell, from ``data/cmdlets.txt``: sections of text.

::

    [copy-item cpi]          a cmdlet, and others whose words mean the same
    like move-item           parameters as another has them
    positions path           parameters that take operands, in order; the last takes all left
    options filter name      parameters with a value, by name only
    switches recurse force   parameters without one; ``recurse:recursive`` gives the effects a trait
    effects installs:user    what it does whatever it is given
    read files.copy          the function that reads it: of ``effects/powershell/cmdlets_files.py``
    prints output            labels of what it gives
    piped path               the parameter that takes the input of the pipe
    runs blocks              the function follows blocks itself
"""

from __future__ import annotations

from interlock.data.words import read_text, sections

FILE = f"{__file__.rpartition('/')[0]}/cmdlets.txt"
LINES = frozenset("like positions options switches effects read prints piped runs".split())
_bodies: dict[str, str] = {}


def names() -> list[str]:
    """Return every cmdlet that is described. Raises ``OSError``."""
    if not _bodies:
        _bodies.update(sections(read_text(FILE)))
    return list(_bodies)


def find(name: str) -> dict[str, str] | None:
    """Return what the lines of a cmdlet say, by their first words; None of one nobody described.

    Raises:
        OSError: the package has lost its data.
        ValueError: a line is none; the message says which.
    """
    names()
    return _parse(name, _bodies[name]) if name in _bodies else None


def _parse(name: str, body: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in body.split("\n"):
        key, _, said = line.partition(" ")
        if key == "like" and said:
            other = _parse(said, _bodies.get(said, ""))
            found |= {part: other[part] for part in LINES & other.keys() if part[-1] == "s"}
        elif key in LINES and said:
            found[key] = f"{found.get(key, '')} {said}".strip()
        elif line and line[0] != "#":
            raise ValueError(f"{FILE}, of {name}: {line!r} begins with none of {sorted(LINES)}")
    return found
