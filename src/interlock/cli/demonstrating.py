"""``interlock serve --demo``: a service over a made-up week of five machines, in a folder that is
thrown away when it ends. Its rows come through the real guard and real stores; nothing is run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from random import choice
from threading import Event, Thread

from interlock.cli.playing import Player
from interlock.cli.week import MACHINES, PEOPLE, Made
from interlock.model.jsontext import dumps
from interlock.service.ingest.accept import accept
from interlock.service.ingest.place import Batch
from interlock.service.machines.checks import FIELDS
from interlock.service.machines.enrol import Asked, Enrolment, For, enrol, token
from interlock.service.people.admit import invite, join
from interlock.service.people.first import first
from interlock.service.people.passwords import NOBODYS
from interlock.service.secrets import later
from interlock.service.store.protocol import Keeping, Writing
from interlock.service.store.rows import Check
from interlock.sidecar.reading import Portion, portion
from interlock.wire.batch import packed, unpacked

URL = "http://demo"
CALL_SECONDS = 4.0
LATER = 10_000
"""What sessions after the week count from."""
SEEN = {
    "proven": ("", "hook", "green", "refuses what it should", ""),
    "drifted": ("gemini", "hook", "red", "its settings name it no more", "interlock install"),
    "disarmed": ("claude-code", "unjudged", "amber", "41 calls were judged by nobody", ""),
}
"""What a machine's doctor says of its guard: the values of ``FIELDS``."""


class Fleet:
    """The machines of the demo, and where their records are sent."""

    def __init__(self, keeping: Keeping, folder: str) -> None:
        self._keeping, self._folder = keeping, folder
        self._places: dict[str, tuple[Enrolment, Player]] = {}
        self._done: dict[str, int] = {}
        self._ended = Event()

    def fill(self) -> None:
        """Play the week and take it in."""
        _played(self._folder)
        self._keeping.write(_admit)
        for made in MACHINES:
            place = self._keeping.write(lambda steps, one=made: _enrolled(steps, one))  # type: ignore[misc]
            self._places[made.name] = (place, Player(made, self._folder, LATER))
            self._ship(made.name)
            self._keeping.write(lambda steps, one=made, at=place: _looked(steps, one, at))  # type: ignore[misc]

    def go_on(self) -> None:
        """Let agents ask on, from now on, until ``end``."""
        Thread(target=self._go_on, daemon=True).start()

    def end(self) -> None:
        """Let no more calls come."""
        self._ended.set()

    def _ship(self, name: str) -> None:
        place, player = self._places[name]
        while (some := portion(player.store, self._done.get(name, 0))) is not None:
            self._keeping.write(lambda steps, one=some: _taken(steps, place, one))  # type: ignore[misc]
            self._done[name] = some.last

    def _go_on(self) -> None:
        on = [made.name for made in MACHINES if not made.quiet]
        tasks = {name: self._places[name][1].tasks() for name in on}
        waiting: dict[str, list[str]] = {}
        while not self._ended.wait(CALL_SECONDS):
            name = choice(on)  # noqa: S311 - no secret
            if not waiting.get(name):
                session, lines = next(tasks[name])
                waiting[name] = [session, *lines]
            session, line, *rest = waiting[name]
            self._places[name][1].ask(session, line)
            waiting[name] = [session, *rest] if rest else []
            self._ship(name)
            self._keeping.write(lambda steps: self._beat(steps, on))

    def _beat(self, steps: Writing, names: list[str]) -> None:
        for name in names:
            steps.saw(self._places[name][0].machine, later(0), self._done[name])


def _played(folder: str) -> None:
    """Play the week, by as many processes as there are processors."""
    some = min(len(MACHINES), os.cpu_count() or 1)
    running = [
        subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "interlock.cli.playing", folder]
            + [str(number) for number in range(first_of, len(MACHINES), some)]
        )
        for first_of in range(some)
    ]
    codes = [one.wait() for one in running]
    if any(codes):
        raise OSError("the made-up week could not be played")


def _admit(steps: Writing) -> None:
    """Admit the people of the demo: they are invited, and come in by passwords that nobody has."""
    owner = first(steps)
    for name, shown, roles in PEOPLE:
        join(steps, invite(steps, name, list(roles), owner), shown, NOBODYS)


def _enrolled(steps: Writing, made: Made) -> Enrolment:
    secret = token(steps, URL, whose=For(made.team)).secret
    found = enrol(steps, Asked(secret, made.name, made.platform, "0.1.0", 1))
    if found is None:
        raise OSError(f"{made.name} could not be enrolled")
    return found


def _taken(steps: Writing, place: Enrolment, some: Portion) -> None:
    chain = steps.chain(place.chain)
    if chain is not None:
        lines = tuple(unpacked(packed(some.lines)))
        accept(steps, chain, Batch(chain.id, some.previous, some.after, some.head, lines), later(0))
        steps.saw(place.machine, later(0), some.head)


def _looked(steps: Writing, made: Made, place: Enrolment) -> None:
    """Note what its doctor says, and when it was last heard of."""
    at = later(-3600 * made.quiet)
    if made.guard in SEEN:
        row = dict(zip(FIELDS, SEEN[made.guard], strict=True))
        steps.put_check(Check(place.machine, "doctor", at, dumps([row])))
    if made.quiet:
        steps.saw(place.machine, at, steps.branches(place.chain)[0].seq)
