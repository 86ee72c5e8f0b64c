"""What would be lost: the stakes of one call, counted on the disk and in git's own files. git
itself is never run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from interlock.facts.commits import history_at_stake
from interlock.facts.extent import Extent, partial
from interlock.model.facts import Unknown
from interlock.model.radius import (
    ALL,
    BRANCH_MOVES,
    BRANCHES,
    CHANGED,
    HISTORY,
    IGNORED,
    NAMED,
    NOT_TRACKED,
    REFLOG,
    STASHES,
    UNTRACKED,
    Radius,
    Stake,
)

MAX_STAKES = 64
MAX_HISTORIES = 8
_FILES = frozenset({ALL, NAMED, CHANGED, UNTRACKED, IGNORED, NOT_TRACKED})
_PARTS = frozenset({BRANCHES, STASHES, BRANCH_MOVES, REFLOG})
"""What goes with a history that goes as a whole."""
_NO_REPOSITORY = "what the repository holds, for none was found"


class RadiusWorld:
    """What else is asked of the disk: the work tree around a path (top folder, data folder), and
    the path without links.

    ``elsewhere``: git is told to look at other data than those of the folders.
    """

    def __init__(
        self,
        work_tree: Callable[[str], tuple[str, str] | None],
        real: Callable[[str], str | Unknown],
        *,
        elsewhere: bool = False,
    ) -> None:
        self.work_tree = work_tree
        self.real = real
        self.elsewhere = elsewhere


def radius(stakes: Sequence[Stake], world: RadiusWorld) -> Radius:
    """Return what goes with all the stakes of a call. Work is bounded; where a bound is hit the
    figures are lower ones, and say so.
    """
    extent = Extent(world.work_tree, told=not world.elsewhere)
    found = Radius(complete=len(stakes) <= MAX_STAKES)
    if any(stake.path[:1] != "/" for stake in stakes) and sys.platform != "win32":
        return Radius(unknown=("what would be lost on another platform than this",))
    histories: dict[Stake, str] = {}
    for stake in partial([_plain(stake, world) for stake in stakes[:MAX_STAKES]]):
        if stake.what in _FILES:
            found = found.plus(extent.of(stake))
            histories.update(_inside(stake))
        else:
            tree = None if world.elsewhere else world.work_tree(stake.path)
            if tree is None:
                found = found.plus(Radius(unknown=(_NO_REPOSITORY,)))
            else:
                histories[stake] = tree[1]
    histories.update({Stake(git, HISTORY): git for git in extent.repositories})
    whole = {git for stake, git in histories.items() if stake.what == HISTORY}
    histories = {
        stake: git
        for stake, git in histories.items()
        if git not in whole or stake.what not in _PARTS
    }
    for number, (stake, git) in enumerate(histories.items()):
        if number >= MAX_HISTORIES:
            return found.replace(complete=False)
        found = found.plus(history_at_stake(git, stake))
    return found


def _plain(stake: Stake, world: RadiusWorld) -> Stake:
    """Return the stake with the links above its path followed, not one that it is itself."""
    above, _, name = stake.path.rpartition("/")
    real = world.real(above) if above else ""
    return (
        stake.replace(path=f"{real.rstrip('/')}/{name}")
        if isinstance(real, str) and not stake.names
        else stake
    )


def _inside(stake: Stake) -> dict[Stake, str]:
    """Return what of a repository goes with a part of its data: refs and objects, or reflogs."""
    git, found, inside = stake.path.partition("/.git/")
    part = inside.partition("/")[0]
    if not found or stake.what != ALL or part not in ("refs", "objects", "packed-refs", "logs"):
        return {}
    return {Stake(f"{git}/.git", REFLOG if part == "logs" else HISTORY): f"{git}/.git"}
