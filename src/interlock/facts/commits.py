"""Which commits nothing else names once some refs are gone: history is walked from both sides, the
newest first, within bounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush

from interlock.facts.files import read_file
from interlock.facts.gitobjects import Commit, GitObjects
from interlock.facts.gitrefs import HEADS, REMOTES, STASH, Refs, resolve
from interlock.facts.worktree import TooMuchError
from interlock.model.radius import (
    BRANCH_MOVES,
    BRANCHES,
    HISTORY,
    REFLOG,
    REMOTE,
    STASHES,
    TAGS,
    Radius,
    Stake,
)

MAX_COMMITS = 3000
"""Commits that are read for one question."""
MAX_MORE = 200
"""Older commits of what stays that are followed when all that goes was: clocks differ, and a commit
may be older than its parent.
"""
MAX_SHALLOW = 1 << 20
_GOES, _STAYS = 1, 2
_COMMITS = "which commits exist only here"


class CommitHistory:
    """The history of the repository of the folder ``git``. Raises as ``Refs`` does."""

    def __init__(self, git: str) -> None:
        self.refs = Refs(git)
        self.objects = GitObjects(f"{self.refs.common}/objects", 2 * MAX_COMMITS)
        self._ends = _shallow(self.refs.common)
        self._left = MAX_COMMITS
        self._read: dict[bytes, Commit | None] = {}
        self.complete = True

    def at_stake(self, stake: Stake) -> Radius:
        """Return what of the history goes."""
        asked = {
            BRANCHES: self._refs_go,
            TAGS: self._refs_go,
            STASHES: self._stashes_go,
            BRANCH_MOVES: self._branch_moves,
            HISTORY: self._all_goes,
            REFLOG: self._reflog_goes,
            REMOTE: self._count_overwritten,
        }
        found = asked[stake.what](stake)
        if not self.complete and not found.commits and not found.remote_commits:
            return found.replace(unknown=(*found.unknown, _COMMITS))
        return found.replace(complete=found.complete and self.complete)

    # -- what may go -------------------------------------------------------------------------------

    def _refs_go(self, stake: Stake) -> Radius:
        """Branches or tags are deleted. Their reflogs go too; HEAD's may still know the commits."""
        kind = HEADS if stake.what == BRANCHES else "refs/tags/"
        gone = {name if name in self.refs.names else kind + name for name in stake.names}
        going = [self.refs.names[name] for name in gone if name in self.refs.names]
        return Radius(commits=self.only(going, self._naming(gone)))

    def _naming(self, gone: Iterable[str]) -> list[bytes]:
        """Return what stays named when some refs are gone; a stash keeps its base commit."""
        left = {
            name: oid for name, oid in self.refs.names.items() if name not in gone and name != STASH
        }
        return [
            *left.values(),
            *(self.refs.others - {self.refs.head} if "HEAD" in gone else self.refs.others),
        ]

    def _stashes_go(self, stake: Stake) -> Radius:
        """One stash, or all; their number is that of the log's lines (git-stash(1))."""
        held = len(self.refs.read_log(STASH)) or int(STASH in self.refs.names)
        numbers = [name.removeprefix("stash@{").removesuffix("}") for name in stake.names]
        meant = [number for number in numbers if not number.isdigit() or int(number) < held]
        return Radius(stashes=min(len(meant), held) if stake.names else held)

    def _branch_moves(self, stake: Stake) -> Radius:
        target = resolve(self.refs, self.objects, stake.names[0])
        if not target:
            return Radius(unknown=(f"which commits {stake.names[0]} would leave behind",))
        gone = {self.refs.branch or "HEAD"}
        return Radius(commits=self.only([self.refs.head], [target, *self._naming(gone)]))

    def _all_goes(self, stake: Stake) -> Radius:
        """The repository itself goes: all that no remote is known to have, and the stashes."""
        going = [*self.refs.below(HEADS).values(), *self.refs.others]
        stashes = self._stashes_go(stake.replace(names=()))
        return Radius(
            commits=self.only(going, self.refs.below(REMOTES).values()), stashes=stashes.stashes
        )

    def _reflog_goes(self, stake: Stake) -> Radius:
        del stake
        logged: set[bytes] = set()
        for name in self.refs.logs():
            if len(logged) >= MAX_COMMITS:
                self.complete = False
                break
            logged.update(self.refs.read_log(name) if name != STASH else ())
        return Radius(
            commits=self.only(
                logged, [*self.refs.names.values(), *self.refs.others, self.refs.head]
            )
        )

    def _count_overwritten(self, stake: Stake) -> Radius:
        """A push overwrites or deletes branches over there: what they had when they were last seen,
        and none of them has afterwards.

        ``names``: the remote, and ``SOURCE:TARGET`` for each branch (nothing before the colon
        deletes); none for the current one; ``*`` for all.
        """
        there = self.refs.below(f"{REMOTES}{stake.names[0]}/")
        if not there:
            return Radius(unknown=(f"what {stake.names[0]} holds",))
        after, unknown = dict(there), []
        for source, target in self._list_pushed(stake.names[1:], there):
            name = f"{REMOTES}{stake.names[0]}/{target}"
            if name not in there:
                continue
            new = resolve(self.refs, self.objects, source) if source else b""
            if source and not new:
                unknown.append(f"what {source} is")
            after[name] = new
        going = [oid for name, oid in there.items() if after[name] != oid]
        return Radius(
            remote_commits=self.only(going, [oid for oid in after.values() if oid]),
            unknown=tuple(unknown),
        )

    def _list_pushed(
        self, pairs: tuple[str, ...], there: dict[str, bytes]
    ) -> Iterator[tuple[str, str]]:
        if "*" in pairs:
            for name in there:
                branch = "/".join(name.split("/")[3:])
                yield (HEADS + branch if HEADS + branch in self.refs.names else ""), branch
        elif pairs:
            for pair in pairs:
                source, colon, target = pair.removeprefix("+").partition(":")
                name = target if colon else source
                yield (
                    source,
                    (self.refs.branch if name in ("HEAD", "@") else name).removeprefix(HEADS),
                )
        elif self.refs.branch:
            yield self.refs.branch, self.refs.branch.removeprefix(HEADS)

    # -- the walk ----------------------------------------------------------------------------------

    def only(self, going: Iterable[bytes], staying: Iterable[bytes]) -> int:
        """Count the commits reached from what goes, not from what stays; sets ``complete``."""
        walk = _Walk(self)
        for oid in staying:
            walk.mark(self.objects.peel(oid) if self._commit(oid) is None else oid, _STAYS)
        for oid in going:
            walk.mark(self.objects.peel(oid) if self._commit(oid) is None else oid, _GOES)
        return walk.count()

    def _commit(self, oid: bytes) -> Commit | None:
        if oid not in self._read:
            self._left -= 1
            self._read[oid] = self.objects.commit(oid) if self._left >= 0 and oid else None
        return self._read[oid]

    def time(self, oid: bytes) -> int | None:
        """Return when a commit was made; None if unreadable: the count is a lower bound."""
        found = self._commit(oid)
        if found is None:
            self.complete = False
        return found.time if found is not None else None

    def parents(self, oid: bytes) -> tuple[bytes, ...]:
        """Return the parents of a commit that was read; none where the clone is cut off there."""
        found = self._commit(oid)
        return found.parents if found is not None and oid not in self._ends else ()


class _Walk:
    """From both sides by commits' time, like git. With clocks far off more may be counted."""

    def __init__(self, history: CommitHistory) -> None:
        self._history = history
        self._marks: dict[bytes, int] = {}
        self._times: dict[bytes, int] = {}
        self._queue: list[tuple[int, bytes]] = []
        self._open: set[bytes] = set()

    def mark(self, oid: bytes, mark: int) -> None:
        """Note that a commit is reached from one side, and that its parents are to be."""
        before = self._marks.get(oid, 0)
        time = self._times.get(oid) if oid in self._times else self._history.time(oid)
        if before | mark == before or time is None:
            return
        self._marks[oid] = before | mark
        self._times[oid] = time
        (self._open.add if self._marks[oid] == _GOES else self._open.discard)(oid)
        heappush(self._queue, (-time, oid))

    def count(self) -> int:
        """Walk until nothing that goes is left to follow; return how many commits go."""
        if not self._open:
            return 0
        oldest, more = min([self._times[oid] for oid in self._open]), MAX_MORE
        while self._queue and (self._open or more > 0):
            more -= not self._open and -self._queue[0][0] < oldest
            oid = heappop(self._queue)[1]
            if oid in self._open:
                self._open.discard(oid)
                oldest = min(oldest, self._times[oid])
            for parent in self._history.parents(oid):
                self.mark(parent, self._marks[oid])
        return sum(mark == _GOES for mark in self._marks.values())


def _shallow(common: str) -> frozenset[bytes]:
    """Return the commits at which a shallow clone ends."""
    try:
        lines = read_file(f"{common}/shallow", MAX_SHALLOW).decode("ascii").split()
        return frozenset([bytes.fromhex(line) for line in lines])
    except (OSError, ValueError):
        return frozenset()


def history_at_stake(git: str, stake: Stake) -> Radius:
    """Return what of a repository's history goes; what cannot be read is said."""
    try:
        return CommitHistory(git).at_stake(stake)
    except (OSError, ValueError, TooMuchError):
        return Radius(unknown=(_COMMITS,))
