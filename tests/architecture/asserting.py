"""Tests that say what they hold: the assertion stands in the test itself, where a reader looks for
it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

ASSERTING = frozenset(["pytest.raises", "pytest.warns"])


def blind(folder: Path) -> list[str]:
    """Complain about tests below a folder that assert nothing themselves, by ``assert`` or by what
    an exception has to be.
    """
    return [
        f"{path.relative_to(folder)}:{node.lineno} {node.name} asserts nothing itself"
        for path in sorted(folder.rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not any(map(_asserts, ast.walk(node)))
    ]


def _asserts(node: ast.AST) -> bool:
    return isinstance(node, ast.Assert) or (
        isinstance(node, ast.Call) and ast.unparse(node.func) in ASSERTING
    )
