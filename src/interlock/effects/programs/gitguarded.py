"""The guard's own files in a work tree that git changes: what replaces, takes away or brings back many files changes those among them.

git's own data tell what a command does to each: a file that is not tracked goes with ``stash -u`` and ``clean``, a changed one is taken back by
``stash`` and ``reset --hard``, a tracked one may be another in another commit (git 2.47 manuals). What they do not tell is possible. A repository
in which nothing of the guard's lies is not spoken of.
"""

from __future__ import annotations

from interlock.effects.guarded import guarded_in
from interlock.effects.places import below
from interlock.model.effect import Deletes, Writes
from interlock.model.facts import ALL, MISSING, Loss, Repository, Stat, Unknown
from interlock.model.record import Record
from interlock.shell.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.effects.run import Run

CERTAIN, POSSIBLE = "certain", "possible"
MAX_TOPS = 4
"""Work trees in which the guard's files are looked for, in one call."""
MAX_PATHSPECS = 64


class Reach(Record):
    """What a command does to files of each kind: ``""`` (nothing), ``possible`` or ``certain``. ``only``: the paths it was given, or None for all."""

    untracked: str = ""
    ignored: str = ""
    modified: str = ""
    tracked: str = ""
    only: tuple[str, ...] | None = None


NOTHING = Reach()
OTHER_COMMIT = Reach(tracked=POSSIBLE, modified=POSSIBLE)


def change_guarded(run: Run, name: str) -> None:
    """Add what a subcommand of git does to the guard's files in the work tree."""
    reach_of = _REACH.get(name)
    if reach_of is None or not run.here or run.cwd is None:
        return
    paths = _guarded(run, run.cwd)
    reach = reach_of(run) if paths else NOTHING
    for path in paths if reach is not NOTHING else ():
        how = _reached(run, reach, path)
        kind = Deletes if reach.untracked or reach.ignored else Writes
        if how == CERTAIN:
            run.path(kind, Value(path), "restored")
        elif how:
            run.possible(kind, Value(path), "restored")


def _reached(run: Run, reach: Reach, path: str) -> str:
    """Return what happens to one file: by its state in git, where that is known and nothing before in this call changed it."""
    if reach.only is not None and not any(below(path, one) for one in reach.only):
        return ""
    loss = run.context.facts.loss(path, ALL)
    if not isinstance(loss, Loss) or run.context.changed or any(map(_stages, run.reader.commands[:-1])):
        return POSSIBLE
    if loss.untracked:
        return reach.untracked
    if loss.ignored:
        return reach.ignored
    return (reach.modified or reach.tracked) if loss.modified else reach.tracked if loss.tracked else ""


def _stages(words: tuple[str, ...]) -> bool:
    """Whether an earlier command may have made a file that is not tracked one that is."""
    return words[:1] == ("git",) and not _STAGING.isdisjoint(words)


_STAGING = frozenset({"add", "stage", "commit", "update-index", "rm", "mv", "apply", "am", "init"})


# -- which files ------------------------------------------------------------------------------------------------


def _guarded(run: Run, cwd: str) -> tuple[str, ...]:
    """Return the guard's files that lie in the work tree around a folder; looked for once in each."""
    context, top = run.context, _top(run, cwd)
    if top is None:
        return ()
    if top not in context.guarded:
        context.guarded[top] = tuple(guarded_in(context, top)) if len(context.guarded) < MAX_TOPS else ()
    return context.guarded[top]


def _top(run: Run, cwd: str) -> str | None:
    """Return the top of the work tree; the folder itself where this call may have made it one. None where git has nothing to work in."""
    found = run.context.facts.repository(cwd)
    if isinstance(found, Repository):
        return found.root
    begun = run.context.changed or any(map(_stages, run.reader.commands[:-1]))
    return cwd if begun and not isinstance(found, Unknown) else None


# -- what each command does ---------------------------------------------------------------------------------------


def _stash(run: Run) -> Reach:
    verb = run.operands[0].text if run.operands else "push"
    if verb in ("pop", "apply", "branch"):
        return OTHER_COMMIT
    if verb in ("list", "show", "drop", "clear", "create", "store"):
        return NOTHING
    every = run.has("-a", "--all")
    untracked = CERTAIN if every or run.has("-u", "--include-untracked") else ""
    only = _paths(run, run.operands[1:]) if len(run.operands) > 1 and verb == "push" else None
    return Reach(untracked, CERTAIN if every else "", CERTAIN, "", only)


def _clean(run: Run) -> Reach:
    if run.has("-n", "--dry-run"):
        return NOTHING
    how = CERTAIN if run.has("-f", "--force") and not run.parsed.values("-e", "--exclude") else POSSIBLE
    only = _paths(run, run.operands) if run.operands else None
    if not run.has("-d") and only is None:
        how = POSSIBLE  # only what lies in folders in which something is tracked
    return Reach("" if run.has("-X") else how, how if run.has("-x", "-X") else "", "", "", only)


def _checkout(run: Run) -> Reach:
    fresh = run.has("-b", "-B", "--orphan")
    if fresh or not run.operands:
        return OTHER_COMMIT if run.operands and fresh else Reach(modified=CERTAIN) if run.has("-f", "--force") else NOTHING
    given = [value.text for value in run.operands]
    dashed = "--" in [value.text for value in run.arguments]
    if not dashed and len(given) == 1 and not _is_path(run, run.operands[0]):
        return Reach(tracked=POSSIBLE, modified=CERTAIN if run.has("-f", "--force") else POSSIBLE)
    sourced = len(given) > 1 and not _is_path(run, run.operands[0])
    return Reach(modified=CERTAIN, tracked=POSSIBLE if sourced else "", only=_paths(run, run.operands[1:] if sourced else run.operands))


def _switch(run: Run) -> Reach:
    if run.has("-c", "-C", "--create", "--force-create", "--orphan") and not run.operands:
        return NOTHING
    return Reach(tracked=POSSIBLE, modified=CERTAIN if run.has("-f", "--force", "--discard-changes") else POSSIBLE)


def _restore(run: Run) -> Reach:
    if run.has("-S", "--staged") and not run.has("-W", "--worktree"):
        return NOTHING
    return Reach(modified=CERTAIN, tracked=POSSIBLE if run.has("-s", "--source") else "", only=_paths(run, run.operands))


def _reset(run: Run) -> Reach:
    if not run.has("--hard", "--merge", "--keep"):
        return NOTHING
    here = [value.text for value in run.operands] in ([], ["HEAD"], ["@"])
    return Reach(modified=CERTAIN if run.has("--hard") else POSSIBLE, tracked="" if here else POSSIBLE)


def _other_commit(run: Run) -> Reach:
    del run
    return OTHER_COMMIT


def _all_tracked(run: Run) -> Reach:
    return Reach(modified=CERTAIN) if run.has("-f", "--force", "--reset", "-u") else NOTHING


def _is_path(run: Run, value: Value) -> bool:
    """Whether a word names something in the work tree rather than a commit."""
    path = None if value.hollow else run.context.normal(value.text, run.cwd)
    stat = run.context.facts.stat(path) if path is not None else None
    return value.pattern or value.text.startswith((".", ":", "/")) or (isinstance(stat, Stat) and stat.kind != MISSING)


def _paths(run: Run, values: list[Value]) -> tuple[str, ...] | None:
    """Return the paths that a command was given; None where one of them may be any."""
    found = []
    for value in values[:MAX_PATHSPECS]:
        path = None if value.hollow or value.pattern or value.text[:1] == ":" else run.context.normal(value.text, run.cwd)
        if path is None:
            return None
        found.append(path)
    return tuple(found) if len(values) <= MAX_PATHSPECS else None


_REACH: dict[str, Callable[[Run], Reach]] = {
    "stash": _stash, "clean": _clean, "checkout": _checkout, "switch": _switch, "restore": _restore, "reset": _reset,
    **dict.fromkeys("merge pull rebase cherry-pick revert am bisect filter-branch filter-repo obliterate undo reset-file".split(), _other_commit),
    "checkout-index": _all_tracked, "read-tree": _all_tracked,
}  # fmt: skip
