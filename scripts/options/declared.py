"""Programs that say in a way of their own which options they have: npm by its configuration, Go by
``go help``.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from scripts.options.found import FLAG, ONE, Node, Option
from scripts.options.sources import run
from scripts.options.texts import commands

NPM = Path(__file__).with_name("npm.mjs")
_USAGE = re.compile(r"\[(-\w+)(?: ([^]|-][^]]*))?\]")
_LINE = re.compile(r"^\t(-\w+)(?:[ =](\S.*))?$", re.MULTILINE)
_PATHS = frozenset(
    "-C -o -overlay -pgo -pkgdir -modfile -outputdir -coverprofile -cpuprofile".split()
)
_PATHS |= frozenset("-memprofile -mutexprofile -blockprofile -trace".split())


def npm() -> Node | None:
    """Return the options that npm's configuration declares: it takes each of them anywhere."""
    program = shutil.which("npm")
    if program is None:
        return None
    folder = Path(program).resolve().parent.parent
    said = json.loads(run(["node", str(NPM), str(folder)]))
    found = [Option(tuple(one["names"]), one["takes"], one["path"]) for one in said["options"]]
    below = [Node(tuple(names), whole=True) for names in said["commands"]]
    return Node(("npm",), found, below, whole=True, sources=[f"npm {said['version']}, its config"])


def go() -> Node | None:
    """Return what ``go help`` lists, command by command."""
    if shutil.which("go") is None:
        return None
    shared = _listed(run(["go", "help", "build"]).partition("The build flags are shared")[2])
    node = _go(["go"], shared)
    node.sources = [f"go help, {run(['go', 'version']).split()[2].removeprefix('go')}"]
    return node


def _go(words: list[str], shared: list[Option]) -> Node:
    text = run(["go", "help", *words[1:]])
    usage = text.partition("\n\n")[0]
    found = [
        Option((name,), ONE if value else FLAG, name in _PATHS)
        for name, value in _USAGE.findall(usage)
    ]
    found += _listed(text) if words[1:] != ["build"] else []
    found += shared if "[build flags]" in text or "build flags" in usage else []
    found += _listed(run(["go", "help", "testflag"])) if words[1:] == ["test"] else []
    once = {one.names: one for one in reversed(found)}
    node = Node((words[-1],), list(once.values())[::-1], whole=True)
    if len(words) == 1 or "The commands are:" in text:
        node.commands = [_go([*words, names[0]], shared) for names in commands(text)]
    return node


def _listed(text: str) -> list[Option]:
    return [
        Option((name,), ONE if value else FLAG, name in _PATHS)
        for name, value in _LINE.findall(text)
    ]
