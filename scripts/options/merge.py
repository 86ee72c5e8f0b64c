"""One table out of several sources: the program's own word first, what only the others know behind
it.
"""

from __future__ import annotations

from collections import Counter

from scripts.options.found import FLAG, Node, Option


def merged(own: Node, other: Node | None) -> tuple[Node, list[str]]:
    """Return a node with the options of both, and what they disagree about. What ``own`` knows of
    an option counts.
    """
    options, doubts = _options(own.options, other.options if other is not None else [])
    node = Node(
        own.names,
        options,
        whole=own.whole,
        sources=[*own.sources, *(other.sources if other is not None else [])],
    )
    theirs = {
        name: below
        for below in (other.commands if other is not None else [])
        for name in below.names
    }
    met: set[int] = set()
    for below in own.commands:
        same = next((theirs[name] for name in below.names if name in theirs), None)
        met.update(id(theirs[name]) for name in below.names if name in theirs)
        made, more = merged(below, same)
        made.names = tuple(dict.fromkeys((*below.names, *(same.names if same is not None else ()))))
        node.commands.append(made)
        doubts += [f"{below.names[0]} {doubt}" for doubt in more]
    node.commands += [
        _plain(below)
        for below in (other.commands if other is not None else [])
        if id(below) not in met and below.names
    ]
    return node, doubts


def together(nodes: list[Node]) -> Node:
    """Return one node of several sources of the same worth."""
    return Node(
        nodes[0].names, [one for node in nodes for one in node.options],
        [below for node in nodes for below in node.commands],
        any(node.whole for node in nodes), [source for node in nodes for source in node.sources],
    )  # fmt: skip


def _plain(node: Node) -> Node:
    """Return a node that only one source knows, its options once each."""
    return Node(
        node.names,
        _options(node.options, [])[0],
        [_plain(below) for below in node.commands if below.names],
    )


def _options(own: list[Option], other: list[Option]) -> tuple[list[Option], list[str]]:
    """Return each option once, and the names that are said to take a value and not to."""
    takes = {**_said(other), **_said(own)}
    paths = {name for one in (*own, *other) if one.path for name in one.names}
    made: dict[str, Option] = {}
    for one in (*own, *other):
        fresh = tuple(name for name in dict.fromkeys(one.names) if name not in made)
        for mark in dict.fromkeys(takes[name] for name in fresh):
            names = tuple(name for name in fresh if takes[name] == mark)
            known = next(
                (made[name] for name in one.names if name in made and made[name].takes == mark),
                None,
            )
            option = Option(
                (*(known.names if known is not None else ()), *names),
                mark,
                mark != FLAG and not paths.isdisjoint(names),
            )
            made.update(dict.fromkeys(option.names, option))
    return list(dict.fromkeys(made.values())), _doubts((*own, *other), takes)


def _said(options: list[Option]) -> dict[str, str]:
    """Return how each name takes a value: as most say; where as many say that it takes none, as it
    does.
    """
    votes: dict[str, Counter[str]] = {}
    for one in options:
        for name in one.names:
            votes.setdefault(name, Counter())[one.takes] += 1
    return {
        name: max(said, key=lambda mark: (said[mark], mark != FLAG)) for name, said in votes.items()
    }


def _doubts(options: tuple[Option, ...], takes: dict[str, str]) -> list[str]:
    others: dict[str, set[str]] = {}
    for one in options:
        for name in one.names:
            others.setdefault(name, set()).add(one.takes)
    doubted = {name: said for name, said in others.items() if FLAG in said and len(said) > 1}
    return [
        f"{name}: {takes[name] or 'none'!r}, not {sorted(said - {takes[name]})}"
        for name, said in doubted.items()
    ]
