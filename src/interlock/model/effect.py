"""What a call would do to the world: ``Effect``, its kinds, its target's place, how sure we are."""

from __future__ import annotations

from interlock.model.record import Record


class Kind(str):
    """The name of a kind of effect; one of the constants below."""

    __slots__ = ()


Reads = Kind("reads")
Writes = Kind("writes")
Deletes = Kind("deletes")
ChangesMode = Kind("changes-mode")
Executes = Kind("executes")
"""A program is started; ``target`` is its name."""
RunsCode = Kind("runs-code")
"""Text is run as code by an interpreter; traits tell where the text comes from."""
Connects = Kind("connects")
Sends = Kind("sends")
Listens = Kind("listens")
Installs = Kind("installs")
Publishes = Kind("publishes")
Pushes = Kind("pushes")
DiscardsWork = Kind("discards-work")
RewritesHistory = Kind("rewrites-history")
EscalatesPrivilege = Kind("escalates-privilege")
ControlsSystem = Kind("controls-system")
KillsProcess = Kind("kills-process")
ChangesDatabase = Kind("changes-database")
ChangesInfrastructure = Kind("changes-infrastructure")
ControlsContainer = Kind("controls-container")
Persists = Kind("persists")
TampersWithGuard = Kind("tampers-with-guard")
ErasesTraces = Kind("erases-traces")
Exhausts = Kind("exhausts")
"""Uses up processes, memory or disk without end (a fork bomb)."""
Calls = Kind("calls")
"""A tool the guard knows only by name (MCP, sub-agents)."""
Opaque = Kind("opaque")
"""Something that could not be read or followed; ``detail`` says why."""

KINDS = (
    Reads, Writes, Deletes, ChangesMode, Executes, RunsCode, Connects, Sends, Listens, Installs,
    Publishes, Pushes, DiscardsWork,
    RewritesHistory, EscalatesPrivilege, ControlsSystem, KillsProcess, ChangesDatabase,
    ChangesInfrastructure, ControlsContainer,
    Persists, TampersWithGuard, ErasesTraces, Exhausts, Calls, Opaque,
)  # fmt: skip

# -- places ----------------------------------------------------------------------------------------

WORKSPACE, TEMP, HOME, OTHER_REPOSITORY, SYSTEM, DEVICE, ELSEWHERE, UNKNOWN_PLACE = (
    "workspace", "temp", "home", "other-repository", "system", "device", "elsewhere", "unknown",
)  # fmt: skip
LOCATIONS = (WORKSPACE, TEMP, HOME, OTHER_REPOSITORY, SYSTEM, DEVICE, ELSEWHERE, UNKNOWN_PLACE)

SECRET, PERSISTENCE, GUARD, VCS_INTERNAL, INSTRUCTION_FILE, GENERATED = (
    "secret", "persistence", "guard", "vcs-internal", "instruction-file", "generated",
)  # fmt: skip
PROJECT_SECRET, SENSITIVE_NAME, ROOT_OF, SINK, LOG, WORKSPACE_ROOT = (
    "project-secret",
    "sensitive-name",
    "root-of",
    "sink",
    "log",
    "workspace-root",
)
ACCESS, NOTES = "access", "notes"
NATURES = (
    SECRET, PROJECT_SECRET, SENSITIVE_NAME, PERSISTENCE, ACCESS, GUARD, VCS_INTERNAL,
    INSTRUCTION_FILE, GENERATED, ROOT_OF, SINK, LOG, WORKSPACE_ROOT,
    NOTES,
)  # fmt: skip
"""``access``: says who may log in or become whom (``authorized_keys``, ``sudoers``, PAM);
``project-secret``: a project's ``.env``; ``sensitive-name``: named like a secret, not known to be
one; ``root-of``: the top of a location itself (``/``, HOME, ``/etc``); ``sink``: ``/dev/null`` and
its like; ``log``: a log or a shell history; ``workspace-root``: the workspace's top folder itself;
``notes``: what an agent notes for itself.
"""

LOCAL, ALLOWED_HOST, UNKNOWN_HOST, METADATA_SERVICE = (
    "local",
    "allowed",
    "unknown",
    "metadata-service",
)
HOSTS = (LOCAL, ALLOWED_HOST, UNKNOWN_HOST, METADATA_SERVICE)

HERE = "here"


class Place(Record):
    """Where a path is: one location, a set of natures, and on which machine (``here``, ``container
    NAME``, ``remote HOST``, ``cluster``).

    ``real``: the path that a path with links in it leads to, or ``""`` where it leads nowhere else.
    """

    location: str
    natures: frozenset[str] = frozenset()
    where: str = HERE
    real: str = ""


class Span(Record):
    """``[start, end)`` in text number ``text`` of the reading (0 is the call's own input)."""

    text: int
    start: int
    end: int


class Text(Record):
    """One text of a reading.

    ``parent`` is the span it was taken from; ``offsets`` maps its characters there, or is None
    where decoding broke the map.
    """

    text: str
    parent: Span | None = None
    offsets: tuple[int, ...] | None = None
    label: str = ""


class Effect(Record):
    """One thing a call would do.

    ``target``: the resolved path, URL, program, pid, ref or package, or ``""`` where unknown.
    ``traits``: words that rules match on (``recursive``, ``force``, ``from-network``,
    ``upload``...).
    ``certain``: False where the effect is possible only.
    ``by``: the program or tool that does it, ``detail``: a few words for a person.
    ``undoable``: True, False, or None where nobody knows. ``folder``: where a command on a
    repository works, whose target is no path.
    ``only``: what of the target is meant: the patterns that a target stands for, the branches of a
    push. No rule asks for these two; they tell where to look for what would be lost.
    """

    kind: Kind
    target: str = ""
    place: Place | None = None
    host: str = ""
    traits: frozenset[str] = frozenset()
    certain: bool = True
    span: Span | None = None
    by: str = ""
    detail: str = ""
    undoable: bool | None = None
    folder: str = ""
    only: tuple[str, ...] = ()


GUESSED = "?"
"""Before the first word of a command that may only be run: words of a program nobody described."""
ONLY_LOOKS = "only looks at what a service elsewhere lists"
"""End of a doubt that is none where more than the files of this machine was lent."""


class Reading(Record):
    """All that was read of a call.

    ``coverage`` is ``full`` or ``partial`` (something stayed opaque). ``marks``: what later calls
    of the session should know of it, each a path (or ``""``, the session itself) and a label of the
    ledger. ``commands``: the words of every shell command it runs, in the order read; one that may
    be data as well begins with ``GUESSED``. ``doubts``: what of it is not known though it was read,
    each a sentence.
    """

    effects: tuple[Effect, ...]
    texts: tuple[Text, ...] = ()
    coverage: str = "full"
    marks: tuple[tuple[str, str], ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    doubts: tuple[str, ...] = ()
