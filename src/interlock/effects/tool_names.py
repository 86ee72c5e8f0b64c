"""What the name of a tool that nobody described says: ``mcp__github__delete_repository`` deletes,
``mcp__gmail__send_email`` writes to people.

The same verbs as for programs that nobody described (``verbs``). Lists, plans and browsers of the
session's own are left out, and so are mild verbs: most tools of trackers and documents have them.
What neither the name nor the arguments tell is said to be unrecognised. What a server says of its
own tools (``ToolCall.hints``) is only ever added.
"""

from __future__ import annotations

from interlock.effects.context import CallContext
from interlock.effects.programs.gitshared import MAIN
from interlock.effects.verb_words import looks, parts
from interlock.effects.verbs import find_change
from interlock.model.call import MCP, OTHER, ToolCall
from interlock.model.effect import (
    ChangesInfrastructure,
    Deletes,
    Effect,
    Executes,
    Opaque,
    Pushes,
    Reads,
    Sends,
)
from interlock.model.facts import FILE, FOLDER
from interlock.shell.value import Value

_OWN = frozenset(
    "todo todos tasks taskmaster sequential thinking playwright puppeteer browser chrome devtools"
    " ide scratchpad context7 repl jupyter".split()
)
"""Servers whose things are the session's own, or a page that is looked at."""
_FILES = frozenset("filesystem fs files".split())
"""Servers whose tools are read by their paths: what they delete is judged by where it lies."""
_OF_DISK = frozenset(
    "file files folder folders directory directories dir dirs path paths tree".split()
)
"""Words that say that what is meant lies on the disk."""
_TELLING = frozenset("send post reply forward tweet dm notify broadcast".split())
_MESSAGES = frozenset(
    "thread chat post email emails mail message messages sms tweet tweets dm reply slack whatsapp"
    " telegram letter newsletter notification notifications".split()
)
_PAYING = frozenset(
    "pay refund charge transfer buy purchase checkout withdraw payout trade swap payment refunds"
    " charges transfers".split()
)
_SHARING = frozenset({"share", "grant", "unlock", "impersonate"})
_REVEALING = frozenset("get read reveal show fetch retrieve view export decrypt access".split())
_SECRETS = frozenset("secret secrets password passwords credential credentials passphrase".split())
_FORGES = frozenset("git github gitlab gitea forgejo bitbucket codeberg".split())
_WRITES = frozenset("create update delete write edit".split())
_CHANGING = frozenset(
    "create make execute run submit confirm send place issue capture approve initiate schedule".split()
)
_MERGING = ("merge pull", "merge pr", "merge merge", "approve pull", "approve merge")
_QUIET = frozenset(
    "think thought thinking sequentialthinking resolve navigate screenshot snapshot wait hover"
    " scroll echo now time complete close".split()
)
"""Words that say that a tool does nothing to the world, beside those that look."""
_GUARDED = frozenset({"execute_go", "execute_go_code"})
"""Code mode's own tools for what no reader reads: its operations are judged when they come."""
_OURS = frozenset({"interlock", "code", "mcp"})
"""Agents whose calls interlock itself makes: its loop, and its commands ``code`` and ``tools``."""
_HINTED = {
    "destructive": "says-destructive",
    "changes": "says-changes",
    "secret": "holds-secret",
    "changed": "changed-description",
}
"""Words of ``ToolCall.hints``, and what they are among the traits of the call."""
_SAID_BY_SERVER = frozenset({"destructive", "changes"})
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/")
LONGEST_NAME = 200


def split(name: str) -> tuple[str, str]:
    """Return server and tool of a name. The server ends at the first ``__``: the rest is the
    server's own to choose.
    """
    if not name.startswith("mcp__"):
        return "", name
    server, found, tool = name[5:].partition("__")
    return (server, tool) if found else ("", server)


def is_own(name: str) -> bool:
    """Whether a tool's server is one with the session's own things, or a page that is looked at."""
    return not _OWN.isdisjoint(parts(split(name)[0]))


def read_name(
    context: CallContext, call: ToolCall, recognised: list[Effect], *, told: bool = False
) -> set[str]:
    """Add what the tool's name says; return what is odd about the call.

    ``recognised``: what its arguments mean. ``told``: some argument was recognised.
    """
    server, tool = split(call.name)
    words = parts(tool.replace("/", "_"))[: 6 if server else 12]
    deleted = [effect for effect in recognised if effect.kind is Deletes]
    if not _tells(words, parts(server)):
        action = _change(words) if server else _change_after_server(words)
        of_disk = not _FILES.isdisjoint(parts(server)) or (
            not server and _only_of_disk(context, words, deleted)
        )
        excused = is_own(call.name) or (bool(deleted) and of_disk)
        pushed = _push(context, call, words, server)
        # `push` alone is no further change: what is pushed is known
        said_already = pushed and action == "modify"
        if action and not (excused or said_already) and (call.tool == MCP or not recognised):
            traits = frozenset({action, "ladder", "tool-name"})
            context.add(
                ChangesInfrastructure,
                call.name,
                traits=traits,
                by=call.name,
                certain=False,
                detail="by the name of the tool",
            )
        guarded = call.tool == OTHER and call.name in _GUARDED and call.agent in _OURS
        known = (
            told or bool(action) or guarded or pushed or is_own(call.name) or _says_something(words)
        )
    else:
        context.add(Sends, call.name, traits=frozenset({"message", "tool-name"}), by=call.name)
        known = True
    return _odd(call, recognised, known=known)


def _only_of_disk(context: CallContext, words: list[str], deleted: list[Effect]) -> bool:
    """Whether a function's name says no more than that it deletes what its arguments name, and all
    of that is there: ``delete("a")``.
    """
    return _OF_DISK.issuperset(words[1:]) and all(
        any(context.is_kind(effect.target, kind) for kind in (FILE, FOLDER)) for effect in deleted
    )


def _odd(call: ToolCall, recognised: list[Effect], *, known: bool) -> set[str]:
    """Return what is odd of it. A server's word about its tool counts if arguments do not tell."""
    traits = set[str]()
    if not known and not recognised:
        traits.add("unrecognised")
    if len(call.name) > LONGEST_NAME or not _PLAIN.issuperset(
        call.name.removeprefix("<").removesuffix(">")
    ):  # a Python function's own <lambda>
        traits.add("odd-name")
    told = any(found.kind not in (Reads, Executes, Opaque) for found in recognised)
    return traits | {
        trait
        for hint, trait in _HINTED.items()
        if hint in call.hints and not (told and hint in _SAID_BY_SERVER)
    }


def _push(context: CallContext, call: ToolCall, words: list[str], server: str) -> bool:
    """Add what a tool of a forge, or of git, puts into a repository of others: ``push_files``,
    ``git_push``, ``create_or_update_file``.
    """
    named = [*parts(server), *words]
    writes = "push" in named or (words[-1:] == ["file"] and not _WRITES.isdisjoint(words))
    if (
        _FORGES.isdisjoint(named[:MOST_BEFORE])
        or not writes
        or "stash" in named
        or any(map(looks, words))
    ):
        return False
    branch = call.input.get("branch")
    name = branch if isinstance(branch, str) else ""
    traits = {
        "tool-name",
        *(["main"] if name.removeprefix("refs/heads/") in MAIN else []),
        *(["force"] if call.input.get("force") is True else []),
    }
    context.add(Pushes, name or "what is configured", traits=frozenset(traits), by=call.name)
    return True


def _says_something(words: list[str]) -> bool:
    """Whether the name holds a word that looks, a mild change, or one that does nothing."""
    if not _QUIET.isdisjoint(words) or any(looks(word) for word in words):
        return True
    return find_change("", [Value(word) for word in words]) is not None


def _tells(words: list[str], server: list[str]) -> bool:
    """Whether the first word sends what, or whose server, is about messages to people."""
    first = next(
        (at for at, word in enumerate(words[:2]) if word in _TELLING and (at == 0 or not server)),
        None,
    )
    return first is not None and not _MESSAGES.isdisjoint(
        words[first + 1 :] or server or words[:first]
    )


def _change_after_server(words: list[str]) -> str:
    """Return the action of a name in which nobody can tell server and tool apart
    (``mcp_my_own_server_delete_page``, ``server-delete``).
    """
    for start, word in enumerate(words[:MOST_BEFORE]):
        action = _change(words[start:])
        if action or looks(word):
            return action
    return ""


MOST_BEFORE = 5


def _change(words: list[str]) -> str:
    """Return the action that the words tell of, or ``""``: also for a mild one, which most tools of
    trackers and documents have.
    """
    if not words:
        return ""
    pays = words[0] in _PAYING or (words[0] in _CHANGING and not _PAYING.isdisjoint(words[1:]))
    if words[0] in _TELLING and not pays:
        return ""  # to whom was told above; elsewhere it is data for a terminal or a page
    if pays or " ".join(words).startswith(_MERGING):
        return "modify"
    if words[0] in _SHARING or (words[0] in ("make", "set") and "public" in words[1:]):
        return "modify"
    if words[0] in _REVEALING and (words[-1] in _SECRETS or words[-2:] == ["secret", "value"]):
        return "secret-access"
    found = find_change("", [Value(word) for word in words])
    return found.action if found is not None and not found.mild else ""
