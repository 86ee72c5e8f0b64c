"""``interlock serve --demo``: a service over a made-up week of five machines, in a folder that is
thrown away when it ends. Its rows come through the real guard and real stores; nothing is run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import count, cycle
from random import choice
from threading import Event, Thread

from interlock.approvals import team
from interlock.approvals.requests import GRANTED
from interlock.cli import build
from interlock.cli.demo_calls import Player
from interlock.cli.demo_week import MACHINES, PEOPLE, WAITING, Made
from interlock.guard.stopping import StopResult
from interlock.model.jsontext import dumps
from interlock.service.console.stopping import who_may
from interlock.service.context import ServiceContext
from interlock.service.ingest.accept import accept
from interlock.service.ingest.position import Batch
from interlock.service.machines.checks import FIELDS
from interlock.service.machines.enrol import Enrolment, EnrolmentRequest, MachineOwner, enrol, token
from interlock.service.people.admit import invite, join
from interlock.service.people.owner import first
from interlock.service.people.passwords import NOBODYS
from interlock.service.secrets import later
from interlock.service.stops.stops import resume, ring
from interlock.service.store.protocol import (
    ServiceReader,
    ServiceStoreError,
    ServiceWriter,
)
from interlock.service.store.rows import Check, StopRow
from interlock.sidecar.client import SidecarClient, UnreachableError
from interlock.sidecar.enrol import build_enrolled
from interlock.sidecar.reading import Portion, portion
from interlock.sidecar.requests import SidecarRequests
from interlock.sidecar.stops import Stops
from interlock.sidecar.stream import ServiceStream
from interlock.wire.batch import pack_lines, unpack_lines
from interlock.wire.orders import StopOrder
from interlock.wire.token import EnrolmentToken

CALL_SECONDS, ASKS_EACH = 4.0, 20
SECOND_PERSON = "kim"
LATER = 10_000
"""What sessions after the week count from."""
SEEN = {
    "proven": ("", "hook", "green", "refuses what it should", ""),
    "drifted": ("gemini", "hook", "red", "its settings name it no more", "interlock install"),
    "disarmed": ("claude-code", "unjudged", "amber", "41 calls were judged by nobody", ""),
}
"""What a machine's doctor says of its guard: the values of ``FIELDS``."""


class DemoSidecar:
    """What listens for one machine: calls of it that wait for people go the real way there and
    back, and what is stopped is stopped.
    """

    def __init__(
        self, scene: ServiceContext, place: Enrolment, player: Player, ended: Event
    ) -> None:
        self._player = player
        token_of = EnrolmentToken(scene.url, "", scene.pin)
        where = build_enrolled(
            token_of, place.machine, place.credential, place.chain, scene.signer.public
        )
        beside = build.store_in(player.store.folder)
        self._asks = SidecarRequests(beside, where)
        self._down = ServiceStream(where, Stops(beside, where, _end_nothing), self._asks, ended)
        self._client = SidecarClient(scene.url, scene.pin, place.credential)
        self._waiting: dict[str, tuple[str, str]] = {}

    def listen(self) -> None:
        """Hold the stream to the service open from now on."""
        self._down.begin()

    def cut(self) -> None:
        """End it."""
        self._down.cut()

    def file(self, session: str, line: str) -> None:
        """Have a call wait."""
        before = {one.id for one in team.standing(self._player.store)}
        self._player.wait(session, line)
        for one in team.standing(self._player.store):
            if one.id not in before:
                self._waiting[one.id] = (session, line)

    def look(self) -> None:
        """Send what waits, take what people said, and make the call again that has a yes."""
        self._asks.look(self._client)
        self._asks.fetch(self._client)
        for one in team.standing(self._player.store, [*self._waiting]):
            if one.state == GRANTED and one.id in self._waiting:
                self._player.wait(*self._waiting.pop(one.id))


def _end_nothing(order: StopOrder) -> StopResult:
    """Return what a stop ended: none of these agents has a process."""
    return StopResult(order.scope, order.why)


class Fleet:
    """The machines of the demo, and where their records are sent."""

    def __init__(self, scene: ServiceContext, folder: str) -> None:
        self._scene, self._keeping, self._folder = scene, scene.keeping, folder
        self._queues: dict[str, DemoSidecar] = {}
        self._places: dict[str, tuple[Enrolment, Player]] = {}
        self._carry_out: dict[str, int] = {}
        self._ended = Event()

    def fill(self) -> None:
        """Play the week and take it in."""
        _play_week(self._folder)
        self._keeping.write(_admit)
        for made in MACHINES:
            place = self._keeping.write(lambda steps, one=made: _enrol_machine(steps, one))  # type: ignore[misc]
            player = Player(made, self._folder, LATER)
            self._places[made.name] = (place, player)
            self._queues[made.name] = DemoSidecar(self._scene, place, player, self._ended)
            self._ship(made.name)
            self._keeping.write(lambda steps, one=made, at=place: _note_checks(steps, one, at))  # type: ignore[misc]

    def go_on(self) -> None:
        """Let agents ask on, and sidecars listen, from now on, until ``end``."""
        for made in MACHINES:
            if not made.quiet:
                self._queues[made.name].listen()
        Thread(target=self._try_on, daemon=True).start()

    def end(self) -> None:
        """Let no more calls come."""
        self._ended.set()
        for one in self._queues.values():
            one.cut()

    def _ship(self, name: str) -> None:
        place, player = self._places[name]
        while (some := portion(player.store, self._carry_out.get(name, 0))) is not None:
            self._keeping.write(lambda steps, one=some: _take_in(steps, place, one))  # type: ignore[misc]
            self._carry_out[name] = some.last

    def _try_on(self) -> None:
        with suppress(ServiceStoreError, build.StoreError):  # the service ended first
            self._go_on()

    def _go_on(self) -> None:
        on = [made.name for made in MACHINES if not made.quiet]
        tasks = {name: self._calls(name) for name in on}
        asks = cycle(WAITING)
        for turn in count():
            if self._ended.wait(CALL_SECONDS if turn else 0.5):
                return
            name = choice(on)  # noqa: S311 - no secret
            self._places[name][1].ask(*next(tasks[name]))
            if turn in (0, 1) or turn % ASKS_EACH == 0:
                where, line = next(asks)
                self._queues[where].file(f"{where}-{turn}", line)
            self._keeping.write(lambda steps: self._beat(steps, on))
            self._agree()
            for one in on:
                with suppress(UnreachableError):  # it begins to answer, or ends
                    self._queues[one].look()
                self._ship(one)

    def _agree(self) -> None:
        """Have somebody made up be the second person that wants to resume what one has."""
        for stop in self._keeping.read(_find_wanted):
            done = self._keeping.write(
                lambda steps, one=stop: resume(  # type: ignore[misc]
                    steps, self._scene.signer, one, SECOND_PERSON, who_may(steps)
                )
            )
            if done.resume is not None:
                ring(self._scene.bell, done.resume, stop.place)

    def _calls(self, name: str) -> Iterator[tuple[str, str]]:
        for session, lines in self._places[name][1].tasks():
            for line in lines:
                yield session, line

    def _beat(self, steps: ServiceWriter, names: list[str]) -> None:
        for name in names:
            steps.note_contact(self._places[name][0].machine, later(0), self._carry_out[name])


def _find_wanted(known: ServiceReader) -> list[StopRow]:
    """Return the stops that somebody wants resumed, and it takes somebody else, too."""
    return [one for one in known.stops(0, standing=True) if known.voices(one.epoch)]


def _play_week(folder: str) -> None:
    """Play the week, by as many processes as there are processors."""
    some = min(len(MACHINES), os.cpu_count() or 1)
    running = [
        subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "interlock.cli.demo_calls", folder]
            + [str(number) for number in range(first_of, len(MACHINES), some)]
        )
        for first_of in range(some)
    ]
    codes = [one.wait() for one in running]
    if any(codes):
        raise OSError("the made-up week could not be played")


def _admit(steps: ServiceWriter) -> None:
    """Admit the people of the demo: they are invited, and come in by passwords that nobody has."""
    owner = first(steps)
    for name, shown, roles in PEOPLE:
        join(steps, invite(steps, name, list(roles), owner), shown, NOBODYS)


def _enrol_machine(steps: ServiceWriter, made: Made) -> Enrolment:
    secret = token(steps, "", whose=MachineOwner(made.team)).secret
    found = enrol(steps, EnrolmentRequest(secret, made.name, made.platform, "0.1.0", 1))
    if found is None:
        raise OSError(f"{made.name} could not be enrolled")
    return found


def _take_in(steps: ServiceWriter, place: Enrolment, some: Portion) -> None:
    chain = steps.chain(place.chain)
    if chain is not None:
        lines = tuple(unpack_lines(pack_lines(some.lines)))
        accept(steps, chain, Batch(chain.id, some.previous, some.after, some.head, lines), later(0))
        steps.note_contact(place.machine, later(0), some.head)


def _note_checks(steps: ServiceWriter, made: Made, place: Enrolment) -> None:
    """Note what its doctor says, and when it was last heard of."""
    at = later(-3600 * made.quiet)
    if made.guard in SEEN:
        row = dict(zip(FIELDS, SEEN[made.guard], strict=True))
        steps.put_check(Check(place.machine, "doctor", at, dumps([row])))
    if made.quiet:
        steps.note_contact(place.machine, at, steps.branches(place.chain)[0].seq)
