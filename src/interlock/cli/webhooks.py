"""The web hooks of ``interlock serve``: where people are told of what waits."""

from __future__ import annotations

from contextlib import closing

from interlock.cli.colors import complain, visible
from interlock.cli.serve_start import open_database
from interlock.service.hooks.sending import create_hook, secret
from interlock.service.secrets import later
from interlock.service.signing import Signer


def add(folder: str, url: str, *, private: bool) -> int:
    """Add one, and print the secret that its receiver checks signatures with; raises
    ``HookError`` and ``KeptError``.
    """
    with closing(open_database(folder)) as keeping:
        made = keeping.write(lambda steps: create_hook(steps, url, private=private))
    print(f"{made.id}: {visible(made.url)} is told of requests and stops from now on")
    print(f"it checks signatures (Standard Webhooks) with: {secret(Signer(folder), made)}")
    return 0


def show(folder: str) -> int:
    """List them, and what was not taken."""
    with closing(open_database(folder)) as keeping:
        hooks, failed = keeping.read(lambda known: (known.hooks(), known.find_undelivered()))
    for one in hooks:
        why = f"  not taken: {visible(failed[one.id].said)}" if one.id in failed else ""
        print(f"{one.id}  {visible(one.url)}{'  (private)' if one.private else ''}{why}")
    if not hooks:
        print("no web hook is told anything; add one: interlock serve --webhook URL")
    return 0


def forget(folder: str, name: str) -> int:
    """Tell one of them nothing more. 1 where there is none of that name."""
    with closing(open_database(folder)) as keeping:
        done = keeping.write(lambda steps: steps.end_hook(name, later(0)))
    if not done:
        complain(
            f"interlock serve: there is no web hook {visible(name)!r}; `interlock serve --webhooks`"
            " lists them\n"
        )
        return 1
    print(f"{visible(name)} is told nothing more")
    return 0
