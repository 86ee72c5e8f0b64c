"""A fleet under load whose service is killed again and again: real sidecars, stores and hooks, and
``kill -9`` for the node. At the end nothing that was acknowledged is lost, nothing is there twice,
every record of every machine is at the service as it is on its machine, and every chain is whole;
exit code 1 where that is not so.

    python -m bench.service_fleet [--machines 6] [--seconds 180] [--calls 4] [--kill 20] [--hooks 5]

``--calls``: a second, of the whole fleet; every ``--hooks``-th is a hook's process, the others are
judged by the same guard in this one, which writes to the same stores. Nothing of it is run.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

from interlock.cli import build
from interlock.model.call import Outcome, ToolCall
from interlock.model.record import Record
from interlock.service.store.sqlite import Database
from interlock.sidecar.reading import ends
from interlock.sidecar.ship import MOST_SECONDS
from interlock.store.elsewhere import load_enrolment, load_progress
from tests.service.test_processes import SECONDS, Machine

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Sequence

    from interlock.service.store.protocol import ServiceReader

WORKERS = 4
DENIED = 10
"""Every so many-th call of a machine is one that is denied: it is sent at once."""
AT_ONCE = 500


class SoakPlan(Record):
    """``rounds``: kills, each in the middle of so many ``calls`` of the fleet; ``seconds``: how
    long those take, 0 as fast as they go; ``hooks``: every so many-th call is a hook's process.
    """

    machines: int
    rounds: int
    calls: int
    seconds: float = 0.0
    hooks: int = 5


class SoakReport(Record):
    """``events``: of all machines; ``noted``: acknowledgements that were noted before kills;
    ``wrong``: sentences, none where all is well.
    """

    events: int
    noted: int
    wrong: tuple[str, ...]


class SoakMachine(Machine):
    """A machine that works. ``noted``: what was acknowledged, by number."""

    def __init__(self, home: Path, ending: ExitStack) -> None:
        super().__init__(home, ending)
        self._guard = build.guard({"HOME": str(home)}, folder=str(home))
        self.noted: dict[int, str] = {}
        self._calls = 0

    def call(self, *, hooked: bool) -> None:
        """Have one call judged."""
        self._calls += 1
        command = "rm -rf /" if self._calls % DENIED == 0 else f"ls -la part-{self._calls}"
        if hooked:
            self.hook(command)
            return
        home = str(self.home)
        call = ToolCall(
            "shell", "Bash", {"command": command}, home, (home,), session="s", agent="claude-code",
            call_id=f"c{self._calls}",
        )  # fmt: skip
        if self._guard.check(call).verdict.name == "allow":
            self._guard.outcome(Outcome(call, "ran", "", 12))

    def note(self) -> None:
        """Note how far it is acknowledged."""
        found = load_progress(self.store.folder)
        if found.seq:
            self.noted[found.seq] = found.hash

    def wait_until_sent(self) -> None:
        """Wait until all of it is acknowledged: a sidecar that found nobody several times in a row
        waits as long as it ever does.
        """
        until = time.monotonic() + MOST_SECONDS + SECONDS
        while load_progress(self.store.folder).seq != ends(self.store)[1]:
            if time.monotonic() > until:
                raise SystemExit(f"{self.home.name}: {load_progress(self.store.folder)}")
            time.sleep(0.2)

    def record(self) -> list[tuple[int, str]]:
        """Return its events, by number and hash."""
        return self.store.query("SELECT seq, hash FROM audit_event ORDER BY seq")


class SoakFleet:
    """A node and its machines, as processes."""

    def __init__(self, top: Path, plan: SoakPlan, ending: ExitStack) -> None:
        self.plan, self.node = plan, Machine(top / "node", ending)
        self.service: subprocess.Popen[str] = self.node.served()
        line = self.node.interlock("serve", "--token", "--uses", str(plan.machines)).stdout.split()
        self.machines = [SoakMachine(top / f"m{number}", ending) for number in range(plan.machines)]
        for one in self.machines:
            done = one.interlock("enrol", line[-1], "--no-start")
            if done.returncode:
                raise SystemExit(done.stderr)
            one.start("sidecar")

    def round(self) -> None:
        """Have the fleet make its calls, and kill the node in the middle of them."""
        half = Event()
        working = Thread(target=self._work, args=(half,))
        working.start()
        half.wait()
        self._kill()
        working.join()

    def _work(self, half: Event) -> None:
        """Make the calls, each machine's by one thread."""
        workers = min(WORKERS, len(self.machines))
        try:
            with ThreadPoolExecutor(workers) as pool:
                some = [pool.submit(self._share, n, workers, half) for n in range(workers)]
                for one in some:
                    one.result()
        finally:
            half.set()

    def _share(self, worker: int, workers: int, half: Event) -> None:
        plan, begun = self.plan, time.monotonic()
        mine = self.machines[worker::workers]
        for number in range(worker, plan.calls, workers):
            due = begun + plan.seconds * number / plan.calls
            time.sleep(max(0.0, due - time.monotonic()))
            if number >= plan.calls // 2:
                half.set()
            machine = mine[number // workers % len(mine)]
            machine.call(hooked=number % plan.hooks == 0)

    def _kill(self) -> None:
        """End the node as nothing can prepare for, and start it again."""
        for one in self.machines:
            one.note()
        self.service.send_signal(signal.SIGKILL)
        self.service.wait(SECONDS)
        self.service = self.node.served()

    def report(self) -> SoakReport:
        """Return what is wrong once all is sent."""
        for one in self.machines:
            one.wait_until_sent()
        with closing(Database(f"{self.node.store.folder}/service")) as keeping:
            wrong = keeping.read(lambda known: [*self.compare(known)])
        verified = self.node.interlock("serve", "--verify")
        if verified.returncode:
            wrong.append(f"serve --verify: {verified.stdout}")
        events = sum(len(one.record()) for one in self.machines)
        return SoakReport(events, sum(len(one.noted) for one in self.machines), tuple(wrong))

    def compare(self, known: ServiceReader) -> Iterator[str]:
        """Say what the service keeps otherwise than the machines."""
        for one in self.machines:
            where = load_enrolment(one.store.folder)
            chain = where.chain if where is not None else ""
            kept, here = list(iter_kept(known, chain)), one.record()
            if [number for number, _ in kept] != [number for number, _ in here]:
                yield f"{one.home.name}: {len(kept)} records of {len(here)}, or in another order"
            elif kept != here:
                yield f"{one.home.name}: a record is another one than on its machine"
            lost = sum(dict(kept).get(number) != hashed for number, hashed in one.noted.items())
            if lost:
                yield f"{one.home.name}: {lost} acknowledged records are not there"
        for problem in known.problems(10):
            yield f"told: {problem.kind}: {problem.said}"


def iter_kept(known: ServiceReader, chain: str) -> Iterator[tuple[int, str]]:
    """Yield what the service keeps of a chain, all branches of it, by number and hash."""
    for branch in known.branches(chain):
        last = 0
        while some := known.events(chain, branch.number, last, AT_ONCE):
            yield from [(int(str(one.fields[0])), one.hash) for one in some]
            last = int(str(some[-1].fields[0]))


def soak(top: Path, plan: SoakPlan) -> SoakReport:
    """Run a plan in a folder; return what came of it."""
    with ExitStack() as ending:
        fleet = SoakFleet(top, plan, ending)
        for number in range(plan.rounds):
            fleet.round()
            print(f"kill {number + 1} of {plan.rounds}", file=sys.stderr)
        return fleet.report()


def main(arguments: Sequence[str]) -> int:
    """Print what came of it. 0 all is well, 1 not."""
    parser = argparse.ArgumentParser(description=__doc__)
    usual = (("machines", 6), ("seconds", 180), ("calls", 4), ("kill", 20), ("hooks", 5))
    for name, number in usual:
        parser.add_argument(f"--{name}", type=int, default=number)
    given = parser.parse_args(arguments)
    rounds = max(1, given.seconds // given.kill)
    plan = SoakPlan(given.machines, rounds, given.kill * given.calls, given.kill, given.hooks)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="interlock-soak-") as folder:
        found = soak(Path(folder), plan)
    took, load = time.monotonic() - begun, os.getloadavg()[0]
    print(f"{plan.machines} sidecars, {rounds} kills in {took:.0f} s, load {load:.1f}")
    print(f"{found.events} records sent, {found.noted} acknowledgements noted before kills")
    print("\n".join(found.wrong) or "nothing lost, nothing twice, every chain whole")
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
