"""What the subcommands of git leave alone: those that change nothing of a repository, and those
that change no file of its work tree.

What stands in neither list, an extension of somebody's too, may change both (git(1), each one's own
page).
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.run import Run

LOOKING = frozenset(words("git", "looking"))
_QUIET = LOOKING | frozenset(words("git", "quiet"))
_KEEPING = frozenset(
    "add stage commit citool branch tag config remote notes worktree submodule delete-submodule gc prune repack reflog replace fast-import init "
    "symbolic-ref update-ref update-index rerere mergetool lfs scalar delete-branch delete-merged-branches delete-tag rename-branch mv apply".split()
)
"""They change the repository, and of the work tree only what they name."""
_VERBS: dict[str, frozenset[str]] = {
    "stash": frozenset({"list", "show"}),
    "remote": frozenset({"", "show", "get-url"}),
    "submodule": frozenset({"", "status", "summary", "foreach"}),
    "notes": frozenset({"", "list", "show"}),
    "worktree": frozenset({"", "list", "add"}),  # what it adds is a folder of its own
    "reflog": frozenset({"", "show", "list", "exists"}),
    "bisect": frozenset({"", "log", "view", "visualize", "terms"}),
    "lfs": frozenset(
        {"", "ls-files", "status", "env", "version", "fetch", "push", "logs", "locks"}
    ),
    "subtree": frozenset({"", "split", "push"}),
    "svn": frozenset({"", "fetch", "info", "log", "find-rev", "show-ignore", "blame"}),
    "flow": frozenset({"", "version", "log"}),
    "rerere": frozenset({"status", "diff", "remaining"}),
}
"""Verbs with which a subcommand changes nothing."""
_LISTS = words("git", "lists")
_ELSEWHERE = ("--global", "--system", "-f", "--file", "--blob")
"""Scopes of ``config`` that are none of the repository's own."""


def changes(run: Run, name: str) -> bool:
    """Whether a subcommand changes a repository that is there, as far as its words tell."""
    verb = run.operands[0].text if run.operands else ""
    if name in ("branch", "tag"):
        return bool(run.operands) and not run.has(*_LISTS)
    if name == "symbolic-ref":
        return len(run.operands) > 1 or run.has("-d", "--delete")
    if name == "config":
        given = len(run.operands) > 1 or run.has(
            "--unset", "--unset-all", "--remove-section", "-e", "--edit"
        )
        return (
            given
            and verb not in ("get", "list")
            and not run.has(*_ELSEWHERE, "--get", "--get-all", "--get-regexp", "--get-urlmatch")
        )
    if name == "init" and run.operands:
        return False  # that folder is a write of its own
    return name not in _QUIET and verb not in _VERBS.get(name, ())


def changes_tree(run: Run, name: str) -> bool:
    """Whether a subcommand may change any file of the work tree."""
    return name not in _KEEPING and changes(run, name)
