"""Another repository's work: what a command of git changes in a repository outside the workspace is
a write there, as if it were done by hand.

A work tree that is linked to the workspace's repository is no other one (git-worktree(1)); what
only looks, and what only fetches, changes nothing that anybody made.
"""

from __future__ import annotations

from interlock.effects.places import below
from interlock.effects.programs.gitverbs import changes
from interlock.effects.run import Run
from interlock.model.effect import Writes
from interlock.model.facts import Repository
from interlock.shell.value import Value


def change_other(run: Run, name: str, git_dir: Value | None) -> None:
    """Add the write of another repository. ``git_dir``: where its data is, if an option or a
    variable says so.
    """
    if not run.here or not changes(run, name):
        return
    folder = _folder(run, git_dir)
    if folder is not None and not run.context.workspace(folder) and not _is_own(run, folder):
        run.path(Writes, Value(folder), "repository")


def _folder(run: Run, git_dir: Value | None) -> str | None:
    """Return the folder that is worked in; the repository's data where that is elsewhere."""
    if git_dir is None:
        return run.cwd
    path = None if git_dir.hollow else run.context.normal(git_dir.text, run.cwd)
    return path.removesuffix("/.git") if path is not None else None


def _is_own(run: Run, folder: str) -> bool:
    """Whether a folder is in the workspace's own repository, or a work tree linked to it."""
    facts = run.context.facts
    found = facts.repository(folder)
    tops = [
        one.root
        for one in map(facts.repository, run.context.call.roots)
        if isinstance(one, Repository)
    ]
    if not isinstance(found, Repository) or not tops:
        return False
    text = facts.text(f"{found.root}/.git")
    linked = text.removeprefix("gitdir: ").strip() if isinstance(text, str) else ""
    return found.root in tops or any(below(linked, f"{top}/.git/worktrees") for top in tops)
