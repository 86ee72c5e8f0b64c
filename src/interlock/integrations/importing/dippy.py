"""Configuration of Dippy: ``~/.dippy/config`` and ``.dippy``, a rule a line.

``allow|ask|deny PATTERN ["message"]`` for commands, the same with ``-redirect`` and ``-edit`` for
paths and ``-mcp`` for tools, ``set KEY [VALUE]``. The last line that matches wins.
Source: docs/config.md and docs/config-v1.md of github.com/ldayton/Dippy, read in November 2026.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.integrations.importing import commands
from interlock.integrations.importing.proposal import ConfigLine, ProposedRule

FILES = ("~/.dippy/config", ".dippy")
_ORDER = "an allow below a stricter line does not loosen it here"


def lines(text: str, path: str) -> Iterator[ConfigLine]:
    """Yield what the configuration says; a line that is no rule is one that does not translate."""
    del path
    for number, raw in enumerate(text.splitlines(), 1):
        said = raw.strip()
        if said and not said.startswith("#"):
            yield _line(f"line {number}", said)


def _line(where: str, said: str) -> ConfigLine:
    word, _, rest = said.partition(" ")
    action, _, about = word.partition("-")
    pattern, message = _parts(rest.strip())
    if action not in ("allow", "ask", "deny") or not pattern:
        return ConfigLine(where, said, note="no rule about commands, paths or tools")
    if action == "allow" and about:
        return ConfigLine(where, said, note=f"nothing is loosened by itself; {_ORDER}")
    if action == "allow":
        return ConfigLine(where, said, allows=(" ".join(commands.words_of(pattern) or [pattern]),))
    if not about:
        return commands.line_of(where, said, _home(pattern), action, message)
    if about in ("redirect", "edit"):
        path = _home(pattern)
        match = {"effect": ("writes", "deletes"), "path": (path,)}
        note = "for whatever writes there" if about == "redirect" else ""
        return ConfigLine(
            where, said, (ProposedRule(f"changes {path}", match, action, message),), note=note
        )
    if about == "mcp":
        match = {"effect": ("calls",), "target": (pattern,)}
        return ConfigLine(
            where, said, (ProposedRule(f"calls the tool {pattern}", match, action, message),)
        )
    return ConfigLine(where, said, note=f"{word} has no equal here")


def _parts(rest: str) -> tuple[str, str]:
    r"""Return the pattern and the message behind it, in quotes (``\"`` and ``\\`` within)."""
    if not rest.endswith('"'):
        return rest, ""
    at = rest.find(' "')
    if at < 0:
        return rest, ""
    return rest[:at].strip(), rest[at + 2 : -1].replace('\\"', '"').replace("\\\\", "\\")


def _home(pattern: str) -> str:
    return "${HOME}" + pattern[1:] if pattern.startswith("~/") else pattern
