"""What the name of an MCP tool says it does: ``mcp__github__delete_repository`` deletes, ``mcp__gmail__send_email`` writes to other people.

The same verbs as for programs that nobody described (``verbs``). Servers that keep the session's own lists, notes and browsers are left out,
and so are mild verbs: most tools of trackers and documents have them.
"""

from __future__ import annotations

from interlock.effects.verbs import parts, said
from interlock.model.effect import ChangesInfrastructure, Sends
from interlock.shell.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.context import Context
    from interlock.model.call import ToolCall

_OWN = frozenset(
    "memory filesystem fs files git todo todos tasks taskmaster sequential thinking playwright puppeteer browser chrome devtools ide serena notes "
    "scratchpad context7 obsidian repl jupyter notebook".split()
)
"""Servers whose things are the session's own, or are read by their paths and commands."""
_TELLING = frozenset("send post reply forward tweet dm notify broadcast".split())
_MESSAGES = frozenset(
    "thread chat post email emails mail message messages sms tweet tweets dm reply slack whatsapp telegram letter newsletter notification "
    "notifications".split()
)
_PAYING = frozenset("pay refund charge transfer buy purchase checkout withdraw payout trade swap payment refunds charges transfers".split())
_CHANGING = frozenset("create make execute run submit confirm send place issue capture approve initiate schedule".split())
_MERGING = ("merge pull", "merge pr", "merge merge", "approve pull", "approve merge")


def read_name(context: Context, call: ToolCall) -> None:
    """Add what the tool's name says: a change elsewhere or money, which is possible, for it is a name; or a message to people."""
    server, _, tool = call.name.removeprefix("mcp__").rpartition("__")
    words = parts(tool)[:6]
    if not words:
        return
    if _tells(words, parts(server)):
        context.add(Sends, call.name, traits=frozenset({"message", "tool-name"}), by=call.name)
        return
    action = _change(words)
    if action and _OWN.isdisjoint(parts(server)):
        traits = frozenset({action, "ladder", "tool-name"})
        context.add(ChangesInfrastructure, call.name, traits=traits, by=call.name, certain=False, detail="by the name of the tool")


def _tells(words: list[str], server: list[str]) -> bool:
    """Whether the first word sends, and what it sends, or else the server, is about messages to people."""
    return words[0] in _TELLING and not _MESSAGES.isdisjoint(words[1:] or server)


def _change(words: list[str]) -> str:
    """Return the action that the words tell of, or ``""``: also for a mild one, which most tools of trackers and documents have."""
    pays = words[0] in _PAYING or (words[0] in _CHANGING and not _PAYING.isdisjoint(words[1:]))
    if words[0] in _TELLING and not pays:
        return ""  # to whom was told above; elsewhere it is data for a terminal or a page
    if pays or " ".join(words).startswith(_MERGING):
        return "modify"
    found = said("", [Value(word) for word in words])
    return found.action if found is not None and not found.mild else ""
