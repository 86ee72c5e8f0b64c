"""Programs that are started in a folder outside of the workspace: ``cd ../other && pytest``.

What they use of that folder (settings, plugins, tests, makefiles) is others' code and none of the
words names it, so that nothing of it is known. Programs that use nothing but what their words name
are as harmless there as here.
"""

from __future__ import annotations

from interlock.effects.programs import table as programs
from interlock.effects.run import Run
from interlock.effects.scopes import in_production, is_production
from interlock.model.effect import TEMP, WORKSPACE, Effect, Executes

_TOLD_BY_WORDS = frozenset(
    "text filters files grep search streams wrappers awk sed printing processes disks archives"
    " machine services syspackages netconfig netweb network accounts traces".split()
)
"""Families of programs whose words say all that they use of the folder they work in."""
_ASKED = ("--version", "--help")


def doubt_folder(run: Run) -> None:
    """Note that a program works in a folder that is none of the workspace, or that nobody knows."""
    if not run.here or not run.context.call.roots or uses_words_alone(run):
        return
    if run.cwd is None:
        run.context.doubt(f"what {run.name} uses of the folder it works in is not known")
    elif not _is_lent(run, run.cwd):
        run.context.doubt(f"what {run.name} uses of {run.cwd} is not known")


def uses_words_alone(run: Run) -> bool:
    """Whether a program uses nothing but what its words name."""
    settled = programs.reads_no_settings(run.name) or run.has(*_ASKED)
    return settled or _family(run) in _TOLD_BY_WORDS


def _family(run: Run) -> str | None:
    return programs.names().get(programs.canonical(run.name.partition(" ")[0]))


def _is_lent(run: Run, folder: str) -> bool:
    """Whether a folder is one of the workspace, or this very call made it."""
    context = run.context
    return (
        folder in context.call.roots
        or context.files.is_made(folder)
        or context.place(folder).location == WORKSPACE
    )


def _is_told_production(words: list[str]) -> bool:
    """Whether an option of one letter names it: ``rails test -e production``."""
    return any(words[at - 1] == "-e" and is_production(words[at]) for at in range(1, len(words)))


_OF_PROJECT = frozenset({"package-script", "tests", "build-output"})
_BUILDING = ("build", "compile", "bundle", "assets", "lint", "check", "webpack", "vite", "start")
"""Parts of words by which what is meant for production is made and looked at, and not used."""


def doubt_project(run: Run, told: tuple[Effect, ...]) -> None:
    """Note what a program that runs code of a project is told beside that: a project in a folder
    where everybody writes, and production to run it on.
    """
    runs = any(one.kind is Executes and not _OF_PROJECT.isdisjoint(one.traits) for one in told)
    if not runs and _family(run) != "packages":
        return
    known = {one.target for one in told}
    words = [value.text for value in run.words]
    for text in words:
        path = run.context.normal(text, run.cwd) if text[:1] == "/" else None
        if path is not None and path not in known and run.context.place(path).location == TEMP:
            run.context.doubt(f"what {run.name} runs of {text} is not known")
    if (in_production(run) or _is_told_production(words)) and not any(
        part in text for part in _BUILDING for text in words
    ):
        run.context.doubt(f"what {run.name} does to production is not known")
