"""``interlock agent``: an agent in the terminal whose every tool call is judged before it runs.
Needs the extra ``agent``.

With ``-p`` it does one task without a person: what would be asked is denied, and the model is told.
Exit codes: 0 done; 1 the model could not be asked; 2 bad usage, or no model; 4 done, but something
was blocked; 5 stopped by loop detection, the number of turns or an emergency stop; 130 interrupted.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any

from interlock import agent as agents
from interlock.agent.conversation import SavedConversation
from interlock.agent.models import ModelChoice
from interlock.cli import build, run_options
from interlock.cli.colors import complain
from interlock.codemode.permissions import RunPermissions
from interlock.codemode.program import RunContext
from interlock.guard.check import Guard
from interlock.guard.services import Validator
from interlock.guard.workspace import may_be_root
from interlock.integrations.session import Session
from interlock.model.call import ToolCall
from interlock.model.policy import Reviewing
from interlock.sandbox.bounds import Bounds
from interlock.stop.leftovers import Leftovers, leaving, sentence

NAME = "agent"
SUMMARY = "chat with a coding agent whose every tool call is judged"
BAD_INPUT = 2
SAID = "AGENTS.md"
"""What a project says to agents."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "-p",
        "--print",
        dest="words",
        metavar="TASK",
        help="do this one task without asking anybody, and end; `-`: read it from standard input",
    )
    parser.add_argument(
        "--continue",
        dest="newest",
        action="store_true",
        help="go on with the newest conversation of this folder",
    )
    parser.add_argument("--resume", metavar="ID", help="go on with a conversation")
    parser.add_argument("--sessions", action="store_true", help="list the conversations, and end")
    parser.add_argument("--model", metavar="NAME", help="the model (default: INTERLOCK_MODEL)")
    parser.add_argument(
        "--turns",
        type=int,
        default=50,
        metavar="N",
        help="how often the model may use tools for one task (%(default)s)",
    )
    parser.add_argument(
        "--json", action="store_true", help="with -p: print each event as a line of JSON"
    )


def run(options: argparse.Namespace) -> int:
    """Run it."""
    from interlock.agent.conversation import ConversationError
    from interlock.agent.models import ModelError

    try:
        return _print_heads() if options.sessions else _run(options)
    except (ModelError, ConversationError, ImportError, build.StoreError) as problem:
        complain(f"interlock agent: {problem}\n")
        return BAD_INPUT


def _run(options: argparse.Namespace) -> int:
    from interlock.agent.models import ModelError, choose_model

    environment = {**os.environ, **({"INTERLOCK_MODEL": options.model} if options.model else {})}
    what = choose_model(environment)
    alone = options.words is not None
    if not alone and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ModelError(
            "a conversation needs a terminal; for one task without a person: interlock agent -p"
            " TASK"
        )
    words = sys.stdin.read() if options.words == "-" else options.words or ""
    kept, messages = _conversation(options)
    with contextlib.closing(kept), leaving(kept.head.id, "interlock agent") as left:
        agent = _agent(kept, what, environment, alone=alone)
        agent.messages, agent.turns, agent.keep = (
            messages,
            max(1, options.turns),
            _keeping(kept, left),
        )
        return _alone(agent, words, options) if alone else _talk(agent, kept, what, left)


def _keeping(kept: SavedConversation, left: Leftovers) -> Callable[[list[Any]], None]:
    """Return what keeps a conversation; whenever it has grown, nothing runs that is waited for."""

    def keep(messages: list[Any]) -> None:
        left.reap()
        kept.append(messages)

    return keep


def _print_heads() -> int:
    from interlock.agent.conversation import heads

    for head in heads(build.store(os.environ).folder):
        print(f"{head.id}  {head.cwd}  {head.words}")
    return 0


def _conversation(options: argparse.Namespace) -> tuple[SavedConversation, list[Any]]:
    from interlock.agent.conversation import (
        ConversationError,
        heads,
        new_conversation,
        resume_conversation,
    )
    from interlock.agent.loop import mend

    state, here = build.store(os.environ).folder, os.path.realpath(os.getcwd())
    name = (
        options.resume or next((head.id for head in heads(state, here)), "")
        if options.resume or options.newest
        else ""
    )
    if not name:
        if options.newest:
            raise ConversationError(f"there is no conversation of {here} to go on with")
        return new_conversation(state, here), []
    kept, messages = resume_conversation(state, name)
    if kept.head.cwd != here:
        raise ConversationError(f"{name} works in {kept.head.cwd}: go there to go on with it")
    mend(messages)
    return kept, messages


def _agent(
    kept: SavedConversation, what: ModelChoice, environment: dict[str, str], *, alone: bool
) -> agents.Agent:
    """Wire the agent: this user's guard with its policy, the model, the tools."""
    from interlock.agent import models
    from interlock.agent.loop import Agent
    from interlock.agent.prompt import instructions
    from interlock.agent.tools import command, files, programs, search, skills, todo

    session = _session(kept, what, environment)
    found = skills.find_skills([os.environ.get("HOME", ""), session.cwd])
    tools = [
        *files.TOOLS,
        *search.TOOLS,
        *command.TOOLS,
        *todo.TOOLS,
        *skills.tools(found),
        *programs.tools(lambda call: _scene(call, session)),
    ]
    system = instructions(
        session.cwd, alone=alone, skills=found.values(), project=_load_guidance(session.cwd)
    )
    return Agent(tools, models.model(what), session, system=system)


def _session(kept: SavedConversation, what: ModelChoice, environment: dict[str, str]) -> Session:
    from interlock.approvals.service import Approvals
    from interlock.integrations.session import Session
    from interlock.model.call import ToolCall

    here = kept.head.cwd
    guard = build.guard(environment, folder=here, session=kept.head.id)
    store, audit = guard.store, guard.audit
    if store is not None and audit is not None:
        guard.approvals = lambda: Approvals(store, audit.redactor)
    guard.validator = _judge(guard, what, environment, here)
    roots = (here,) if may_be_root(here, environment.get("HOME", "")) else ()
    session = Session(guard, id=kept.head.id, cwd=here, roots=roots, agent="interlock")
    for notice in guard.began(
        ToolCall(
            "other", "session", {}, cwd=here, roots=roots, session=session.id, agent=session.agent
        )
    ):
        session.tell(notice)
    return session


def _judge(
    guard: Guard, what: ModelChoice, environment: dict[str, str], folder: str
) -> Validator | None:
    """Return what looks at reviews: the policy's own, or the one of ``INTERLOCK_GUARD_LLM``."""
    from interlock.agent.models import ModelError

    try:
        return build.agent_validator(
            environment, guard, Reviewing(what.provider, what.model, what.url), what.key, folder
        )
    except ValueError as problem:
        raise ModelError(str(problem)) from problem


def _scene(call: ToolCall, session: Session) -> RunContext:
    """Return where a program of code mode runs: the policy of the folder, what ``interlock code``
    permits, and who is asked in this session.
    """
    from interlock.agent.tool import MOST

    # both streams are told, and what was refused
    scene = run_options.build_scene(call, RunPermissions(), Bounds(output=MOST // 3), "")
    scene.guard.ask, scene.guard.approvals = session.guard.ask, session.guard.approvals
    return scene


def _load_guidance(folder: str) -> str:
    from interlock.agent.tools.skills import page

    return page(folder, os.path.join(folder, SAID))


def _alone(agent: agents.Agent, words: str, options: argparse.Namespace) -> int:
    import asyncio

    from interlock.agent.headless import JsonLinesOutput, PlainOutput, once

    agent.session.guard.ask = None
    return asyncio.run(once(agent, words, JsonLinesOutput() if options.json else PlainOutput()))


def _talk(agent: agents.Agent, kept: SavedConversation, what: ModelChoice, left: Leftovers) -> int:
    import asyncio

    from interlock.agent.conversation import new_conversation
    from interlock.agent.terminal import TerminalChat
    from interlock.approvals.prompt import Prompt

    guard, colour = agent.session.guard, "NO_COLOR" not in os.environ

    def fresh() -> str:
        ended, other = sentence(left.end()), new_conversation(kept.state, kept.head.cwd)
        left.session = other.head.id
        agent.messages, agent.keep, agent.session = (
            [],
            _keeping(other, left),
            agent.session.replace(id=other.head.id),
        )
        return f"{other.head.id}; {ended}" if ended else other.head.id

    talk = TerminalChat(
        agent, Prompt(guard.policy, guard.facts, colour=colour), fresh, colour=colour
    )
    talk.screen.line(
        f"interlock agent · {what.model} · {_short(kept.head.cwd)} · {kept.head.id}", "grey"
    )
    return asyncio.run(talk.talk())


def _short(folder: str) -> str:
    home = os.environ.get("HOME", "")
    return f"~{folder[len(home) :]}" if home and folder.startswith(f"{home}/") else folder
