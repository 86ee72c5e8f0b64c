"""The doctor's look at the MCP servers that a client starts: whether ``interlock mcp`` stands
before each, and under which name.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator

from interlock.doctor.report_row import AMBER, GREEN, ReportRow
from interlock.integrations import servers
from interlock.integrations.install import SettingsError
from interlock.integrations.protocol import Settings
from interlock.integrations.servers import ProxiedServer, ServerEntry
from interlock.model.display import visible

WHAT = "MCP servers"


def rows(settings: Settings, client: str, project: str) -> Iterator[ReportRow]:
    """Yield a row for each server that is not as it should be, and one for those that are; none
    where the client has no server.
    """
    good: list[str] = []
    for found in servers.list_servers(settings, project):
        if isinstance(found, SettingsError):
            yield ReportRow(
                AMBER,
                WHAT,
                f"which servers {client} starts cannot be seen: {visible(str(found))}",
                "mend that file",
            )
            continue
        row = _row(found, client, own=_own(found, settings))
        if row is None:
            good.append(visible(found.name))
        else:
            yield row
    if good:
        yield ReportRow(GREEN, WHAT, f"behind interlock mcp: {', '.join(dict.fromkeys(good))}")


def _own(server: ServerEntry, settings: Settings) -> bool:
    """Tell whether a server is written in the user's own files."""
    return any(
        server.path == servers.path_of(settings, file.path, None)
        for file in settings.servers
        if not file.project
    )


def _row(server: ServerEntry, client: str, *, own: bool) -> ReportRow | None:
    """Return what is to be said of a server, None where nothing is."""
    name, there = visible(server.name), server.behind
    if there is None:
        seen = (
            f"{name} ({server.path}) is not behind interlock mcp: its tool descriptions and replies"
            " are not checked"
        )
        if server.url:
            by_hand = (
                f"have {client} start this instead: interlock mcp --server {name} --url"
                f" {visible(server.url)}"
            )
            return ReportRow(AMBER, WHAT, seen, f"{by_hand} (its headers: docs/mcp.md)")
        return ReportRow(
            AMBER, WHAT, seen, f"interlock servers wrap {client}{'' if own else ' --project'}"
        )
    if there.name != server.name:
        seen = (
            f"{name} is called {visible(there.name) or 'nothing'} by interlock mcp: a call is taken"
            " for two, and judged twice"
        )
        return ReportRow(AMBER, WHAT, seen, f"write --server {name} before its -- in {server.path}")
    return _program(server, there)


def _program(server: ServerEntry, there: ProxiedServer) -> ReportRow | None:
    """Tell of a proxy that cannot be started, or that another interlock provides."""
    name, program = visible(server.name), shutil.which(there.program)
    if program is None:
        seen = f"{name} cannot be started: there is no program {visible(there.program)}"
        return ReportRow(AMBER, WHAT, seen, f"put the full path of interlock into {server.path}")
    if os.path.dirname(program) != os.path.dirname(os.path.abspath(sys.executable)):
        return ReportRow(
            AMBER,
            WHAT,
            f"{name} is behind another installation of interlock than this one: {program}",
            f"look at it: {server.path}",
        )
    return None
