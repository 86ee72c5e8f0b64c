"""git commands below its everyday ones that move names and hide things: replacements of objects,
symbolic names, marks of the index, branches kept by extensions (each one's manual page).
"""

from __future__ import annotations

from interlock.effects.programs.gitshared import discard, repository_effect, touch_tree
from interlock.effects.run import Run
from interlock.model.effect import Pushes, RewritesHistory
from interlock.shell.value import UNREAD, Flow

_HIDES = ("--assume-unchanged", "--skip-worktree", "--fsmonitor-valid")
"""Marks by which a change of a file is seen no more: not by ``status``, nor by who commits."""
_UNSEEN = ("--cacheinfo", "--index-info", "--force-remove", "--remove", "--unresolve")
"""What puts into the index, or takes out of it, that which no file of the work tree shows."""


def _replace(run: Run) -> Flow:
    """``replace OBJECT OTHER``, ``--edit``, ``--graft``: git shows another history from now on;
    ``-d`` forgets which.
    """
    changes = run.has("-d", "--delete", "-e", "--edit", "-g", "--graft", "--convert-graft-file")
    if run.has("-l", "--list") or not (changes or len(run.operands) > 1):
        return UNREAD
    repository_effect(
        run,
        RewritesHistory,
        "replace",
        "replaced",
        detail="git shows another object in the place of this one",
    )
    return UNREAD


def _symbolic_ref(run: Run) -> Flow:
    """``symbolic-ref NAME REF`` moves a name, often HEAD, without files; ``-d`` deletes it."""
    if run.has("-d", "--delete"):
        discard(run, "branch", target=run.operands[0].text if run.operands else "", certain=False)
    elif len(run.operands) > 1:
        touch_tree(run)
        run.context.doubt("HEAD is moved, and the files are not")
    return UNREAD


def _fast_import(run: Run) -> Flow:
    """A stream of commits sets branches to what it says; with ``--force`` to what loses commits."""
    touch_tree(run)
    run.context.doubt("what a stream of commits sets branches to is not known")
    if run.has("--force"):
        discard(run, "branch", certain=False, detail="commits that only a branch holds are lost")
    return UNREAD


def note_index_flags(run: Run) -> None:
    """Note what ``update-index`` does that nobody sees in the files."""
    if run.has(*_HIDES):
        run.context.doubt("git is told not to see changes of a file")
    if run.has(*_UNSEEN):
        run.context.doubt("what is put into the index stands in no file")


_SHIPPING = frozenset({"ship", "sync", "propose", "new-pull-request", "sync-all"})


def _town(run: Run) -> Flow:
    """Git Town: ``ship`` merges into the main branch, pushes it and deletes the other; ``sync``
    pushes every branch that it brings up to date (its page on commands).
    """
    verb = run.operands[0].text if run.operands else ""
    touch_tree(run)
    if verb in _SHIPPING and not run.has("--dry-run", "--no-push"):
        main = ["main", "delete"] if verb == "ship" else []
        repository_effect(run, Pushes, f"town {verb}", *main)
    elif verb in ("delete", "kill"):
        discard(run, "branch", detail="a branch is deleted here and at the remote")
    elif verb in ("undo", "rename", "compress", "set-parent", "park"):
        run.context.doubt(f"what git town {verb} does to branches is not known")
    return UNREAD


def _traverse(run: Run) -> Flow:
    """Git machete: ``traverse`` rebases and pushes branch after branch, ``advance`` pushes too;
    ``delete-unmanaged`` and ``slide-out --delete`` delete branches (its manual).
    """
    verb = run.operands[0].text if run.operands else ""
    touch_tree(run)
    if verb in ("traverse", "advance") and not run.has("-N", "--no-push", "--no-push-untracked"):
        repository_effect(run, Pushes, f"machete {verb}", "force-with-lease")
    elif verb == "delete-unmanaged" or run.has("--delete", "-D"):
        discard(run, "branch", certain=False, detail="branches are deleted")
    elif verb not in ("status", "s", "log", "show", "list", "diff", "help", "version", "file"):
        run.context.doubt(f"what git machete {verb} does is not known")
    return UNREAD
