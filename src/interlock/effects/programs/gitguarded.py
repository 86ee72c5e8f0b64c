"""The guard's own files in a work tree that git changes: what replaces, takes away or brings back
many files changes those among them.

git's own data tell what a command does to each: a file that is not tracked goes with ``stash -u``
and ``clean``, a changed one is taken back by ``stash`` and ``reset --hard``, a tracked one may be
another in another commit (git 2.47 manuals). What they do not tell is possible. A repository in
which nothing of the guard's lies is not spoken of.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.guard_files import beneath, is_there
from interlock.effects.places import below
from interlock.effects.programs.gitshared import PLACED, is_meant
from interlock.effects.programs.gitverbs import changes, changes_tree
from interlock.effects.run import Run
from interlock.model.effect import Deletes, Writes
from interlock.model.facts import ALL, MISSING, Loss, Repository, Stat, Unknown
from interlock.model.record import Record
from interlock.shell.value import Value

Step = tuple[str, tuple[str, ...] | None]
"""What a command may do to the state of files in git, and to which of them: None for all."""

CERTAIN, POSSIBLE = "certain", "possible"
MAX_PATHSPECS = 64
MAX_STEPS = 64
"""Commands of git in one call whose way with the state of files is followed."""


class GitReach(Record):
    """What a command does to files of each kind: ``""`` (nothing), ``possible`` or ``certain``.
    ``only``: the paths it was given, or None for all.
    """

    untracked: str = ""
    ignored: str = ""
    modified: str = ""
    tracked: str = ""
    only: tuple[str, ...] | None = None


NOTHING = GitReach()
OTHER_COMMIT = GitReach(tracked=POSSIBLE, modified=POSSIBLE)


def change_guarded(run: Run, name: str) -> None:
    """Add what a subcommand of git does to the guard's files in the work tree, and note what it may
    make of their state.
    """
    if not run.here or run.cwd is None:
        return
    reach_of, step_of = _REACH.get(name), _STEPS.get(name)
    if reach_of is not None or changes_tree(run, name):
        _change(run, run.cwd, reach_of or _other_commit)
    if (
        step_of is not None
        and (changes(run, name) or name == "init")
        and len(run.context.git.steps) < MAX_STEPS
    ):
        run.context.git.steps.append(step_of(run))


def change_tracked(run: Run, data: str) -> None:
    """Add what a command of another version control may do to the guard's files: those that are
    tracked may be others afterwards. ``data``: what its own folder is called at a work tree's top;
    where that is there, what git has of a file says nothing.
    """
    root = next(
        (root for root in run.context.call.roots if run.cwd is not None and below(run.cwd, root)),
        run.cwd,
    )
    if not run.here or root is None:
        return
    paths = beneath(run.context, root)
    if is_there(run.context, f"{root}/{data}"):
        for path in paths:
            run.possible(Writes, Value(path), "restored")
    else:
        _apply(run, OTHER_COMMIT, paths)


def _change(run: Run, cwd: str, reach_of: Callable[[Run], GitReach]) -> None:
    paths = _guard_files(run, cwd)
    reach = reach_of(run) if paths else NOTHING
    _apply(run, reach, paths if reach is not NOTHING else ())


def _apply(run: Run, reach: GitReach, paths: tuple[str, ...]) -> None:
    for path in paths:
        how = _judge_file(run, reach, path)
        kind = Deletes if reach.untracked or reach.ignored else Writes
        if how == CERTAIN:
            run.path(kind, Value(path), "restored")
        elif how:
            run.possible(kind, Value(path), "restored")


def _judge_file(run: Run, reach: GitReach, path: str) -> str:
    """Return what happens to one file: by its state in git, and where this call may have changed
    that, by each state it may be in.
    """
    if reach.only is not None and not any(_is_meant(path, one) for one in reach.only):
        return ""
    loss = run.context.facts.loss(path, ALL)
    if not isinstance(loss, Loss) or _elsewhere(run) or len(run.context.git.steps) >= MAX_STEPS:
        return POSSIBLE
    states = _states(run, path, [one for one in STATES if getattr(loss, one)][:1])
    found = {getattr(reach, one) or (reach.tracked if one == MODIFIED else "") for one in states}
    return CERTAIN if found == {CERTAIN} else POSSIBLE if found - {""} else ""


# -- which files -----------------------------------------------------------------------------------


def _guard_files(run: Run, cwd: str) -> tuple[str, ...]:
    """Return the guard's files that lie in the work tree around a folder; each is searched once."""
    context, top = run.context, _top(run, cwd)
    if top is None:
        return ()
    return beneath(context, top)


def _top(run: Run, cwd: str) -> str | None:
    """Return the top of the work tree; the folder itself where this call may have made it one. None
    where git has nothing to work in.
    """
    found = run.context.facts.repository(cwd)
    if isinstance(found, Repository):
        return found.root
    return cwd if _elsewhere(run) and not isinstance(found, Unknown) else None


def _elsewhere(run: Run) -> bool:
    """Whether what is known of the folder's repository may not be what git sees by now."""
    begun = any(step == BEGUN for step, _ in run.context.git.steps)
    return (
        begun
        or PLACED in run.context.files.made
        or any("/.git/" in f"{path}/" for path in run.context.files.changed)
    )


# -- the state of a file, and what earlier commands of the call may have made of it ----------------

UNTRACKED, IGNORED, MODIFIED, TRACKED = STATES = ("untracked", "ignored", "modified", "tracked")
ADDED, FORCED, COMMITTED, UNSTAGED = "added", "added by force", "committed", "unstaged"
REMOVED, INDEXED, BEGUN = "removed", "index written", "repository begun"
_BECOMES = {
    ADDED: ((UNTRACKED, MODIFIED),),
    FORCED: ((UNTRACKED, MODIFIED), (IGNORED, MODIFIED)),
    COMMITTED: ((MODIFIED, TRACKED),),
    UNSTAGED: ((MODIFIED, UNTRACKED),),
    REMOVED: ((MODIFIED, UNTRACKED), (TRACKED, UNTRACKED), (TRACKED, MODIFIED)),
    INDEXED: tuple([(before, after) for before in STATES for after in STATES]),
}


def _states(run: Run, path: str, known: list[str]) -> set[str]:
    """Return the states a file may be in by now: the one it was in, and those that earlier commands
    lead to from there.
    """
    states = set(known)
    if IGNORED in states and any(
        one.endswith(("/.gitignore", "/git/ignore")) for one in run.context.files.changed
    ):
        states.add(UNTRACKED)
    for step, only in run.context.git.steps:
        if only is None or any(_is_meant(path, one) for one in only):
            states |= {after for before, after in _BECOMES.get(step, ()) if before in states}
    return states


def _add_step(run: Run) -> Step:
    every = run.has("-A", "--all", "--no-ignore-removal") and not run.operands
    return FORCED if run.has("-f", "--force") else ADDED, None if every else _paths(
        run, run.operands
    )


def _remove_step(run: Run) -> Step:
    return REMOVED, _paths(run, run.operands)


def _reset_step(run: Run) -> Step:
    """``git reset`` to another commit leaves what that does not have untracked; to this one, only
    what was just added.
    """
    head = run.operands[:1]
    return (UNSTAGED if not head or _is_head(head[0]) or _is_path(run, head[0]) else REMOVED), None


def _step(name: str) -> Callable[[Run], Step]:
    def step(run: Run) -> Step:
        del run
        return name, None

    return step


# -- what each command does ------------------------------------------------------------------------


def _stash(run: Run) -> GitReach:
    verb = run.operands[0].text if run.operands else "push"
    if verb in ("pop", "apply", "branch"):
        return OTHER_COMMIT
    if verb in ("list", "show", "drop", "clear", "create", "store"):
        return NOTHING
    every = run.has("-a", "--all")
    untracked = CERTAIN if every or run.has("-u", "--include-untracked") else ""
    only = _paths(run, run.operands[1:]) if len(run.operands) > 1 and verb == "push" else None
    return GitReach(untracked, CERTAIN if every else "", CERTAIN, "", only)


def _clean(run: Run) -> GitReach:
    if run.has("-n", "--dry-run"):
        return NOTHING
    how = (
        CERTAIN
        if run.has("-f", "--force") and not run.parsed.values("-e", "--exclude")
        else POSSIBLE
    )
    only = _paths(run, run.operands) if run.operands else None
    if not run.has("-d") and only is None:
        how = POSSIBLE  # only what lies in folders in which something is tracked
    return GitReach("" if run.has("-X") else how, how if run.has("-x", "-X") else "", "", "", only)


def _checkout(run: Run) -> GitReach:
    fresh = run.has("-b", "-B", "--orphan")
    if fresh or not run.operands:
        return (
            OTHER_COMMIT
            if run.operands and fresh
            else GitReach(modified=CERTAIN)
            if run.has("-f", "--force")
            else NOTHING
        )
    given = [value.text for value in run.operands]
    dashed = "--" in [value.text for value in run.arguments]
    if not dashed and len(given) == 1 and not _is_path(run, run.operands[0]):
        return GitReach(
            tracked=POSSIBLE, modified=CERTAIN if run.has("-f", "--force") else POSSIBLE
        )
    sourced = len(given) > 1 and not _is_path(run, run.operands[0])
    other = sourced and not _is_head(run.operands[0])
    return GitReach(
        modified=CERTAIN,
        tracked=POSSIBLE if other else "",
        only=_paths(run, run.operands[1:] if sourced else run.operands),
    )


def _switch(run: Run) -> GitReach:
    if run.has("-c", "-C", "--create", "--force-create", "--orphan") and not run.operands:
        return NOTHING
    return GitReach(
        tracked=POSSIBLE,
        modified=CERTAIN if run.has("-f", "--force", "--discard-changes") else POSSIBLE,
    )


def _restore(run: Run) -> GitReach:
    if run.has("-S", "--staged") and not run.has("-W", "--worktree"):
        return NOTHING
    source = run.parsed.value("-s", "--source")
    return GitReach(
        modified=CERTAIN,
        tracked="" if source is None or _is_head(source) else POSSIBLE,
        only=_paths(run, run.operands),
    )


def _reset(run: Run) -> GitReach:
    if not run.has("--hard", "--merge", "--keep"):
        return NOTHING
    here = all(map(_is_head, run.operands))
    return GitReach(
        modified=CERTAIN if run.has("--hard") else POSSIBLE, tracked="" if here else POSSIBLE
    )


def _other_commit(run: Run) -> GitReach:
    del run
    return OTHER_COMMIT


def _read_tree(run: Run) -> GitReach:
    """git-read-tree(1): only ``-u`` changes files; which, the given trees tell."""
    return OTHER_COMMIT if run.has("-u", "--reset") else NOTHING


def _checkout_index(run: Run) -> GitReach:
    return GitReach(modified=CERTAIN) if run.has("-f", "--force") else NOTHING


def _remove(run: Run) -> GitReach:
    """git-rm(1): what is changed goes only by ``-f``; ``--cached`` leaves the files."""
    if run.has("--cached", "-n", "--dry-run"):
        return NOTHING
    return GitReach(
        tracked=CERTAIN,
        modified=CERTAIN if run.has("-f", "--force") else POSSIBLE,
        only=_paths(run, run.operands),
    )


def _sparse(run: Run) -> GitReach:
    """git-sparse-checkout(1): tracked files left out by the patterns go; changed ones stay."""
    looking = run.operands[:1] and run.operands[0].text in ("list", "check-rules", "disable")
    return NOTHING if looking else GitReach(tracked=POSSIBLE)


def _is_head(value: Value) -> bool:
    return value.text in ("HEAD", "@")


def _is_path(run: Run, value: Value) -> bool:
    """Whether a word names something in the work tree rather than a commit."""
    path = None if value.hollow else run.context.normal(value.text, run.cwd)
    stat = run.context.facts.stat(path) if path is not None else None
    return (
        value.pattern
        or value.text.startswith((".", ":", "/"))
        or (isinstance(stat, Stat) and stat.kind != MISSING)
    )


_IN_OWN = ("policy.yaml", "guard.md")
"""What lies in a folder of the guard's own, whose files are not listed one by one."""


def _is_meant(path: str, pathspec: str) -> bool:
    """Whether a path, or what lies in it as a folder of the guard's own, is one that git was given."""
    return any(is_meant(one, pathspec) for one in (path, *[f"{path}/{name}" for name in _IN_OWN]))


def _paths(run: Run, values: list[Value]) -> tuple[str, ...] | None:
    """Return the paths that a command was given; None where one of them may be any."""
    found = []
    for value in values[:MAX_PATHSPECS]:
        path = (
            None
            if value.hollow or value.pattern or value.text[:1] == ":"
            else run.context.normal(value.text, run.cwd)
        )
        if path is None:
            return None
        found.append(path)
    return tuple(found) if len(values) <= MAX_PATHSPECS else None


# of every other one that may change the work tree: another commit
_REACH: dict[str, Callable[[Run], GitReach]] = {
    "stash": _stash, "clean": _clean, "checkout": _checkout, "switch": _switch, "restore": _restore,
    "reset": _reset, "rm": _remove,
    "checkout-index": _checkout_index, "read-tree": _read_tree, "sparse-checkout": _sparse,
}  # fmt: skip
_STEPS: dict[str, Callable[[Run], Step]] = {
    "add": _add_step, "stage": _add_step, "rm": _remove_step, "reset": _reset_step,
    "commit": _step(COMMITTED),
    # HEAD is another commit, to which what is tracked may be new
    "update-index": _step(INDEXED), "read-tree": _step(INDEXED), "init": _step(BEGUN),
    **dict.fromkeys(["symbolic-ref", "update-ref", "replace"], _step(REMOVED)),
}  # fmt: skip
