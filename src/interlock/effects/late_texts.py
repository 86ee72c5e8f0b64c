"""Texts that this call puts where something starts them later: files that a shell or git starts by
itself, settings that run when a folder is opened, workflows that a push starts.

What such a text would do is what the call does, only later. Of what is started inside the workspace
only what no task needs is told: its commands are ordinary work of the project.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from interlock.data.words import words
from interlock.effects.api import ShellReading
from interlock.effects.gathering import ReadResult
from interlock.effects.run import Run
from interlock.effects.settingstext import find_commands
from interlock.effects.touched_files import find_partial_text
from interlock.model.effect import PERSISTENCE, Connects, Effect, Opaque, RunsCode, Sends
from interlock.shell.pattern import matches
from interlock.shell.state import ShellState
from interlock.shell.walk import Walker

MAX_FILES = 16
MAX_TEXT = 65_536
_SHELLS = tuple(words("places", "late shell"))
_OPENED = tuple(words("places", "late settings"))
_WORKFLOWS = tuple(words("places", "workflows"))
_LATE = (*_SHELLS, *_OPENED, *_WORKFLOWS)
_SENT = frozenset({"carries-secret", "carries-environment"})


def read_late(reader: ShellReading[Run], walker: Walker, state: ShellState) -> None:
    """Add what the texts do that this call wrote for later."""
    late = [path for path in reader.written if is_late(path)]
    for path in reader.context.limit(late, MAX_FILES, "files that something starts later"):
        text = find_partial_text(reader.context, reader.written[path]) or ""
        read_text(reader, walker, state, path, text)


def is_late(path: str) -> bool:
    """Whether something starts a file of this name later."""
    return _is_any(path, _LATE)


def read_text(
    reader: ShellReading[Run], walker: Walker, state: ShellState, path: str, whole: str
) -> None:
    """Add what a text does that stands in such a file, whoever put it there."""
    text = str(reader.context.limit(whole, MAX_TEXT, "letters of a text for later"))
    if PERSISTENCE in reader.context.place(path).natures and _is_any(path, _SHELLS):
        _take(reader, walker, state, text, _is_known)
    elif _is_any(path, _SHELLS):
        _take(reader, walker, state, text, _is_grave)
    elif _is_any(path, _WORKFLOWS) or _is_opened(path, text):
        counts = _is_theft if _is_any(path, _WORKFLOWS) else _is_grave
        for one in find_commands(reader.context, text):
            _take(reader, walker, state, one, counts)


def _is_any(path: str, patterns: Iterable[str]) -> bool:
    # git starts none of the samples that it puts beside hooks
    return not path.endswith(".sample") and any(
        matches(f"*/{pattern}", path) for pattern in patterns
    )


def _is_opened(path: str, text: str) -> bool:
    """Whether a text of settings says that it runs when its folder is opened."""
    return not path.endswith("tasks.json") or "folderOpen" in text


def _take(
    reader: ShellReading[Run],
    walker: Walker,
    state: ShellState,
    text: str,
    counts: Callable[[Effect], bool],
) -> None:
    """Add what of a text counts; of what is only grave inside the workspace, as what may be."""
    read = reader.context.gather(lambda: walker.nested(text, 0, 0, "later", state.child()))
    found = [effect for effect in read.effects if counts(effect)]
    certain = counts is _is_known
    told = [effect if certain else effect.replace(certain=False) for effect in found]
    reader.context.take(ReadResult(tuple(told), read.flow))


def _is_known(effect: Effect) -> bool:
    """Whether an effect is more than that something could not be followed here and now."""
    return effect.kind is not Opaque


def _is_grave(effect: Effect) -> bool:
    """Whether an effect is nothing that a task needs: a secret that leaves, a shell for whoever
    asks, code of the network.
    """
    of_network = effect.kind is RunsCode and "from-network" in effect.traits
    return of_network or _is_theft(effect)


def _is_theft(effect: Effect) -> bool:
    if effect.kind is Sends:
        return not _SENT.isdisjoint(effect.traits)
    return effect.kind is Connects and "shell" in effect.traits
