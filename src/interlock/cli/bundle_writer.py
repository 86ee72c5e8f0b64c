"""Write the bundle that the hook's process takes its modules from (``interlock.cli.bundle``)."""

from __future__ import annotations

import ast
import gc
import marshal
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from types import CodeType

from interlock.cli.bundle import FORM, HEAD, Outside, Source, path_of, read_sources
from interlock.cli.tree_shaking import put_off, running, shake_trees

ALWAYS = tuple(
    "cli.hook integrations.claude_code cli.build guard.missing_stage guard.stages"
    " guard.record_stage ledger.history store.sqlite data.projects effects.registry"
    " effects.source_words effects.host_words effects.hosts effects.project_tools"
    " effects.outgoing_secrets effects.programs.lists effects.programs.text data.programs"
    " resident.relay resident.start".split()
)
"""What every call needs, with all that these import."""
_UNSHAKEN = ("agent", "integrations/frameworks")
"""Rooms whose annotations others evaluate: frameworks make schemas of them."""
_OTHERS = sys.stdlib_module_names.difference(sys.builtin_module_names, ("os",))
"""Modules of Python's own that are not there from the start."""


def write(package: str) -> str:
    """Compile every module of the package folder into its bundle, where one that is as new as they
    are is not there yet; return the bundle's path. Raises ``OSError``.
    """
    sources = {_module_name(package, file): file for file in _files(package)}
    if read_sources(package) == {name: _source(file) for name, file in sources.items()}:
        return path_of(package)
    collecting = gc.isenabled()
    gc.disable()  # a million nodes, all needed to the end: to look for waste is half the time
    try:
        whole = _build_bundle(package, sources)
    finally:
        if collecting:
            gc.enable()
    return _replace_file(path_of(package), whole)


def _build_bundle(package: str, sources: Mapping[str, str]) -> bytes:
    """Return the content of the bundle of modules, given by their names and files."""
    parsed = {name: _parse_file(file) for name, file in sources.items()}
    trees = {name: tree for name, (_, tree) in parsed.items()}
    plain = {
        name: tree
        for name, tree in trees.items()
        if not sources[name].startswith(tuple(f"{package}/{room}" for room in _UNSHAKEN))
    }
    shake_trees(plain)
    for tree in plain.values():
        put_off(tree, _OTHERS, Outside)
    compiled = {
        name: (_inside(package, source), _compile_module(source, tree, told=".cli." in name))
        for name, (source, tree) in parsed.items()
    }
    wanted = [f"{package.rpartition('/')[2]}.{name}" for name in ALWAYS]
    first = _order(wanted, trees)
    late = {name: tuple(set(_late(trees[name], trees)).difference(first)) for name in first}
    at_once = marshal.dumps(tuple((name, *compiled.pop(name), late[name]) for name in first))
    codes, table, start = [], {}, 0
    for name, (source, code) in compiled.items():
        codes.append(marshal.dumps(code))
        table[name] = (source, start, len(codes[-1]))
        start += len(codes[-1])
    rows = marshal.dumps(table)
    head = b" ".join([FORM, b"%d" % len(at_once), b"%d" % len(rows)]).ljust(HEAD)
    return b"".join([head, at_once, rows, *codes])


def _replace_file(target: str, data: bytes) -> str:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    fresh = f"{target}.{os.getpid()}"
    try:
        with open(fresh, "wb") as out:
            out.write(data)
        os.replace(fresh, target)
    except BaseException:
        if os.path.exists(fresh):
            os.unlink(fresh)
        raise
    return target


def _files(package: str) -> Iterator[str]:
    for folder, folders, names in os.walk(package):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        yield from [f"{folder}/{name}" for name in sorted(names) if name.endswith(".py")]


def _module_name(package: str, file: str) -> str:
    parts = file[len(package) + 1 : -len(".py")].split("/")
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join([package.rpartition("/")[2], *parts])


def _order(wanted: list[str], trees: Mapping[str, ast.Module]) -> list[str]:
    """Return these modules and all that they import when they are run, each after what it imports,
    packages before what they hold.
    """
    needed = _sort_modules(wanted, lambda name: _at_once(trees[name], trees), trees)
    every = set(needed)

    def before(name: str) -> Iterator[str]:
        yield from _at_once(trees[name], trees)
        for other in _late(trees[name], trees):
            yield other if other in every else other.rpartition(".")[0]

    return _sort_modules(needed, before, trees)


def _sort_modules(
    wanted: list[str], before: Callable[[str], Iterator[str]], trees: Mapping[str, ast.Module]
) -> list[str]:
    """Return modules and all that is to be there before them, in that order."""
    ordered: list[str] = []
    begun: set[str] = set()

    def add(name: str) -> None:
        if name in begun or name not in trees:
            return
        begun.add(name)
        add(name.rpartition(".")[0])
        for other in before(name):
            add(other)
        ordered.append(name)

    for name in wanted:
        add(name)
    return ordered


def _at_once(tree: ast.Module, trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yield the modules that a module needs while it is run: those it takes names from, and those
    it names outside its functions.
    """
    late = set(_late(tree, trees))
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from [
                node.module,
                *[name for name in inner if name in trees and name not in late],
            ]


def _late(tree: ast.Module, trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yield the modules that only a module's functions need: ``from package import module``."""
    soon = {node.id for node in running(tree, functions=False) if isinstance(node, ast.Name)}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from [
                f"{node.module}.{alias.name}"
                for alias in node.names
                if f"{node.module}.{alias.name}" in trees
                and (alias.asname or alias.name) not in soon
            ]


def _source(file: str, opened: int | None = None) -> Source:
    found = os.stat(file if opened is None else opened)
    return file, file.endswith("/__init__.py"), found.st_mtime_ns, found.st_size


def _inside(package: str, source: Source) -> Source:
    """Return a source with its file named from the package, wherever that will lie."""
    return source[0][len(package) + 1 :], *source[1:]


def _parse_file(file: str) -> tuple[Source, ast.Module]:
    with open(file, "rb") as source:
        return _source(file, source.fileno()), ast.parse(source.read(), file)


def _compile_module(source: Source, tree: ast.Module, *, told: bool) -> CodeType:
    """Return a module's code. Docstrings are left out but of commands, as help (``told``)."""
    return compile(tree, source[0], "exec", dont_inherit=True, optimize=0 if told else 2)
