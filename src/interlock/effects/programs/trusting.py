"""What a machine trusts, what watches over it, and the settings of a Mac that say so (each
program's manual).
"""

from __future__ import annotations

from interlock.effects.run import Run
from interlock.model.effect import Writes
from interlock.shell.value import UNREAD, Flow


def _plutil(run: Run) -> Flow:
    """``plutil -replace KEY -TYPE VALUE FILE``, ``-convert FORMAT FILE``: the file is changed,
    unless ``-o`` names another.
    """
    changes = ("-replace", "-insert", "-remove", "-convert", "-create")
    for value in run.parsed.values("-o"):
        run.role("writes", value)
    if run.operands and run.has(*changes) and not run.has("-o"):
        run.path(Writes, run.operands[-1], "in-place")
    return UNREAD


def _plist(run: Run) -> Flow:
    """``PlistBuddy -c COMMAND FILE``: only ``Print`` and ``Help`` change nothing."""
    codes = [
        value.text.split(None, 1)[0].lower()
        for value in run.parsed.values("-c")
        if value.text.strip()
    ]
    if run.operands and any(code not in ("print", "help", "exit") for code in codes):
        run.path(Writes, run.operands[-1], "in-place")
    return UNREAD
