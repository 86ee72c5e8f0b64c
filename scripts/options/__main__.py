"""Write the tables of options: ``python -m scripts.options FIG-FOLDER [NAME ...]``; without names
all of ``programs.txt``.

What a program's own page or help lists is whole; what only npm's @withfig/autocomplete knows is
not. Names that one source gives a value and another one does not are written to
``disagreements.txt``, for a person to look at.
"""

from __future__ import annotations

import datetime as dt
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scripts.options import declared, sources
from scripts.options.fish import fish
from scripts.options.found import Node, Option
from scripts.options.merge import merged, together
from scripts.options.write import text

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "src/interlock/data/options"
SAME = {"ls": "dir vdir", "mke2fs": "mkfs.ext2 mkfs.ext3 mkfs.ext4", "tsc": "",
    "python3": "python", "fdfind": "fd", "batcat": "bat", "gunzip": "", "pip": "pip3",
    "gawk": "awk", "grep": "zgrep", "gradle": "gradlew", "mvn": "mvnw"}  # fmt: skip
"""Other names of the very same options."""

DECLARED = frozenset({"npm"})
"""Sources that say of every subcommand which options there are."""
GRAFTED = {"docker": {"compose": "docker-compose"}}
"""Subcommands that are programs of their own, as plugins."""


class Wanted(NamedTuple):
    """A program, how its options are written, and where they are read from."""

    name: str
    grammar: str
    sources: tuple[str, ...]
    platform: str = ""


def wanted() -> dict[str, Wanted]:
    """Return the programs that are asked for, by the name of their file."""
    found = {}
    for line in (HERE / "programs.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            grammar, asked, names = (part.strip() for part in line.split(";"))
            platform = next((word[1:] for word in asked.split() if word[:1] == "@"), "")
            for name in names.split():
                key = f"{name}.{platform}" if platform else name
                found[key] = Wanted(
                    name,
                    grammar,
                    tuple(word for word in asked.split() if word[:1] != "@"),
                    platform,
                )
    return found


def asked(one: Wanted, fig: str) -> tuple[Node, list[str]] | None:
    """Ask all sources of a program; None where none of them knows it."""
    ways: dict[str, Callable[[], Node | None]] = {
        "man": lambda: sources.manual(one.name), "help": lambda: sources.program_help([one.name]),
        "tree": lambda: sources.tree([one.name]),
        "git": sources.git, "npm": declared.npm, "go": declared.go,
        "fig": lambda: sources.fig(fig, one.name, screened="screened" in one.sources),
        "fish": lambda: fish(one.name, screened="screened" in one.sources),
    }  # fmt: skip
    found = {
        source: node
        for source in one.sources
        if source in ways and (node := ways[source]()) is not None
    }
    own, others = [node for source, node in found.items() if source != "fig"], found.get("fig")
    if not found:
        return None
    if others is not None:
        others.sources = ["npm @withfig/autocomplete 2.692.3 (MIT)"]
    if one.sources[0] == "fig" and others is not None and own:
        node, doubts = merged(others, together(own))
        node.whole = True
    else:
        node, doubts = merged(together(own), others) if own else merged(others or Node(()), None)
    if one.sources[0] in DECLARED:
        _all_whole(node)
    for name, other in GRAFTED.get(one.name, {}).items():
        below = asked(wanted()[other], fig)
        if below is not None:
            node.commands = [each for each in node.commands if name not in each.names] + [
                replace(below[0], names=(name,), sources=[])
            ]
    for path, line in corrections().get(one.name, []):
        correct(node, path, line)
    return node, doubts


def _all_whole(node: Node) -> None:
    node.whole = True
    for below in node.commands:
        _all_whole(below)


def corrections() -> dict[str, list[tuple[list[str], list[str]]]]:
    """Return for each program the commands and the lines that a person wrote."""
    found: dict[str, list[tuple[list[str], list[str]]]] = {}
    for line in (HERE / "corrections.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            place, _, words = line.partition(": ")
            name, *path = place.split()
            found.setdefault(name, []).append((path, words.split()))
    return found


def correct(node: Node, path: list[str], words: list[str]) -> None:
    """Put one line in the place of what stands there of the same names."""
    for word in path:
        found = next((below for below in node.commands if word in below.names), None)
        if found is None:  # a program of another package, such as ``cargo clippy``
            node.commands.append(found := Node((word,)))
        node = found
    mark = words.pop() if words[-1][:1] != "-" else ""
    gone = words.pop(0) if words[0] == "no" else ""
    fixed = [] if gone else [Option(tuple(words), mark[:1], mark.endswith("path"))]
    kept = [
        replace(one, names=tuple(name for name in one.names if name not in words))
        for one in node.options
    ]
    node.options = [*[one for one in kept if one.names], *fixed]


def main(fig: str, names: list[str]) -> int:
    """Write the tables."""
    TARGET.mkdir(exist_ok=True)
    programs, doubts, day = wanted(), [], dt.datetime.now(dt.UTC).date().isoformat()
    for key in names or list(programs):
        found = asked(programs[key], fig)
        if found is None:
            sys.stderr.write(f"{key}: no source knows it here; what lies there stays\n")
            continue
        node, more = found
        doubts += [f"{key} {doubt}" for doubt in more]
        one = programs[key]
        others = [one.name, *SAME.get(one.name, "").split()]
        (TARGET / f"{key}.txt").write_text(text(node, others, one.grammar, day, one.platform))
    if not names:
        (HERE / "disagreements.txt").write_text("\n".join(doubts) + "\n")
    index()
    return 0


def index() -> None:
    """Write which file holds a program that is named in another one's."""
    also = []
    for file in sorted(TARGET.glob("*.txt")):
        first = [line for line in file.read_text().splitlines() if line.startswith("program ")]
        also += [f"{name} {file.stem}" for line in first for name in line.split()[2:]]
    (TARGET / "also.txt").write_text("\n".join(also) + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
