"""Resuming what a team's service stopped, without the service: for root, who could remove the flag
anyway, and in the record.
"""

from __future__ import annotations

import os
import sys

from interlock.approvals.answers import AnswerError
from interlock.approvals.user import me
from interlock.cli import build, machine
from interlock.cli.colors import complain
from interlock.stop.flags import of_fleet
from interlock.stop.fleet import HERE, free
from interlock.store.database import Store


def resume(store: Store, *, plain: bool) -> int:
    """Do so; raises ``AnswerError``, ``StopError`` and ``StoreError``. 0 done, 1 nothing was."""
    if not _is_root():
        raise AnswerError(
            "what your team stopped is resumed at its service; without it, only by root:"
            f" sudo HOME={os.environ.get('HOME', '')} interlock resume --without-service"
        )
    epochs = of_fleet(store.folder)
    for epoch in epochs:
        build.record(store, "resume", f"stop:{epoch}", {"by": me(), "without_service": True})
        free(store.folder, epoch, HERE, me())
    if plain:
        machine.tell({"resumed": [f"stop:{epoch}" for epoch in epochs]})
    elif epochs:
        print(f"resumed {len(epochs)} of your team's stops; the service will be told")
    else:
        complain("interlock resume: your team's service has stopped nothing here\n")
    return 0 if epochs else 1


def _is_root() -> bool:
    if sys.platform == "win32":
        import ctypes

        return bool(ctypes.windll.shell32.IsUserAnAdmin())
    return os.geteuid() == 0
