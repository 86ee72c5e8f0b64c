"""Whether a person sits here: what approves is for people, and asks for their token where that
cannot be told.
"""

from __future__ import annotations

import argparse
import getpass
import os
import sys

from interlock.approvals import answers, caller, token
from interlock.approvals.answers import AnswerError
from interlock.cli import build
from interlock.store.database import Store

MAX_TOKEN = 200
HOW = "pass --token, with the token that `interlock approvals token` made in a terminal"


def add_token(parser: argparse.ArgumentParser) -> None:
    """Declare the option."""
    parser.add_argument(
        "--token",
        action="store_true",
        help=(
            "authenticate as a person with your token, read from standard input, never from the"
            " command line"
        ),
    )


def needs_person(store: Store, *, given: bool) -> None:
    """Return where a person asks; raises ``AnswerError``, and ``StoreError``. ``given``: a token
    comes on standard input.
    """
    unsure, recorded = "", answers.agents(store)
    build.tell(store)
    try:
        caller.examine(caller.agents_alive(recorded))
    except caller.AgentCallerError as why:
        raise AnswerError(
            f"an agent may not approve, deny or grant: {why}; use a terminal of your own"
        ) from None
    except caller.UnknownCallerError as why:
        unsure = str(why)
    if not unsure and build.policy(os.environ).approving.token_always:
        unsure = "the policy wants it each time"
    if given:
        if not token.valid(store, _read()):
            raise AnswerError("this is not your token; `interlock approvals token` makes a new one")
    elif unsure:
        raise AnswerError(
            f"run this in a terminal of your own: interlock cannot tell you from an agent here"
            f" ({unsure}); or {HOW}"
        )


def refuses_agents(what: str, *, given: bool) -> None:
    """Return where no agent is known to have started this; raises ``AnswerError`` where one has, or
    where one runs and it cannot be told that it did not: then a token counts (``given``: it comes
    on standard input). A store that cannot be opened knows of none.
    """
    try:
        store = build.store(os.environ) if os.path.isdir(build.state_folder(os.environ)) else None
        recorded = answers.agents(store) if store is not None else []
    except build.StoreError:
        return
    if store is None:
        return
    build.tell(store)
    alive = caller.agents_alive(recorded)
    try:
        caller.examine(alive)
    except caller.AgentCallerError as why:
        raise AnswerError(f"an agent may not {what}: {why}; use a terminal of your own") from None
    except caller.UnknownCallerError as why:
        if alive and not (given and token.valid(store, _read())):
            raise AnswerError(
                "an agent's session runs, and interlock cannot tell whether that agent started this"
                f" ({why}): end that session first, use a terminal of your own, or {HOW}"
            ) from None


def token_lines(store: Store) -> list[str]:
    """Make the person's token, at their own terminal, and return it with how it is kept; raises
    ``AnswerError``, and ``StoreError``.
    """
    try:
        caller.examine(caller.agents_alive(answers.agents(store)))
    except caller.NoProcessTreeError:
        if not sys.stdin.isatty():
            raise AnswerError("a token is made at a terminal, by a person") from None
    except caller.AgentCallerError as why:
        raise AnswerError(
            f"an agent may not make a token: {why}; use a terminal of your own"
        ) from None
    except caller.UnknownCallerError as why:
        raise AnswerError(
            f"stop all agents first, then run this again: interlock cannot tell you from an agent"
            f" here ({why})"
        ) from None
    if not sys.stdout.isatty():
        raise AnswerError("a token is shown on a terminal only, so that it lands in no file")
    return [
        "your token, shown this once (an older one counts no more):",
        "",
        f"    {token.make(store)}",
        "",
        "Keep it where no agent reads: not in a file, not in a variable.",
    ]


def _read() -> str:
    if sys.stdin.isatty():
        return getpass.getpass("token: ")
    return sys.stdin.readline(MAX_TOKEN)
