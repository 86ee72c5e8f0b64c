"""git commands on branches, tags and history."""

from __future__ import annotations

from interlock.effects.programs.gitshared import (
    MAIN,
    discard,
    repository_effect,
    touch_tree,
)
from interlock.effects.programs.gitstaged import add_commit_secrets, add_name_secrets, message
from interlock.effects.run import Run
from interlock.model.effect import Executes, Reads, RewritesHistory
from interlock.shell.value import UNREAD, Flow


def _branch(run: Run) -> Flow:
    """``-D`` (or ``-d -f``) deletes what may be merged nowhere; ``-d`` refuses that."""
    forced = run.has("-f", "--force")
    if run.has("-r", "--remotes"):
        # only what was last seen of a remote: the next fetch brings it back
        return Flow(None, frozenset({"workspace"}))
    if run.has("-D") or (run.has("-d", "--delete") and forced):
        for value in run.operands:
            discard(
                run,
                "branch",
                *(["main"] if value.text in MAIN else []),
                target=value.text,
                value=value,
                detail="commits that are merged nowhere are lost",
            )
    elif forced or run.has("-M", "-C"):
        discard(run, "branch", target=run.operands[0].text if run.operands else "", certain=False)
    add_name_secrets(run)
    return Flow(None, frozenset({"workspace"}))


def _tag(run: Run) -> Flow:
    if run.has("-d", "--delete"):
        for value in run.operands:
            discard(run, "tag", target=value.text, value=value)
    message(run)
    add_name_secrets(run)
    return Flow(None, frozenset({"workspace"}))


def _reflog(run: Run) -> Flow:
    verb = run.operands[0].text if run.operands else "show"
    if verb in ("expire", "delete") and not run.has("-n", "--dry-run"):
        repository_effect(
            run,
            RewritesHistory,
            verb,
            "reflog",
            detail="commits that only the reflog knows are lost",
        )
    return Flow(None, frozenset({"workspace"}))


def _gc(run: Run) -> Flow:
    prune = run.parsed.value("--prune")
    if prune is not None and prune.text not in ("", "2.weeks.ago", "never"):
        repository_effect(
            run,
            RewritesHistory,
            "gc",
            "gc-prune",
            detail="unreachable commits are deleted for good",
        )
    return UNREAD


def _prune(run: Run) -> Flow:
    if not run.has("-n", "--dry-run"):
        repository_effect(
            run,
            RewritesHistory,
            "prune",
            "gc-prune",
            detail="unreachable commits are deleted for good",
        )
    return UNREAD


def _update_ref(run: Run) -> Flow:
    """``-d REF``, ``REF VALUE``, or such lines on standard input with ``--stdin``
    (git-update-ref(1)).
    """
    if run.has("--stdin"):
        text = run.stdin.text if run.stdin is not None else None
        gone = [line.split()[1] for line in (text or "").split("\n") if line.startswith("delete ")]
        for name in gone or [""]:
            discard(
                run,
                "branch",
                target=name,
                certain=bool(gone),
                detail="commits that only this branch holds are lost",
            )
    elif run.operands:
        discard(
            run,
            "branch",
            target=run.operands[0].text,
            certain=run.has("-d"),
            detail="commits that only this branch holds are lost",
        )
    return UNREAD


def _repack(run: Run) -> Flow:
    """Packs what is reachable; with an expiry what is not is deleted (git-repack(1))."""
    for value in run.parsed.values("--cruft-expiration", "--unpack-unreachable"):
        if value.text != "never":
            repository_effect(
                run,
                RewritesHistory,
                "repack",
                "gc-prune",
                value=value,
                detail="unreachable commits are deleted for good",
            )
    return UNREAD


def _filter_branch(run: Run) -> Flow:
    repository_effect(
        run, RewritesHistory, "filter-branch", "filter", detail="every commit is written anew"
    )
    for name, value in run.parsed.options:
        if name.endswith("-filter") and name != "--subdirectory-filter":
            run.code(value)
    return UNREAD


def _filter_repo(run: Run) -> Flow:
    if not run.has("--analyze", "--dry-run"):
        repository_effect(
            run, RewritesHistory, "filter-repo", "filter", detail="every commit is written anew"
        )
    return UNREAD


def _rebase(run: Run) -> Flow:
    """Rebasing keeps the old commits in the reflog; ``-x TEXT`` runs the text after each commit."""
    touch_tree(run)
    _commits(run)
    for value in run.parsed.values("-x", "--exec"):
        run.code(value)
    return UNREAD


def _bisect(run: Run) -> Flow:
    operands = run.operands
    touch_tree(run)
    if operands and operands[0].text == "run" and len(operands) > 1:
        return run.command(operands[1:])
    return UNREAD


def _replay(run: Run) -> Flow:
    """Commands that only keep or replay commits; files named are read."""
    touch_tree(run)
    _commits(run)
    if run.name == "git commit":
        add_commit_secrets(run)
    elif run.name not in ("git cherry-pick", "git revert"):  # their -m is a number
        message(run)
    for value in run.parsed.values("-F", "--file", "-t", "--template"):
        run.path(Reads, value)
    return UNREAD


def _commits(run: Run) -> None:
    """Say that a commit is made: it loses nothing, but a person may have asked for none."""
    only_tree = run.name in ("git cherry-pick", "git revert") and run.has("-n")
    if (
        run.name not in ("git notes", "git commit-tree")
        and not only_tree
        and not run.has("--no-commit", "--dry-run", "--abort", "--quit")
    ):
        repository_effect(run, Executes, run.name, "commits")


def _obliterate(run: Run) -> Flow:
    """git-extras: ``obliterate`` takes files out of every commit."""
    repository_effect(run, RewritesHistory, "obliterate", "filter")
    return UNREAD
