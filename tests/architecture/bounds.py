"""What a reader of a call leaves out because of a bound is said: by ``context.limit``, or where the
length is compared with the bound, and never by a bare slice.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tests.architecture.imports import is_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.architecture.source import Module

READERS = ("effects", "shell")
NOTHING_IS_LOST = {
    "background.names": "fewer processes are known as one's own",
    "filenames.wherever": "one file of the guard is as good as many",
    "guard_files._files": "the folder itself is among them",
    "outgoing_words._values": "five hundred values of a project's secrets are looked for",
    "path_words._add_held": "one file of the guard is as good as many",
    "places.natures": "the kernel opens no longer path",
    "places.classify": "the kernel opens no longer path",
    "containers._reaching": "with more nothing inside is its own",
    "redirects._is_shell": "programs that start a program",
    "secret_reads._add": "three secrets of a folder are told by name",
    "secret_reads._homes": "homes of other people, told by one",
    "secret_reads._match_secrets": "secrets behind a pattern, told by one",
    "settingstext.names_command": "the first parts of a key",
    "shebang.parse_first_line": "the kernel reads no more",
    "tool_names._push": "the name of a server stands first",
    "tool_names._change_after_server": "the name of a server stands first",
    "unknown_programs.say": "a verb stands first",
    "verbs.parse_order": "a verb stands first",
    "builtins._push": "a folder below is not known then",
    "control.one_of": "programs that which looks for",
    "parameters._perhaps": "the rest is a hole",
}
"""Functions that cut and say nothing, and why."""


def cuts(modules: Iterable[Module]) -> list[str]:
    """Complain about a function that takes the first of many and passes over the rest."""
    return [
        f"{function} cuts off by {bound} and says nothing; context.limit says it"
        for module in modules
        if is_in(module, READERS)
        for function, node in module.functions
        for bound in sorted(_find_slices(node) - _find_compared(node))
        if f"{module.name.rpartition('.')[2]}.{node.name}" not in NOTHING_IS_LOST
    ]


def _find_slices(node: ast.AST) -> set[str]:
    """Return the bounds that slices of a function end at."""
    return {
        one.upper.id
        for one in ast.walk(node)
        if isinstance(one, ast.Slice)
        and isinstance(one.upper, ast.Name)
        and one.upper.id.lstrip("_").startswith(("MAX", "MOST"))
    }


def _find_compared(node: ast.AST) -> set[str]:
    return {
        name.id
        for one in ast.walk(node)
        if isinstance(one, ast.Compare)
        for name in _list_names(one)
    }


def _list_names(node: ast.AST) -> Iterator[ast.Name]:
    return (one for one in ast.walk(node) if isinstance(one, ast.Name))
