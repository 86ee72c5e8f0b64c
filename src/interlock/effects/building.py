"""Programs that build and run a project: where it lies, if that is outside of the workspace."""

from __future__ import annotations

from interlock.effects.run import Run
from interlock.shell.value import Value

BUILDERS = frozenset("go cargo make gmake cmake ninja meson npm pnpm yarn bun mvn gradle".split())
_FOLDERS = frozenset(
    "--directory --prefix --manifest-path --cwd --dir --file --makefile --project-dir -C -S -B -f".split()
)
"""Options whose joined value is a folder or a file of the project."""


def look_around(run: Run) -> None:
    """Add that the project is looked at where it lies: in the folder the program works in, or where
    a word leads out of that.
    """
    run.looks_at(Value("."))
    for value in run.words:
        text = _path(value.text).removesuffix("/...")  # every package below, to go
        if text[:1] == "/" or ".." in text.split("/"):
            run.looks_at(Value(text, value.start, value.end, value.why, value.pattern))


def _path(word: str) -> str:
    """Return a word without the option that it is joined to: ``-C../other``,
    ``--prefix=../other``.
    """
    option, equals, given = word.partition("=")
    if equals and option in _FOLDERS:
        return given
    return word[2:] if word[:2] in _FOLDERS and len(word) > 2 else word
