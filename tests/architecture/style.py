"""Sizes, names and silence: the figures that the best codebases of this field keep."""

from __future__ import annotations

import ast
import re
from statistics import median
from typing import TYPE_CHECKING

from tests.architecture.imports import PURE, is_in
from tests.architecture.source import Function, imported_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.architecture.source import Module

MODULE_MAX, MODULE_MEDIAN, PARSER_MAX, INIT_MAX = 500, 150, 800, 60
FUNCTION_MAX, FUNCTION_P90, FUNCTION_MEDIAN, PARAMETERS_MAX = 60, 30, 10, 6
STILL_LONG: dict[str, int] = {}
"""What is longer than the law says, and how long it is: a row may only go or become smaller."""
SAYS_WHY = "more than 500 lines because"
"""What the docstring of a longer module of ``shell`` has to say."""
BANNED_WORDS = frozenset(
    ["manager", "managers", "handler", "handlers", "helper", "helpers", "util", "utils"]
)
PARTICIPLES = frozenset(
    "begun borne bound broken brought built caught chosen drawn driven forgotten found given gone"
    " grown heard held hidden kept known laid left lent lost made meant met paid rewritten said"
    " seen sent shaken shown spent spoken stood taken thrown told torn understood undone worn"
    " written".split()
)
STAYING = frozenset(["guarded", "Named", "_parted", "_sed", "_shred"])
"""What users import; two classes that are stored by name; programs of that name; a plain verb."""
IMPURE_CALLS = frozenset(
    ["open", "print", "input", "exec", "eval", "compile", "__import__", "breakpoint"]
)


def module_sizes(modules: Iterable[Module]) -> list[str]:
    """Complain about long modules and long ``__init__`` files."""
    complaints = []
    for module in modules:
        limit = STILL_LONG.get(module.name) or _limit(module)
        if module.lines > limit:
            complaints.append(f"{module.name} has {module.lines} lines; at most {limit}")
    return complaints


def still_long(modules: Iterable[Module]) -> dict[str, int]:
    """Return what is longer than the law says, and how long it is: modules, then functions."""
    modules = tuple(modules)
    long = {module.name: module.lines for module in modules if module.lines > _limit(module)}
    return long | {
        name: length
        for module in modules
        for name, node in module.functions
        if (length := _length(node)) > FUNCTION_MAX
    }


def _limit(module: Module) -> int:
    if module.is_package:
        return INIT_MAX
    docstring = " ".join((ast.get_docstring(module.tree) or "").split())
    return PARSER_MAX if module.room == "shell" and SAYS_WHY in docstring else MODULE_MAX


def module_median(modules: Iterable[Module]) -> list[str]:
    """Complain when modules have become long on the whole; files of under three lines are not
    counted.
    """
    counted = [module.lines for module in modules if module.lines >= 3]
    middle = median(counted) if counted else 0
    return (
        [f"the median module has {middle:.0f} lines; at most {MODULE_MEDIAN}"]
        if middle > MODULE_MEDIAN
        else []
    )


def function_sizes(modules: Iterable[Module]) -> list[str]:
    """Complain about long functions: the longest, the ninetieth percentile, the median."""
    lengths = sorted((_length(node), name) for module in modules for name, node in module.functions)
    complaints = [
        f"{name} has {length} lines; at most {FUNCTION_MAX}"
        for length, name in lengths
        if length > STILL_LONG.get(name, FUNCTION_MAX)
    ]
    if lengths:
        p90, middle = (
            lengths[-(-9 * len(lengths) // 10) - 1][0],
            median(length for length, _ in lengths),
        )
        if p90 > FUNCTION_P90:
            complaints.append(
                f"a tenth of the functions has {p90} lines or more; at most {FUNCTION_P90}"
            )
        if middle > FUNCTION_MEDIAN:
            complaints.append(
                f"the median function has {middle:.0f} lines; at most {FUNCTION_MEDIAN}"
            )
    return complaints


def parameters(modules: Iterable[Module]) -> list[str]:
    """Complain about functions of too many parameters. A constructor that only stores them is the
    field list of a record, and no function.
    """
    return [
        f"{name} takes {count} parameters; at most {PARAMETERS_MAX}"
        for module in modules
        for name, node in module.functions
        if (count := _count(node)) > PARAMETERS_MAX and not _only_stores(node)
    ]


def names(modules: Iterable[Module]) -> list[str]:
    """Complain about names that say nothing: of modules, classes, functions, parameters and
    variables.
    """
    return [
        f"{module.at(line)} is called {name}, and {word!r} says nothing"
        for module in modules
        for name, line in _defined(module)
        for word in _words(name)
        if word in BANNED_WORDS
    ]


def verbs(modules: Iterable[Module]) -> list[str]:
    """Complain about functions of modules that are called by a participle (``told``, ``kept``,
    ``joined``): it does not say whether a call returns, changes or prints something.
    """
    return [
        f"{module.at(node.lineno)} is called {node.name}: say by a verb what the call does"
        for module in modules
        for node in module.tree.body
        if isinstance(node, Function)
        and node.name not in STAYING
        and _is_participle(*node.name.strip("_").split("_"))
    ]


def _is_participle(word: str, *rest: str) -> bool:
    # ``lost_privileges`` names what it returns
    alone = not rest or rest[0] in ("again", "all", "at", "by", "from", "in", "of", "there")
    return alone and (word in PARTICIPLES or (word.endswith("ed") and not word.endswith("eed")))


def class_names(modules: Iterable[Module]) -> list[str]:
    """Complain about a public class name that stands twice: a reader who looks for one finds the
    other.
    """
    first: dict[str, str] = {}
    return [
        f"{module.at(node.lineno)} is called {node.name}, as is {other}"
        for module in modules
        for node in module.tree.body
        if isinstance(node, ast.ClassDef) and node.name[0] != "_" and node.name not in STAYING
        if (other := first.setdefault(node.name, module.at(node.lineno))) != module.at(node.lineno)
    ]


def silence(modules: Iterable[Module]) -> list[str]:
    """Complain about failures that vanish: a bare ``except``, or one for everything in which
    nothing is done.
    """
    complaints = []
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ExceptHandler) and (
                node.type is None or (_is_broad(node.type) and all(map(_does_nothing, node.body)))
            ):
                complaints.append(f"{module.at(node.lineno)} swallows every failure")
            elif (
                isinstance(node, ast.Call)
                and _called(node.func) == "suppress"
                and any(map(_is_broad, node.args))
            ):
                complaints.append(f"{module.at(node.lineno)} suppresses every failure")
    return complaints


def purity_of_calls(modules: Iterable[Module]) -> list[str]:
    """Complain about pure rooms that use a built-in way to the world. ``__import__`` of a module
    that is written out counts as an import.
    """
    return [
        f"{module.at(node.lineno)} uses {node.id}, and {module.room} is pure"
        for module in modules
        if is_in(module, PURE)
        for node in _impure_names(module.tree)
    ]


def _impure_names(tree: ast.Module) -> Iterator[ast.Name]:
    written_out = {
        node.func
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and (imported_by(node) or _only_parses(node))
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and node.id in IMPURE_CALLS
            and node not in written_out
        ):
            yield node


def _only_parses(node: ast.Call) -> bool:
    """Whether it is ``compile(text, name, mode, _ast.PyCF_ONLY_AST, ..)``: a tree is made, and no
    code.
    """
    flags = (
        node.args[3]
        if isinstance(node.func, ast.Name) and node.func.id == "compile" and len(node.args) == 4
        else None
    )
    return (
        isinstance(flags, ast.Attribute)
        and flags.attr == "PyCF_ONLY_AST"
        and isinstance(flags.value, ast.Name)
        and flags.value.id in {"ast", "_ast"}
    )


def _length(node: Function) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _count(node: Function) -> int:
    given = node.args
    named = [argument.arg for argument in (*given.posonlyargs, *given.args)]
    if named and named[0] in {"self", "cls", "mcs"}:
        named.pop(0)
    return (
        len(named) + len(given.kwonlyargs) + (given.vararg is not None) + (given.kwarg is not None)
    )


def _only_stores(node: Function) -> bool:
    def stores(statement: ast.stmt) -> bool:
        if isinstance(statement, ast.Expr):
            return isinstance(statement.value, ast.Constant)
        targets = (
            statement.targets
            if isinstance(statement, ast.Assign)
            else [statement.target]
            if isinstance(statement, ast.AnnAssign)
            else []
        )
        return bool(targets) and all(
            isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
            for target in targets
        )

    return node.name == "__init__" and all(stores(statement) for statement in node.body)


def _defined(module: Module) -> Iterator[tuple[str, int]]:
    yield module.name.rpartition(".")[2], 1
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef | Function):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno


def _words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def _is_broad(kind: ast.expr) -> bool:
    if isinstance(kind, ast.Tuple):
        return any(map(_is_broad, kind.elts))
    return isinstance(kind, ast.Name) and kind.id in {"Exception", "BaseException"}


def _does_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass | ast.Continue) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _called(func: ast.expr) -> str:
    return (
        func.attr
        if isinstance(func, ast.Attribute)
        else func.id
        if isinstance(func, ast.Name)
        else ""
    )
