"""``Radius``: what a call would take away, in figures (its blast radius); ``Stake``: one thing of
which that is asked.

It informs the person who is asked and decides nothing.
"""

from __future__ import annotations

from interlock.model.record import Record

ALL, NAMED, CHANGED, UNTRACKED, IGNORED, NOT_TRACKED = (
    "all",
    "named",
    "changed",
    "untracked",
    "ignored",
    "not-tracked",
)
"""Of files: all at or below a path; those that patterns name; what tracked ones hold beyond HEAD;
those that git does not track, or is told to ignore, or both.
"""
BRANCHES, TAGS, STASHES, BRANCH_MOVES, HISTORY, REFLOG, REMOTE = (
    "branches",
    "tags",
    "stashes",
    "branch-moves",
    "history",
    "reflog",
    "remote",
)
"""Of a repository: branches and tags that go; stashes (all without a name); commits that HEAD's
branch leaves behind when it moves to a revision; all that no remote has; all that only the reflog
knows; what a remote's branches lose when they are overwritten.
"""
STAKES = (
    ALL,
    NAMED,
    CHANGED,
    UNTRACKED,
    IGNORED,
    NOT_TRACKED,
    BRANCHES,
    TAGS,
    STASHES,
    BRANCH_MOVES,
    HISTORY,
    REFLOG,
    REMOTE,
)

MAX_EXAMPLES = 3
MAX_UNKNOWN = 4


class Stake(Record):
    """One thing that a call would take away: ``what`` (a word above) at an absolute ``path``, a
    file, a folder or a folder of a repository.

    ``names``: patterns of paths, refs, or a revision. ``deep``: what lies further below counts too.
    ``most``: more than is meant may be counted.
    """

    path: str
    what: str = ALL
    names: tuple[str, ...] = ()
    deep: bool = True
    most: bool = False


class Radius(Record):
    """What would be lost, or overwritten. Files of every sort are counted, links not followed.

    ``size``: apparent bytes of the ``files``. Each file is one of: ``committed`` (as the last
    commit has it, so git brings it back and it is not lost), ``changed`` (tracked, and not as HEAD
    has it), ``untracked``, ``ignored``, ``unversioned`` (in no repository), ``internal`` (a
    repository's own data), or of unknown state. ``commits``: those that nothing else names;
    ``remote_commits``: those that a remote's branch would lose.
    ``newest``: Unix seconds of the last change. ``examples``: a few names, such as are in no commit
    first. ``unknown``: what could not be found out.
    ``complete``: False where there is at least so much. ``most``: there may be less.
    """

    files: int = 0
    size: int = 0
    committed: int = 0
    changed: int = 0
    untracked: int = 0
    ignored: int = 0
    unversioned: int = 0
    internal: int = 0
    commits: int = 0
    remote_commits: int = 0
    stashes: int = 0
    newest: int = 0
    examples: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    complete: bool = True
    most: bool = False

    @property
    def uncommitted(self) -> int:
        """Files that are in no commit of a repository they lie in, ignored ones apart."""
        return self.changed + self.untracked

    @property
    def untold(self) -> int:
        """Files of which it is not known whether a commit has them."""
        return (
            self.files
            - self.committed
            - self.changed
            - self.untracked
            - self.ignored
            - self.unversioned
            - self.internal
        )

    def plus(self, other: Radius) -> Radius:
        """Return what both take away together; what they share counts in one of them."""
        sums = {field: getattr(self, field) + getattr(other, field) for field in _SUMS}
        return Radius(
            **sums,
            newest=max(self.newest, other.newest),
            examples=_distinct(self.examples, other.examples)[:MAX_EXAMPLES],
            unknown=_distinct(self.unknown, other.unknown)[:MAX_UNKNOWN],
            complete=self.complete and other.complete,
            most=self.most or other.most,
        )


_SUMS = (
    "files", "size", "committed", "changed", "untracked", "ignored", "unversioned", "internal",
    "commits", "remote_commits", "stashes",
)  # fmt: skip


def _distinct(some: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(some + more))
