"""Texts that an agent's own tools put where something starts them later: what a hook of git, a
start-up file or a workflow would do is what the edit does, as it is where a shell writes it.
"""

from __future__ import annotations

from interlock.effects.context import CallContext
from interlock.effects.late_texts import is_late, read_text
from interlock.model.call import ToolCall
from interlock.shell.state import ShellState
from interlock.shell.walk import Walker

MAX_FILES = 16
_NEW = frozenset(
    "content contents text filetext newstring newstr newtext replacement insert inserttext"
    " codeedit newcontent newcode insertion".split()
)
"""Keys under which tools are given the text that is written."""


def read_late(
    context: CallContext, call: ToolCall, paths: list[str], given: list[tuple[str, str]]
) -> None:
    """Add what the texts would do that a call puts into files that something starts later;
    ``given``: all texts of the call, each with its key.
    """
    at_home = [context.at_home(path) if context.home else path for path in paths]
    named = [context.normal(path, call.cwd or None) or "" for path in at_home]
    late = [path for path in dict.fromkeys(named) if is_late(path)]
    for path in context.limit(late, MAX_FILES, "files that something starts later"):
        text = "\n".join([_find_new(key, text) for key, text in given])
        if text.strip():
            _read(context, call, path, text)


def _find_new(key: str, text: str) -> str:
    """Return what of an argument is written: a text, or the lines that a patch adds."""
    if "*** Begin Patch" in text:
        return "\n".join([line[1:] for line in text.split("\n") if line[:1] == "+"])
    return text if key.lower().replace("_", "").replace("-", "") in _NEW else ""


def _read(context: CallContext, call: ToolCall, path: str, text: str) -> None:
    from interlock.effects.shell import ShellReader  # few edits are of such files

    reader = ShellReader(context)
    state = ShellState(call.cwd or None, context.home, lambda _: None)
    read_text(reader, Walker(reader, state), state, path, text)
