"""Tools that write the firmware of boards, phones and machines: what is flashed or erased is gone,
and may leave a brick (each tool's manual).
"""

from __future__ import annotations

from interlock.effects.run import Run
from interlock.model.effect import ControlsSystem
from interlock.shell.value import UNREAD, Flow

_WRITES = "firmware"


def _avrdude(run: Run) -> Flow:
    """``-U memory:w:file``, ``-e`` erases the chip; ``-U memory:r:file`` and ``:v:`` look
    (avrdude's manual, 2.1).
    """
    acts = [value.text.split(":")[:2] for value in run.parsed.values("-U")]
    if run.has("-e") or any(len(act) == 1 or act[1] == "w" for act in acts):
        run.effect(ControlsSystem, "a chip", _WRITES)
    return UNREAD


_OPENOCD = ("erase", "program ", "write_image", "unlock", "option_write", "flash fill")


def _openocd(run: Run) -> Flow:
    """``-c "program file verify"``, ``-c "flash erase_sector .."``; else it serves a debugger."""
    for value in run.parsed.values("-c", "--command"):
        if any(mark in value.text for mark in _OPENOCD):
            run.effect(ControlsSystem, "a chip", _WRITES, value=value)
    return UNREAD


def _jlink(run: Run) -> Flow:
    """``JLinkExe -CommandFile FILE``: commands that nobody reads here."""
    if run.parsed.has("-CommandFile", "-CommanderScript", "-commandfile") or run.stdin is not None:
        run.effect(ControlsSystem, "a chip", _WRITES, certain=False)
    return UNREAD
