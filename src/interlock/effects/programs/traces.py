"""Histories and logs: what prints them, what erases them; builtins that switch one off."""

from __future__ import annotations

from interlock.effects.environment import hides_history
from interlock.effects.run import Run
from interlock.effects.unending import EVERY_VARIABLE
from interlock.model.effect import ErasesTraces
from interlock.shell.value import ENVIRONMENT, NOTHING, Flow

_EVERY = frozenset({ENVIRONMENT, EVERY_VARIABLE})
_SHOWING = frozenset({"-p", "-x", "-px", "-xp"})
"""Options by which, and no name, all variables are shown."""


def _history(run: Run) -> Flow:
    """``history [-c] [-d N] [-w]``; fish and zsh spell it ``history clear``, ``history -p``."""
    words = [value.text for value in run.operands]
    if run.has("-c", "-d", "-w") or words[:1] == ["clear"] or words[:1] == ["delete"]:
        run.effect(ErasesTraces, run.name, "history")
        return NOTHING
    return Flow(None, frozenset({"outside"}))


def _assigns(run: Run) -> Flow:
    """``export NAME=VALUE``, ``declare``, ``readonly``: some values switch the history off."""
    for value in run.arguments:
        name, equals, text = value.text.partition("=")
        if equals and hides_history(name, text):
            run.effect(ErasesTraces, name, "history", value=value)
    shows = all(value.text in _SHOWING for value in run.arguments)
    return Flow(None, _EVERY) if shows else NOTHING


def _unset(run: Run) -> Flow:
    for value in run.operands:
        if value.text in ("HISTFILE", "SAVEHIST"):
            run.effect(ErasesTraces, value.text, "history", value=value)
    return NOTHING


def _set(run: Run) -> Flow:
    """``set +o history`` switches the history off; ``set`` alone prints all variables."""
    words = [value.text for value in run.arguments]
    if "+o" in words and "history" in words[words.index("+o") + 1 :][:1]:
        run.effect(ErasesTraces, "history", "history")
    return Flow(None, _EVERY) if not words else NOTHING


def _shopt(run: Run) -> Flow:
    """``shopt -uo history`` is ``set +o history``."""
    if run.has("-u") and run.has("-o") and "history" in [value.text for value in run.operands]:
        run.effect(ErasesTraces, "history", "history")
    return NOTHING
