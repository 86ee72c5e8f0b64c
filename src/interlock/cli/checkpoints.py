"""``interlock checkpoints``: the checkpoints that are kept, the newest first; ``prune`` takes away
those that are too old or too large.

``interlock undo`` goes back to one. How long they are kept the policy says (``checkpoints``).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time

from interlock.checkpoint import CheckpointError
from interlock.checkpoint.service import Checkpoints
from interlock.checkpoint.vault import CheckpointHead
from interlock.cli import build
from interlock.cli.colors import Painter, complain, visible
from interlock.engine.radius import size
from interlock.model.codec import encode

NAME = "checkpoints"
SUMMARY = "list the checkpoints that can be undone"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what can be done."""
    parser.add_argument("--json", action="store_true", help="print them as JSON lines")
    parser.add_argument(
        "-n", type=int, default=20, metavar="COUNT", help="how many at most (default: 20)"
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    actions.add_parser("prune", help="delete what is too old or too large")
    taken = actions.add_parser("take", help="take a checkpoint of a folder now")
    taken.add_argument("folder", nargs="?", default=".", help="the folder (default: this one)")


def run(options: argparse.Namespace) -> int:
    """List, prune or take. 0 done, 1 not done."""
    try:
        checkpoints = build.checkpoints(
            build.store(os.environ), build.policy(os.environ, os.getcwd()).checkpointing
        )
        for problem in checkpoints.finish():
            complain(
                "interlock checkpoints: an undo that was cut off was finished, but for"
                f" {visible(problem)}\n"
            )
        if options.action == "prune":
            print(f"{len(checkpoints.prune()):,} taken away")
        elif options.action == "take":
            head = checkpoints.of((os.path.realpath(options.folder),), "taken by hand")
            many = f"{head.files:,} file{'' if head.files == 1 else 's'}, {size(head.size)}"
            print(f"{head.id}  {many}; to go back to it: interlock undo {head.id}")
        else:
            _list(checkpoints, options.n, plain=options.json)
    except (CheckpointError, build.StoreError) as problem:
        complain(f"interlock checkpoints: {problem}\n")
        return 1
    return 0


def _list(checkpoints: Checkpoints, most: int, *, plain: bool) -> None:
    heads = checkpoints.vault.heads()
    if plain:
        for head in heads[:most]:
            print(json.dumps(encode(head)))
        return
    paint = Painter(sys.stdout)
    for head in heads[:most]:
        print(_line(head, paint, undone=checkpoints.undone(head)))
    print(
        f"{len(heads):,} kept, {size(checkpoints.size())}"
        if heads
        else "no checkpoint was taken yet"
    )


def _line(head: CheckpointHead, paint: Painter, *, undone: bool) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(head.taken))
    state = paint(" (undone)", "grey") if undone else ""
    return (
        f"{when}  {paint(head.decision or head.id, 'bold')}  {head.files:,} files,"
        f" {size(head.size)}  {visible(head.shown or head.why)}{state}"
    )
