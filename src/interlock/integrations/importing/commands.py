"""Patterns of commands, as other programs write them, as the words that a rule of interlock's
takes.

Theirs are held against the text of a command; ours are the first words of a command and options
that have to be there, whatever wraps the command and whatever stands between. So a pattern is
translated where it is words, then perhaps options, with ``*`` for the rest.
"""

from __future__ import annotations

from interlock.integrations.importing.proposal import ASK, DENY, ConfigLine, ProposedRule

WILD = "*?["
_SHELL = "|;&<>$`\n(){}"


def line_of(where: str, said: str, pattern: str, action: str, message: str = "") -> ConfigLine:
    """Return the line for a pattern of commands that another program asks about or refuses.
    ``action``: ``ask`` or ``deny``.
    """
    title = f"runs what `{pattern}` stands for"
    words = words_of(pattern)
    if words is not None:
        rule = ProposedRule(title, {"commands": (" ".join(words),)}, action, message)
        return ConfigLine(where, said, (rule,), note="" if _is_open(pattern) else _LONGER)
    parts = [part.strip() for part in pattern.replace("?", "*").split("*") if part.strip()]
    if not parts or any(char in pattern for char in "[" + _SHELL):
        return ConfigLine(
            where, said, note="no pattern of first words and options; write a rule by hand"
        )
    rule = ProposedRule(title, {"text": (" ".join(parts),), "tool": ("shell",)}, ASK, message)
    note = (
        "a rule about words of the text can only ask, and this one refuses"
        if action == DENY
        else ""
    )
    return ConfigLine(where, said, (rule,), note=note)


_LONGER = "also with more words behind it"


def words_of(pattern: str) -> list[str] | None:
    """Return the first words and options of a pattern; None where it says something else, such as a
    part of a word, or a word behind any others.
    """
    found: list[str] = []
    wild = False
    for word in pattern.split():
        if word.strip("*") == "":
            wild = True
        elif any(char in word for char in WILD + _SHELL) or (wild and word[:1] != "-"):
            return None
        else:
            found.append(word)
    return found if found and found[0][:1] != "-" else None


def _is_open(pattern: str) -> bool:
    """Tell whether a pattern stands for longer commands too."""
    return pattern.rstrip().endswith("*")
