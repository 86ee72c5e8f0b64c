"""``codeMode.sandboxing``: an older shape of what a run may do, read into the permits of one run.

::

    defaults:
      codeMode:
        enabled: true
        sandboxing:
          enabled: true
          allowedPaths: ["/tmp/run-*", "./data/*"]   # nothing else is read or changed
          deniedPaths: ["/etc/*", "~/.ssh/*"]        # not these, whatever is allowed
          allowedCommands: [git, rg]
          deniedCommands: [rm, sudo]
          allowNetwork: false
          interactive: false                         # whether a person is asked

``enabled: false`` under ``sandboxing`` counts only in a file outside the workspace, which an agent
cannot write, and is told with every result.
"""

from __future__ import annotations

from interlock.codemode.permissions import ANY, RunPermissions
from interlock.model.record import Record
from interlock.policy.document import LIST, SCALAR, TABLE, DocumentNode, parse
from interlock.policy.problem import PolicyError, PolicyProblems, suggest_name

LISTS = {
    "allowedPaths": "only_paths",
    "deniedPaths": "deny_paths",
    "allowedCommands": "allow_commands",
    "deniedCommands": "deny_commands",
}
SWITCHES = ("enabled", "allowNetwork", "interactive")


class SandboxSettings(Record):
    """What such a file says. ``code``: whether there is code mode; ``held``: whether it is held."""

    permits: RunPermissions = RunPermissions()
    code: bool = True
    held: bool = True


def read(data: bytes, path: str) -> SandboxSettings:
    """Return what a file says; raises ``PolicyError`` with every error in it."""
    node, problems = parse(data, path)
    top = _table(node, ("defaults", "codeMode"), problems)
    mode = _table(
        top.get("defaults", node) if "defaults" in top else node, ("codeMode",), problems
    ).get("codeMode")
    if mode is None:
        problems.add(node.line, node.column, "expected codeMode, below defaults or at the top")
        raise PolicyError(problems.found)
    found = _table(mode, ("enabled", "sandboxing"), problems)
    inner = (
        _table(found["sandboxing"], (*SWITCHES, *LISTS), problems) if "sandboxing" in found else {}
    )
    switches = {key: _switch(inner[key], problems) for key in SWITCHES if key in inner}
    lists = {LISTS[key]: _list(inner[key], problems) for key in LISTS if key in inner}
    code = _switch(found["enabled"], problems) if "enabled" in found else True
    if problems.broken:
        raise PolicyError(problems.found)
    hosts = (ANY,) if switches.get("allowNetwork") else ()
    permits = RunPermissions(
        allow_hosts=hosts, interactive=switches.get("interactive", False)
    ).replace(**lists)
    return SandboxSettings(permits, code, switches.get("enabled", True))


def resolve_permits(
    said: SandboxSettings, *, trusted: bool
) -> tuple[RunPermissions, tuple[str, ...]]:
    """Return the permits of a run and what has to be told of them. ``trusted``: the file is the
    person's own, and not the workspace's.
    """
    if said.held:
        return said.permits, ()
    if not trusted:
        return said.permits, (
            (
                "sandboxing.enabled: false is left out: the file lies in the workspace, where an"
                " agent can write it"
            ),
        )
    opened = RunPermissions(preset="", allow_commands=(ANY,), allow_hosts=(ANY,))
    return opened, (
        (
            "sandboxing is switched off: any program may be started and any host reached, as far as"
            " the policy lets"
        ),
    )


def _table(
    node: DocumentNode, known: tuple[str, ...], problems: PolicyProblems
) -> dict[str, DocumentNode]:
    if node.kind != TABLE:
        problems.add(
            node.line, node.column, f"expected a table of {', '.join(known)}, not {node.said}"
        )
        return {}
    found = {str(key.value): value for key, value in node.value}
    for key, _ in node.value:
        if key.value not in known:
            problems.add(
                key.line,
                key.column,
                f"there is no key {key.value!r} here; known:"
                f" {', '.join(known)}{suggest_name(str(key.value), known)}",
            )
    return found


def _switch(node: DocumentNode, problems: PolicyProblems) -> bool:
    if node.kind != SCALAR or not node.plain or node.value not in ("true", "false"):
        problems.add(node.line, node.column, f"expected true or false, not {node.said}")
    return bool(node.value == "true")


def _list(node: DocumentNode, problems: PolicyProblems) -> tuple[str, ...]:
    if node.kind != LIST or any(one.kind != SCALAR for one in node.value):
        problems.add(node.line, node.column, f"expected a list of texts, not {node.said}")
        return ()
    return tuple([str(one.value) for one in node.value])
