"""Hooks that a command of git runs (githooks(5)). One that this call or its session wrote is read
like any script; an old one is the person's own.
"""

from __future__ import annotations

from interlock.effects.programs.gitfiles import iter_settings, may_follow
from interlock.effects.programs.gitshared import top_of
from interlock.effects.run import Run
from interlock.shell.value import Value

CHANGED = "changed-hook"
"""The mark of a hook that a call of the session wrote (``later``)."""
_COMMITS = "prepare-commit-msg commit-msg post-commit post-rewrite"
_MOVES = "post-checkout post-index-change"
HOOKS = {
    "commit": f"pre-commit {_COMMITS} post-index-change", "citool": f"pre-commit {_COMMITS}",
    "merge": f"pre-merge-commit {_COMMITS} post-merge",
    "pull": f"pre-merge-commit {_COMMITS} post-merge pre-rebase post-checkout",
    "cherry-pick": _COMMITS, "revert": _COMMITS,
    "rebase": f"pre-rebase {_COMMITS} {_MOVES}",
    "am": f"applypatch-msg pre-applypatch post-applypatch {_COMMITS}", "push": "pre-push",
    "checkout": _MOVES, "switch": _MOVES, "worktree": "post-checkout", "bisect": _MOVES,
    "add": "post-index-change", "reset": "post-index-change",
    "restore": "post-index-change", "rm": "post-index-change", "stash": "post-index-change",
    "gc": "pre-auto-gc", "send-email": "sendemail-validate",
}  # fmt: skip
"""Command of git -> the hooks that it may run."""
_EVERY = "reference-transaction fsmonitor-watchman"
_SKIPPED = frozenset(
    "pre-commit commit-msg pre-push pre-merge-commit applypatch-msg pre-applypatch pre-rebase".split()
)
"""Hooks that ``--no-verify`` leaves out."""


def run_hooks(run: Run, name: str) -> None:
    """Read the hooks that a command runs and that are new since the session began."""
    if name not in HOOKS or not run.here or run.cwd is None:
        return
    top = top_of(run, run.cwd)
    skipped = (
        _SKIPPED
        if run.has("--no-verify", *(["-n"] if name == "commit" else []))
        else frozenset[str]()
    )
    names = [hook for hook in f"{HOOKS[name]} {_EVERY}".split() if hook not in skipped]
    if top not in run.context.git.hooks:
        run.context.git.hooks[top] = _folders(run, top)
    for folder in run.context.git.hooks[top]:
        for path in [f"{folder}/{hook}" for hook in names]:
            if _is_new(run, path) and may_follow(run):
                _start(run, path, top)


def _start(run: Run, path: str, top: str) -> None:
    """A hook runs at the top of the work tree."""
    held, run.cwd = run.cwd, top
    try:
        run.command([Value(path)])
    finally:
        run.cwd = held


def _is_new(run: Run, path: str) -> bool:
    """Whether this call or its session wrote a hook, whole or in part."""
    context = run.context
    return (
        path in run.reader.written
        or path in context.files.rewritten
        or CHANGED in context.facts.labels(path)
        or context.facts.made(path)
    )


def _folders(run: Run, top: str) -> list[str]:
    """Return where git looks for hooks; what runs others of a project (husky) has them in the
    folder above its own.
    """
    text = next(
        (value for key, value in reversed(list(iter_settings(run))) if key == "core.hookspath"), ""
    )
    folder = run.context.normal(run.context.at_home(text), top) if text else None
    if folder is None:
        return [f"{top}/.git/hooks"]
    return [folder, folder.rpartition("/")[0]] if folder.endswith("/_") else [folder]
