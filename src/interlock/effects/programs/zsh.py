"""Builtins of zsh's modules that reach further than a shell's own: sockets (zshtcpsys(1)) and files
(zshmodules(1), ``zsh/files``).
"""

from __future__ import annotations

from interlock.effects.connecting import to_host
from interlock.effects.run import Run
from interlock.model.effect import Connects, Listens
from interlock.shell.value import HOLE, NOTHING, Flow


def _ztcp(run: Run) -> Flow:
    """``ztcp HOST [PORT]`` connects, ``ztcp -l PORT`` listens; the socket is a descriptor of the
    shell from then on.
    """
    if run.has("-l"):
        run.effect(Listens, run.operands[0].text if run.operands else "")
    elif run.operands and not run.has("-a", "-c", "-L"):
        host = run.operands[0]
        to_host(
            run.context,
            Connects,
            host.text,
            run.span(host),
            frozenset({"get", "socket", *(["unknown-host"] if HOLE in host.text else [])}),
            run.name,
        )
    return NOTHING
