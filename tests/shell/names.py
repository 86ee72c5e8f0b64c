"""What a tree would run: the simple commands in it, wherever they stand."""

from __future__ import annotations

from interlock.shell.places import children
from interlock.shell.tree import (
    DoubleQuoted,
    Literal,
    Opaque,
    Quoted,
    Redirect,
    Script,
    ShellNode,
    Simple,
    Word,
)

UNKNOWN = "?"


def nodes(root: ShellNode) -> list[ShellNode]:
    """Every node of a tree, the nested texts' included."""
    found = []
    todo = [root]
    while todo:
        node = todo.pop()
        found.append(node)
        todo.extend(reversed(children(node)))
    return found


def static(word: ShellNode) -> str:
    """The text of a word without its quotes, or ``?`` where it depends on anything."""
    if isinstance(word, Literal | Quoted):
        return word.text
    if isinstance(word, Word | DoubleQuoted):
        texts = [static(part) for part in word.parts]
        return UNKNOWN if UNKNOWN in texts else "".join(texts)
    return UNKNOWN


def commands(script: Script) -> list[str]:
    """The names of all simple commands, sorted."""
    return sorted(
        static(node.words[0]) for node in nodes(script) if isinstance(node, Simple) and node.words
    )


def targets(script: Script) -> list[str]:
    """What is redirected to or from, here-documents and here-strings apart, sorted."""
    return sorted(
        static(node.target)
        for node in nodes(script)
        if isinstance(node, Redirect) and not node.operator.startswith("<<")
    )


def unread(script: Script) -> list[str]:
    """Why parts of the text itself were not read (those of texts that bash reads later, apart)."""
    return [command.why for command in script.body.commands if isinstance(command, Opaque)]
