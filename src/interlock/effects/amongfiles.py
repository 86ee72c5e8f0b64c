"""Files that are run though none is named: by a pattern (``for f in hooks/*.sh; do . $f``),
by what a search found, or by a path of which only the folder is known.

Those that the call wrote, and those that the disk has, are run like any other; of the rest counts
where they lie.
"""

from __future__ import annotations

from interlock.effects import touched_files
from interlock.effects.run import Run
from interlock.model.effect import WORKSPACE, Executes
from interlock.shell.pattern import matches
from interlock.shell.value import HOLE, Flow, Value

MOST = 48
"""Files behind a pattern that are read one by one."""
_GLOBS = "*?["
_ANY = "x"
"""Stands for a name that nobody knows."""


def files(run: Run, value: Value) -> list[str]:
    """Return the files that a pattern is known to name: those the call wrote, else those there."""
    pattern = None if value.hollow else run.context.normal(value.text, run.cwd)
    if pattern is None or not value.pattern:
        return []
    deep = "**/" in pattern
    told = pattern.replace("**/", "")
    found = [
        path
        for path in run.reader.written
        if (deep or path.count("/") == told.count("/"))
        and not any(mark in path for mark in _GLOBS)
        and matches(told, path)
    ]
    if found:
        return list(run.context.limit(found, MOST, "files behind a pattern"))
    return [] if deep else _there(run, pattern)


def _there(run: Run, pattern: str) -> list[str]:
    """Return the files of the disk that the last part of a pattern names."""
    folder, _, last = pattern.rpartition("/")
    if not run.here or any(mark in folder for mark in _GLOBS) or not run.context.may_ask():
        return []
    names = run.context.facts.names(folder or "/")
    return [
        f"{folder}/{name}"
        for name in (names if isinstance(names, tuple) else ())
        if name[-1:] != "/" and name[:1] != "." and matches(last, name)
    ]


def somewhere(run: Run, value: Value, *traits: str) -> None:
    """Add that some file is run of which it is known at most where it lies."""
    path = _example(run, value)
    flow = run.reader.find_written(path) if path is not None else None
    place = run.context.place(path) if path is not None else None
    if path is not None and place is not None:
        traits = (
            *traits,
            *touched_files.unseen_traits(run.context, path, place, flow),
            *_labels(flow),
        )
    here = place is not None and place.location == WORKSPACE
    lent = here and not value.hollow and _says_what(value.text)
    run.context.add(
        Executes,
        value.text.replace(HOLE, "?"),
        place=place,
        traits=frozenset({*traits, "some-of" if lent else "unknown-target"}),
        span=run.span(value),
        by=run.name,
        certain=path is not None and not value.hollow,
    )


def _says_what(text: str) -> bool:
    """Whether a pattern says what kind of file it names, by how it ends: ``tests/*.test.js``."""
    _, dot, ending = text.rpartition("/")[2].rpartition(".")
    return bool(dot) and ending.isalnum()


def within(run: Run, value: Value) -> bool:
    """Whether a pattern names files of one folder of the workspace."""
    folder, slash, _ = value.text.rpartition("/")
    path = None if any(mark in folder for mark in _GLOBS) else _example(run, value)
    return bool(slash) and not value.hollow and run.context.workspace(path)


def _labels(flow: Flow | None) -> list[str]:
    return [f"from-{label}" for label in flow.labels] if flow is not None else []


def _example(run: Run, value: Value) -> str | None:
    """Return a path that a pattern or a partly known path may be; None for an unknown folder."""
    text = value.text.replace("**/", "")
    if text[:1] == HOLE or (HOLE in text and "/" not in text.partition(HOLE)[0]):
        return None
    folder, slash, name = text.replace(HOLE, _ANY).rpartition("/")
    plain = "".join([_ANY if char in _GLOBS else char for char in name])
    above = "".join([_ANY if char in _GLOBS else char for char in folder])
    return run.context.normal(f"{above}{slash}{plain}", run.cwd)
