"""A folder of Python source as data: modules, what they import, the functions in them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Import:
    """One imported name: ``module`` as written (made absolute), ``name`` with ``from``, and whether
    only annotations name it, which are never evaluated.
    """

    module: str
    name: str
    line: int
    types_only: bool
    whole: bool = False
    """Whether any module of the package ``module`` may be meant."""


@dataclass(frozen=True)
class Module:
    """One file. ``name`` is dotted, without a trailing ``__init__``; ``room`` is its first part
    below the package, or ``""``.
    """

    name: str
    path: Path
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree."""
        return ast.parse(self.text, str(self.path))

    @property
    def room(self) -> str:
        """The room of the house."""
        return room_of(self.name)

    @property
    def is_package(self) -> bool:
        """Whether this is an ``__init__.py``."""
        return self.path.name == "__init__.py"

    @property
    def lines(self) -> int:
        """How many lines the file has."""
        return len(self.text.splitlines())

    def at(self, line: int) -> str:
        """Return where a line is, for a complaint."""
        return f"{self.name}:{line}"

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """Every import, wherever it stands, those by ``__import__`` and ``import_module`` too."""
        calls = (node for node in ast.walk(self.tree) if isinstance(node, ast.Call))
        dynamic = (
            Import(name, "", call.lineno, types_only=False, whole=not _written_out(call))
            for call in calls
            if (name := imported_by(call))
        )
        return (*self._imports(self.tree.body, types_only=False), *dynamic)

    @cached_property
    def _annotated(self) -> frozenset[str]:
        """Names that only annotations use."""
        return _find_annotated(self.tree)

    def _imports(self, body: list[ast.stmt], *, types_only: bool) -> Iterator[Import]:
        for statement in body:
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                base = self._absolute(statement) if isinstance(statement, ast.ImportFrom) else ""
                for alias in statement.names:
                    named = (base, alias.name) if base else (alias.name, "")
                    given = (alias.asname or alias.name).partition(".")[0]
                    yield Import(*named, statement.lineno, types_only or given in self._annotated)
            elif isinstance(statement, ast.If) and _asks_for_types(statement.test):
                yield from self._imports(statement.body, types_only=True)
                yield from self._imports(statement.orelse, types_only=types_only)
            else:
                for child in _bodies(statement):
                    yield from self._imports(child, types_only=types_only)

    def _absolute(self, statement: ast.ImportFrom) -> str:
        if not statement.level:
            return statement.module or ""
        parts = self.name.split(".")
        kept = parts[: len(parts) - statement.level + self.is_package]
        return ".".join([*kept, *([statement.module] if statement.module else [])])

    @cached_property
    def functions(self) -> tuple[tuple[str, Function], ...]:
        """Every function with its qualified name, nested ones too."""
        return tuple(_functions(self.tree, self.name))


def load(folder: Path) -> tuple[Module, ...]:
    """Read every ``.py`` file below a package's folder."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        parts = [folder.name, *path.relative_to(folder).with_suffix("").parts]
        if parts[-1] == "__init__":
            parts.pop()
        found.append(Module(".".join(parts), path, path.read_text(encoding="utf-8")))
    return tuple(found)


def room_of(name: str) -> str:
    """Return the room of a dotted module name: ``model`` for ``interlock.model.rule``, ``""`` for
    the package itself.
    """
    return name.partition(".")[2].partition(".")[0]


def imported_by(call: ast.Call) -> str:
    """Return the module that a call of ``__import__`` or ``import_module`` names, as far as it is
    written out, or ``""``.
    """
    called = (
        call.func.attr
        if isinstance(call.func, ast.Attribute)
        else call.func.id
        if isinstance(call.func, ast.Name)
        else ""
    )
    if called not in {"__import__", "import_module"} or not call.args:
        return ""
    match call.args[0]:
        case ast.Constant(value=str(name)) if name:
            return name
        case ast.JoinedStr(values=[ast.Constant(value=str(start)), *_]) if "." in start:
            return start.rpartition(".")[0]
    return ""


def _written_out(call: ast.Call) -> bool:
    return isinstance(call.args[0], ast.Constant)


def inner_targets(module: Module, names: frozenset[str]) -> Iterator[tuple[str, Import]]:
    """Yield each of the package's own modules that a module imports, submodules named by ``from``
    resolved.
    """
    package = module.name.partition(".")[0]
    for item in module.imports:
        if item.module.partition(".")[0] != package:
            continue
        full = f"{item.module}.{item.name}"
        yield (full if item.name and full in names else item.module), item


def _find_annotated(tree: ast.AST) -> frozenset[str]:
    """Return the names that stand in annotations and nowhere else."""
    annotating: set[str] = set()
    running: set[str] = set()
    waiting = [(tree, running)]
    while waiting:
        node, found = waiting.pop()
        if isinstance(node, ast.Name):
            found.add(node.id)
        for field, value in ast.iter_fields(node):
            inner = annotating if field in ("annotation", "returns") else found
            children = value if isinstance(value, list) else [value]
            waiting += [(child, inner) for child in children if isinstance(child, ast.AST)]
    return frozenset(annotating - running)


def _asks_for_types(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def _bodies(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        yield getattr(statement, field, [])
    for handled in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield handled.body


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            name = f"{prefix}.{child.name}"
            yield name, child
            yield from _functions(child, name)
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}.{child.name}")
        else:
            yield from _functions(child, prefix)
