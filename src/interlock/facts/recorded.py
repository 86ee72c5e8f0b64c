"""``Recorded``: facts that were noted, the same on every machine."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.model.facts import FILE, UNKNOWN, Loss, Process, Repository, Stat, Unknown
from interlock.model.radius import Radius, Stake


class Recorded:
    """Answers from what was noted; all else is Unknown.

    ``texts`` and ``reals`` map absolute paths, ``losses`` map ``"OF PATH"``, ``names`` map folders.
    """

    def __init__(
        self,
        home: str = "/home/user",
        variables: Mapping[str, str] | None = None,
        texts: Mapping[str, str] | None = None,
        reals: Mapping[str, str] | None = None,
        losses: Mapping[str, Loss] | None = None,
        names: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self._home = home
        self._variables = variables or {}
        self._texts = {} if texts is None else texts
        self._reals = reals or {}
        self._losses = losses or {}
        self._names = names or {}
        self.marks: dict[str, frozenset[str]] = {}
        self.radii: dict[str, Radius] = {}
        self.changes: dict[str, tuple[str, ...]] = {}
        self.new: dict[str, tuple[str, ...]] = {}

    def home(self) -> str:
        """Return the noted home folder."""
        return self._home

    def variable(self, name: str) -> str | Unknown:
        """Return a noted variable."""
        return self._variables.get(name, UNKNOWN)

    def temps(self) -> tuple[str, ...]:
        """Return ``/tmp``."""
        return ("/tmp",)

    def real(self, path: str) -> str | Unknown:
        """Return a noted real path."""
        return self._reals.get(path, UNKNOWN)

    def stat(self, path: str) -> Stat | Unknown:
        """Return a file where a text was noted."""
        return Stat(FILE, len(self._texts[path])) if path in self._texts else UNKNOWN

    def members(self, path: str) -> tuple[tuple[str, str], ...] | Unknown:
        """Nothing was noted of archives."""
        del path
        return UNKNOWN

    def names(self, path: str) -> tuple[str, ...] | Unknown:
        """Return the noted names in a folder."""
        return self._names.get(path, UNKNOWN)

    def text(self, path: str) -> str | Unknown:
        """Return a noted text."""
        return self._texts.get(path, UNKNOWN)

    def repository(self, path: str) -> Repository | Unknown | None:
        """Nothing was noted of repositories."""
        del path
        return UNKNOWN

    def labels(self, subject: str) -> frozenset[str]:
        """Return the marks noted on a path."""
        return self.marks.get(subject, frozenset())

    def loss(self, path: str, of: str) -> Loss | Unknown:
        """Return the loss noted for ``"OF PATH"``."""
        return self._losses.get(f"{of} {path}", UNKNOWN)

    def find_altered(self, path: str) -> tuple[str, ...] | Unknown:
        """Return the altered files noted for a folder."""
        return self.changes.get(path, UNKNOWN)

    def untracked(self, path: str) -> tuple[str, ...] | Unknown:
        """Return the new files noted for a folder."""
        return self.new.get(path, UNKNOWN)

    def radius(self, stakes: tuple[Stake, ...]) -> Radius:
        """Return the sum of what was noted for each ``"WHAT PATH"``; else nobody looked."""
        from interlock.model.radius import Radius

        found = Radius()
        for stake in stakes:
            found = found.plus(
                self.radii.get(
                    f"{stake.what} {stake.path}",
                    Radius(unknown=("what lies there, for nobody looked",)),
                )
            )
        return found

    def process(self, pid: str) -> Process | Unknown:
        """Nothing was noted of processes."""
        del pid
        return UNKNOWN

    def made(self, path: str) -> bool:
        """Tell whether the path is marked ``made``."""
        return "made" in self.marks.get(path, ())

    def started(self, pid: str) -> bool:
        """Tell whether ``pid N`` is marked ``started``."""
        return "started" in self.marks.get(f"pid {pid}", ())

    def own_code(self) -> tuple[str, ...]:
        """Nothing: a record is of no one installation."""
        return ()
