"""Whether a person sits here: what approves is for people, and asks for their token where that cannot be told."""

from __future__ import annotations

import getpass
import os
import sys
from typing import TYPE_CHECKING

from interlock.approvals import answers, origin, token
from interlock.approvals.answers import AnswerError
from interlock.cli import build

if TYPE_CHECKING:
    import argparse

    from interlock.store.database import Store

MAX_TOKEN = 200
HOW = "give --token, with the token that `interlock approvals token` made in a terminal"


def add_token(parser: argparse.ArgumentParser) -> None:
    """Declare the option."""
    parser.add_argument(
        "--token",
        action="store_true",
        help="prove with your token that you are no agent: it is read from standard input, never from the command line",
    )


def needs_person(store: Store, *, given: bool) -> None:
    """Return where a person asks; raises ``AnswerError``, and ``StoreError``. ``given``: a token comes on standard input."""
    unsure, recorded = "", answers.agents(store)
    build.tell(store)
    try:
        origin.examine(origin.agents_alive(recorded))
    except origin.RefusedError as why:
        raise AnswerError(f"an agent may not approve, deny or grant: {why}; use a terminal of your own") from None
    except origin.UnsureError as why:
        unsure = str(why)
    if not unsure and build.policy(os.environ).approving.token_always:
        unsure = "the policy wants it each time"
    if given:
        if not token.valid(store, _read()):
            raise AnswerError("this is not your token; `interlock approvals token` makes a new one")
    elif unsure:
        raise AnswerError(f"it cannot be told that you are no agent ({unsure}): {HOW}")


def refuses_agents(what: str) -> None:
    """Return where no agent is known to have started this; raises ``AnswerError`` where one has. A store that cannot be opened knows of none."""
    try:
        if os.path.isdir(build.state_folder(os.environ)):
            store = build.store(os.environ)
            recorded = answers.agents(store)
            build.tell(store)
            origin.examine(origin.agents_alive(recorded))
    except origin.RefusedError as why:
        raise AnswerError(f"an agent may not {what}: {why}; use a terminal of your own") from None
    except (origin.UnsureError, build.StoreError):
        return


def _read() -> str:
    if sys.stdin.isatty():
        return getpass.getpass("token: ")
    return sys.stdin.readline(MAX_TOKEN)
