"""Things with a name that a session makes and may take away again: containers, networks, clusters
of this machine, terminal sessions.

A thing is the session's own where its program refuses a name that is taken, and where the call
would have failed as a whole with it: then nobody else's can bear that name. The next call knows of
it by the ledger, as of files that were made.
"""

from __future__ import annotations

from interlock.effects.run import Run
from interlock.shell.parse import parse
from interlock.shell.tree import AndOr, Simple
from interlock.shell.value import HOLE, Value

MAX_THINGS = 16
"""Things of a call that are kept in mind."""
_ELSEWHERE = ("--replace", "--kubeconfig", "-A")
"""Options behind the verb by which a program works elsewhere, or takes a name from others."""
_VARIABLES = ("DOCKER_", "CONTAINER_", "PODMAN_", "TMUX", "KIND_", "K3D_", "KUBECONFIG")


def makes(run: Run, kind: str, name: Value | None) -> None:
    """Note what a command makes, if it surely does where the call succeeds."""
    if (
        name is not None
        and name.known
        and len(run.context.begun.things) < MAX_THINGS
        and not _elsewhere(run)
        and _decides(run)
    ):
        run.context.begun.things.add(f"{run.name} {kind} {name.text}")


def owns(run: Run, kind: str, names: list[Value]) -> bool:
    """Whether this call or its session made every one of some things, and there is one."""
    context = run.context
    if (
        not names
        or len(names) > MAX_THINGS
        or not run.here
        or _elsewhere(run)
        or any(not value.known for value in names)
    ):
        return False
    things = [f"{run.name} {kind} {value.text}" for value in names]
    return all(thing in context.begun.things or context.facts.made(thing) for thing in things)


def _elsewhere(run: Run) -> bool:
    """Whether an option before the verb or a variable may name another machine or server."""
    given = [name for name, _ in run.execution.prefix] + list(run.walker.state.exported)
    led = run.arguments[:1] and run.arguments[0].text[:1] == "-"
    return (
        bool(led)
        or any(name.startswith(_VARIABLES) for name in given)
        or any(value.text in _ELSEWHERE for value in run.arguments)
    )


def _decides(run: Run) -> bool:
    """Whether the call fails if this command fails: it stands by itself among the last commands of
    the text, which ``&&`` joins.
    """
    text = run.walker.texts[0].text
    start = run.execution.start
    if run.execution.text != 0 or HOLE in text or not text.startswith(f"{run.name} ", start):
        return False
    body = parse(text).body
    last = body.commands[-1]
    chain = last.commands if isinstance(last, AndOr) else [last]
    joined = not isinstance(last, AndOr) or set(last.operators) == {"&&"}
    alone = any(isinstance(command, Simple) and command.start == start for command in chain)
    return joined and alone and list(body.operators)[-1:] != ["&"]
