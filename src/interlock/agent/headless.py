"""One prompt without a person: the model's words to standard output as they come, everything else
to standard error; nobody is asked.
"""

from __future__ import annotations

import asyncio
import json
import sys

from interlock.agent import events
from interlock.agent.events import BLOCKED, DONE, ESCAPED, FAILED, HALTED, TURNS, Ending, Event
from interlock.agent.loop import Agent
from interlock.approvals.screen import sanitize_line
from interlock.integrations.protocol import for_people
from interlock.stop.leftovers import endings

CODES = {DONE: 0, FAILED: 1, BLOCKED: 5, TURNS: 5, HALTED: 5, ESCAPED: 130}
SOME_BLOCKED = 4


class PlainOutput:
    """Shows events on the two standard streams."""

    def __init__(self) -> None:
        self._ended = True

    def __call__(self, event: Event) -> None:
        """Show one."""
        if isinstance(event, events.Said):
            sys.stdout.write(event.text)
            sys.stdout.flush()
            self._ended = event.text.endswith("\n")
        elif isinstance(event, events.Called):
            self.end()
            print_stderr(
                f"{event.name} {json.dumps(dict(event.given), ensure_ascii=False, default=str)}"
            )
        elif isinstance(event, events.Returned) and event.failed:
            print_stderr(f"{event.name} failed: {event.text}")
        elif isinstance(event, events.Blocked):
            print_stderr(f"blocked {event.name}", *for_people(event.text))
        elif isinstance(event, events.Warned):
            print_stderr(event.text)

    def end(self) -> None:
        """End the line of the model's words."""
        if not self._ended:
            sys.stdout.write("\n")
            sys.stdout.flush()
            self._ended = True


class JsonLinesOutput:
    """Shows events as lines of JSON on standard output: ``{"event": NAME, ...}``."""

    def __call__(self, event: Event) -> None:
        """Show one."""
        fields = {name: getattr(event, name) for name in type(event).fields if name != "decision"}
        decision = event.decision if isinstance(event, events.Blocked) else None
        if decision is not None:
            fields |= {
                "decision": decision.id,
                "rules": [finding.rule for finding in decision.deciding],
            }
        self._line(type(event).__name__.lower(), fields)

    def ending(self, ending: Ending) -> None:
        """Show how it ended."""
        self._line("ending", {name: getattr(ending, name) for name in type(ending).fields})

    @staticmethod
    def _line(name: str, fields: dict[str, object]) -> None:
        sys.stdout.write(
            json.dumps({"event": name, **fields}, ensure_ascii=False, default=str) + "\n"
        )
        sys.stdout.flush()

    def end(self) -> None:
        """End nothing: every line is whole."""


def print_stderr(*lines: str) -> None:
    """Write lines to standard error."""
    sys.stderr.write(
        "".join(
            [
                f"interlock agent: {sanitize_line(line)}\n"
                if number == 0
                else f"  {sanitize_line(line)}\n"
                for number, line in enumerate(lines)
            ]
        )
    )


async def once(agent: Agent, words: str, show: PlainOutput | JsonLinesOutput) -> int:
    """Do one turn; returns the exit code. Ended from outside, what it started is ended too."""
    agent.tell = show
    task = asyncio.current_task()
    if task is not None and sys.platform != "win32":
        for number in endings():
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    try:
        async with agent.model:
            ending = await agent.turn(words)
    except asyncio.CancelledError:
        ending = Ending(ESCAPED, "ended from outside")
    show.end()
    if isinstance(show, JsonLinesOutput):
        show.ending(ending)
    if ending.how != DONE:
        print_stderr(f"{ending.how}: {ending.text}")
    return SOME_BLOCKED if ending.how == DONE and ending.blocked else CODES[ending.how]
