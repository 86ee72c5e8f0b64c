"""Calls of what the script itself defined: functions, and aliases, whose text takes the place of
their name (bash manual 3.3, 6.6).
"""

from __future__ import annotations

from interlock.shell.api import ShellWalk
from interlock.shell.execution import Execution
from interlock.shell.tree import Compound, Simple
from interlock.shell.value import NOTHING, UNREAD, Flow, join_flows

GLOBAL_ALIAS = "-g "
"""Stands before the name of an alias that zsh replaces in any place of a command (``alias -g``)."""


def either_way(walker: ShellWalk, execution: Execution, node: Simple) -> Flow | None:
    """Follow a command that is the name of an alias: what that stands for, and the command itself,
    which a script of bash runs instead.

    An alias counts from the next line on, and in bash only where it was asked for (bash manual 6.6;
    zsh always asks). None: it is none.
    """
    before = walker.state.copy()
    flow = _alias(walker, execution, node)
    if flow is None:
        return None
    name = execution.argv[0].text
    if name not in before.functions and not walker.visitor.knows(name):
        return flow
    after, walker.state = walker.state, before
    itself = walker.run(execution)
    walker.state.merge([after, walker.state.copy()])
    return flow if itself is NOTHING else Flow(None, flow.labels | itself.labels)


def _alias(walker: ShellWalk, execution: Execution, node: Simple) -> Flow | None:
    """Put the text of an alias in its place and read that; of zsh's global aliases in any place.
    None: there is none.
    """
    aliases, argv = walker.state.aliases, execution.argv
    name = argv[0].text
    if name not in aliases or name in walker.at.aliases:
        name = next(
            (GLOBAL_ALIAS + value.text for value in argv if GLOBAL_ALIAS + value.text in aliases),
            "",
        )
        if not name or name in walker.at.aliases:
            return None
    word = name.removeprefix(GLOBAL_ALIAS)
    redirected = _around(walker, execution)
    standing_in = (*walker.at.aliases, name)
    with walker.within(stdin=redirected.stdin, aliases=standing_in):
        words = [
            (
                aliases[name]
                if value.text == word and (not at or name != word)
                else _quote(value.text)
            )
            for at, value in enumerate(argv)
        ]
        set_before = [f"{variable}={_quote(value.text)}" for variable, value in execution.prefix]
        return walker.visitor.printed(
            redirected,
            walker.nested(" ".join([*set_before, *words]), node.start, node.end, "alias"),
        )


def _around(walker: ShellWalk, execution: Execution) -> Execution:
    """Open what a function's or alias's call is redirected to; its input is that of all in it."""
    redirected = execution.inner([])
    if execution.redirects:
        redirected.redirects = execution.redirects
        walker.visitor.visit(redirected, walker)
    return redirected


def call_function(walker: ShellWalk, name: str, node: Compound, execution: Execution) -> Flow:
    """Follow the call of a function of the script; return what it prints. One that runs already is
    not followed again.
    """
    if any(node is other for other in walker.at.functions):
        if execution.piped or execution.background:
            walker.visitor.exhausts(name, walker, execution.start, execution.end)
        return UNREAD
    arguments, frame = walker.state.arguments, walker.state.frame
    walker.state.arguments, walker.state.frame = execution.argv[1:], {}
    redirected = _around(walker, execution)
    standing_in = (*walker.at.functions, node)
    try:
        with walker.within(stdin=redirected.stdin, functions=standing_in):
            return walker.visitor.printed(
                redirected, join_flows([walker.sequence(body) for body in node.bodies])
            )
    finally:
        walker.state.leave(frame)
        walker.state.arguments = arguments


def _quote(text: str) -> str:
    """Quote a field so that reading it again gives the same field."""
    return "'" + text.replace("'", "'\\''") + "'"
