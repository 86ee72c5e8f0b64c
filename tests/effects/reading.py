"""What the tests of effects share: one command in, its effects out, without asking the disk."""

from __future__ import annotations

from interlock.effects.read import read
from interlock.facts import Recorded
from interlock.model.call import PYTHON, SHELL, ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.model.effect import Effect, Reading

ROOT = "/home/user/project"


def effects_of(command: str, cwd: str = ROOT) -> list[Effect]:
    """Return the effects of a shell command, with ``/home/user`` as home and nothing known of the
    disk.
    """
    call = ToolCall(SHELL, "Bash", {"command": command}, cwd=cwd, roots=(ROOT,))
    return list(read(call, Recorded(home="/home/user")).effects)


def seen(command: str, cwd: str = ROOT) -> set[str]:
    """Return the effects of a shell command as words."""
    return words_of(effects_of(command, cwd))


def reading_of(program: str, cwd: str = ROOT) -> Reading:
    """Return the reading of a Python program that is a call of its own."""
    call = ToolCall(PYTHON, "runpy", {"code": program}, cwd=cwd, roots=(ROOT,))
    return read(call, Recorded(home="/home/user"))


def words_of(effects: Iterable[Effect]) -> set[str]:
    """Return effects as words: ``kind`` and ``kind:trait`` for each trait, ``kind=target`` and
    ``kind@location``.
    """
    words: set[str] = set()
    for effect in effects:
        kind = str(effect.kind)
        words.update(
            {kind, f"{kind}={effect.target}", *(f"{kind}:{trait}" for trait in effect.traits)}
        )
        if effect.host:
            words.add(f"{kind}@{effect.host}")
        if effect.place is not None:
            words.update(
                {
                    f"{kind}@{effect.place.location}",
                    *(f"{kind}@{nature}" for nature in effect.place.natures),
                }
            )
            if effect.place.where != "here":
                words.add(f"{kind}@{effect.place.where}")
    return words
