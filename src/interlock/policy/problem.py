"""What is wrong with a policy file: where, the line itself, what was expected."""

from __future__ import annotations

from collections.abc import Iterable

from interlock.model.record import Record

ERROR, NOTE = "error", "note"
MOST = 100
"""Problems of one file that are told; the rest is counted."""
WIDE = 160


class PolicyProblem(Record):
    """One problem. ``line``, ``column`` from 1; ``quoted``: the line; a ``note`` breaks no file."""

    path: str
    line: int
    column: int
    message: str
    quoted: str = ""
    weight: str = ERROR

    @property
    def where(self) -> str:
        """``file:line:column``, as editors and compilers write it."""
        return f"{self.path}:{self.line}:{self.column}"

    def text(self) -> str:
        """Return the problem for a person: where and what, the line, and a mark below the place."""
        head = f"{self.where}: {'note: ' if self.weight == NOTE else ''}{self.message}"
        if not self.quoted.strip():
            return head
        start = max(0, self.column - 1 - WIDE // 2)
        shown = _printable(self.quoted[start : start + WIDE])
        return f"{head}\n    {shown}\n    {' ' * (self.column - 1 - start)}^"


class PolicyError(ValueError):
    """A policy file that cannot be used; ``problems`` holds every error found in it."""

    def __init__(self, problems: Iterable[PolicyProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join([problem.text() for problem in self.problems]))


class PolicyProblems:
    """Gathers the problems of one file, in the order in which they stand there."""

    def __init__(self, path: str, text: str = "") -> None:
        self.path = path
        self.lines = text.split("\n")
        self._found: list[PolicyProblem] = []
        self._more = 0

    def add(self, line: int, column: int, message: str, weight: str = ERROR) -> None:
        """Note a problem; past ``MOST`` it is only counted."""
        if len(self._found) >= MOST:
            self._more += 1
            return
        quoted = self.lines[line - 1].rstrip("\r") if 0 < line <= len(self.lines) else ""
        self._found.append(PolicyProblem(self.path, line, column, message, quoted, weight))

    @property
    def found(self) -> tuple[PolicyProblem, ...]:
        """All of them, by place."""
        ordered = sorted(self._found, key=lambda problem: (problem.line, problem.column))
        if self._more:
            ordered.append(
                PolicyProblem(
                    self.path, 1, 1, f"and {self._more} more problems, which are not listed"
                )
            )
        return tuple(ordered)

    @property
    def broken(self) -> bool:
        """Whether one of them is an error."""
        return bool(self._more) or any(problem.weight == ERROR for problem in self._found)


def _printable(text: str) -> str:
    return "".join([char if char.isprintable() else " " for char in text])


def suggest_name(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` for the known name that is nearest to a word, or ``""`` where
    none is near.
    """
    best, least = "", min(max(2, len(word) // 3) + 1, len(word))
    folded = word.lower().replace("_", "-")
    for name in known:
        plain = name.lower().replace("_", "-")
        far = 0 if plain == folded else _distance(folded, plain, least)
        if far < least:
            best, least = name, far
    return f"; did you mean {best!r}?" if best else ""


def _distance(one: str, other: str, most: int) -> int:
    """Return how many letters are to be added, dropped, changed or swapped with their neighbour, at
    most ``most`` (optimal string alignment).
    """
    if abs(len(one) - len(other)) >= most or len(one) > 64 or len(other) > 64:
        return most
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, char in enumerate(one, 1):
        last, before, row = before, row, [at]
        for to, letter in enumerate(other, 1):
            cost = min(before[to] + 1, row[to - 1] + 1, before[to - 1] + (char != letter))
            if at > 1 and to > 1 and char == other[to - 2] and one[at - 2] == letter:
                cost = min(cost, last[to - 2] + 1)
            row.append(cost)
    return min(row[-1], most)
