"""The guard's files in a folder: those that lie there, and those coming there with a tree."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.effects.context import CallContext
from interlock.effects.places import ANY_FOLDER, HOME_FILES, below
from interlock.effects.read_selection import ReadSelection
from interlock.model.effect import GENERATED, GUARD, TEMP
from interlock.model.facts import FILE, FOLDER, LINK, MISSING, Stat
from interlock.shell.pattern import matches
from interlock.shell.value import Value

OWN = (".interlock", "interlock", "guards", "guard-skills")
"""How the last part of what is the guard's own is called, whatever is in it; all else is settings
of clients, which count where they name it.
"""
NAMED = "interlock"
PLUGINS = ("interlock.js", "interlock.json", "plugin/interlock.js")
"""What a client's folder of plugins or hooks holds of ours (``Plugin`` and ``file`` in the clients'
rows).
"""
MAX_TREES = 32
"""Trees and archives of one call that are looked into for what they bring."""
MAX_FOLDERS = 64
"""Folders of one call searched for the guard's files; each is dozens of questions to the disk."""


def _names(context: CallContext, folder: str) -> Iterator[str]:
    """Yield the paths below a folder that would be the guard's, be they there or not."""
    names = [
        path
        for name, nature in ANY_FOLDER.items()
        if nature == GUARD
        for path in (f"{folder}/{name}", *_behind(folder, name))
    ]
    names += (
        [f"{context.home}/{name}" for name, nature in HOME_FILES.items() if nature == GUARD]
        if context.home
        else []
    )
    yield from [path for path in dict.fromkeys(names) if below(path, folder) and path != folder]


def _behind(folder: str, name: str) -> Iterator[str]:
    """Yield where a name ends that begins with the folder's own last parts: ``settings.json`` in a
    folder that is called ``.claude``.
    """
    head, slash, rest = name.rpartition("/")
    if slash and folder.endswith(f"/{head}"):
        yield f"{folder}/{rest}"


def _kind(context: CallContext, path: str) -> str:
    """Return what kind of thing is at a path, or at a link's end; missing if unknown."""
    stat = context.facts.stat(path)
    if isinstance(stat, Stat) and stat.kind == LINK:
        stat = context.facts.stat(_real(context, path))
    return stat.kind if isinstance(stat, Stat) else MISSING


def _there(context: CallContext, folder: str, base: str) -> Iterator[str]:
    """Yield the paths below a folder that would be the guard's and are there below ``base``: the
    folder, or a tree that is put into it.
    """
    names = context.facts.names(base)
    heads = {name.rstrip("/") for name in names} if isinstance(names, tuple) else None
    for path in _names(context, folder):
        name = path[len(folder.rstrip("/")) + 1 :]
        if (heads is None or name.partition("/")[0] in heads) and _kind(
            context, f"{base.rstrip('/')}/{name}"
        ) != MISSING:
            yield path


def find_guard_files(context: CallContext, folder: str) -> Iterator[str]:
    """Yield the guard's files in a folder, and the folder itself in one of the guard's own."""
    for path in _there(context, folder, folder):
        yield from _ours(context, path)
    if any(
        below(folder, f"{context.home}/{name}")
        for name, nature in HOME_FILES.items()
        if nature == GUARD and name.endswith(OWN)
    ):
        yield folder


def _ours(context: CallContext, path: str) -> Iterator[str]:
    """Yield what is the guard's at a path: its own files, settings that call it, its plugin in a
    folder of a client.
    """
    kind = _kind(context, path)
    if kind != MISSING and path.rpartition("/")[2] in OWN:
        yield path
    elif kind == FOLDER:
        yield from [
            f"{path}/{name}" for name in PLUGINS if _kind(context, f"{path}/{name}") == FILE
        ]
    elif kind == FILE:
        text = context.facts.text(_real(context, path))
        if isinstance(text, str) and NAMED in text:
            yield path


def _real(context: CallContext, path: str) -> str:
    real = context.facts.real(path)
    return real if isinstance(real, str) else path


def find_arriving(context: CallContext, source: str | None, folder: str) -> list[tuple[str, bool]]:
    """Return what becomes a file of the guard's where a tree is put into a folder, and whether one
    of ours lies there for certain.

    ``source``: where the tree lies, None where that is not known.
    """
    if source is None or is_new_here(context, source):
        return [(path, False) for path in beneath(context, folder)]  # nobody knows what is in it
    if _kind(context, source) != FOLDER or not may_look(context):
        return []
    return [(path, is_ours(context, path)) for path in _there(context, folder, source)]


def is_folder(context: CallContext, path: str) -> bool:
    """Whether a folder lies there, as far as the disk tells."""
    return _kind(context, path) == FOLDER


def is_there(context: CallContext, path: str) -> bool:
    """Whether something lies there, as far as the disk tells."""
    return _kind(context, path) != MISSING


def is_new_here(context: CallContext, path: str) -> bool:
    """Whether this call may have made or changed what lies at a path, so that the disk does not
    tell what will be there.
    """
    return any(below(path, one) or below(one, path) for one in context.files.changed)


def may_look(context: CallContext) -> bool:
    """Whether one more tree or archive is looked into; past the bound it cannot be read."""
    context.looked.trees += 1
    if context.looked.trees == MAX_TREES + 1:
        context.opaque("more trees and archives than can be looked into", None, "too-much")
    return context.looked.trees <= MAX_TREES


def is_ours(context: CallContext, path: str) -> bool:
    """Whether a file of the guard's lies there."""
    return any(True for _ in _ours(context, path))


def find_in_search(context: CallContext, value: Value, cwd: str | None) -> Iterator[str]:
    """Yield the guard's files that are among what was found by a search (``FOLDER/**/NAME``), as
    far as their contents were not searched for, too.
    """
    root, deep, name = value.text.rpartition("/**/")
    folder = context.normal(root or "/", cwd) if deep and value.pattern else None
    for path in beneath(context, folder) if folder is not None else ():
        files = [] if path in context.looked.passed else _files(context, path)
        if any(matches(name, file.rpartition("/")[2]) for file in files):
            yield path


def of_kinds(
    context: CallContext, value: Value, cwd: str | None, endings: tuple[str, ...]
) -> Iterator[str]:
    """Yield the guard's files of some kinds that lie in a folder, or where a pattern looks."""
    text, name = value.text, ""
    if any(mark in text for mark in "*?[{"):
        before = text[: min([text.index(mark) for mark in "*?[{" if mark in text])]
        text, name = before.rpartition("/")[0] or ".", text.rpartition("/")[2]
        name = "" if "{" in name else name
    folder = None if value.hollow else context.normal(text, cwd)
    for path in beneath(context, folder) if folder is not None else ():
        files = [file for file in _files(context, path) if file.endswith(endings)]
        if any(not name or matches(name, file.rpartition("/")[2]) for file in files):
            yield path


def _files(context: CallContext, path: str) -> list[str]:
    """Return a file itself, of a folder what lies in it."""
    names = context.facts.names(path) if _kind(context, path) == FOLDER else None
    inside = [f"{path}/{name.rstrip('/')}" for name in names] if isinstance(names, tuple) else []
    return [path, *inside[:MAX_TREES]]


def pass_over(
    context: CallContext, folder: str, sought: tuple[str, ...], picks: ReadSelection
) -> None:
    """Note which of the guard's files below a folder a search for words does not find."""
    for path in beneath(context, folder):
        hidden = "/." in path[len(folder) :] and not picks.hidden
        if hidden or not any(
            _is_found(context, one, sought, picks) for one in _files(context, path)
        ):
            context.looked.passed.add(path)


def _is_found(
    context: CallContext, path: str, sought: tuple[str, ...], picks: ReadSelection
) -> bool:
    name = path.rpartition("/")[2]
    if _kind(context, path) == FOLDER or (
        picks.names and not any(matches(one, name) for one in picks.names)
    ):
        return False
    text = context.facts.text(_real(context, path))
    return not isinstance(text, str) or _holds_any(text, sought)


def _holds_any(text: str, sought: tuple[str, ...]) -> bool:
    """Whether one of these patterns may be in a text: all its plain words are."""
    text = text.lower()
    every = [one for pattern in sought for one in pattern.lower().split("|")]
    return any(all(word in text for word in _words(one)) for one in every)


def _words(pattern: str) -> list[str]:
    plain = "".join([char if char.isalnum() or char in "_-" else " " for char in pattern])
    return [word for word in plain.split() if len(word) > 1]


_HOLDING = frozenset(
    name.rpartition("/")[0].rpartition("/")[2]
    for names in (ANY_FOLDER, HOME_FILES)
    for name, nature in names.items()
    if nature == GUARD and "/" in name
)
"""Names of folders in which a file of the guard's may lie: ``.claude``."""


def directly_in(context: CallContext, folder: str) -> list[str]:
    """Return the guard's files that lie in a folder itself: whoever is handed ``~/.claude`` may
    change the settings in it.
    """
    if folder.rpartition("/")[2] not in _HOLDING:
        return []
    return [path for path in beneath(context, folder) if path.rpartition("/")[0] == folder]


def match_guard_files(context: CallContext, path: str) -> list[str]:
    """Return the guard's files that a word stands for beside the one that it names: those in a
    folder, or that a pattern fits (``.claude/*.json``).
    """
    folder, _, name = path.rpartition("/")
    found = directly_in(context, path)
    if any(mark in name for mark in "*?["):
        in_it = directly_in(context, folder)
        found += [one for one in in_it if matches(name, one.rpartition("/")[2])]
    return found


def would_be(context: CallContext, folder: str) -> list[str]:
    """Return the relative paths that would be the guard's in a folder."""
    return [path[len(folder) + 1 :] for path in _names(context, folder)]


def beneath(context: CallContext, folder: str) -> tuple[str, ...]:
    """Return the guard's files that lie in a folder, looked for once; in one that is temporary, or
    built, none count.
    """
    if folder not in context.looked.guarded:
        place = context.place(folder)
        passed = (
            place.location == TEMP or GENERATED in place.natures or _kind(context, folder) != FOLDER
        )
        if not passed and len(context.looked.guarded) >= MAX_FOLDERS:
            context.opaque("more folders than can be looked into", None, "too-much")
            passed = True
        context.looked.guarded[folder] = () if passed else tuple(find_guard_files(context, folder))
    return context.looked.guarded[folder]
