"""The facts of one call: asked once, answered with the session's marks, noted for the audit."""

from __future__ import annotations

from collections.abc import Callable

from interlock.ledger.history import SessionMarks
from interlock.model.codec import encode
from interlock.model.facts import TRACKED, UNKNOWN, Facts, Loss, Process, Repository, Stat, Unknown
from interlock.model.policy import Named
from interlock.model.radius import Radius, Stake

MAX_TEXTS = 1024 * 1024
"""Characters of scripts that are read for one call; past that a text is unknown."""


_COUNTED = {
    "text": "characters",
    "names": "names",
    "members": "members",
    "altered": "files",
    "untracked": "files",
}
"""Questions of whose answers only the length is noted."""

MAX_LOSSES = 8
"""Paths of a call of which is asked whether git tracks them; more count as not tracked."""


class FactCache:
    """Wraps other facts. Every answer is remembered, so that one call sees one world.

    ``places``: those of a policy's own, filled in for this call: what they call a secret is one
    wherever it is carried.
    """

    def __init__(self, facts: Facts, history: SessionMarks | None = None) -> None:
        self._facts = facts
        self.places: tuple[Named, ...] = ()
        self._history = history
        self._noted: dict[tuple[str, str], object] = {}
        self._texts = MAX_TEXTS
        self._losses = MAX_LOSSES

    def _ask(self, question: str, subject: str, answer: Callable[[], object]) -> object:
        key = (question, subject)
        if key not in self._noted:
            self._noted[key] = answer()
        return self._noted[key]

    def home(self) -> str:
        """Return the user's home folder."""
        return self._ask("home", "", self._facts.home)  # type: ignore[return-value]

    def variable(self, name: str) -> str | Unknown:
        """Return a harmless environment variable."""
        return self._ask("variable", name, lambda: self._facts.variable(name))  # type: ignore[return-value]

    def temps(self) -> tuple[str, ...]:
        """Return the folders for temporary files."""
        return self._ask("temps", "", self._facts.temps)  # type: ignore[return-value]

    def real(self, path: str) -> str | Unknown:
        """Return the path with every link followed."""
        return self._ask("real", path, lambda: self._facts.real(path))  # type: ignore[return-value]

    def stat(self, path: str) -> Stat | Unknown:
        """Return what is at the path."""
        return self._ask("stat", path, lambda: self._facts.stat(path))  # type: ignore[return-value]

    def members(self, path: str) -> tuple[tuple[str, str], ...] | Unknown:
        """Return what an archive holds, by name."""
        return self._ask("members", path, lambda: self._facts.members(path))  # type: ignore[return-value]

    def names(self, path: str) -> tuple[str, ...] | Unknown:
        """Return the names in a folder."""
        return self._ask("names", path, lambda: self._facts.names(path))  # type: ignore[return-value]

    def text(self, path: str) -> str | Unknown:
        """Return the text of a script."""
        return self._ask("text", path, lambda: self._text(path))  # type: ignore[return-value]

    def _text(self, path: str) -> str | Unknown:
        text = self._facts.text(path) if self._texts > 0 else UNKNOWN
        self._texts -= len(text) if isinstance(text, str) else 0
        return text

    def repository(self, path: str) -> Repository | Unknown | None:
        """Return the repository around a path."""
        return self._ask("repository", path, lambda: self._facts.repository(path))  # type: ignore[return-value]

    def loss(self, path: str, of: str) -> Loss | Unknown:
        """Return what git could not bring back."""
        return self._ask("loss", f"{of} {path}", lambda: self._facts.loss(path, of))  # type: ignore[return-value]

    def find_altered(self, path: str) -> tuple[str, ...] | Unknown:
        """Return the tracked files that are not as the last commit has them."""
        return self._ask("altered", path, lambda: self._facts.find_altered(path))  # type: ignore[return-value]

    def untracked(self, path: str) -> tuple[str, ...] | Unknown:
        """Return the files that ``git add`` would take in as new ones."""
        return self._ask("untracked", path, lambda: self._facts.untracked(path))  # type: ignore[return-value]

    def radius(self, stakes: tuple[Stake, ...]) -> Radius:
        """Return what would be lost."""
        asked = "; ".join([" ".join([stake.what, stake.path, *stake.names]) for stake in stakes])
        return self._ask("radius", asked, lambda: self._facts.radius(stakes))  # type: ignore[return-value]

    def labels(self, subject: str) -> frozenset[str]:
        """Return the session's marks on a path, and those that the world knows."""
        return self._ask("labels", subject, lambda: self._labels(subject))  # type: ignore[return-value]

    def _labels(self, subject: str) -> frozenset[str]:
        """Where an archive was unpacked into a folder that held files before, what git does not
        track and no call made came out of it.
        """
        found = self._facts.labels(subject) | (
            self._history.labels(subject) if self._history is not None else frozenset()
        )
        if self.places:
            from interlock.engine.policy_places import natures_at

            found |= {"secret"} & natures_at(self.places, subject)
        if "unpacked" not in found:
            return found
        here_before = self.made(subject)
        if not here_before and self._losses > 0:
            self._losses -= 1
            loss = self.loss(subject, TRACKED)
            here_before = isinstance(loss, Loss) and loss.tracked > 0
        return found - {"unpacked"} if here_before else found - {"unpacked"} | {"downloaded"}

    def made(self, path: str) -> bool:
        """Tell whether this session made a path."""
        return bool(
            self._ask(
                "made",
                path,
                lambda: (
                    self._facts.made(path) is True
                    or (self._history is not None and self._history.made(path))
                ),
            )
        )

    def started(self, pid: str) -> bool:
        """Tell whether this session started a process."""
        return bool(
            self._ask(
                "started", pid, lambda: self._facts.started(pid) is True or self._started(pid)
            )
        )

    def _started(self, pid: str) -> bool:
        return self._history is not None and self._history.started(pid, self.process(pid))

    def process(self, pid: str) -> Process | Unknown:
        """Return when a running process began."""
        return self._ask("process", pid, lambda: self._facts.process(pid))  # type: ignore[return-value]

    def own_code(self) -> tuple[str, ...]:
        """Return the folders of the guard's own running code."""
        return self._ask("own_code", "", self._facts.own_code)  # type: ignore[return-value]

    def noted(self) -> dict[str, object]:
        """Return every question with its answer as plain data; of a file's text its length only, of
        names how many there are.
        """
        said: dict[str, object] = {}
        for (question, subject), answer in self._noted.items():
            counted = _COUNTED.get(question) if answer is not UNKNOWN else None
            shown = {counted: len(answer)} if counted is not None else encode(answer)  # type: ignore[arg-type]
            said.setdefault(question, {})[subject] = shown  # type: ignore[index]
        return said
