"""``interlock enrol``: have this machine's record sent to a team's service, too.

The token is one word that the service printed; it works once. What is sent is the chain that
`interlock audit export` writes: secrets are marks in it already. Hooks decide as before, from this
machine alone, whether the service is there or not. The service may stop this machine and approve
what it asks about, so an agent may not enrol it.
"""

from __future__ import annotations

import argparse
import os

from interlock.approvals.answers import AnswerError
from interlock.cli import build, person_check, sidecar
from interlock.cli.colors import complain, visible
from interlock.policy.files import places
from interlock.sidecar.client import UnreachableError
from interlock.sidecar.enrol import EnrolmentError, enrol, leave, where
from interlock.sidecar.policy_place import place_of, take_away
from interlock.store.database import Store
from interlock.wire.token import TokenError, read

NAME = "enrol"
SUMMARY = "have this machine's record sent to your team's service"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the token."""
    parser.add_argument("token", nargs="?", default="", help="what the service printed: il1_...")
    parser.add_argument(
        "--name", default="", help="what this machine is called there (default: its host name)"
    )
    parser.add_argument(
        "--again", action="store_true", help="enrol although this machine is enrolled already"
    )
    parser.add_argument(
        "--leave", action="store_true", help="be enrolled no more: the record stays here again"
    )
    parser.add_argument(
        "--person",
        action="store_true",
        help="authenticate as a person with your token, read from standard input",
    )
    parser.add_argument(
        "--no-start", action="store_true", help="do not start the sidecar that sends the record"
    )


def run(options: argparse.Namespace) -> int:
    """Enrol or leave. 0 done, 1 the service would not or is not there, 2 no token."""
    try:
        store = build.store(os.environ)
        person_check.refuses_agents("enrol this machine", given=options.person)
        return _leave(store) if options.leave else _enrol(options, store)
    except TokenError as problem:
        complain(f"interlock enrol: {problem}\n")
        return 2
    except (AnswerError, EnrolmentError, UnreachableError, build.StoreError) as problem:
        complain(f"interlock enrol: {visible(str(problem))}\n")
        return 1


def _enrol(options: argparse.Namespace, store: Store) -> int:
    token = read(options.token)
    before = where(store.folder)
    if before is not None and not options.again:
        complain(
            f"interlock enrol: this machine is enrolled with {visible(before.url)} as"
            f" {visible(before.machine)} already; --again enrols it anew, --leave ends that\n"
        )
        return 1
    found = enrol(store, token, options.name)
    build.record(store, "enrolled", found.machine, {"chain": found.chain, "url": found.url})
    print(f"enrolled with {visible(found.url)} as {visible(found.machine)}")
    if options.no_start:
        print("the record is sent by: interlock sidecar")
        return 0
    sidecar.start(store.folder)
    if not sidecar.wait_until_running(store.folder):
        complain("interlock enrol: its sidecar does not start; see why: interlock sidecar\n")
        return 1
    print("its record is sent from now on; how far: interlock status")
    return 0


def _leave(store: Store) -> int:
    found = where(store.folder)
    if found is None:
        complain("interlock enrol: this machine is not enrolled\n")
        return 1
    why = leave(store, found)
    take_away(place_of(places(os.environ), store.folder, found.service_key))
    if why:
        complain(f"interlock enrol: {visible(why)}; it still counts as enrolled there\n")
    build.record(store, "left", found.machine, {"told": not why, "url": found.url})
    print(f"left {visible(found.url)}; the record stays on this machine from now on")
    return 0
