"""The live view of ``interlock approvals watch``: the requests that wait, redrawn each second, and
one key to answer the one that is marked.
"""

from __future__ import annotations

import os
import shutil
import sys
from time import monotonic

from interlock.approvals import answers
from interlock.approvals.answers import AnswerError, ApprovalAnswer
from interlock.approvals.keys import Keyboard, NoTerminalError
from interlock.approvals.requests import ApprovalRequest
from interlock.approvals.user import me
from interlock.cli import build
from interlock.cli.colors import Painter
from interlock.cli.request_view import render_request
from interlock.store.database import Store

EVERY = 1.0
"""Seconds between two looks."""
ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"
"""The terminal's second screen, so that what stood there before is there again afterwards."""
CLEAR = "\x1b[H\x1b[2J"
BELL = "\a"
KEYS = "[y] once  [s] session  [p] project  [n] no  [j] [k] next, previous  [q] quit"


class QueueView:
    """What is shown: the requests that wait, the oldest first, and which of them is marked, by its
    id: others may come and go.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.waiting: list[ApprovalRequest] = []
        self.marked = ""
        self.said = ""
        self.news = False

    def look(self) -> None:
        """Ask the store anew; the mark stays where it was. ``news``: whether more wait than did."""
        known = {request.id for request in self.waiting}
        self.waiting = [
            request
            for request in reversed(answers.list_requests(self.store))
            if request.state == "pending"
        ]
        self.news = any(request.id not in known for request in self.waiting)
        if self.marked not in [request.id for request in self.waiting]:
            self.marked = self.waiting[0].id if self.waiting else ""

    def press(self, key: str) -> None:
        """Do what a key says; only what was shown when it was pressed is answered."""
        ids = [request.id for request in self.waiting]
        if key in ("j", "k") and ids:
            self.marked = ids[(ids.index(self.marked) + (1 if key == "j" else -1)) % len(ids)]
        elif key in ("y", "s", "p", "n") and self.marked:
            self.said = self._answer(key)

    def _answer(self, key: str) -> str:
        try:
            if key == "n":
                return f"refused {answers.deny(self.store, self.marked, me()).id}"
            scope = {"y": "once", "s": "session", "p": "project"}[key]
            of = next(request for request in self.waiting if request.id == self.marked)
            said = answers.approve(
                self.store,
                self.marked,
                ApprovalAnswer(me(), scope=scope),
                build.policy(os.environ, of.project, of.session),
            )
        except AnswerError as problem:
            return str(problem)
        if said.missing:
            return f"noted; {said.request.id} still needs {said.missing}"
        return f"approved {said.request.id}" + (
            f"; {answers.describe_grant(said.grant)}" if said.grant is not None else ""
        )

    def text(self, paint: Painter, height: int) -> str:
        """Return the screen."""
        rows = [
            f"{len(self.waiting)} waiting" if self.waiting else "nothing waits for an answer",
            "",
        ]
        for request in self.waiting:
            marked = request.id == self.marked
            found = list(render_request(request, paint))
            rows += [f"{'>' if marked else ' '} {row}" for row in (found if marked else found[:1])]
        return "\r\n".join([*rows[: max(1, height - 3)], "", self.said, KEYS])


def watch(store: Store) -> int:
    """Show and answer until q or Ctrl-C; 0. Raises ``AnswerError`` where there is no terminal, and
    ``StoreError``.
    """
    view, paint = QueueView(store), Painter(sys.stderr)
    try:
        with Keyboard() as keyboard:
            keyboard.say(ENTER)
            try:
                _answering(view, paint, keyboard)
            finally:
                keyboard.say(f"{LEAVE}{view.said}\r\n")
    except NoTerminalError as why:
        raise AnswerError(str(why)) from None
    return 0


def _answering(view: QueueView, paint: Painter, keyboard: Keyboard) -> None:
    """Draw what waits whenever it is not as it was drawn, ring for what is new, and take keys."""
    drawn = ""
    while True:
        view.look()
        text = view.text(paint, shutil.get_terminal_size().lines)
        if text != drawn:
            keyboard.say(CLEAR + text + (BELL if view.news else ""))
            drawn = text
        key = keyboard.key(monotonic() + EVERY)
        if key in ("", "q"):
            return
        view.press(key or "")
