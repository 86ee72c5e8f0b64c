"""Robot Framework: lines of cells, of which the first names a keyword (User Guide, 2.1.2).

A keyword is read like a function that nobody described: by its own name, and by the command that
its cells are where the name says that it starts one.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.effects.foreign.search import word_at
from interlock.effects.foreign.unknown_calls import read_names, starts_programs
from interlock.effects.run import Run
from interlock.effects.verb_words import parts
from interlock.shell.value import Value

MAX_LINES = 4000
_PYTHON = frozenset({"evaluate"})
"""Keywords whose first cell is an expression of Python."""


def read_code(run: Run, text: str, value: Value | None) -> None:
    """Add what the keywords of a text may do."""
    text = "\n".join(run.context.limit(text.split("\n"), MAX_LINES, "lines"))
    read_names(run, _as_calls(text), value, followed=True)
    for keyword, cells in _steps(text):
        pieces = parts(keyword.replace(" ", "_"))
        if pieces[:1] and pieces[0] in _PYTHON:
            run.code(word_at(cells[0], value), "python")
        elif starts_programs(pieces):
            run.code(word_at(" ".join(cells), value))


def _as_calls(text: str) -> str:
    """Return the steps of a text as calls of functions: ``Remove_Directory("/srv/x")``."""
    return "\n".join(
        [
            f"{keyword.replace(' ', '_')}({', '.join([_quote(cell) for cell in cells])})"
            for keyword, cells in _steps(text)
        ]
    )


def _quote(cell: str) -> str:
    return '"' + cell.replace('"', "'") + '"'


def _steps(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each keyword that is given something; what it gives to a variable stands before it."""
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.replace("\t", "    ").split("  ") if cell.strip()]
        while cells and cells[0][:2] in ("${", "@{", "&{"):
            cells = cells[1:]
        if len(cells) > 1 and line[:1] in (" ", "\t", "|") and cells[0][:1] not in ("#", "["):
            yield cells[0], [cell for cell in cells[1:] if cell[:1] != "#"]
