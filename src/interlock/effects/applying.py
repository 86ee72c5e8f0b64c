"""What a program's row says of a call, and what the row's own code adds to it."""

from __future__ import annotations

from interlock.effects.accounted import TALKING, account
from interlock.effects.building import BUILDERS, look_around
from interlock.effects.environment import judge_options
from interlock.effects.programs import lists
from interlock.effects.programs import table as programs
from interlock.shell.value import HOLE, UNREAD, Choice, Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run
    from interlock.shell.value import Value


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
    if len(run.context.effects) == first and run.name not in TALKING and any(is_open(value) for value in run.arguments):
        run.context.doubts[f"what {run.name} is given is not known"] = None
    return flow


def is_open(value: Value) -> bool:
    """Whether a word may be anything, and any number of words, options among them."""
    return value.text == HOLE and not isinstance(value, Choice)


_HANDING = frozenset({"run", "exec", "x", "dlx"})
"""Subcommands of package managers whose next word is a command with options of its own (``uv run pytest -x``)."""


def _before_command(run: Run) -> list[str] | None:
    """Return the words before the command that a package manager is given to run; None where it is given none."""
    operands = run.operands
    if len(operands) < len(("run", "command")) or operands[0].text not in _HANDING or programs.names().get(run.name) != "packages":
        return None
    at = next((at for at, value in enumerate(run.arguments) if value is operands[1]), 0)
    return [value.text for value in run.arguments[:at]]


_SAID = {
    "pytest": (("-p",), "loads a plugin by its name"),
    "py.test": (("-p",), "loads a plugin by its name"),
    "gnuplot": (("-e",), "runs code"),
    "open": (("-a", "-b", "-n", "-e", "-t"), "starts another program"),
    "git add": (("-f", "--force"), "takes what the project ignores"),
}
"""Options that are known, and prove nothing."""
_FETCHING = frozenset({"build", "buildx", "bake", "pull", "load", "import", "login", "logout", "push"})
_CONTROLLING = (":2375", ":2376", ":2379", ":2380", ":5984", ":6379", ":6443", ":8001", ":8200", ":8500", ":9200", ":10250", ":27017")
"""Ports at which containers, clusters and stores are told what to do: of Docker, etcd, CouchDB, Redis, Kubernetes, Vault, Consul, Elastic."""


def _doubt(run: Run) -> None:
    """Note what is not known of a program though its row is: an option that nobody listed, and what a service elsewhere does."""
    own = _before_command(run)
    for option in run.parsed.unknown:
        if own is not None and not any(word.startswith(option) for word in own):
            continue
        run.context.doubts[f"the option {option.replace(HOLE, '?')} of {run.name} is not known"] = None
    if run.has("--host", "--hostname", "--listen", "--expose", "--public"):
        run.context.doubts[f"{run.name} may listen where others reach it"] = None
    told = _SAID.get(run.name)
    if told is not None and run.has(*told[0]) and not any(value.text.startswith("no:") for value in run.parsed.values(*told[0])):
        run.context.doubts[f"{run.name} {told[1]}"] = None
    if programs.names().get(run.name) == "containers" and run.operands and run.operands[0].text in _FETCHING:
        run.context.doubts[f"what {run.name} {run.operands[0].text} runs and fetches is not known"] = None
    if any(port in value.text for value in run.arguments for port in _CONTROLLING):
        run.context.doubts["what answers at that port controls more than the workspace"] = None
    if programs.works_elsewhere(run.name, run.operands[0].text if run.operands else "") and not run.has("--help", "--version"):
        run.context.doubts[f"{run.name} asks a service elsewhere"] = None
