"""Pieces of a word on their way from its parts to its fields."""

from __future__ import annotations

from interlock.shell.state import BLANKS, ShellState
from interlock.shell.tree import Parameter


class Piece:
    """A stretch of an expanding word: ``quoted`` text is neither split nor globbed; ``literal``
    text is not split.

    ``matched``: it is no text but a pattern that stands for the names it matched (``for f in *.o;
    do rm "$f"; done``).
    """

    __slots__ = ("literal", "matched", "quoted", "text", "why")

    def __init__(
        self,
        text: str,
        *,
        quoted: bool,
        literal: bool = False,
        why: str = "",
        matched: bool = False,
    ) -> None:
        self.text = text
        self.quoted = quoted
        self.literal = literal
        self.why = why
        self.matched = matched


def separators(state: ShellState) -> str:
    """Return the characters that unquoted expansions are split at; blanks where nobody knows (bash
    manual 3.5.7).
    """
    value = state.variables.get("IFS")
    return BLANKS if value is None or not value.known else value.text


def literal_subscript(node: Parameter) -> str:
    """Return the literal subscript of a parameter, or ``""``."""
    parts = node.subscript.parts if node.subscript is not None else ()
    return getattr(parts[0], "text", "") if len(parts) == 1 else ""
