"""What of a package's modules runs: the names that only annotations need are left out of its
bundle.

Annotations are never evaluated (PEP 563), so an import, an alias or a protocol that nothing else
names is there for type checkers alone. Left out are imports at the top of a module,
assignments of types, and classes of ``typing``'s own kinds; a name that another module takes, or
reaches through the module, stays. A class that says which protocol it fulfils stands on nothing
for that: what a protocol only declares is not there to be inherited (PEP 544).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

_KINDS = frozenset({"Protocol", "TypedDict"})
"""Bases of classes that say what a type offers and are never made."""
_VARIABLES = frozenset({"TypeVar", "ParamSpec"})
_TYPES = (
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.BinOp,
    ast.BitOr,
    ast.Tuple,
    ast.List,
    ast.Constant,
    ast.expr_context,
)
"""What the value of an alias is written with: evaluating it does nothing but make a type."""

Name = tuple[str, str]
"""A module, and a name at its top."""


def shake_trees(trees: Mapping[str, ast.Module]) -> None:
    """Take out of each module, by its dotted name, what only annotations need."""
    _stand_alone(trees)
    modules = {name: _Module(name, tree, trees) for name, tree in trees.items()}
    reached = {
        name
        for module in modules.values()
        for at in module.whole
        for name in _reachable_names(modules.get(at), module)
    }
    waiting = [name for module in modules.values() for name in module.needs] + list(reached)
    needed: set[Name] = set()
    while waiting:
        one = waiting.pop()
        module = modules.get(one[0])
        if one in needed or module is None:
            continue
        needed.add(one)
        waiting += [need for node in module.droppable.get(one[1], ()) for need in module.of(node)]
    kept: dict[str, set[str]] = {}
    for at, name in needed:
        kept.setdefault(at, set()).add(name)
    for module in modules.values():
        module.keep(kept.get(module.name, set()))


def _stand_alone(trees: Mapping[str, ast.Module]) -> None:
    """Take the protocols out of what classes inherit."""
    declared = {
        (name, node.name)
        for name, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and _is_protocol(node) and all(map(_declares, node.body))
    }
    for name, tree in trees.items():
        homes = {
            alias.asname or alias.name: (node.module or "", alias.name)
            for node in tree.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not _is_protocol(node):
                node.bases = [
                    base
                    for base in node.bases
                    if homes.get(_base_name(base), (name, _base_name(base))) not in declared
                ]


def _is_protocol(node: ast.ClassDef) -> bool:
    return any(_base_name(base) == "Protocol" for base in node.bases)


def _base_name(base: ast.expr) -> str:
    """Return the name of a base, without what stands in brackets behind it."""
    named = base.value if isinstance(base, ast.Subscript) else base
    return named.id if isinstance(named, ast.Name) else ""


def _declares(node: ast.stmt) -> bool:
    """Whether a statement in a class says what there is, and makes nothing."""
    if isinstance(node, ast.FunctionDef):
        return all(isinstance(one, ast.Expr) and _is_text(one.value) for one in node.body)
    if isinstance(node, ast.AnnAssign):
        return node.value is None
    return isinstance(node, ast.Expr) and _is_text(node.value)


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and (value.value is ... or isinstance(value.value, str))


def _reachable_names(module: _Module | None, by: _Module) -> Iterator[Name]:
    """Yield the names of a module that another may reach through it: ``module.name``."""
    if module is not None:
        yield from [(module.name, name) for name in module.droppable if name in by.attributes]


class _Module:
    """One module: what of it may go (``droppable``: nodes by the name they give), what its other
    code ``needs``, and the modules that it holds as a ``whole``.
    """

    def __init__(self, name: str, tree: ast.Module, trees: Mapping[str, ast.Module]) -> None:
        self.name = name
        self.tree = tree
        self.trees = trees
        self.droppable: dict[str, list[ast.stmt | ast.alias]] = {}
        self.homes: dict[ast.alias, str] = {}
        self.given: list[ast.alias] = []
        self.whole: set[str] = set()
        self.attributes: set[str] = set()
        plain = any(
            isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body
        )
        rest = [node for node in tree.body if not (plain and self._may_go(node))]
        # all are looked through, for what may go may reach through a module, too
        found = {
            node: list(self.of(node))
            for node in tree.body
            if node in rest or not isinstance(node, (ast.Import, ast.ImportFrom))
        }
        self.needs = [need for node in rest for need in found[node]]
        self.needs += [need for alias in self.given for need in self.of(alias)]

    def _may_go(self, node: ast.stmt) -> bool:
        """Note what of a statement may go; tell whether all of it may."""
        if isinstance(node, ast.ImportFrom) and node.module != "__future__" and not node.level:
            for alias in node.names:
                self.homes[alias] = node.module or ""
                if alias.asname == alias.name:  # handed on to others
                    self.given.append(alias)
                self.droppable.setdefault(alias.asname or alias.name, []).append(alias)
                if f"{node.module}.{alias.name}" in self.trees:
                    self.whole.add(f"{node.module}.{alias.name}")
            return True
        if isinstance(node, ast.Import):
            for alias in node.names:
                self.homes[alias] = alias.name
                self.droppable.setdefault(
                    (alias.asname or alias.name).partition(".")[0], []
                ).append(alias)
            return True
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and _is_type(node.value):
            target = node.targets[0]
            if isinstance(target, ast.Name) and (
                target.id != target.id.upper() or isinstance(node.value, ast.Call)
            ):
                self.droppable.setdefault(target.id, []).append(node)
                return True
        if isinstance(node, ast.ClassDef) and _KINDS & {_base_name(base) for base in node.bases}:
            self.droppable.setdefault(node.name, []).append(node)
            return True
        return False

    def of(self, node: ast.AST) -> Iterator[Name]:
        """Yield what a node needs when it runs."""
        if isinstance(node, ast.alias):
            yield self.homes[node], node.name
            return
        for inner in running(node):
            if isinstance(inner, ast.Name):
                yield self.name, inner.id
            elif isinstance(inner, ast.Attribute):
                self.attributes.add(inner.attr)
            elif isinstance(inner, ast.ImportFrom):
                yield from [(inner.module or "", alias.name) for alias in inner.names]
                self.whole |= {f"{inner.module}.{alias.name}" for alias in inner.names}
            elif isinstance(inner, ast.Import):
                self.whole |= {alias.name for alias in inner.names}

    def keep(self, names: set[str]) -> None:
        """Take out what may go and is not among the names."""
        body: list[ast.stmt] = []
        gone = {
            id(node)
            for name, nodes in self.droppable.items()
            if name not in names
            for node in nodes
        }
        for node in self.tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                node.names = [alias for alias in node.names if id(alias) not in gone]
                if not node.names:
                    continue
            if id(node) not in gone:
                body.append(node)
        self.tree.body = body


def put_off(tree: ast.Module, names: frozenset[str], late: type) -> None:
    """Have those of these modules that only functions of a module use be made as ``late``, a class
    that takes a module's name, in place of their import.
    """
    nodes = list(ast.walk(tree))
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    soon = {node.id for node in running(tree, functions=False) if isinstance(node, ast.Name)}
    changed = {
        getattr(node.value, "id", "")
        for node in nodes
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
    }
    body: list[ast.stmt] = []
    for node in tree.body:
        one = node.names[0] if isinstance(node, ast.Import) and len(node.names) == 1 else None
        own = (one.asname or one.name) if one is not None else ""
        if one is None or one.name not in names or own not in used - soon - changed:
            body.append(node)
        else:
            made = f"from {late.__module__} import {late.__name__}\n"
            body += ast.parse(f"{made}{own} = {late.__name__}({one.name!r})").body
    tree.body = body


def _is_type(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return getattr(value.func, "id", "") in _VARIABLES
    return not isinstance(value, ast.Constant) and all(
        isinstance(node, _TYPES) for node in ast.walk(value)
    )


def running(node: ast.AST, *, functions: bool = True) -> list[ast.AST]:
    """Return a node and all in it that runs: everything but annotations, and, where asked, but the
    bodies of functions. A name that a function imports by itself is none of the module's.
    """
    found: list[ast.AST] = []
    imported: list[tuple[int, int, str]] = []
    """Names that a function imports, and the lines of the function."""
    waiting: list[tuple[ast.AST, tuple[int, int]]] = [(node, (0, 0))]
    while waiting:
        one, within = waiting.pop()
        found.append(one)
        if isinstance(one, _FUNCTIONS):
            within = one.lineno, one.end_lineno or one.lineno
        elif isinstance(one, ast.ImportFrom) and within[0]:
            imported += [(*within, alias.asname or alias.name) for alias in one.names]
        for field in one._fields:
            if field in ("annotation", "returns") or (field == "body" and _is_left(one, functions)):
                continue
            value = getattr(one, field, None)
            if isinstance(value, list):
                waiting += [(child, within) for child in value if isinstance(child, ast.AST)]
            elif isinstance(value, ast.AST):
                waiting.append((value, within))
    if not imported:
        return found
    return [
        one
        for one in found
        if not isinstance(one, ast.Name)
        or not any(name == one.id and a <= one.lineno <= b for a, b, name in imported)
    ]


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _is_left(node: ast.AST, functions: bool) -> bool:
    """Whether the body of a node does not run."""
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return not functions and isinstance(node, (*_FUNCTIONS, ast.Lambda))
