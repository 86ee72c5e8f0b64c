"""``Facts``: all that the analysis may ask the world. An answer is known or ``UNKNOWN``."""

from __future__ import annotations

from typing import Protocol

from interlock.model.radius import Radius, Stake
from interlock.model.record import Record


class Unknown:
    """The answer that was not to be had. ``UNKNOWN`` is false and never loosens."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()

MISSING, FILE, FOLDER, LINK, SPECIAL = "missing", "file", "folder", "link", "special"


class Stat(Record):
    """What is at a path: ``kind`` (one of the five above) and its size in bytes."""

    kind: str
    size: int = 0


class Repository(Record):
    """The repository around a path: its top folder, and the branch."""

    root: str
    branch: str = ""


class Process(Record):
    """A running process: ``ticks`` of the machine's clock when it began, which no other process of
    its number has, and in Unix seconds.
    """

    ticks: int
    began: float


TRACKED, UNTRACKED, ALL, FILES = "tracked", "untracked", "all", "files"
"""Of what is asked what would be lost: of files that git tracks, of those it does not, of both, of
both in one folder but no hidden ones.
"""


class Loss(Record):
    """What git could not bring back of what lies at or below a path, in numbers of files.

    ``tracked``: all that are tracked; ``modified``: those of them that are not on disk, or in the
    index, as HEAD has them.
    ``untracked``: neither tracked nor ignored. ``ignored``: the ignored files and folders, by their
    paths; the path itself where it is ignored as a whole. ``links``: symbolic links among the files
    that are not ignored; what follows them leaves the folder.
    """

    tracked: int = 0
    modified: int = 0
    untracked: int = 0
    ignored: tuple[str, ...] = ()
    links: int = 0


class Facts(Protocol):
    """The protocol. Paths are absolute. Implementations: ``facts.Live`` (the disk) and
    ``facts.Recorded`` (replay).
    """

    def home(self) -> str:
        """Return the user's home folder, or ``""`` where there is none."""

    def variable(self, name: str) -> str | Unknown:
        """Return a variable of the agent's shell. Only harmless, path-like names count."""

    def temps(self) -> tuple[str, ...]:
        """Return the folders for temporary files."""

    def real(self, path: str) -> str | Unknown:
        """Return the path with every symbolic link followed; what is missing is kept as written."""

    def stat(self, path: str) -> Stat | Unknown:
        """Return what is at the path, without following a last link."""

    def names(self, path: str) -> tuple[str, ...] | Unknown:
        """Return the names in a folder, in order, those of folders with a ``/`` behind them; none
        of what is no folder, Unknown past 1,000.
        """

    def text(self, path: str) -> str | Unknown:
        """Return the text of a regular file of at most 256 KiB, as of a script to run."""

    def members(self, path: str) -> tuple[tuple[str, str], ...] | Unknown:
        """Return what an archive holds: each member's name, and where it leads if it is a link."""

    def repository(self, path: str) -> Repository | Unknown | None:
        """Return the repository around a path, or None where there is none."""

    def loss(self, path: str, of: str) -> Loss | Unknown:
        """Return what git could not bring back at or below a path, ``of`` one of the four above."""

    def find_altered(self, path: str) -> tuple[str, ...] | Unknown:
        """Return the tracked files at or below a path that git has otherwise, on disk or in its
        index, than its last commit; Unknown past 64.
        """

    def untracked(self, path: str) -> tuple[str, ...] | Unknown:
        """Return the files at or below a path that ``git add`` would take in as new ones, the
        newest first, at most 64.
        """

    def radius(self, stakes: tuple[Stake, ...]) -> Radius:
        """Return what would be lost with all of these; asked once a call at most, and only when a
        person is to be asked.
        """

    def labels(self, subject: str) -> frozenset[str]:
        """Return what earlier calls of the session marked about a path or about the session
        (``""``). Labels only tighten.
        """

    def made(self, path: str) -> bool:
        """Tell whether a path, or a folder above it, is known to have been made by an earlier call
        of this session.
        """

    def started(self, pid: str) -> bool:
        """Tell whether a process is known as started by an earlier call of the session."""

    def process(self, pid: str) -> Process | Unknown:
        """Return when a running process began."""

    def own_code(self) -> tuple[str, ...]:
        """Return the folders of the guard's own running code."""
