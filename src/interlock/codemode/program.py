"""The records of code mode: what is to be run, where, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from interlock.codemode.permissions import RunPermissions
from interlock.guard.check import Guard
from interlock.model.call import ToolCall
from interlock.model.record import Record
from interlock.sandbox.bounds import Bounds, Tier

PYTHON, GO = "python", "go"
LANGUAGES = (PYTHON, GO)
ENDINGS = {".py": PYTHON, ".go": GO}
USUAL = Bounds()
KERNEL, GUARD, BOTH = "kernel", "guard", "both"
REQUIRES = ("", KERNEL, GUARD, BOTH)

REDACT = "redact"
"""The obligation to take secrets out of what a program prints."""
RAN, FAILED, TIMEOUT, KILLED, REFUSED = "ran", "failed", "timeout", "killed", "refused"
READER, GATE, IN_PROGRAM, LAUNCHER = "reader", "gate", "guard", "launcher"
"""Layers: the program was read before it ran; a ban that its build found; its own guard asked, or
knew; who starts it. A program itself tells of ``kernel``: the walls refused what its guard had not
foreseen.
"""


class Refusal(Record):
    """An operation that was refused: its name, what it was to be done to, the rule, the layer, one
    sentence, and ``run.py:12``.
    """

    operation: str
    argument: str
    rule: str
    layer: str
    message: str
    where: str = ""
    instead: str = ""


class RunResult(Record):
    """What came of a run. ``status``: ``ran`` (exit code 0), ``failed``, ``timeout``, ``killed``
    (by a signal), ``refused`` (it never started).

    ``code``: its exit status, or minus the signal. ``stdout`` and ``stderr``: beginning and end
    where they are longer than ``Bounds.output``; then ``spilled`` has the files with all of it.
    ``operations``: how many the broker was asked about.
    ``tier``: what held it.
    ``content``: JSON of what the program returned, where it returns something. ``wider``: options
    that another run needs for what a person approved in this one.
    """

    status: str
    code: int = 0
    stdout: str = ""
    stderr: str = ""
    refused: tuple[Refusal, ...] = ()
    tier: Tier = Tier()
    seconds: float = 0.0
    operations: int = 0
    spilled: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    content: str = ""
    wider: tuple[tuple[str, str], ...] = ()


class RunCommand(Record):
    """A command line ready to run: ``argv[0]`` absolute.

    ``reads``, ``writes``, ``executes``: absolute paths that it needs besides what the policy lets
    be reached: a toolchain, a cache, a folder to work in. ``environment``: variables besides the
    few that every run has. ``guard``: the language whose operations ask the broker, and which has
    to show that they do before anything else; ``""`` where nothing inside asks. ``inside``: it puts
    up the kernel's walls itself. ``name``: what messages call it. ``commands``: it may start any
    program within its walls. ``files``: what is put into the run's own folder before it starts, by
    name; in ``argv`` and the variables ``{private}`` stands for that folder. ``empty``, ``fixed``:
    as ``Walls`` has them. ``attached``: it has our streams. ``hooks``: a client whose hook is
    answered outside of the walls, or ``""``. ``apart``: nothing is lent to it but what it names
    here: no workspace, and no folder in which others have files.
    """

    argv: tuple[str, ...]
    cwd: str
    environment: Mapping[str, str]
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    executes: tuple[str, ...] = ()
    guard: str = ""
    name: str = ""
    stdin: bytes = b""
    inside: bool = False
    commands: bool = False
    files: Mapping[str, bytes] = {}
    empty: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    attached: bool = False
    hooks: str = ""
    apart: bool = False


class RunContext:
    """Where a run takes place: the guard with its policy, the call that asked for it, what the
    person allowed, and what is required.

    ``call``: with its folder and workspace. ``require``: ``kernel``, ``guard``, ``both`` or
    nothing: what has to hold, or nothing runs.
    ``state``: a folder in which what is found out about this machine is kept, ``""`` for none.
    ``keep``: a folder for output that is too long.
    ``granted``: kinds and targets of effects that a person approved for this run. ``commands``:
    nothing inside will ask, so all of it has to be approved beforehand. ``python``: the interpreter
    of a Python program, this one where it is empty. ``report``: is told what takes long before the
    program starts. ``end``: ends the program while it runs, from another thread; it does nothing
    before and after. ``redacts``: what it prints loses its secrets. ``notices``: what has to be
    told with its result. ``decision``: the one that let it run. ``begun``: it runs although it was
    not allowed as a whole, for each operation is judged when it comes. ``made``: whether a path
    lies in a folder that this run itself has made.
    """

    __slots__ = (
        "begun", "bounds", "call", "commands", "decision", "end", "granted", "guard", "keep",
        "made", "notices", "permits", "python", "redacts", "report",
        "require", "state",
    )  # fmt: skip

    def __init__(
        self,
        guard: Guard,
        call: ToolCall,
        permits: RunPermissions,
        bounds: Bounds = USUAL,
        require: str = "",
        state: str = "",
    ) -> None:
        self.guard = guard
        self.call = call
        self.permits = permits
        self.bounds = bounds
        self.require = require
        self.state = state
        self.keep = ""
        self.granted: frozenset[tuple[str, str]] = frozenset()
        self.commands = False
        self.python = ""
        self.report: Callable[[str], object] = lambda _: None
        self.end: Callable[[], object] = lambda: None
        self.redacts = False
        self.notices: tuple[str, ...] = ()
        self.decision = ""
        self.begun = False
        self.made: Callable[[str], bool] = lambda _: False


def refuse_run(refusal: Refusal, *notices: str) -> RunResult:
    """Return the result of what never started."""
    return RunResult(REFUSED, 126, refused=(refusal,), notices=notices)
