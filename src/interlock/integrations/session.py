"""``Session``: one agent at work in a program of yours. Judges its calls, runs those that may run,
and records what became of them.

The decorator and the adapters for frameworks stand on it, so a call means the same to all of them:
an allow runs, a warning runs and is told, an ask goes to the guard's asker, everything else is
``Refused`` with the reason and a safer way. What fails in the guard runs nothing.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from logging import getLogger
from time import monotonic
from typing import TypeVar

from interlock.effects import tool_commands
from interlock.effects.names import NAMES
from interlock.effects.tools import PATH_KEYS, URL_KEYS
from interlock.guard.check import Guard
from interlock.integrations.protocol import (
    CARRIES,
    CHECK,
    DENIED,
    EXCERPT,
    NO_RETRY,
    NOT_RUN,
    PLATFORM,
    ClientEvent,
    clip,
    denial,
    effective_verdict,
    warning,
)
from interlock.model import call as tools
from interlock.model.action import VERDICT_ALLOW
from interlock.model.call import Outcome, ToolCall
from interlock.model.decision import Decision
from interlock.model.record import Record

T = TypeVar("T")

DEEPEST = 40
"""Levels of an argument that are read; one that goes deeper is refused."""
THIS_PROCESS = f"py-{os.urandom(8).hex()}"
"""The session of everything in this process that has no name of its own."""


class Refused(Exception):
    """A call was not allowed and did not run. Its text is meant for the model; ``decision`` is None
    where the call could not even be read.
    """

    def __init__(self, text: str, decision: Decision | None = None) -> None:
        super().__init__(text)
        self.decision = decision


def log(text: str) -> None:
    """Tell a warning: to the program's log, as ``interlock``."""
    getLogger("interlock").warning("%s", text)


class Session(Record):
    """An agent's session in this process.

    ``id`` names it in the audit and for limits and grants; ``cwd`` is where its tools work (this
    process's folder where it is empty), ``roots`` are the folders of its workspace (``cwd`` where
    there are none). ``kinds`` says of tools by name what they are (``{"run_it": "shell"}``).
    ``tell`` is handed every warning.
    """

    guard: Guard
    id: str = THIS_PROCESS
    cwd: str = ""
    roots: tuple[str, ...] = ()
    agent: str = "python"
    user: str = ""
    kinds: Mapping[str, str] = {}
    tell: Callable[[str], None] = log

    def call(
        self, name: str, given: Mapping[str, object], tool: str = "", call_id: str = ""
    ) -> ToolCall:
        """Return a call of a tool; raises ``Refused`` where its arguments cannot be read. ``tool``:
        its kind, else guessed.
        """
        try:
            arguments = {str(key): plain(value) for key, value in given.items()}
            kind = tool or self.kinds.get(name, "") or kind_of(name, arguments)
            return ToolCall(
                kind, name, arguments, cwd=self.cwd or os.getcwd(), roots=self.roots,
                platform=PLATFORM,
                session=self.id, agent=self.agent, call_id=call_id or f"py-{os.urandom(8).hex()}",
                user=self.user,
            )  # fmt: skip
        except Exception as error:
            raise Refused(
                f"{DENIED} its arguments could not be read ({type(error).__name__}:"
                f" {clip(str(error), 200)})\n{NOT_RUN}\n{NO_RETRY}"
            ) from error

    def judge(self, call: ToolCall) -> str:
        """Return the warning that the call may run with, or ``""``; raises ``Refused``. May wait
        for a person.
        """
        return self.decide(call)[1]

    def decide(self, call: ToolCall) -> tuple[Decision, str]:
        """Return the decision by which the call may run, and its warning; raises ``Refused``. May
        wait for a person.
        """
        decision = self.guard.check(call)
        event = ClientEvent(CHECK, call.name, session=call.session, cwd=call.cwd, call=call)
        if effective_verdict(decision, CARRIES) != VERDICT_ALLOW:
            raise Refused(denial(decision, event), decision)
        words = warning(decision, event)
        if words:
            self.tell(words)
        return decision, words

    def ended(self, call: ToolCall, status: str, said: object, began: float) -> None:
        """Record what became of a call that ran: ``ran`` or ``failed``, what it said, and since
        when (``monotonic``).
        """
        outcome = Outcome(
            call,
            status,
            excerpt=excerpt(said),
            duration_ms=max(0, int((monotonic() - began) * 1000)),
        )
        for notice in self.guard.outcome(outcome):
            self.tell(notice)

    def prompted(self, words: str) -> None:
        """Record what the person asked for, which calls are held against if there is an audit."""
        for notice in self.guard.prompted(self.call("prompt", {}), words):
            self.tell(notice)

    def run(self, call: ToolCall, work: Callable[[], T]) -> T:
        """Judge a call, do its work, record the outcome; raises ``Refused`` or as the work."""
        self.judge(call)
        began = monotonic()
        try:
            result = work()
        except BaseException as error:
            self.ended(call, "failed", error, began)
            raise
        self.ended(call, "ran", result, began)
        return result

    async def arun(self, call: ToolCall, work: Callable[[], Awaitable[T]]) -> T:
        """Do as ``run``, for work that is awaited. People are asked in a thread."""
        from asyncio import to_thread

        await to_thread(self.judge, call)
        began = monotonic()
        try:
            result = await work()
        except BaseException as error:
            self.ended(call, "failed", error, began)
            raise
        await to_thread(self.ended, call, "ran", result, began)
        return result


class RunningCalls:
    """The calls of a session that run, by their ids: for frameworks that tell of a call's end
    elsewhere than of its beginning.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._open: dict[str, tuple[ToolCall, float]] = {}

    async def begins(self, call: ToolCall) -> None:
        """Judge a call, in a thread, for a person may be asked; raises ``Refused``."""
        from asyncio import to_thread

        await to_thread(self._session.judge, call)
        self._open[call.call_id] = (call, monotonic())

    async def ended(self, call_id: str, status: str, said: object) -> None:
        """Record what became of a call; nothing where it never began."""
        from asyncio import to_thread

        call, began = self._open.pop(call_id, (None, 0.0))
        if call is not None:
            await to_thread(self._session.ended, call, status, said, began)


def session_of(guard: Guard | Session, agent: str = "python") -> Session:
    """Return the session of a guard: what was given, or the one of this process."""
    return guard if isinstance(guard, Session) else Session(guard, agent=agent)


# -- what a call is --------------------------------------------------------------------------------

_TELLING: dict[str, frozenset[str]] = {
    tools.SHELL: frozenset({"command", "cmd", "script", "code"}),
    tools.READ: PATH_KEYS, tools.WRITE: PATH_KEYS, tools.EDIT: PATH_KEYS, tools.GLOB: PATH_KEYS,
    tools.GREP: PATH_KEYS,
    tools.FETCH: URL_KEYS,
}  # fmt: skip
"""By kind, the arguments one of which a tool of this kind has."""


def kind_of(name: str, given: Mapping[str, object]) -> str:
    """Return the kind of a tool, where its name and its arguments agree on one; else ``mcp``: of
    such a tool all arguments are read, and its name.
    """
    kind = NAMES.get(name.lower(), "")
    keys = set(map(tool_commands.plain, given))
    runs = kind not in (tools.SHELL, tools.EDIT) and any(map(tool_commands.is_command, keys))
    return tools.MCP if runs or keys.isdisjoint(_TELLING.get(kind, ())) else kind


def plain(value: object, depth: int = 0) -> object:
    """Return an argument as plain data that rules can read and records can hold; raises
    ``ValueError`` for what goes too deep.
    """
    if depth > DEEPEST:
        raise ValueError(f"it is more than {DEEPEST} levels deep")
    if isinstance(value, str):
        return str.__str__(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "replace")
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(one, depth + 1) for one in value]
    fields = _fields(value)
    if fields is not None:
        return {str(key): plain(one, depth + 1) for key, one in fields.items()}
    return f"<{type(value).__name__}>" if type(value).__str__ is object.__str__ else str(value)


def _fields(value: object) -> Mapping[str, object] | None:
    """Return what an object is made of: a mapping, a model of pydantic, a dataclass."""
    from collections.abc import Mapping
    from dataclasses import fields, is_dataclass

    if isinstance(value, Mapping):
        return value
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dict(dump())
    return (
        {field.name: getattr(value, field.name) for field in fields(value)}
        if is_dataclass(value) and not isinstance(value, type)
        else None
    )


def excerpt(said: object) -> str:
    """Return what a tool said, bounded. What cannot be said is no reason to fail: the call ran."""
    try:
        text = (
            f"{type(said).__name__}: {said}"
            if isinstance(said, BaseException)
            else said
            if isinstance(said, str)
            else str(plain(said))
        )
    except Exception as error:  # noqa: BLE001 - a result may be anything
        text = f"<{type(said).__name__}: {type(error).__name__}>"
    return clip(text, EXCERPT)
