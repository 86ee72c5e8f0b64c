"""The facts of one call: asked of the world once, answered with the session's marks, and noted for the audit."""

from __future__ import annotations

from interlock.model.codec import encode
from interlock.model.facts import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.model.facts import Facts, Repository, Stat, Unknown


class Witness:
    """Wraps other facts. Every answer is remembered, so that one call sees one world."""

    def __init__(self, facts: Facts, marked: Callable[[str], frozenset[str]]) -> None:
        self._facts = facts
        self._marked = marked
        self._noted: dict[tuple[str, str], object] = {}

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

    def text(self, path: str) -> str | Unknown:
        """Return the text of a script."""
        return self._ask("text", path, lambda: self._facts.text(path))  # type: ignore[return-value]

    def repository(self, path: str) -> Repository | Unknown | None:
        """Return the repository around a path."""
        return self._ask("repository", path, lambda: self._facts.repository(path))  # type: ignore[return-value]

    def labels(self, subject: str) -> frozenset[str]:
        """Return the session's marks on a path, and those that the world knows."""
        return self._ask("labels", subject, lambda: self._marked(subject) | self._facts.labels(subject))  # type: ignore[return-value]

    def noted(self) -> dict[str, object]:
        """Return every question with its answer as plain data; of a file's text its length only."""
        said: dict[str, object] = {}
        for (question, subject), answer in self._noted.items():
            shown = {"characters": len(answer)} if question == "text" and answer is not UNKNOWN else encode(answer)  # type: ignore[arg-type]
            said.setdefault(question, {})[subject] = shown  # type: ignore[index]
        return said
