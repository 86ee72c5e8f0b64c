"""``interlock undo [DECISION]``: bring back what a call took away, from the checkpoint that was
taken before it.

Without a name the last call of this folder's workspace is undone. Files that were changed since are
left as they are, and new ones too; each is told. Before anything is touched a checkpoint is taken,
so an undo can itself be undone. Exit codes: 0 done, 1 not done, 4 done but for what is told.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable

from interlock.checkpoint import CheckpointError
from interlock.checkpoint.restore import UndoPlan
from interlock.checkpoint.service import Checkpoints, UndoResult
from interlock.checkpoint.vault import CheckpointHead
from interlock.cli import build, machine
from interlock.cli.colors import Painter, complain, visible

NAME = "undo"
SUMMARY = "undo what a call changed"
PARTLY = 4
SHOWN = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is undone, and how."""
    parser.add_argument(
        "name",
        nargs="?",
        default="",
        metavar="DECISION",
        help="the decision's id (d-...) or the checkpoint's (c-...)",
    )
    parser.add_argument(
        "--last",
        action="store_true",
        help="the last call of this workspace that was not undone (as without a name)",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    parser.add_argument(
        "--over",
        action="store_true",
        help="bring back older versions of files that were changed since, too",
    )
    parser.add_argument("--exact", action="store_true", help="also remove files that the call made")
    machine.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Undo, or say what would be undone."""
    try:
        kept = build.store(os.environ)
        checkpoints = build.checkpoints(kept, build.policy(os.environ, os.getcwd()).checkpointing)
        head = checkpoints.find(options.name, (os.path.realpath(os.getcwd()),))
        if options.dry_run:
            plan = checkpoints.look(head, over=options.over, exact=options.exact)
            if options.json:
                machine.tell(_to_full_dict(UndoResult(head, plan), done=False))
            else:
                _say(head, plan, "would bring back")
            return 0
        done = finish_and_undo(checkpoints, head, over=options.over, exact=options.exact)
        build.record(kept, "undo", head.decision or head.id, _to_dict(done), head.session)
    except (CheckpointError, build.StoreError) as problem:
        complain(f"interlock undo: {problem}\n")
        return 1
    if options.json:
        machine.tell(_to_full_dict(done, done=True))
    else:
        _say(head, done.plan, "brought back")
    for sentence in done.problems:
        complain(f"interlock undo: {visible(sentence)}\n")
    if done.before and not options.json:
        print(f"To undo this undo: interlock undo {done.before} --exact")
    return PARTLY if done.problems or done.plan.changed_since or done.plan.git_left else 0


def finish_and_undo(
    checkpoints: Checkpoints, head: CheckpointHead, *, over: bool, exact: bool
) -> UndoResult:
    """Undo; what is cut off in another process is finished here first."""
    for problem in checkpoints.finish():
        complain(f"interlock undo: an earlier undo was finished, but for {visible(problem)}\n")
    return checkpoints.undo(head, over=over, exact=exact)


def _to_dict(done: UndoResult) -> dict[str, object]:
    plan = done.plan
    return {
        "checkpoint": done.head.id, "before": done.before, "brought_back": len(plan.back),
        "removed": len(plan.away),
        "changed_since": len(plan.changed_since), "new": len(plan.new),
        "problems": list(done.problems[:SHOWN]),
    }  # fmt: skip


def _to_full_dict(made: UndoResult, *, done: bool) -> dict[str, object]:
    """Return what was done, or would be, for a program."""
    plan, head = made.plan, made.head
    return {
        "done": done, "decision": head.decision, "checkpoint": head.id, "taken": head.taken,
        "call": head.shown or head.why,
        "brought_back": list(plan.back), "removed": list(plan.away),
        "changed_since": list(plan.changed_since), "new": list(plan.new),
        "git_left": list(plan.git_left), "undo_of_this": made.before,
        "problems": list(made.problems),
    }  # fmt: skip


def _say(head: CheckpointHead, plan: UndoPlan, what: str) -> None:
    paint, root = Painter(sys.stdout), head.roots[0] if head.roots else ""
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(head.taken))
    print(
        paint(f"{head.decision or head.id}", "bold")
        + f"  {when}  {visible(head.shown or head.why)}"
    )
    if not (plan.back or plan.away):
        print("nothing to bring back: what the call took away is there again, or was never gone")
    for paths, words in (
        (plan.back, what),
        (plan.away, what.replace("bring back", "remove").replace("brought back", "removed")),
        (plan.changed_since, "left, for it was changed since (--over takes the older one)"),
        (plan.new, "left, for it is new (--exact removes it)"),
        (plan.git_left, "left, for branches moved since; only files are brought back"),
    ):
        for line in _render_paths(paths, words, root):
            print(line)


def _render_paths(paths: Iterable[str], words: str, root: str) -> list[str]:
    names = [visible(path.removeprefix(root + "/")) for path in paths]
    more = [f"  ... and {len(names) - SHOWN:,} more"] if len(names) > SHOWN else []
    return (
        [f"{words}: {len(names):,}", *[f"  {name}" for name in names[:SHOWN]], *more]
        if names
        else []
    )
