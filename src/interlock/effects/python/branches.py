"""What the branches of a Python program may change, and what holds behind them."""

from __future__ import annotations

import _ast
from collections.abc import Sequence

from interlock.effects.python.values import (
    Function,
    PyValue,
    Scope,
    either,
    same,
)
from interlock.shell.value import BRANCH

MAX_DEPTH = 12


_CHANGES = (
    _ast.Assign,
    _ast.AugAssign,
    _ast.AnnAssign,
    _ast.NamedExpr,
    _ast.Delete,
    _ast.Attribute,
    _ast.Yield,
    _ast.YieldFrom,
    _ast.Await,
)


def changes_nothing(body: Sequence[_ast.AST], scope: Scope, met: set[int]) -> bool:
    """Whether statements only compute and compare: no name is given a value, no method is called,
    and so in every function they call.
    """
    left: list[object] = list(body)
    while left:
        node = left.pop()
        if isinstance(node, _CHANGES) or len(met) > MAX_DEPTH:
            return False
        if isinstance(node, _ast.Call):
            found = scope.find(node.func.id) if isinstance(node.func, _ast.Name) else None
            function = found.value if found is not None else None
            if isinstance(function, Function):
                inner = function.node.body  # type: ignore[attr-defined]
                known_already = id(function) in met
                met.add(id(function))
                if not known_already and not changes_nothing(
                    inner if isinstance(inner, list) else [inner], function.scope, met
                ):
                    return False
            elif (
                found is not None
                or not isinstance(node.func, _ast.Name)
                or node.func.id in ("exec", "eval", "compile", "getattr", "setattr", "__import__")
            ):
                return False
        for field in getattr(node, "_fields", ()):
            value = getattr(node, field)
            left.extend(
                value if isinstance(value, list) else [value] if isinstance(value, _ast.AST) else []
            )
    return True


def merge(one: dict[str, PyValue], other: dict[str, PyValue]) -> dict[str, PyValue]:
    """Return what two branches leave: equal values stay, different ones are unknown."""
    if one is other:
        return one
    out = {**other, **one}
    for name, value in other.items():
        left = one.get(name)
        if left is not None and not same(left, value):
            out[name] = either([left, value], left.why or value.why or BRANCH)
    return out


def find_assigned(node: _ast.AST) -> set[str]:
    """Return the names that the statements of a loop change."""
    names = [one for one in find_nodes(node, (_ast.Name,)) if isinstance(one, _ast.Name)]
    return {one.id for one in names if isinstance(one.ctx, _ast.Store)}


def find_nodes(node: _ast.AST, kinds: tuple[type[_ast.AST], ...]) -> list[_ast.AST]:
    """Return the nodes of these kinds within one, itself among them."""
    found: list[_ast.AST] = []
    left: list[object] = [node]
    while left:
        current = left.pop()
        if isinstance(current, kinds):
            found.append(current)
        for field in getattr(current, "_fields", ()):
            value = getattr(current, field)
            left.extend(
                value if isinstance(value, list) else [value] if isinstance(value, _ast.AST) else []
            )
    return found
