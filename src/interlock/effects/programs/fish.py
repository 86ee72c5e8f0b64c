"""Builtins of fish that keep something for every later shell: a function is a file in its settings
(fish's manual: ``funcsave``, ``alias``).
"""

from __future__ import annotations

from interlock.effects.programs import table as programs
from interlock.effects.run import Run
from interlock.model.effect import TampersWithGuard, Writes
from interlock.shell.value import NOTHING, Flow, Value

_FOLDER = "~/.config/fish/functions"


def _save_functions(run: Run) -> Flow:
    """``funcsave NAME..`` writes functions; one that is called like a client or the guard stands
    before it from then on.
    """
    for value in run.operands:
        _keep(run, value, value.text)
    return NOTHING


def _alias(run: Run) -> Flow:
    """``alias --save NAME[=]TEXT`` does so for an alias; every other shell knows no such option."""
    if run.operands and run.has("-s", "--save"):
        _keep(run, run.operands[0], run.operands[0].text.partition("=")[0])
    return NOTHING


def _keep(run: Run, value: Value, name: str) -> None:
    home = run.context.home
    folder = f"{home}{_FOLDER[1:]}" if home else _FOLDER
    run.path(Writes, Value(f"{folder}/{name}.fish", value.start, value.end, value.why))
    if programs.names().get(name) == "agents":
        run.effect(TampersWithGuard, name, "client-settings", value=value)
