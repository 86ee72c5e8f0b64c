"""For programs that run an agent's tools themselves: the real guard in one line, and a decorator
that needs none.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, Unpack, overload

from interlock.cli import build
from interlock.guard.check import Guard
from interlock.guard.services import QUEUE, Ask, Sentinel
from interlock.integrations.decorator import GuardedOptions, guarding
from interlock.integrations.session import THIS_PROCESS, Session, session_of
from interlock.model.call import OTHER, ToolCall

P = ParamSpec("P")
R = TypeVar("R")


class EmbeddedSession(Session):
    """A session with the real guard, and the way to each framework that has an adapter; the
    framework is imported when it is asked for.
    """

    def langchain(self) -> Any:
        """Return the middleware for LangChain's ``create_agent``."""
        from interlock.integrations.frameworks.langchain import guarded as adapted

        return adapted(self)

    def openai_agents(self, agent: Any) -> Any:
        """Return an agent of the OpenAI Agents SDK, guarded."""
        from interlock.integrations.frameworks.openai_agents import guarded as adapted

        return adapted(self, agent)

    def pydantic_ai(self) -> Any:
        """Return the capability for Pydantic AI's ``Agent``."""
        from interlock.integrations.frameworks.pydantic_ai import guarded as adapted

        return adapted(self)

    def claude_agent(self) -> dict[str, list[Any]]:
        """Return the hooks for ``ClaudeAgentOptions``."""
        from interlock.integrations.frameworks.claude_agent import guarded as adapted

        return adapted(self)


_ONE = allocate_lock()
_OPEN: dict[int, Session] = {}
"""The session of this process, by its number, so that a fork has one of its own."""


def session(
    workspace: str = "", ask: str | Ask = "", name: str = "", user: str = ""
) -> EmbeddedSession:
    """Return an open session with the real guard: the policy that holds in the workspace, this
    disk, this user's audit.

    ``workspace``: the folder that the agent works in; this process's where it is empty. ``ask``:
    ``terminal`` asks at the terminal, ``queue`` denies with a request for ``interlock approve``,
    ``never`` denies; or a function of yours. Empty: ``terminal`` where standard error is one, else
    ``queue``.
    ``name``: the session's, in the audit; give each conversation its own. Raises ``ValueError`` for
    a way to ask that there is not.
    """
    folder = os.path.abspath(workspace or os.getcwd())
    guard = build.guard(os.environ, folder=folder, session=name)
    guard.ask = _asker(guard, ask)
    store, audit = guard.store, guard.audit
    if store is not None and audit is not None:
        from interlock.approvals.service import Approvals

        guard.approvals = lambda: Approvals(store, audit.redactor)
    opened = EmbeddedSession(guard, id=name or THIS_PROCESS, cwd=folder, roots=(folder,), user=user)
    for notice in guard.began(
        ToolCall(OTHER, "session", {}, cwd=folder, session=opened.id, agent=opened.agent, user=user)
    ):
        opened.tell(notice)
    return opened


def _asker(guard: Guard, ask: str | Ask) -> Ask | Sentinel | None:
    if not isinstance(ask, str):
        return ask
    how = ask or ("terminal" if sys.stderr is not None and sys.stderr.isatty() else "queue")
    if how == "terminal":
        from interlock.approvals.prompt import Prompt

        return Prompt(guard.policy, guard.facts)
    if how not in ("queue", "never"):
        raise ValueError(f"ask is 'terminal', 'queue', 'never' or a function, not {ask!r}")
    return QUEUE if how == "queue" else None


def get_session() -> Session:
    """Return the session of this process, opened when it is first needed."""
    with _ONE:
        found = _OPEN.get(os.getpid())
        if found is None:
            found = _OPEN[os.getpid()] = session()
        return found


@overload
def guarded(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def guarded(
    guard: Guard | Session | None = None, /, **terms: Unpack[GuardedOptions]
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...


def guarded(given: object = None, /, **terms: Unpack[GuardedOptions]) -> object:
    """Guard a function, sync or async: each call is judged before it runs, and what became of it is
    recorded.

    ``@guarded``, ``@guarded(tool="shell")``: by the session of this process. ``@guarded(guard,
    ...)``: by a guard or a session of yours. The terms are those of
    ``interlock.integrations.decorator.GuardedOptions``. What is not allowed raises ``Refused``, and
    the function is not called.
    """
    if given is not None and not isinstance(given, (Guard, Session)):
        if not callable(given):
            raise TypeError(
                f"guarded() takes a function, a Guard or a Session, not {type(given).__name__}"
            )
        return guarding(get_session, given, terms)
    if given is None:
        return lambda function: guarding(get_session, function, terms)
    mine = session_of(given)
    return lambda function: guarding(lambda: mine, function, terms)
