"""What of a folder is read, where not all of it is."""

from __future__ import annotations

from interlock.model.record import Record


class ReadSelection(Record):
    """What of a folder is read: files of these ``names`` (all where there are none), none of those
    ``without``; ``hidden``: those with a dot, too.

    ``sought``: only what fits one of these patterns is shown; ``told``: only which files there are.
    """

    names: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    hidden: bool = True
    sought: tuple[str, ...] = ()
    told: bool = False


ALL = ReadSelection()
