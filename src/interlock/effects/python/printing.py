"""What a program prints: known where it does nothing but print known texts, one after another; else
the labels of what it prints.
"""

from __future__ import annotations

import _ast
from collections.abc import Sequence

from interlock.effects.python.call import PyCall
from interlock.effects.python.following import PythonInterpreter
from interlock.effects.python.values import is_text, labels_of, text_of
from interlock.model.effect import Effect, Executes
from interlock.shell.value import HOLE, UNREAD, Flow

_LINES = frozenset({"console.log", "puts", "say", "println", "System.out.println", "IO.puts"})
_PIECES = frozenset(
    (
        "sys.stdout.write process.stdout.write io.write echo System.out.print IO.write"
        " $stdout.print STDOUT.print"
    ).split()
)
_LINE_OF = frozenset({"python", "lua", "groovy", "swift"})
"""Languages whose ``print`` ends the line."""
_STRAIGHT = (_ast.Expr, _ast.Assign, _ast.Import, _ast.ImportFrom, _ast.Pass)


def note(call: PyCall) -> None:
    """Note what a call prints, if it is one that prints."""
    name = call.name
    line = name in _LINES or (name == "print" and call.program.language in _LINE_OF)
    if not line and name not in _PIECES and name != "print":
        return
    end = "\n" if line else ""
    if "file" in call.keywords or "sep" in call.keywords or "end" in call.keywords:
        call.program.printed.append((HOLE, frozenset()))
        return
    texts = [
        text_of(thing) if is_text(thing.value) or isinstance(thing.value, int) else HOLE
        for thing in call.arguments
    ]
    joined = (
        " ".join(texts)
        if line and name != "puts"
        else end.join(texts)
        if name == "puts"
        else "".join(texts)
    )
    call.program.printed.append((joined + end, labels_of(call.arguments)))


def flow(program: PythonInterpreter, body: Sequence[_ast.stmt], effects: Sequence[Effect]) -> Flow:
    """Return what the whole program prints that has these effects."""
    if not program.printed:
        return UNREAD
    labels = frozenset().union(*[found for _, found in program.printed])
    text = "".join([piece for piece, _ in program.printed])
    known = HOLE not in text and all(isinstance(node, _STRAIGHT) for node in body)
    if known and not any(effect.kind is Executes for effect in effects):
        return Flow(text, labels | {"script"})
    return Flow(None, labels)
