"""``Facts``: the only questions the analysis may ask the world. Every answer is known or ``UNKNOWN``."""

from __future__ import annotations

from interlock.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object


class Unknown:
    """The answer that was not to be had. There is one, ``UNKNOWN``; it is false and never loosens."""

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
    """The repository around a path: its top folder, whether the path is tracked and unchanged there, and its remotes' names."""

    root: str
    clean: bool | Unknown = UNKNOWN
    remotes: tuple[str, ...] = ()
    branch: str = ""


class Facts(Protocol):
    """The protocol. Paths are absolute. Implementations: ``facts.Live`` (the disk) and ``facts.Recorded`` (replay)."""

    def home(self) -> str:
        """Return the user's home folder, or ``""`` where there is none."""

    def variable(self, name: str) -> str | Unknown:
        """Return an environment variable of the agent's shell. Only harmless, path-like names are ever answered."""

    def temps(self) -> tuple[str, ...]:
        """Return the folders for temporary files."""

    def real(self, path: str) -> str | Unknown:
        """Return the path with every symbolic link followed; the part that does not exist is kept as written."""

    def stat(self, path: str) -> Stat | Unknown:
        """Return what is at the path, without following a last link."""

    def text(self, path: str) -> str | Unknown:
        """Return the text of a regular file of at most 256 KiB, for a script that a call would run."""

    def repository(self, path: str) -> Repository | Unknown | None:
        """Return the repository around a path, or None where there is none."""

    def labels(self, subject: str) -> frozenset[str]:
        """Return what earlier calls of the session marked about a path or about the session (``""``)."""
