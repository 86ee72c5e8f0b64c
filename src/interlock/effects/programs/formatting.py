"""Formatters and linters that mend: a file is rewritten, and each of its kind in a folder."""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.guard_files import of_kinds
from interlock.effects.run import Run
from interlock.model.effect import Reads, Writes
from interlock.shell.value import Flow, Value

_ONLY_TELLS = ("--check", "--diff", "--dry-run", "--list-different", "-l", "-d")
_VERBS = frozenset(
    {"check", "format", "fmt", "lint", "fix", "rule", "config", "output-file-paths", "-"}
)


def _formatter(*in_place: str, kinds: str = "") -> Callable[[Run], Flow]:
    """Return a reader for a tool that changes its operands only with one of these flags (always,
    with none).

    ``kinds``: how the names end of the files that it changes in a folder, and of this one where it
    is given none.
    """
    endings = tuple(kinds.split())

    def read(run: Run) -> Flow:
        writes = (not in_place or run.has(*in_place)) and not run.has(*_ONLY_TELLS)
        operands = [value for value in run.operands if value.text not in _VERBS]
        for value in operands:
            run.path(Writes if writes else Reads, value, *(["in-place"] if writes else []))
        for value in (operands or [Value(".")]) if writes and endings else ():
            for path in of_kinds(run.context, value, run.cwd, endings) if run.here else ():
                run.possible(Writes, Value(path, value.start, value.end), "in-place")
        for value in run.parsed.values("-o", "--output-file", "--report-file"):
            run.path(Writes, value)
        return Flow(None, run.input_labels())

    return read
