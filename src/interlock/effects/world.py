"""The world as one call sees it: what a path is and where it leads, asked of the facts once.

What the call itself did before counts (``FileHistory``): a file that it wrote is not as the disk
has it, and a link that it made leads where it says.
"""

from __future__ import annotations

from interlock.effects import places, windows_paths
from interlock.effects.command_history import FileHistory
from interlock.model.call import ToolCall
from interlock.model.effect import (
    GENERATED,
    HERE,
    ROOT_OF,
    SECRET,
    WORKSPACE,
    WORKSPACE_ROOT,
    Place,
)
from interlock.model.facts import MISSING, UNKNOWN, Facts, Stat, Unknown
from interlock.shell import builtins
from interlock.shell.value import HOLE

MAX_STATS = 64
"""Questions that one call puts to the disk."""
MAX_LINKS = 8


class _Answers:
    """What was asked already. ``left``: how many more questions may be put to the disk."""

    def __init__(self) -> None:
        self.left = MAX_STATS
        self.places: dict[tuple[str, str], Place] = {}
        self.spellings: dict[str, Place] = {}
        self.texts: dict[str, str | None] = {}


class CallWorld:
    """The world of a call. ``where``: the machine or container on which the command runs that is
    read now; ``files``: what the call did to files before.
    """

    def __init__(self, call: ToolCall, facts: Facts) -> None:
        self.call = call
        self.facts = facts
        self.home = facts.home()
        self.temps = facts.temps()
        self.where = HERE
        self.files = FileHistory()
        self._answers = _Answers()

    def may_ask(self, questions: int = 1) -> bool:
        """Whether the disk may be asked that often again; if so, it counts as asked."""
        if self._answers.left < questions:
            return False
        self._answers.left -= questions
        return True

    def at_home(self, path: str) -> str:
        """Return a path with the home folder for ``~`` at its beginning, or a hole for it."""
        return f"{self.home or HOLE}{path[1:]}" if path == "~" or path.startswith("~/") else path

    def normal(self, path: str, cwd: str | None) -> str | None:
        """Return the absolute, normal form of a path; None where its folder is unknown."""
        if self.call.platform == "windows":
            return windows_paths.normal(path, cwd)
        spelled = builtins.folder(cwd, path)
        if spelled is None or ".." not in path or self.where != HERE:
            return spelled
        return self._physical(path if path[:1] == "/" else f"{cwd}/{path}", spelled)

    def _physical(self, path: str, spelled: str) -> str:
        """Return the path as the kernel goes it: ``..`` after a link leads out of the folder that
        the link leads to (path_resolution(7)).
        """
        if not self.may_ask(2):
            return spelled
        parent, _, name = path.rstrip("/").rpartition("/")
        if name in ("..", "."):
            parent, name = path, ""
        plain = (spelled.rpartition("/")[0] if name else spelled) or "/"
        went = self._followed(parent) if self.files.linked else parent or "/"
        there, here = self.facts.real(went), self.facts.real(plain)
        if not isinstance(there, str) or not isinstance(here, str):
            there, here = (went, plain) if self.files.linked else ("", "")
        return spelled if there == here else f"{there.rstrip('/')}/{name}" if name else there

    def _followed(self, path: str) -> str:
        """Return a path through the links that this call makes, step by step."""
        done: list[str] = []
        for part in path.split("/"):
            if part == "..":
                del done[-1:]
            elif part not in ("", "."):
                leads = self.files.linked.get("/" + "/".join([*done, part]))
                done = [*done, part] if leads is None else leads.split("/")[1:]
        return "/" + "/".join(done)

    def place(self, path: str) -> Place:
        """Return the place of an absolute path, links followed where that can be known."""
        key = (path, self.where)
        place = self._answers.places.get(key)
        if place is None or path in self.files.changed:
            place = self._answers.places[key] = self._classify(path)
        return place

    def _classify(self, path: str) -> Place:
        if self.where != HERE:
            return places.classify(path, (), "", (), self.where)
        place = self._look_up_place(path)
        real: str | Unknown = UNKNOWN
        if not path.startswith(("/dev/", "/proc/")) and self.may_ask():
            real = self.facts.real(path)
        if isinstance(real, str) and real != path:
            true = self._look_up_place(real)
            lost = place.natures - true.natures - {GENERATED, ROOT_OF, WORKSPACE_ROOT}
            return Place(true.location, true.natures | lost, real=real)
        return place

    def _look_up_place(self, path: str) -> Place:
        """Return the place of a path by its name alone, worked out once for each."""
        place = self._answers.spellings.get(path)
        if place is None:
            place = self._answers.spellings[path] = self._by_spelling(path)
        return place

    def _by_spelling(self, path: str) -> Place:
        """Where the platform's file names know no case, a path in lower case counts as well."""
        if self.call.platform == "windows":
            return windows_paths.classify(path, self.call.roots, self.home, self.temps)
        place = places.classify(path, self.call.roots, self.home, self.temps)
        if self.call.platform == "linux" or path == path.lower():
            return place
        small = places.natures(path.lower(), self.call.roots, self.home.lower())
        return Place(place.location, place.natures | (small - {GENERATED}))

    def through(self, path: str) -> str:
        """Return where a path leads through the links that this call makes."""
        for _ in range(MAX_LINKS):
            found = next((link for link in self.files.linked if places.below(path, link)), None)
            if found is None:
                break
            path = self.normal(self.files.linked[found] + path[len(found) :], None) or path
        return path

    def workspace(self, path: str | None) -> bool:
        """Whether a path is in the workspace."""
        return path is not None and self.place(path).location == WORKSPACE

    def secret(self, path: str | None) -> bool:
        """Whether a path is a secret."""
        return path is not None and SECRET in self.place(path).natures

    def is_kind(self, path: str, kind: str) -> bool:
        """Whether something of a kind (``file``, ``folder``...) is known to be there, and was not
        changed by this call.
        """
        if path in self.files.changed or self.where != HERE or not self.may_ask():
            return False
        stat = self.facts.stat(path)
        return isinstance(stat, Stat) and stat.kind == kind

    def is_new(self, path: str) -> bool:
        """Whether what the call makes at a path is its own: nothing was there before."""
        if path in self.files.changed or self.where != HERE or not self.may_ask():
            return False
        stat = self.facts.stat(path)
        return not isinstance(stat, Stat) or stat.kind == MISSING
