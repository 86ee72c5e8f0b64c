"""What words of a command tell as written, beside their values: names of variables."""

from __future__ import annotations

from interlock.effects import secret_variables
from interlock.effects.api import ShellReading
from interlock.effects.path_actions import PathAction
from interlock.effects.path_words import act_on
from interlock.effects.printed_places import by_variable, hand_on
from interlock.effects.run import Run
from interlock.model.effect import Span, Writes
from interlock.shell.execution import Execution, Redirection
from interlock.shell.value import HOLE


def note(reader: ShellReading[Run], execution: Execution, source: str) -> None:
    """Note what a command's variables hold of secrets, and whose value, and add what it may write
    where a variable leads by default. ``source``: the text that the command stands in.
    """
    assigned = secret_variables.list_assignments(execution)
    secret_variables.spreads(reader.context, execution, assigned, source)
    hand_on(reader.context, assigned, source)
    for redirect in execution.redirects:
        if redirect.target.text[:1] == HOLE and ">" in redirect.operator:
            _leads(reader, execution, redirect, source)


def _leads(
    reader: ShellReading[Run], execution: Execution, redirect: Redirection, source: str
) -> None:
    """Add that a redirection may write where its variable leads by default."""
    context, target = reader.context, redirect.target
    span = Span(execution.text, target.start, target.end)
    traits = frozenset({"redirect", *(["append"] if ">>" in redirect.operator else [])})
    by = execution.argv[0].text if execution.argv else ""
    act = PathAction(Writes, span, traits, by)
    for there in by_variable(context, target, source):
        context.possibly(lambda path=there: act_on(context, act, path, None))  # type: ignore[misc]
