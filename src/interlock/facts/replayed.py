"""``Replayed``: what can be known of a machine from the events of a recorded session, and nothing else.

Temporary files are there once an earlier event spoke of them; what the session wrote holds what it wrote. All else is Unknown.
"""

from __future__ import annotations

from interlock.facts.recorded import Recorded
from interlock.model.facts import FILE, FOLDER, MISSING, UNKNOWN, Stat, Unknown

MAX_TEXT = 256 * 1024
"""Characters of a file that are kept."""
MAX_SAID = 8 * 1024 * 1024
"""Characters of earlier events that are kept to see whether they spoke of a path."""
_TEMPS = ("/tmp", "/var/tmp")
_TEMPS_OF_A_MAC = ("/tmp", "/private/tmp", "/var/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders")


class Replayed(Recorded):
    """Facts of one session as it goes on. ``root``: its workspace; ``platform``: ``linux`` or ``darwin``."""

    def __init__(self, home: str, root: str, platform: str) -> None:
        self.files: dict[str, str] = {}
        super().__init__(home, texts=self.files)
        self._root = root
        self._where = _TEMPS_OF_A_MAC if platform == "darwin" else _TEMPS
        self._said = ""

    def temps(self) -> tuple[str, ...]:
        """Return the folders for temporary files of the platform."""
        return self._where

    def wrote(self, path: str, text: str) -> None:
        """Note what a file holds from now on."""
        self.files[path] = text[:MAX_TEXT]

    def spoke(self, text: str) -> None:
        """Note what an event said."""
        self._said = (self._said + "\n" + text)[-MAX_SAID:]

    def real(self, path: str) -> str | Unknown:
        """Return a temporary path as it is spelled; on a Mac ``/tmp`` is a link."""
        return path if self._is_temporary(path) else super().real(path)

    def stat(self, path: str) -> Stat | Unknown:
        """Return what is at a path: in temporary folders nothing that no event spoke of."""
        if path in self.files:
            return Stat(FILE, len(self.files[path]))
        if path in (self._root, *self._where):
            return Stat(FOLDER)
        if not self._is_temporary(path):
            return UNKNOWN
        if path not in self._said:
            return Stat(MISSING)
        return Stat(FOLDER) if f"{path}/" in self._said else Stat(FILE, 1)

    def _is_temporary(self, path: str) -> bool:
        return any(path.startswith(f"{temp}/") for temp in self._where)
