"""The conversation in a terminal: a line to type on, the answer as it comes, Escape to stop."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable

from interlock.agent import events
from interlock.agent.events import DONE, ESCAPED, FAILED, Ending, Event
from interlock.agent.loop import Agent
from interlock.agent.screen import Screen
from interlock.agent.watch import Watch
from interlock.approvals.prompt import Prompt
from interlock.approvals.screen import sanitize_line
from interlock.model.call import ToolCall
from interlock.model.decision import Approval, Decision
from interlock.model.effect import Reading
from interlock.policy.installation import install_command
from interlock.stop.leftovers import endings

try:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.formatted_text import FormattedText
except ImportError as error:
    raise ImportError(
        "the agent needs packages that are not installed; install them with:"
        f" {install_command('agent')}"
    ) from error


ENDED = 130
LEAVING = ("/exit", "/quit")
HELP = (
    "/exit ends this, /new begins another conversation, Esc stops a turn, Alt-Enter begins a new"
    " line."
)


class TerminalChat:
    """One person and one agent. ``fresh`` begins another conversation and returns what to say of
    it, its name first.
    """

    def __init__(
        self, agent: Agent, prompt: Prompt, fresh: Callable[[], str], *, colour: bool
    ) -> None:
        self.agent = agent
        self.fresh = fresh
        self.screen = Screen(_write, colour=colour)
        self.watch = Watch(self._escape)
        self._prompt = prompt
        self._label = ""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turn: asyncio.Task[Ending] | None = None
        agent.tell = self.show
        prompt.pause, prompt.resume = self.pause, self.resume
        agent.session.guard.ask = self.ask

    async def talk(self) -> int:
        """Run until the person leaves, or something from outside ends it; return the exit code."""
        self._loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        if task is not None:
            for number in endings():
                self._loop.add_signal_handler(number, task.cancel)
        keyboard: PromptSession[str] = PromptSession()
        drawing = asyncio.create_task(self.screen.turning())
        try:
            async with self.agent.model:
                while (words := await self._read_input(keyboard)) not in LEAVING:
                    await self._handle_input(words)
        except asyncio.CancelledError:
            return ENDED
        finally:
            drawing.cancel()
        return 0

    @staticmethod
    async def _read_input(keyboard: PromptSession[str]) -> str:
        while True:
            try:
                return str(
                    await keyboard.prompt_async(FormattedText([("ansicyan bold", "> ")]))
                ).strip()
            except KeyboardInterrupt:
                continue
            except EOFError:
                return LEAVING[0]

    async def _handle_input(self, words: str) -> None:
        if words == "/new":
            self.screen.line(f"a new conversation: {self.fresh()}", "grey")
        elif words.startswith("/"):
            self.screen.line(HELP, "grey")
        elif words:
            self.ended(await self._one(words))

    async def _one(self, words: str) -> Ending:
        self._turn = asyncio.create_task(self.agent.turn(words))
        self.watch.start()
        try:
            return await self._turn
        except asyncio.CancelledError:
            whole = asyncio.current_task()
            if whole is None or whole.cancelling():
                raise
            return Ending(ESCAPED)
        finally:
            self.watch.stop()
            self.screen.still()

    def _escape(self) -> None:
        if self._loop is not None and self._turn is not None:
            self._loop.call_soon_threadsafe(self._turn.cancel)

    # -- what the guard asks -----------------------------------------------------------------------

    def ask(self, decision: Decision, call: ToolCall, reading: Reading) -> Approval | None:
        """Ask the person, unless the turn was stopped meanwhile."""
        return (
            None
            if self._turn is None or self._turn.cancelling()
            else self._prompt(decision, call, reading)
        )

    def pause(self) -> None:
        """Take the spinner away and let go of the keyboard."""
        self._label = self.screen.still()
        self.watch.stop()

    def resume(self) -> None:
        """Go on."""
        if self._turn is not None and not self._turn.done():
            self.watch.start()
            self.screen.spin(self._label)

    # -- what is shown -----------------------------------------------------------------------------

    def show(self, event: Event) -> None:
        """Show an event."""
        screen = self.screen
        if isinstance(event, events.Asked):
            screen.spin("thinking")
        elif isinstance(event, events.Said):
            screen.piece(event.text)
        elif isinstance(event, events.Called):
            screen.called(event.name, event.given)
        elif isinstance(event, events.Returned):
            screen.show_result(event.text, failed=event.failed)
        elif isinstance(event, events.Blocked):
            refused = event.decision is not None and any(
                finding.rule == "approval.refused" for finding in event.decision.findings
            )
            screen.guard(
                f"{event.name} did not run" + (": you did not approve it" if refused else ""),
                "" if refused else event.text,
            )
        elif isinstance(event, events.Warned):
            screen.guard("a warning", event.text)

    def ended(self, ending: Ending) -> None:
        """Show how a turn ended, where that is not with the model's last word."""
        if ending.how != DONE:
            why = f": {sanitize_line(ending.text)}" if ending.text else ""
            self.screen.line(f"{ending.how}{why}", "red" if ending.how == FAILED else "amber")
        self.screen.end()


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
