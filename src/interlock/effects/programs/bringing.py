"""What comes into a folder with a tree or an archive: the guard's own files among it are writes of
those.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.effects.guard_files import find_arriving, is_folder, is_new_here
from interlock.effects.run import Run
from interlock.model.effect import Writes
from interlock.shell.value import Value


def bring_trees(run: Run, sources: list[Value], target: Value, *, contents: bool = False) -> None:
    """Add what copied or moved trees bring into a folder: ``cp -r template/. .``, ``mv
    template/.claude .``.

    To be called before anything else is added of the command: what it changes itself is no reason
    not to know what was there. ``contents``: what is in a source comes there, and not the source
    itself (``cp -T``); as a ``/`` at its end means to rsync.
    """
    into = run.context.normal(target.text, run.cwd) if target.known and run.here else None
    for source in sources:
        if into is not None and not source.hollow:
            _bring(
                run,
                source,
                into,
                contents=contents or (run.name == "rsync" and source.text[-1:] == "/"),
            )


def _bring(run: Run, source: Value, target: str, *, contents: bool) -> None:
    folder, slash, name = source.text.rstrip("/").rpartition("/")
    inside = source.pattern or name == "."
    tree = (folder or slash or ".") if inside else source.text
    path = None if any(mark in tree for mark in "*?[") else run.context.normal(tree, run.cwd)
    for place in [target] if inside or contents else _becomes(run, target, name):
        _add(run, source, find_arriving(run.context, path, place))


def _becomes(run: Run, target: str, name: str) -> list[str]:
    """Return what a tree becomes that is put somewhere: a folder of its name where one is there,
    else that itself.
    """
    if is_folder(run.context, target):
        return [f"{target}/{name}"]
    return [target, f"{target}/{name}"] if is_new_here(run.context, target) else [target]


def bring_unknown(run: Run, folder: Value) -> None:
    """Add what comes into a folder unseen: each of the guard's files there may be among it."""
    into = run.context.normal(folder.text, run.cwd) if folder.known and run.here else None
    if into is not None:
        _add(run, folder, find_arriving(run.context, None, into))


def bring_remote(run: Run, source: Value, target: Value) -> None:
    """Add what a tree of another host brings: ``scp -r HOST:.claude .``, ``rsync -a HOST:x/ .``."""
    into = run.context.normal(target.text, run.cwd) if target.known and run.here else None
    if into is None or source.hollow:
        return
    name = source.text.rpartition(":")[2].rstrip("/").rpartition("/")[2]
    inside = source.text[-1:] == "/" or name in ("", ".") or source.pattern
    for place in [into] if inside else _becomes(run, into, name):
        _add(run, source, find_arriving(run.context, None, place))


class ArchiveSelection:
    """What is taken out of an archive.

    ``only``: the members that are named, where not all come out of it. ``strip``: so many leading
    parts of their names are left out; None where the names are others altogether.
    """

    __slots__ = ("only", "strip")

    def __init__(self, only: tuple[Value, ...] = (), strip: int | None = 0) -> None:
        self.only = only
        self.strip = strip


ALL = ArchiveSelection()


def bring_members(
    run: Run, archive: Value | None, folder: Value, taken: ArchiveSelection = ALL
) -> bool:
    """Add what an archive brings of the guard's, of hooks, and outside of the folder; return
    whether that is known.
    """
    only, strip = taken.only, taken.strip
    if (
        archive is None
        or not archive.known
        or not folder.known
        or strip is None
        or not run.here
        or any(value.hollow for value in only)
    ):
        return False
    path, into = run.context.normal(archive.text, run.cwd), run.context.normal(folder.text, run.cwd)
    if path is None or into is None:
        return False
    from interlock.effects.unpacking import list_unpacked  # few calls ask

    found = list_unpacked(run.context, path, into, strip, tuple([value.text for value in only]))
    _add(run, archive, found or ())
    return found is not None


def _add(run: Run, source: Value, found: Iterable[tuple[str, bool]]) -> None:
    """What is written over a file of ours is written for certain, any other one possibly."""
    for path, ours in found:
        (run.path if ours else run.possible)(
            Writes, Value(path, source.start, source.end), "copied"
        )
