"""Permission rules of Claude Code: ``permissions`` in its settings files.

A rule is ``Tool`` or ``Tool(specifier)``, in the lists ``allow``, ``ask`` and ``deny``. Of shell
commands the specifier is a text with ``*``; a trailing ``:*`` is the same as `` *``. Of files it is
a pattern as in .gitignore: ``//x`` from the root, ``~/x`` from the home, ``/x`` from where the
settings file belongs, else from the folder of the session. ``WebFetch`` takes ``domain:HOST``.
Source: code.claude.com/docs/en/permissions and /settings, read in November 2026.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.integrations.importing import commands
from interlock.integrations.importing.proposal import (
    ASK,
    DENY,
    ConfigLine,
    ProposedRule,
    UnreadError,
)
from interlock.model.jsontext import JsonError, loads

FILES = ("~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json")
_STAYS = "the client's own, where it holds as before"
READERS, WRITERS = ("Read", "Glob", "Grep"), ("Edit", "Write", "MultiEdit", "NotebookEdit")


def lines(text: str, path: str) -> Iterator[ConfigLine]:
    """Yield what the settings say of permissions; raises ``UnreadError``."""
    try:
        told = loads(text)
    except JsonError as problem:
        raise UnreadError(f"this is no JSON: {problem}") from None
    said = told.get("permissions", {}) if isinstance(told, dict) else None
    if not isinstance(said, dict):
        raise UnreadError("expected an object with the key permissions, an object too")
    for action in ("deny", "ask", "allow"):
        rules = said.get(action, [])
        for number, rule in enumerate(rules if isinstance(rules, list) else [rules]):
            where = f"permissions.{action}[{number}]"
            yield (
                _line(where, rule, action, path)
                if isinstance(rule, str)
                else ConfigLine(where, str(rule), note="this is no text")
            )
    yield from _others(said)


def _others(said: dict[str, object]) -> Iterator[ConfigLine]:
    folders = said.get("additionalDirectories", [])
    for number, folder in enumerate(folders if isinstance(folders, list) else [folders]):
        where = f"permissions.additionalDirectories[{number}]"
        yield ConfigLine(where, str(folder), lists=(("workspace.roots", str(folder)),))
    known = ("allow", "ask", "deny", "additionalDirectories")
    for key, value in said.items():
        if key not in known:
            yield ConfigLine(f"permissions.{key}", str(value), note=_STAYS, needless=True)


def _line(where: str, rule: str, action: str, path: str) -> ConfigLine:
    tool, _, rest = rule.partition("(")
    spec = rest.removesuffix(")").strip()
    if tool.startswith("mcp__"):
        return _tool(where, rule, action)
    if not spec or spec == "*":
        return ConfigLine(where, rule, note=f"names a whole tool; {_whole(tool)}")
    if tool == "Bash":
        pattern = f"{spec[:-2].rstrip()} *" if spec.endswith(":*") else spec
        if action == "allow":
            return ConfigLine(where, rule, allows=(" ".join(commands.words_of(pattern) or [spec]),))
        return commands.line_of(where, rule, pattern, action)
    if tool == "WebFetch" and spec.startswith("domain:"):
        return _host(where, rule, action, spec.removeprefix("domain:").removeprefix("*."))
    if tool in (*READERS, *WRITERS):
        return _file(where, rule, action, tool, pattern_of(spec, path))
    return ConfigLine(where, rule, note=f"interlock has no rule for what {tool} is given")


def _whole(tool: str) -> str:
    return (
        "profile: careful asks about every command that is not listed"
        if tool == "Bash"
        else "leave it in the client's settings, where it holds as before"
    )


def _tool(where: str, rule: str, action: str) -> ConfigLine:
    if action == "allow":
        return ConfigLine(where, rule, note=_STAYS, needless=True)
    target = rule if rule.count("__") > 1 else f"{rule}__*"
    match = {"effect": ("calls",), "target": (target,)}
    return ConfigLine(where, rule, (ProposedRule(f"calls the tool {rule}", match, action),))


def _host(where: str, rule: str, action: str, host: str) -> ConfigLine:
    if action == "allow":
        return ConfigLine(where, rule, lists=(("hosts.allow", host),))
    if action == DENY:
        note = "for every program, not for WebFetch alone"
        return ConfigLine(where, rule, lists=(("hosts.block", host),), note=note)
    match = {"effect": ("connects", "sends"), "target": (host,)}
    return ConfigLine(where, rule, (ProposedRule(f"connects to {host}", match, ASK),))


def _file(where: str, rule: str, action: str, tool: str, pattern: str) -> ConfigLine:
    reads = tool in READERS
    if action == "allow":
        return ConfigLine(where, rule, note=_STAYS, needless=True)
    if pattern.startswith("!"):
        return ConfigLine(where, rule, note="an exception from a pattern has no equal here")
    if action == DENY and reads:
        note = "for writing too, and for every program"
        return ConfigLine(where, rule, lists=(("files.block", pattern),), note=note)
    if action == DENY:
        return ConfigLine(where, rule, lists=(("files.read_only", pattern),))
    effect = ("reads",) if reads else ("writes", "deletes")
    title = f"{'reads' if reads else 'changes'} {pattern}"
    return ConfigLine(
        where, rule, (ProposedRule(title, {"effect": effect, "path": (pattern,)}, ASK),)
    )


def pattern_of(spec: str, path: str) -> str:
    """Return a pattern of files as a policy writes it; ``path``: the settings file it stands in,
    the user's own with a ``~/`` before it.
    """
    if spec.startswith("//"):
        return spec[1:]
    if spec.startswith("~/"):
        return "${HOME}/" + spec[2:]
    if spec.startswith("/"):
        return ("${HOME}/.claude" if path.startswith("~/") else "${WORKSPACE}") + spec
    return spec.removeprefix("./")
