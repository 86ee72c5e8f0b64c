"""How much lies at or below a path, and what of it git has: counted on the disk, within one budget
for all that a call asks.

Links are not followed, nothing but git's own files is opened, and what goes away while it is
counted was not there. What cannot be read, or is too much, makes the figures a lower bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from os import DirEntry, stat_result

from interlock.facts.gitignore import Patterns
from interlock.facts.gitindex import IndexEntry
from interlock.facts.worktree import Survey, TooMuchError, is_ignored
from interlock.model.radius import (
    ALL,
    CHANGED,
    IGNORED,
    MAX_EXAMPLES,
    NAMED,
    NOT_TRACKED,
    UNTRACKED,
    Radius,
    Stake,
)
from interlock.shell.pattern import matches

try:
    import posix as _os
except ImportError:  # Windows
    import os as _os  # type: ignore[no-redef]


MAX_ENTRIES = 20_000
"""Files and folders of the disk that are looked at for one call."""
MAX_REPOSITORIES = 8
MAX_EXAMPLE = 120
COMMITTED, UNVERSIONED, INTERNAL, UNTOLD = "committed", "unversioned", "internal", "untold"
_TELLING = (CHANGED, UNTRACKED, UNVERSIONED, UNTOLD, IGNORED, COMMITTED)
"""Of which files a person would like an example, the most telling first."""
_CHANGES, _OTHERS = (
    "which files are not as the last commit has them",
    "which files git does not track",
)
_WANTED = {
    UNTRACKED: frozenset({UNTRACKED}),
    IGNORED: frozenset({IGNORED}),
    NOT_TRACKED: frozenset({UNTRACKED, IGNORED}),
}
_DATA = frozenset({"HEAD", "objects", "refs"})
"""What a folder of a repository's own data holds (gitrepository-layout(5))."""
_FORM, _REGULAR, _FOLDER = 0o170000, 0o100000, 0o040000


class Tally:
    """What was counted so far."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.size = 0
        self.newest = 0
        self.complete = True
        self.unknown = ""
        self._names: dict[str, list[str]] = {}
        self._linked: set[tuple[int, int]] = set()

    def add(self, name: str, seen: stat_result, state: str) -> None:
        """Count a file. What has several names is one file's bytes."""
        self.counts[state] = self.counts.get(state, 0) + 1
        key = (seen.st_dev, seen.st_ino)
        if seen.st_mode & _FORM == _REGULAR and key not in self._linked:
            self.size += seen.st_size
        if seen.st_nlink > 1:
            self._linked.add(key)
        self.newest = max(self.newest, int(seen.st_mtime))
        names = self._names.setdefault(state, [])
        if len(names) < MAX_EXAMPLES:
            names.append(name[:MAX_EXAMPLE].encode("utf-8", "replace").decode("utf-8"))

    def radius(self) -> Radius:
        """Return the figures."""
        names = [name for state in _TELLING for name in self._names.get(state, ())]
        found = Radius(
            sum(self.counts.values()),
            self.size,
            newest=self.newest,
            examples=tuple(names[:MAX_EXAMPLES]),
            complete=self.complete,
        )
        return found.replace(
            unknown=(self.unknown,) if self.unknown else (),
            **{state: count for state, count in self.counts.items() if state != UNTOLD},
        )


class WorkTreeView:
    """A work tree as far as asked about. Where it cannot be read, no file's state is told."""

    def __init__(self, top: str, survey: Survey | None, path: str) -> None:
        self.top = top
        self.known = survey is not None
        self.tracked: dict[str, IndexEntry] = {}
        self._folders: frozenset[str] | None = None
        self._excluded: list[Patterns] = []
        self._staged: frozenset[str] = frozenset()
        self._survey = survey
        inside = path[len(top) + 1 :]
        try:
            if survey is not None:
                self.tracked = survey.tracked(inside)
                self._staged = survey.find_staged(inside, self.tracked.values())
                self._excluded = survey.read_excludes()
        except (OSError, ValueError, TooMuchError):
            self.known = False

    def state(self, path: str, rules: list[Patterns], *, hidden: bool) -> str:
        """Return what git has of a file. ``hidden``: a folder above it is ignored."""
        name = path[len(self.top) + 1 :]
        entry = self.tracked.get(name)
        if not self.known:
            return UNTOLD
        if entry is None:
            return IGNORED if hidden or self.ignores(rules, path, folder=False) else UNTRACKED
        return self.state_of(name, entry)

    def state_of(self, name: str, entry: IndexEntry) -> str:
        """Return what git has of a tracked file."""
        try:
            kept = (
                name not in self._staged
                and self._survey is not None
                and self._survey.is_unchanged(entry)
            )
        except (OSError, ValueError, TooMuchError):
            return UNTOLD
        return COMMITTED if kept else CHANGED

    def holds_tracked(self, folder: str) -> bool:
        """Tell whether a folder holds tracked files, at whatever depth."""
        if self._folders is None:
            self._folders = frozenset(
                [name[:at] for name in self.tracked for at, char in enumerate(name) if char == "/"]
            )
        return folder[len(self.top) + 1 :] in self._folders

    def rules(self, folder: str) -> list[Patterns]:
        """Return the ignore rules of a folder, as HEAD has them; of a file that HEAD has otherwise
        none, so that more counts as untracked.
        """
        steps = tuple(folder[len(self.top) + 1 :].split("/")) if len(folder) > len(self.top) else ()
        try:
            return self._survey.rules(steps) if self._survey is not None else []
        except (OSError, ValueError, TooMuchError):
            return []

    def above(self, folder: str) -> tuple[list[Patterns], bool]:
        """Return the ignore rules of all folders above one, and whether one of them ignores it."""
        rules = self._excluded
        path = self.top
        for step in [part for part in folder[len(self.top) + 1 :].split("/") if part]:
            rules = rules + self.rules(path)
            path = f"{path}/{step}"
            if self.ignores(rules, path, folder=True):
                return rules, True
        return rules, False

    def ignores(self, rules: list[Patterns], path: str, *, folder: bool) -> bool:
        """Tell whether a path of this tree is ignored."""
        return is_ignored(rules, tuple(path[len(self.top) + 1 :].split("/")), folder=folder)


class WalkedFolder:
    """A folder that is walked: the work tree around it, its ignore rules, and how far the patterns
    that are looked for lead into it.
    """

    __slots__ = ("ignored", "internal", "path", "reached", "rules", "tree")

    def __init__(
        self,
        path: str,
        tree: WorkTreeView | None,
        rules: list[Patterns],
        reached: frozenset[int] | None,
    ) -> None:
        self.path = path
        self.tree = tree
        self.rules = rules
        self.reached = reached
        self.ignored = False
        self.internal = False


class Extent:
    """Counts files. ``told``: what git has of them may be told. ``repositories``: folders of
    repositories' own data that lie in what was counted.
    """

    def __init__(
        self, work_tree: Callable[[str], tuple[str, str] | None], *, told: bool = True
    ) -> None:
        self._work_tree = work_tree
        self._told = told
        self._left = MAX_ENTRIES
        self._surveys: dict[str, Survey | None] = {}
        self._trees: dict[tuple[str, str], WorkTreeView] = {}
        self.repositories: list[str] = []

    def of(self, stake: Stake) -> Radius:
        """Return how much of a path is meant; nothing where there is nothing."""
        tally = Tally()
        if stake.what == CHANGED:
            self._count_changed(stake, tally)
        else:
            for parts in (
                [name[len(stake.path.rstrip("/")) + 1 :].split("/") for name in stake.names]
                if stake.what == NAMED
                else [None]
            ):
                self._at(stake, parts, tally)
        return tally.radius().replace(most=stake.most and bool(tally.counts))

    # -- work trees --------------------------------------------------------------------------------

    def _tree(self, path: str) -> WorkTreeView | None:
        found = self._work_tree(path)
        if found is None:
            return None
        top, key = found[0], (found[0], path)
        if top not in self._surveys:
            self._surveys[top] = (
                _survey(*found) if self._told and len(self._surveys) < MAX_REPOSITORIES else None
            )
        if key not in self._trees:
            self._trees[key] = WorkTreeView(top, self._surveys[top], path)
        return self._trees[key]

    def _count_changed(self, stake: Stake, tally: Tally) -> None:
        """Count the tracked files that are not as HEAD has them; one that is gone, but waits to be
        committed, with its size there.
        """
        tree = self._tree(stake.path)
        if tree is None or not tree.known:
            tally.unknown = _CHANGES
            return
        for name, entry in tree.tracked.items():
            state = tree.state_of(name, entry)
            if state == COMMITTED:
                continue
            try:
                tally.add(name, _os.lstat(f"{tree.top}/{name}"), state)
            except OSError:
                tally.counts[state] = tally.counts.get(state, 0) + 1
                tally.size += entry.size

    # -- the disk ----------------------------------------------------------------------------------

    def _at(self, stake: Stake, parts: Sequence[str] | None, tally: Tally) -> None:
        """Count what is at a path and below it."""
        try:
            seen = _os.lstat(stake.path)
        except (FileNotFoundError, NotADirectoryError):
            return
        except (OSError, ValueError):
            tally.complete = False
            return
        is_folder = seen.st_mode & _FORM == _FOLDER
        if is_folder and stake.what == ALL and not stake.deep:
            return
        above = stake.path.rpartition("/")[0]
        tree = self._tree(stake.path if is_folder else above)
        rules, hidden = (
            tree.above(stake.path if is_folder else above) if tree is not None else ([], False)
        )
        place = WalkedFolder(stake.path, tree, rules, frozenset({0}) if parts is not None else None)
        place.ignored, place.internal = (
            hidden,
            "/.git/" in stake.path or stake.path.endswith("/.git"),
        )
        if is_folder:
            self._walk(stake, parts or (), place, tally)
        elif stake.what not in _WANTED or self._state(place, stake.path) in _WANTED[stake.what]:
            tally.add("/".join(stake.path.split("/")[-2:]), seen, self._state(place, stake.path))

    def _state(self, place: WalkedFolder, path: str) -> str:
        if place.internal or path.endswith("/.git"):
            return INTERNAL
        if place.tree is None:
            return UNVERSIONED
        return place.tree.state(path, place.rules, hidden=place.ignored)

    def _walk(self, stake: Stake, parts: Sequence[str], start: WalkedFolder, tally: Tally) -> None:
        wanted, cut = _WANTED.get(stake.what), len(stake.path.rpartition("/")[0]) + 1
        left = [start]
        while left:
            place = left.pop()
            entries = self._listed(place, tally)
            if entries is None or not self._enter(
                place, {entry.name for entry in entries}, start, nested=wanted is None
            ):
                continue
            for entry in entries:
                self._left -= 1
                if self._left < 0:
                    tally.complete = False
                    return
                reached = _advance(parts, place.reached, entry.name)
                whole = reached is None or len(parts) in reached
                if not entry.is_dir(follow_symlinks=False):
                    if whole:
                        self._file(place, entry, wanted, (tally, cut))
                elif whole and (stake.deep or _holds_tracked(place, entry.path, wanted)):
                    left.append(self._below(place, entry.path, None))
                elif reached:
                    left.append(self._below(place, entry.path, reached))

    def _file(
        self,
        place: WalkedFolder,
        entry: DirEntry[str],
        wanted: frozenset[str] | None,
        into: tuple[Tally, int],
    ) -> None:
        tally, cut = into
        state = self._state(place, entry.path)
        if wanted is not None and state not in wanted:
            tally.unknown = _OTHERS if state == UNTOLD else tally.unknown
            return
        try:
            tally.add(entry.path[cut:], entry.stat(follow_symlinks=False), state)
        except FileNotFoundError:
            return
        except OSError:
            tally.complete = False

    @staticmethod
    def _listed(place: WalkedFolder, tally: Tally) -> list[DirEntry[str]] | None:
        try:
            with _os.scandir(place.path) as listed:
                return sorted(listed, key=_name)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError):
            tally.complete = False
            return None

    def _enter(
        self, place: WalkedFolder, names: set[str], start: WalkedFolder, *, nested: bool
    ) -> bool:
        """See what a folder is: the top of another work tree, or a repository's own data. False
        where it is left out.
        """
        if names >= _DATA:
            place.internal = True
            if nested and place.reached is None:
                self.repositories.append(place.path)
        elif ".git" in names and not place.internal and place is not start:
            if not nested:
                return False  # git clean leaves other repositories alone
            place.tree, place.ignored = self._tree(place.path), False
            place.rules = place.tree.above(place.path)[0] if place.tree is not None else []
        if place.tree is not None and not place.internal:
            place.rules = place.rules + place.tree.rules(place.path)
        return nested or not place.internal

    @staticmethod
    def _below(place: WalkedFolder, path: str, reached: frozenset[int] | None) -> WalkedFolder:
        below = WalkedFolder(path, place.tree, place.rules, reached)
        below.internal = place.internal
        below.ignored = place.ignored or (
            place.tree is not None
            and not place.internal
            and place.tree.ignores(place.rules, path, folder=True)
        )
        return below


def _survey(top: str, git: str) -> Survey | None:
    """Return what git's own files say of a work tree, as far as they can be read."""
    try:
        return Survey(top, git)
    except (OSError, ValueError, TooMuchError, AttributeError):
        # without `pread` (Windows) nothing is known
        return None


def _name(entry: DirEntry[str]) -> str:
    return entry.name


def _advance(
    parts: Sequence[str], reached: frozenset[int] | None, name: str
) -> frozenset[int] | None:
    """Return how many steps of a pattern a path has taken, in each way it may be read; None where
    all that is there is meant.

    ``**`` is any number of steps, hidden ones too, as a search goes; a pattern of a shell means a
    hidden name only where it begins with a dot.
    """
    if reached is None:
        return None
    found: set[int] = set()
    for at in reached:
        if at < len(parts) and parts[at] == "**":
            found.add(at)
            at += 1  # noqa: PLW2901 - no step at all
            if at < len(parts) and matches(parts[at].lower(), name.lower()):
                found.add(at + 1)
        elif (
            at < len(parts)
            and matches(parts[at], name)
            and (name[:1] != "." or parts[at][:1] == ".")
        ):
            found.add(at + 1)
    return frozenset(found)


def _holds_tracked(place: WalkedFolder, path: str, wanted: frozenset[str] | None) -> bool:
    """Whether a folder below which only tracked ones are entered (``git clean`` without ``-d``)
    holds tracked files.
    """
    return wanted is not None and place.tree is not None and place.tree.holds_tracked(path)


def partial(stakes: Sequence[Stake]) -> Iterator[Stake]:
    """Yield the stakes without those that lie in one that goes as a whole."""
    whole = [stake.path for stake in stakes if stake.what == ALL and stake.deep]
    seen: set[Stake] = set()
    for stake in stakes:
        inside = any(
            stake.path.startswith(f"{path}/") or (stake.path == path and stake.what != ALL)
            for path in whole
        )
        if not inside and stake not in seen:
            seen.add(stake)
            yield stake
