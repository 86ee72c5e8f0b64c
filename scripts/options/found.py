"""What a source says of a program: its options, and its subcommands with theirs."""

from __future__ import annotations

from dataclasses import dataclass, field

FLAG, ONE, JOINED, MAYBE, MANY = "", "=", "?", "~", "*"
"""What follows an option, as ``interlock.data.options`` writes it."""


@dataclass(frozen=True)
class Option:
    """``names``: all spellings; ``takes``: what follows; ``path``: whether that is a file or a
    folder.
    """

    names: tuple[str, ...]
    takes: str = FLAG
    path: bool = False


@dataclass
class Node:
    """A program or a subcommand: ``names`` of it, ``whole``: whether the source lists every
    option.
    """

    names: tuple[str, ...]
    options: list[Option] = field(default_factory=list)
    commands: list[Node] = field(default_factory=list)
    whole: bool = False
    sources: list[str] = field(default_factory=list)
