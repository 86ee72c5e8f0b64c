"""A table as it lies in ``src/interlock/data/options``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scripts.options.found import FLAG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scripts.options.found import Node, Option

WIDTH = 100


def text(node: Node, names: list[str], grammar: str, day: str, platform: str = "") -> str:
    """Return the text of a program's file."""
    sources = "; ".join(node.sources)
    lines = [f"# {sources}; {day}"[:WIDTH], f"program {' '.join(names)}", f"grammar {grammar}"]
    lines += [f"platform {platform}"] if platform else []
    return "\n".join([*lines, *_lines(node, [])]) + "\n"


def _lines(node: Node, path: list[str]) -> Iterator[str]:
    if node.whole:
        yield "whole"
    yield from dict.fromkeys(
        line for one in sorted(node.options, key=_order) for line in _option(one)
    )
    for below in sorted(node.commands, key=lambda one: one.names):
        yield " ".join(["command", *path, *below.names])
        yield from _lines(below, [*path, below.names[0]])


def _order(one: Option) -> tuple[str, ...]:
    return tuple(name.strip("-").lower() + name for name in one.names)


def _option(one: Option) -> Iterator[str]:
    mark = f" {one.takes}{'path' if one.path else 'value'}" if one.takes != FLAG else ""
    yield " ".join(one.names) + mark
