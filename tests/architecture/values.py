"""What a reading keeps to itself: whoever reads returns a value, and leaves nothing for somebody
else to find.

Three things are counted, in the rooms that read (``effects`` and ``shell``): lists of effects that
are looked back into, lists of effects that are rewritten, and attributes of somebody else's object
that are set. A fourth is how much the largest class keeps that changes.
"""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.architecture.source import Function, Module

ROOMS = frozenset({"effects", "shell"})
GATHERED = frozenset({"effects", "reads", "revealed"})
"""Attributes of whatever gathers that list what was gathered."""
GATHERERS = frozenset({"context", "past"})
OTHERS = frozenset(
    "call context execution flow git parsed past program reader run secrets session walker written".split()
)
"""How objects are called that more than one reads: those on which a flag would be set for somebody
else.
"""
CONTAINERS = frozenset({"list", "dict", "set", "defaultdict", "Counter", "deque"})


def looked_back(modules: Iterable[Module]) -> list[str]:
    """Return every place that looks at what is being gathered: ``context.effects``, its own
    ``self.effects``, ``len`` of it.
    """
    return [
        f"{module.at(node.lineno)} looks back at what was gathered"
        for module in _reading(modules)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and _is_gathered(node, module)
    ]


def rewritten(modules: Iterable[Module]) -> list[str]:
    """Return every place that changes or takes away what was gathered: ``context.effects[at] =
    ..``, ``del context.effects[at:]``.
    """
    return [
        f"{module.at(node.lineno)} rewrites what was gathered"
        for module in _reading(modules)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Subscript)
        and not isinstance(node.ctx, ast.Load)
        and _listing(node.value)
    ]


def _is_gathered(node: ast.Attribute, module: Module) -> bool:
    if node.attr not in GATHERED or not isinstance(node.ctx, ast.Load):
        return False
    own = (
        isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and module.name.rpartition(".")[2] in GATHERERS
    )
    return own or _named(node.value) in GATHERERS


def _listing(node: ast.AST) -> bool:
    """Whether an expression is a list of effects: ``context.effects``, ``self.effects``, a variable
    of that name.
    """
    return _named(node) == "effects"


def _named(node: ast.AST) -> str:
    return (
        node.attr
        if isinstance(node, ast.Attribute)
        else node.id
        if isinstance(node, ast.Name)
        else ""
    )


def flagged(modules: Iterable[Module]) -> list[str]:
    """Return every place that sets an attribute of an object that it neither is nor has made."""
    found = []
    for module in _reading(modules):
        for name, function in module.functions:
            own = {"self", *_made(function)}
            found += [
                f"{module.at(node.lineno)} {name} sets {ast.unparse(node)}"
                for node in _set(function)
                if _named(node.value) in OTHERS and _base(node) not in own
            ]
    return found


def restored(modules: Iterable[Module]) -> list[str]:
    """Return every place that keeps an attribute to put it back later: ``held, self.cwd = self.cwd,
    folder``.
    """
    found = []
    for module in _reading(modules):
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
                kept = {ast.unparse(one) for one in node.value.elts}
                targets = [
                    one
                    for target in node.targets
                    if isinstance(target, ast.Tuple)
                    for one in target.elts
                ]
                if any(
                    isinstance(one, ast.Attribute) and ast.unparse(one) in kept for one in targets
                ):
                    found.append(f"{module.at(node.lineno)} keeps an attribute to put it back")
    return found


def _set(function: Function) -> Iterator[ast.Attribute]:
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield node


def _base(node: ast.Attribute) -> str:
    return node.value.id if isinstance(node.value, ast.Name) else ""


def _made(function: Function) -> Iterator[str]:
    """Yield the names of what a function has made itself: assigned from a call."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for value, name in [pair for to in node.targets for pair in _pairs(node.value, to)]:
                if isinstance(name, ast.Name) and isinstance(value, ast.Call):
                    yield name.id


def _pairs(value: ast.expr, target: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(value.elts, target.elts, strict=False))
    return [(value, target)]


def mutable(modules: Iterable[Module]) -> dict[str, list[str]]:
    """Return, for each class that reads, the attributes that change: set again after it was made,
    or a list, dictionary or set.

    What a class inherits counts as its own.
    """
    classes = {
        node.name: node
        for module in _reading(modules)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    }
    again = Counter(
        node.attr
        for module in _reading(modules)
        for _, function in module.functions
        for node in _set(function)
        if _base(node) != "self"
    )
    owners = Counter(attribute for node in classes.values() for attribute in _attributes(node))
    own = {
        name: {
            attribute
            for attribute, values in _attributes(node).items()
            if len(values) > 1
            or any(map(_changes, values))
            or (again[attribute] and owners[attribute] == 1)
        }
        for name, node in classes.items()
    }
    return {name: sorted(_inherited(name, classes, own)) for name in classes}


def _inherited(name: str, classes: dict[str, ast.ClassDef], own: dict[str, set[str]]) -> set[str]:
    above = [
        base.id
        for base in classes[name].bases
        if isinstance(base, ast.Name) and base.id in classes and base.id != name
    ]
    return own[name].union(*[_inherited(base, classes, own) for base in above])


def _attributes(node: ast.ClassDef) -> dict[str, list[ast.expr | None]]:
    """Return what the methods of a class set of ``self``, with the values; None where it is no
    plain assignment.
    """
    found: dict[str, list[ast.expr | None]] = {}
    for function in node.body:
        if isinstance(function, ast.FunctionDef):
            for statement in ast.walk(function):
                for target, value in _assigned(statement):
                    if isinstance(target, ast.Attribute) and _base(target) == "self":
                        found.setdefault(target.attr, []).append(value)
    return found


def _assigned(statement: ast.AST) -> list[tuple[ast.expr, ast.expr | None]]:
    if isinstance(statement, ast.AnnAssign):
        return [(statement.target, statement.value)]
    if isinstance(statement, ast.AugAssign):
        return [(statement.target, None), (statement.target, None)]
    if isinstance(statement, ast.Assign):
        return [
            (to, value)
            for target in statement.targets
            for value, to in _pairs(statement.value, target)
        ] + [
            (one, None)
            for target in statement.targets
            if isinstance(target, ast.Tuple) and not isinstance(statement.value, ast.Tuple)
            for one in target.elts
        ]
    return []


def _changes(value: ast.expr | None) -> bool:
    return isinstance(
        value, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
    ) or (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id in CONTAINERS
    )


def _reading(modules: Iterable[Module]) -> Iterator[Module]:
    return (module for module in modules if module.room in ROOMS)
