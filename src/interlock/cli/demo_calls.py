"""Plays calls of machines that there are not: through the real guard, into real stores. Nothing of
them is run.

``python -m interlock.cli.demo_calls FOLDER NUMBER...`` plays the week until now. Its clock is
set to when each call would have been made, so it is a process of its own.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING

from interlock.cli.demo_week import MACHINES, TASKS, Made

if TYPE_CHECKING:
    from interlock.guard.check import Guard
    from interlock.model.call import ToolCall
    from interlock.store.database import Store

DAYS = 7
DAY = 86400
MORNING, EVENING = 8.5, 18.0
LATELY = (52, 31, 14, 5)
"""Minutes ago at which tasks of the last hour began."""
KINDS = {"read": ("read", "Read"), "edit": ("edit", "Edit"), "fetch": ("fetch", "WebFetch")}


class Player:
    """One machine's agents, asking its guard. ``number``: what its sessions count from."""

    def __init__(self, made: Made, folder: str, number: int = 0) -> None:
        from interlock.cli import build

        self.made = made
        self.store: Store = build.store_in(f"{folder}/{made.name}")
        facts, self._guard = build.replaying(self.store, made.home, made.root, made.platform)
        self._queue: Guard = build.queueing(self.store, facts)
        self._chance, self._number = Random(f"{made.name}{number}"), number  # noqa: S311 - no secret

    def tasks(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield tasks for ever, each with its session."""
        some = TASKS[self.made.works]
        while True:
            self._number += 1
            yield f"{self.made.user}-{self._number:03d}", self._chance.choice(some)

    def ask(self, session: str, line: str) -> float:
        """Have a call judged and say what became of it; return the seconds it would take."""
        from interlock.model.call import Outcome

        call = self._call(session, line)
        answer = self._guard.check(call).verdict.name
        seconds = self._chance.choice((0.04, 0.2, 0.4, 1.3, 2.1, 6.4, 14.0))
        yes = answer == "allow" or (answer == "ask" and self._chance.random() < 0.7)
        if yes:
            status = "failed" if self._chance.random() < 0.05 else "ran"
            self._guard.outcome(Outcome(call, status, "", int(seconds * 1000)))
        return seconds if yes else 0.0

    def wait(self, session: str, line: str) -> None:
        """Have one call judged where nobody sits at a prompt: once people said yes, it passes."""
        from interlock.model.call import Outcome

        call = self._call(session, line)
        if self._queue.check(call).verdict.name == "allow":
            self._queue.outcome(Outcome(call, "ran", "", 2100))

    def prove(self) -> None:
        """Have the guard refuse its own trial."""
        from interlock.model.call import PROVING

        self._guard.check(self._call(PROVING, "$ rm -rf /"))

    def _call(self, session: str, line: str) -> ToolCall:
        from interlock.model.call import ToolCall

        kind, _, what = line.partition(" ")
        tool, name = KINDS.get(kind, ("shell", "Bash"))
        given = {"command": what}
        if kind == "settings":
            tool, name = "write", "Write"
            path = f"{self.made.home}/.claude/settings.json"
            given = {"file_path": path, "content": '{"disableAllHooks": true}'}
        elif kind == "fetch":
            given = {"url": what, "prompt": "what changed"}
        elif kind in KINDS:
            given = {"file_path": f"{self.made.root}/{what}"}
            given |= {"old_string": "a", "new_string": "b"} if kind == "edit" else {}
        self._number += 1
        return ToolCall(
            tool, name, given, self.made.root, (self.made.root,), platform=self.made.platform,
            session=session, agent=self.made.agent, call_id=f"c-{self._number}",
            user=self.made.user,
        )  # fmt: skip


def starts(made: Made, now: float) -> list[float]:
    """Return when the tasks of a machine's week began, until now."""
    chance = Random(made.name)  # noqa: S311 - no secret
    midnight = now - now % DAY
    found = [
        midnight - DAY * ago + 3600 * chance.uniform(MORNING, EVENING)
        for ago in range(DAYS)
        for _ in range(chance.randint(1, 3))
    ]
    found += [now - 60 * (ago + chance.uniform(0, 4)) for ago in LATELY]
    return sorted(one for one in found if one < now - 3600 * made.quiet - 60)


def week(player: Player, clock: list[float], now: float) -> None:
    """Play a machine's week."""
    tasks = player.tasks()
    for start in starts(player.made, now):
        session, lines = next(tasks)
        clock[0] = start
        for line in lines:
            clock[0] = min(now - 1, clock[0] + 4 + player.ask(session, line))
    clock[0] = now - 3600 * (player.made.quiet or 3)
    player.prove()


def shift_clock() -> list[float]:
    """Have this process's clock say what the list says, from before anything reads it."""
    clock = [time.time()]
    time.time = lambda: clock[0]
    time.time_ns = lambda: int(clock[0] * 1000) * 10**6
    return clock


def main(folder: str, numbers: list[str]) -> None:
    """Play the week of some machines into a folder."""
    clock = shift_clock()
    now = clock[0]
    for number in numbers:
        player = Player(MACHINES[int(number)], folder)
        week(player, clock, now)
        player.store.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
