"""``interlock sidecar``: send this machine's record to the service that it is enrolled with.

One process a user; `interlock enrol` and, on Linux, the resident guard start it. Without it hooks
decide as ever, and the record waits here.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import time
from threading import Event

from interlock.cli import build
from interlock.cli.colors import complain, visible
from interlock.cli.policies import TODAY, policy_source
from interlock.guard.stopping import StopCommand, StopResult
from interlock.policy.compare import of_file
from interlock.policy.files import places
from interlock.policy.problem import PolicyError
from interlock.policy.schema import FLEET
from interlock.sidecar.enrol import where
from interlock.sidecar.guard_health import program
from interlock.sidecar.leases import SidecarLeases, give_back_all
from interlock.sidecar.policy import FleetPolicy, FleetSettings
from interlock.sidecar.policy_place import place_of
from interlock.sidecar.requests import SidecarRequests
from interlock.sidecar.run import GLANCE_SECONDS, Loop, RunningError, SidecarLock, drain, is_running
from interlock.sidecar.stops import Stops
from interlock.sidecar.stream import ServiceStream
from interlock.stop.processes import OURS, SESSION_TAGS
from interlock.store.elsewhere import EnrolmentState
from interlock.wire.orders import StopOrder

NAME = "sidecar"
SUMMARY = "send this machine's record to your team's service"
NOT_ENROLLED = 2
DRAIN_SECONDS = 30
BEGINS_SECONDS = 10
_LOG = "sidecar.log"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how."""
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--detach", action="store_true", help="start it in the background")
    how.add_argument(
        "--drain",
        nargs="?",
        type=int,
        const=DRAIN_SECONDS,
        metavar="SECONDS",
        help=f"send all that waits, then end: at the end of a runner (at most {DRAIN_SECONDS} s)",
    )


def run(options: argparse.Namespace) -> int:
    """Send. 0 ended or all sent, 1 not all sent or the store cannot be read, 2 not enrolled."""
    try:
        store = build.store(os.environ)
        found = where(store.folder)
        if found is None:
            complain("interlock sidecar: this machine is not enrolled: interlock enrol TOKEN\n")
            return NOT_ENROLLED
        if options.detach:
            print("started" if start(store.folder) else "a sidecar runs already")
            return 0
        if options.drain is not None:
            give_back_all(store, found)
            left = drain(store, found, options.drain, _report_failure)
            print("all of the record is there" if not left else f"{left} records are not there yet")
            return 1 if left else 0
        held = SidecarLock(store.folder, GLANCE_SECONDS)
        try:
            ended = _ending()
            beside = build.store_in(
                store.folder
            )  # what is written here is seen by who sends the record
            policy = _policy(store.folder, found)
            policy.begin(ended)
            stops, asks = Stops(beside, found, _execute_stop), SidecarRequests(beside, found)
            down = ServiceStream(found, stops, asks, ended, hinted=policy.hint)
            SidecarLeases(build.store_in(store.folder), found).begin(ended)
            Loop(store, found, ended, down=down).run()
        finally:
            held.let_go()
    except (build.StoreError, RunningError) as problem:
        complain(f"interlock sidecar: {visible(str(problem))}\n")
        return 1
    return 0


def _policy(folder: str, found: EnrolmentState) -> FleetPolicy:
    """Return what keeps the team's policy here."""
    place = place_of(places(os.environ), folder, found.service_key)
    return FleetPolicy(build.store_in(folder), found, place, FleetSettings(explain_wrong_policy))


def explain_wrong_policy(content: bytes) -> str:
    """Return what is wrong with a policy of the team on this machine, empty where nothing is."""
    where = places(os.environ)
    try:
        of_file(content, policy_source(FLEET, "fleet.yaml", where), TODAY)
    except PolicyError as error:
        return error.problems[0].text().splitlines()[0]
    return ""


def _execute_stop(order: StopOrder) -> StopResult:
    """Stop what the service says, as `interlock stop` does."""
    return build.execute_stop(
        os.environ, StopCommand(order.scope, order.why, order.by, flagged=True)
    )


def _report_failure(why: str) -> None:
    complain(f"interlock sidecar: {visible(why)}\n")


def _ending() -> Event:
    """Return what is set when somebody ends this process."""
    ended = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    return ended


def start(folder: str) -> bool:
    """Start one that outlives this process, unless one runs; tell whether it was started."""
    if is_running(folder):
        return False
    log = os.open(f"{folder}/{_LOG}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        subprocess.Popen(  # noqa: S603 - this very program
            program("sidecar"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            env=_environment(),
            start_new_session=True,
        )
    finally:
        os.close(log)
    return True


def wait_until_running(folder: str) -> bool:
    """Wait until one runs that was just started; tell whether it does."""
    until = time.monotonic() + BEGINS_SECONDS
    while not is_running(folder):
        if time.monotonic() >= until:
            return False
        time.sleep(0.1)
    return True


def _environment() -> dict[str, str]:
    """Return what it finds around it: no tag of a session whose agent had it started, for it
    outlives that and is not ended with it.
    """
    name, _, value = OURS.partition("=")
    kept = {key: value for key, value in os.environ.items() if key not in SESSION_TAGS}
    return {**kept, name: value}


def start_where_enrolled(folder: str) -> None:
    """Start one where this user's store is sent somewhere."""
    if where(folder) is not None:
        start(folder)
