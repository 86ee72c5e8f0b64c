"""Edits of a client's settings that leave all that calls the guard as it is: a hook of the user's
own, a permission, a model.

A person may well ask for these, so they are asked about; an edit that takes our entry away, or
switches hooks off, is none of them.
"""

from __future__ import annotations

from interlock.effects.context import CallContext
from interlock.model.call import ToolCall
from interlock.model.facts import MISSING, Stat
from interlock.model.jsontext import JsonError, dumps, loads

KEPT = "keeps-guard"
"""The trait of such an edit."""
_FILES = ("settings.json", "settings.local.json", "hooks.json")
_FOLDERS = frozenset({".claude", ".gemini", ".qwen", ".cursor", ".codex"})
_OURS = "interlock"
_SWITCHES = tuple(
    (
        "disableAllHooks ManagedHooksOnly bypassPermissions dangerously acceptEdits yolo"
        " autoApprove sandbox CLAUDE_CODE_SIMPLE"
    ).split()
)
"""Words by which clients drop hooks or ask nobody any more (their settings pages)."""
_OPEN = frozenset(
    (
        "hooks permissions statusLine model theme outputStyle language includeCoAuthoredBy"
        " attribution"
    ).split()
)
"""Keys that may change; of ``permissions`` all but the mode."""


def keeps_guard(context: CallContext, call: ToolCall, path: str) -> bool:
    """Whether a tool's write or edit of a client's settings leaves our entry, and what else makes
    the client ask us, as it is.
    """
    folder, _, name = path.rpartition("/")
    if name not in _FILES or folder.rpartition("/")[2] not in _FOLDERS:
        return False
    old, new = call.input.get("old_string"), call.input.get("new_string")
    before = context.script(path)
    if isinstance(old, str) and isinstance(new, str) and old:
        if before is None:
            return not any(word in text for text in (old, new) for word in (_OURS, *_SWITCHES))
        return old in before and _same(before, before.replace(old, new))
    content = call.input.get("content")
    if not isinstance(content, str) or (
        before is None and context.facts.stat(path) != Stat(MISSING)
    ):
        return False
    return _same(before or "{}", content)


def _same(before: str, after: str) -> bool:
    """Whether two texts of settings differ in nothing that the guard needs."""
    try:
        old, new = loads(before), loads(after)
    except JsonError:
        return False
    if (
        not isinstance(old, dict)
        or not isinstance(new, dict)
        or any(word in after and word not in before for word in _SWITCHES)
    ):
        return False
    changed = {key for key in {**old, **new} if _text(old.get(key)) != _text(new.get(key))}
    return changed <= _OPEN and _mode(old) == _mode(new) and _ours(old) <= _ours(new)


def _mode(settings: dict[str, object]) -> str:
    found = settings.get("permissions")
    return _text(found.get("defaultMode")) if isinstance(found, dict) else "null"


def _ours(settings: dict[str, object]) -> set[str]:
    """Return our entries, each with the event it is for."""
    hooks = settings.get("hooks")
    found = set()
    for event, entries in hooks.items() if isinstance(hooks, dict) else ():
        texts = (
            [_text(entry) for entry in entries] if isinstance(entries, list) else [_text(entries)]
        )
        found |= {f"{event} {text}" for text in texts if _OURS in text}
    return found


def _text(value: object) -> str:
    return dumps(value)
