"""Kinds of tokens."""

from __future__ import annotations

NAME, TEXT, COMMAND, NUMBER, MARK, PATTERN, LINE = (
    "name",
    "text",
    "command",
    "number",
    "mark",
    "pattern",
    "line",
)
"""Kinds of tokens: a word, a quoted text, a text in back quotes that is run, a number, an operator,
a regular expression, the end of a line.
"""
