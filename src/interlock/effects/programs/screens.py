"""Screens of other machines: remote desktops (their manuals). What a person sees and does there
cannot be judged from here.
"""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.connecting import to_host
from interlock.effects.run import Run
from interlock.model.effect import Connects
from interlock.shell.value import HOLE, UNREAD, Flow

_LOOKS = tuple("--help -h --version -version -help /help /version /? -? --list".split())
_MARKS = ("/v:", "/v ", "-v:", "vnc://", "rdp://", "spice://", "ssh://")


def _desktop(run: Run) -> Flow:
    """The screen of another machine is opened: ``/v:HOST`` (FreeRDP), ``HOST:DISPLAY`` (VNC), ``-c
    FILE`` (Remmina).
    """
    words = run.arguments
    if run.has(*_LOOKS) or any(
        value.text.startswith(("/kbd-list", "/monitor-list", "/buildconfig")) for value in words
    ):
        return UNREAD
    named = next((value for value in words if value.text.startswith(_MARKS)), None) or (
        run.operands[-1] if run.operands else None
    )
    text = named.text if named is not None else ""
    for mark in _MARKS[:3]:
        text = text.removeprefix(mark)
    host = hosts.host_of(text)
    unknown = ["unknown-host"] if HOLE in host or not host else []
    to_host(
        run.context,
        Connects,
        host,
        run.span(named),
        frozenset({"remote-shell", *unknown}),
        run.name,
    )
    return UNREAD
