"""``interlock fleet``: one policy for all machines of a team, where their service runs.

``begin`` makes the keys; ``try`` checks a policy, runs its cases and judges the recorded history of
all machines by it; ``publish`` gives that very text to a few machines first, ``widen`` to more,
``back`` publishes an earlier one again; ``sign`` adds a second person's signature; ``rekey`` names
other keys; ``show`` says which policy is where.
"""

from __future__ import annotations

import argparse
import os

from interlock.approvals.answers import AnswerError
from interlock.cli import build, person_check
from interlock.cli.colors import complain, visible
from interlock.cli.serve import lacking
from interlock.wire.rollout import PLAN, WHOLE

NAME = "fleet"
SUMMARY = "publish one policy to all machines of your team"
WHAT = ("show", "begin", "try", "publish", "sign", "widen", "back", "rekey")
SHARE = f"so many of {WHOLE} machines"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what to do with which policy."""
    parser.add_argument("what", metavar="WHAT", choices=WHAT, help=", ".join(WHAT))
    parser.add_argument(
        "policy", nargs="?", default="", metavar="POLICY",
        help="try, publish: the policy's file; back: the number of a bundle",
    )  # fmt: skip
    parser.add_argument(
        "--cases", default="", metavar="FILE",
        help="try: the calls that it has to answer as they say",
    )  # fmt: skip
    parser.add_argument(
        "--since", default="30d", metavar="TIME",
        help="try: how far back the history is judged by it (default: 30d)",
    )  # fmt: skip
    parser.add_argument(
        "--permille", type=int, default=-1, metavar="N",
        help=f"publish, widen: {SHARE} (default: {PLAN[0]}, then {', '.join(map(str, PLAN[1:]))})",
    )  # fmt: skip
    parser.add_argument(
        "--machine", action="append", default=[], metavar="ID",
        help="publish: a machine that has it in any case",
    )  # fmt: skip
    parser.add_argument(
        "--anyway", action="store_true", help="widen: although a gate holds it; that is recorded"
    )
    _add_keys(parser)
    parser.add_argument("--tenant", default="", metavar="NAME", help="of this organisation")
    parser.add_argument("--json", action="store_true", help="try, show: print it as JSON")
    person_check.add_token(parser)


def _add_keys(parser: argparse.ArgumentParser) -> None:
    """Declare the keys."""
    parser.add_argument(
        "--keys", default="", metavar="FOLDER", help="begin: the new folder for people's keys"
    )
    parser.add_argument(
        "--sealed", action="store_true",
        help="begin: the service keeps the owners' keys, and people publish in the console",
    )  # fmt: skip
    parser.add_argument(
        "--key", action="append", default=[], metavar="FILE", help="the key of a policy's owner"
    )
    parser.add_argument(
        "--root-key", action="append", default=[], metavar="FILE", help="rekey: a key of root"
    )
    for name, said in (("roots", "name keys"), ("owners", "publish")):
        parser.add_argument(
            f"--{name}", default="1/1", metavar="M/N",
            help=f"begin: how many of how many keys it takes to {said} (default: 1/1)",
        )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Do it. 0 done, 1 not, 2 what it needs is not installed."""
    missing = lacking(NAME)
    if missing:
        complain(missing)
        return 2
    from interlock.cli import fleet_publish, serve_start  # what they stand on is there

    try:
        if options.what not in ("show", "try"):
            person_check.refuses_agents("publish a policy", given=options.token)
        state = build.state_folder(os.environ)
        folder = serve_start.folder_of(state, options.tenant)
        return fleet_publish.TOOLS[options.what](folder, options)
    except (
        AnswerError, ValueError, build.StoreError, *serve_start.ERRORS, *fleet_publish.ERRORS,
    ) as problem:  # fmt: skip
        complain(f"interlock fleet {options.what}: {visible(str(problem))}\n")
        return 1
