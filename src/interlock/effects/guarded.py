"""The guard's files in a folder: which of them lie there, and which come there with a tree that is put into it."""

from __future__ import annotations

from interlock.effects.places import ANY_FOLDER, HOME_FILES, below
from interlock.model.effect import GUARD
from interlock.model.facts import MISSING, Stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.effects.context import Context

OWN = (".interlock", "interlock", "guards", "guard-skills")
"""How the last part of what is the guard's own is called, whatever is in it; all else is settings of clients, which count where they name it."""
NAMED = "interlock"


def _names(context: Context, folder: str) -> Iterator[str]:
    """Yield the paths below a folder that would be the guard's, be they there or not."""
    names = [path for name, nature in ANY_FOLDER.items() if nature == GUARD for path in (f"{folder}/{name}", *_behind(folder, name))]
    names += [f"{context.home}/{name}" for name, nature in HOME_FILES.items() if nature == GUARD] if context.home else []
    yield from [path for path in dict.fromkeys(names) if below(path, folder) and path != folder]


def _behind(folder: str, name: str) -> Iterator[str]:
    """Yield where a name ends that begins with the folder's own last parts: ``settings.json`` in a folder that is called ``.claude``."""
    head, slash, rest = name.rpartition("/")
    if slash and folder.endswith(f"/{head}"):
        yield f"{folder}/{rest}"


def _is_there(context: Context, path: str) -> bool:
    stat = context.facts.stat(path)
    return isinstance(stat, Stat) and stat.kind != MISSING


def guarded_in(context: Context, folder: str) -> Iterator[str]:
    """Yield the guard's files that lie in a folder, and the folder itself where it lies in one of the guard's own."""
    yield from [path for path in _names(context, folder) if _is_there(context, path) and is_ours(context, path)]
    if any(below(folder, f"{context.home}/{name}") for name, nature in HOME_FILES.items() if nature == GUARD and name.endswith(OWN)):
        yield folder


def is_ours(context: Context, path: str) -> bool:
    """Whether it is the guard's own, or settings that call it."""
    if path.rpartition("/")[2] in OWN:
        return True
    text = context.facts.text(path)
    return isinstance(text, str) and NAMED in text


def brought(context: Context, source: str, folder: str) -> Iterator[tuple[str, bool]]:
    """Yield what becomes a file of the guard's where the tree ``source`` is put into a folder, and whether one of ours lies there already."""
    for path in _names(context, folder):
        if _is_there(context, source + path[len(folder) :]):
            yield path, _is_there(context, path) and is_ours(context, path)
