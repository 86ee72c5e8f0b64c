"""Which session a program serves that an agent's client started: the one that the client's hook
noted for a process above it.
"""

from __future__ import annotations

import os

from interlock.facts import processes
from interlock.store.protocol import Storage


def session_above(store: Storage) -> str:
    """Return the newest session of the nearest process above this one that a hook noted as an
    agent's; ``""`` for none. Raises ``StoreError``.

    What a proxy noted for its own sessions (``mcp-...``) is none of them.
    """
    boot = processes.boot()
    if not boot:
        return ""
    for process in processes.ancestors(os.getppid()):
        sql = """SELECT session_id FROM agent_process WHERE boot = ? AND pid = ? AND ticks = ? AND
            session_id NOT LIKE 'mcp-%'
            ORDER BY since DESC LIMIT 1"""
        rows = store.query(sql, (boot, process.pid, process.ticks))
        if rows:
            return str(rows[0][0])
    return ""
