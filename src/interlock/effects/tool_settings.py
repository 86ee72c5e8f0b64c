"""Tools that set what an agent's tools may do: which commands are refused, which folders are open,
who is asked.

A server that runs commands keeps its bounds in settings, and offers a tool that changes them.
Whoever calls that may lift what is in the way of the next call. What else a tool sets (a shell, a
limit of lines, a colour) is none of that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from interlock.data.words import words
from interlock.effects.verb_words import looks, parts

_SETTING = frozenset(
    "set update change edit modify write put patch configure toggle enable disable add remove clear"
    " reset save apply".split()
)
_SETTINGS = frozenset(
    "configure config configuration configurations settings setting preferences preference options"
    " option policy policies mode permissions".split()
)
"""What a tool sets that may be any bound of it: which one, its arguments say."""
_LISTING = frozenset(words("tool_settings", "listing"))
_LISTED = frozenset(
    "command commands cmd cmds directory directories dir dirs folder folders path paths root roots"
    " tool tools exec programs".split()
)
"""What a bound is about that an agent has: together with a word of a list it is one
(``blockedCommands``, ``allowed_directories``).
"""
_MODES = words("tool_settings", "modes")
"""Names of settings that are bounds by themselves."""
_NAMING = frozenset(
    "key name setting option property field path configkey settingname mode policy".split()
)
"""Keys of an input under which the name of a setting stands."""
MAX_NAMES = 64


def sets_bounds(tool: str, fields: Mapping[str, object]) -> bool:
    """Whether a tool's name and its arguments say that it changes what an agent's tools may do."""
    words = parts(tool.replace("/", "_"))
    if _SETTING.isdisjoint(words[:2]) or any(map(looks, words[:1])):
        return False
    return _is_bound(words) or (
        not _SETTINGS.isdisjoint(words) and any(_is_bound(parts(name)) for name in _names(fields))
    )


def _is_bound(words: list[str]) -> bool:
    if not _LISTING.isdisjoint(words) and not _LISTED.isdisjoint(words):
        return True
    said = f" {' '.join(words)} "
    return any(f" {mode} " in said for mode in _MODES)


def _names(fields: Mapping[str, object]) -> Iterator[str]:
    """Yield the names of what is set: under a key for names, or objects' keys."""
    left: list[Mapping[str, object]] = [fields]
    seen = 0
    for holder in left:
        for key, value in holder.items():
            seen += 1
            if seen > MAX_NAMES:
                return
            yield str(key)
            if isinstance(value, str) and key.replace("_", "").lower() in _NAMING:
                yield value
            elif isinstance(value, dict):
                left.append(value)
