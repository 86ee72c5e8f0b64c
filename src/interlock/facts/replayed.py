"""``ReplayFacts``: what can be known of a machine from the events of a recorded session, and
nothing else.

Temporary files are there once an earlier event spoke of them; what the session wrote holds what it
wrote; a folder that a command goes to counts as a project's, and as its top as long as no command
went to a folder above it. All else is Unknown.
"""

from __future__ import annotations

import time

from interlock.facts.recorded import Recorded
from interlock.model.facts import FILE, FOLDER, MISSING, UNKNOWN, Process, Repository, Stat, Unknown

MAX_TEXT = 256 * 1024
"""Characters of a file that are kept."""
MAX_SAID = 8 * 1024 * 1024
"""Characters of earlier events that are kept to see whether they spoke of a path."""
FIRST_PID = 100_000
"""The number of the first process that a recorded session starts; the others follow."""
MAX_PROJECTS = 256
"""Folders that are kept which commands went to."""
_TEMPS = ("/tmp", "/var/tmp")
_TEMPS_OF_A_MAC = tuple(
    "/tmp /private/tmp /var/tmp /private/var/tmp /var/folders /private/var/folders".split()
)


class ReplayFacts(Recorded):
    """Facts of a session. ``root``: its workspace; ``platform``: ``linux`` or ``darwin``."""

    def __init__(self, home: str, root: str, platform: str) -> None:
        self.files: dict[str, str] = {}
        super().__init__(home, texts=self.files)
        self._root = root
        self._where = _TEMPS_OF_A_MAC if platform == "darwin" else _TEMPS
        self._said = ""
        self._projects: set[str] = set()
        self._there: set[str] = set()
        self._processes: dict[str, Process] = {}

    def temps(self) -> tuple[str, ...]:
        """Return the folders for temporary files of the platform."""
        return self._where

    def note_file(self, path: str, text: str) -> None:
        """Note what a file holds from now on."""
        self.files[path] = text[:MAX_TEXT]

    def note_process(self, path: str) -> None:
        """Note that a process began whose number stands in a file."""
        number = str(FIRST_PID + len(self._processes))
        self._processes[number] = Process(len(self._processes) + 1, time.time())
        self.files[path] = number

    def process(self, pid: str) -> Process | Unknown:
        """Return when a process began that the session started."""
        return self._processes.get(pid, UNKNOWN)

    def spoke(self, text: str) -> None:
        """Note what an event said."""
        self._said = (self._said + "\n" + text)[-MAX_SAID:]

    def note_project(self, folder: str) -> None:
        """Note a folder that a command went to, or git worked in: on the machine it was in a
        project, whose top nobody recorded.
        """
        if len(self._projects) < MAX_PROJECTS:
            self._projects.add(folder)

    def note_folder(self, folder: str) -> None:
        """Note a folder that a command went to which ran: it was there."""
        if len(self._there) < MAX_PROJECTS:
            self._there.add(folder)

    def repository(self, path: str) -> Repository | Unknown | None:
        """Return the project around a path: the widest of the folders that commands went to."""
        tops = [top for top in self._projects if f"{path}/".startswith(f"{top}/")]
        return Repository(min(tops, key=len)) if tops else UNKNOWN

    def real(self, path: str) -> str | Unknown:
        """Return a temporary path as it is spelled; on a Mac ``/tmp`` is a link."""
        return path if self._is_temporary(path) else super().real(path)

    def stat(self, path: str) -> Stat | Unknown:
        """Return what is at a path: in temporary folders nothing that no event spoke of."""
        if path in self.files:
            return Stat(FILE, len(self.files[path]))
        if path in (self._root, *self._where) or path in self._there:
            return Stat(FOLDER)
        if not self._is_temporary(path):
            return UNKNOWN
        if path not in self._said:
            return Stat(MISSING)
        return Stat(FOLDER) if f"{path}/" in self._said else Stat(FILE, 1)

    def _is_temporary(self, path: str) -> bool:
        return any(path.startswith(f"{temp}/") for temp in self._where)
