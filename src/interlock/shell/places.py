"""The nodes inside a node, and moving a tree into the offsets of another text."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.shell.tree import (
    AndOr,
    Arithmetic,
    Assignment,
    CommandList,
    CommandSubstitution,
    Compound,
    DoubleQuoted,
    ExtendedGlob,
    Parameter,
    Pipeline,
    ProcessSubstitution,
    Redirect,
    Script,
    ShellNode,
    Simple,
    Word,
)

_IN_PARTS = (Word, DoubleQuoted, Arithmetic, ExtendedGlob)
_IN_COMMANDS = (CommandList, AndOr, Pipeline)
_IN_SCRIPT = (CommandSubstitution, ProcessSubstitution)


def children(node: ShellNode) -> list[ShellNode]:
    """The nodes directly inside ``node``, in the order of the text.

    The body of a here-document comes right after its delimiter, though it stands after the line.
    The script of back-ticks is among them, though its offsets are those of another text
    (``Script.offsets``).
    """
    if isinstance(node, _IN_PARTS):
        return list(node.parts)
    if isinstance(node, _IN_COMMANDS):
        return list(node.commands)
    if isinstance(node, Simple):
        return _sort_nodes(node.assignments, node.words, node.redirects)
    if isinstance(node, Compound):
        return _sort_nodes(node.words, node.bodies, *node.patterns, node.redirects)
    if isinstance(node, Assignment):
        return _sort_nodes(_some(node.subscript, node.value), node.array or ())
    if isinstance(node, Redirect):
        return _some(node.target, node.body)
    if isinstance(node, Parameter):
        return _some(node.subscript, node.argument)
    if isinstance(node, _IN_SCRIPT):
        return [node.script]
    return [node.body] if isinstance(node, Script) else []


def _some(*nodes: ShellNode | None) -> list[ShellNode]:
    return [node for node in nodes if node is not None]


def _sort_nodes(*groups: Sequence[ShellNode]) -> list[ShellNode]:
    return sorted((node for group in groups for node in group), key=_start)


def _start(node: ShellNode) -> int:
    return node.start


def relocate(root: ShellNode, offsets: Sequence[int], source: str) -> None:
    """Move ``root`` and all in it: character i of the text it was read from is
    ``source[offsets[i]]``.

    Characters of ``source`` that are not in that text belong to the node around them, never to an
    edge.
    """
    todo = [root]
    while todo:
        node = todo.pop()
        start, end = node.start, node.end
        node.start = offsets[start]
        node.end = offsets[end - 1] + 1 if end > start else node.start
        if isinstance(node, Redirect):
            first, last = node.body_start, node.body_end
            node.body_start = offsets[first]
            node.body_end = offsets[last - 1] + 1 if last > first else node.body_start
        elif isinstance(node, Script):
            node.text = source
        for child in children(node):
            if isinstance(child, Script) and child.offsets is not None:
                child.offsets = [offsets[i] for i in child.offsets]
            else:
                todo.append(child)
