"""git commands on branches, tags and history."""

from __future__ import annotations

from interlock.effects.programs.gitshared import MAIN, change_tree, discard, repository_effect, touch_tree
from interlock.effects.programs.gitstaged import committed
from interlock.effects.rows import Row
from interlock.model.effect import Executes, Reads, RewritesHistory
from interlock.shell.value import UNREAD, Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run


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
    return Flow(None, frozenset({"workspace"}))


def _tag(run: Run) -> Flow:
    if run.has("-d", "--delete"):
        for value in run.operands:
            discard(run, "tag", target=value.text, value=value)
    return Flow(None, frozenset({"workspace"}))


def _reflog(run: Run) -> Flow:
    verb = run.operands[0].text if run.operands else "show"
    if verb in ("expire", "delete") and not run.has("-n", "--dry-run"):
        repository_effect(run, RewritesHistory, verb, "reflog", detail="commits that only the reflog knows are lost")
    return Flow(None, frozenset({"workspace"}))


def _gc(run: Run) -> Flow:
    prune = run.parsed.value("--prune")
    if prune is not None and prune.text not in ("", "2.weeks.ago", "never"):
        repository_effect(run, RewritesHistory, "gc", "gc-prune", detail="unreachable commits are deleted for good")
    return UNREAD


def _prune(run: Run) -> Flow:
    if not run.has("-n", "--dry-run"):
        repository_effect(run, RewritesHistory, "prune", "gc-prune", detail="unreachable commits are deleted for good")
    return UNREAD


def _update_ref(run: Run) -> Flow:
    """``-d REF``, ``REF VALUE``, or such lines on standard input with ``--stdin`` (git-update-ref(1))."""
    if run.has("--stdin"):
        text = run.stdin.text if run.stdin is not None else None
        gone = [line.split()[1] for line in (text or "").split("\n") if line.startswith("delete ")]
        for name in gone or [""]:
            discard(run, "branch", target=name, certain=bool(gone), detail="commits that only this branch holds are lost")
    elif run.operands:
        discard(run, "branch", target=run.operands[0].text, certain=run.has("-d"), detail="commits that only this branch holds are lost")
    return UNREAD


def _repack(run: Run) -> Flow:
    """Packs what is reachable; with an expiry what is not is deleted (git-repack(1))."""
    for value in run.parsed.values("--cruft-expiration", "--unpack-unreachable"):
        if value.text != "never":
            repository_effect(run, RewritesHistory, "repack", "gc-prune", value=value, detail="unreachable commits are deleted for good")
    return UNREAD


def _filter_branch(run: Run) -> Flow:
    repository_effect(run, RewritesHistory, "filter-branch", "filter", detail="every commit is written anew")
    for name, value in run.parsed.options:
        if name.endswith("-filter") and name != "--subdirectory-filter":
            run.code(value)
    return UNREAD


def _filter_repo(run: Run) -> Flow:
    if not run.has("--analyze", "--dry-run"):
        repository_effect(run, RewritesHistory, "filter-repo", "filter", detail="every commit is written anew")
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
        committed(run)
    for value in run.parsed.values("-F", "--file", "-t", "--template"):
        run.path(Reads, value)
    return UNREAD


def _commits(run: Run) -> None:
    """Say that a commit is made: it loses nothing, but a person may have asked for none."""
    only_tree = run.name in ("git cherry-pick", "git revert") and run.has("-n")
    if run.name not in ("git notes", "git commit-tree") and not only_tree and not run.has("--no-commit", "--dry-run", "--abort", "--quit"):
        repository_effect(run, Executes, run.name, "commits")


def _obliterate(run: Run) -> Flow:
    """git-extras: ``obliterate`` takes files out of every commit."""
    repository_effect(run, RewritesHistory, "obliterate", "filter")
    return UNREAD


_COMMIT = Row(
    options="--message:data --file:data -C:data -c:data --author:data --date:data -t:data --template:data --cleanup:data --fixup:data --squash:data --trailer:data",
    read=_replay,
)
_PLAIN = Row(
    options="-m:data -X:data -s:data -F:data --strategy:data --strategy-option:data --into-name:data --cleanup:data --mainline:data --message:data "
    "--file:data",
    read=_replay,
)

ROWS: dict[str, Row] = {
    "commit": _COMMIT, "merge": _PLAIN, "cherry-pick": _PLAIN, "revert": _PLAIN, "notes": _PLAIN, "citool": _PLAIN, "commit-tree": _COMMIT,
    "rebase": Row(read=_rebase),
    "bisect": Row(operands="subcommand", read=_bisect),
    "branch": Row(
        options="--contains:data --no-contains:data --merged:data --no-merged:data",
        read=_branch,
    ),
    "tag": Row(options="-F:reads --file:reads --contains:data", read=_tag),
    "reflog": Row(read=_reflog),
    "gc": Row(flags="--prune", read=_gc),
    "prune": Row(read=_prune),
    "update-ref": Row(read=_update_ref),
    "filter-branch": Row(
        read=_filter_branch,
    ),
    "filter-repo": Row(read=_filter_repo),
    "obliterate": Row(read=_obliterate), "fast-import": Row(read=change_tree), "replace": Row(),
    "repack": Row(read=_repack), "pack-refs": Row(),
}  # fmt: skip
