"""What a program's row says of a call, and what the row's own code adds to it."""

from __future__ import annotations

from interlock.effects.accounted import account
from interlock.effects.building import BUILDERS, look_around
from interlock.effects.environment import judge_options
from interlock.effects.programs import lists
from interlock.effects.programs import table as programs
from interlock.shell.value import HOLE, UNREAD, Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run


def apply(run: Run) -> Flow:
    """Add the effects of a command or subcommand; return what it prints."""
    row = run.row
    if run.name in BUILDERS:
        look_around(run)
    _doubt(run)
    judge_options(run)
    first = len(run.context.effects)
    for word in row.effects.split():
        kind, _, traits = word.partition(":")
        run.effect(programs.kind(kind), run.name, *[trait for trait in traits.split(",") if trait])
    if row.read is not None:
        flow = row.read(run) or UNREAD
        run.unspoken(first)
    else:
        run.roles()
        flow = Flow(None, frozenset(row.prints.split()) | run.input_labels())
    if run.name in lists.OPTIONS:
        lists.read_lists(run)
    account(run, first)
    return flow


def _doubt(run: Run) -> None:
    """Note what is not known of a program though its row is: an option that nobody listed, and what a service elsewhere does."""
    for option in run.parsed.unknown:
        run.context.doubts[f"the option {option.replace(HOLE, '?')} of {run.name} is not known"] = None
    if programs.works_elsewhere(run.name) and not run.has("--help", "--version"):
        run.context.doubts[f"{run.name} asks a service elsewhere"] = None
