"""Lisps (Emacs, Scheme, Common Lisp, Clojure): lists to nodes of calls, followed like others."""

from __future__ import annotations

import _ast

from interlock.effects.python.values import MARK as HOLLOW
from interlock.shell.value import HOLE

MAX_DEPTH = 60
_LOAD = _ast.Load()
_ASSIGNS = frozenset(
    {"setq", "setf", "set!", "define", "def", "defvar", "defparameter", "defconst", "setq-default"}
)
_LETS = frozenset({"let", "let*", "letrec", "if-let", "when-let"})
_FUNCTIONS = frozenset({"defun", "lambda", "fn", "defn", "defmacro", "cl-defun"})


class LispReader:
    """Reads lists from a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.cut = False

    def body(self) -> list[_ast.stmt]:
        """Return the statements of the text."""
        out: list[_ast.stmt] = []
        while self._skip():
            before = self.at
            out.append(_ast.Expr(self.expression()))
            self.at += self.at == before
        return out

    def _skip(self) -> bool:
        """Go past space and comments; tell whether something is left."""
        text = self.text
        while self.at < len(text) and (text[self.at].isspace() or text[self.at] in ";,'`@"):
            if text[self.at] == ";":
                end = text.find("\n", self.at)
                self.at = end if end >= 0 else len(text)
            else:
                self.at += 1
        return self.at < len(text)

    def expression(self) -> _ast.expr:
        """Return the next expression."""
        self._skip()
        char = self.text[self.at : self.at + 1]
        if char in ("(", "["):
            return self._list(")" if char == "(" else "]")
        if char == '"':
            return self._string()
        if char == "#" and self.text[self.at + 1 : self.at + 2] in ("'", "("):
            self.at += 1
            return self.expression()
        start = self.at
        while (
            self.at < len(self.text)
            and not self.text[self.at].isspace()
            and self.text[self.at] not in "()[]\"';"
        ):
            self.at += 1
        word = self.text[start : self.at]
        if not word:
            self.at += 1
            return _ast.Constant(value=None)
        if HOLE in word:
            return _ast.Name(HOLLOW, _LOAD)
        if word.lstrip("-").isdigit():
            return _ast.Constant(value=int(word))
        return (
            _ast.Constant(value=word == "t")
            if word in ("nil", "t")
            else _ast.Constant(value=word)
            if word[:1] == ":"
            else _ast.Name(word, _LOAD)
        )

    def _string(self) -> _ast.expr:
        out = []
        self.at += 1
        while self.at < len(self.text) and self.text[self.at] != '"':
            if self.text[self.at] == "\\":
                self.at += 1
                out.append(
                    {"n": "\n", "t": "\t"}.get(
                        self.text[self.at : self.at + 1], self.text[self.at : self.at + 1]
                    )
                )
            else:
                out.append(self.text[self.at])
            self.at += 1
        self.at += 1
        return _ast.Constant(value="".join(out).replace(HOLE, HOLLOW))

    def _list(self, close: str) -> _ast.expr:
        self.at += 1
        self.depth += 1
        items: list[_ast.expr] = []
        while self._skip() and self.text[self.at] not in ")]" and self.depth < MAX_DEPTH:
            items.append(self.expression())
        self.cut = self.cut or self.depth >= MAX_DEPTH
        self.at += 1
        self.depth -= 1
        del close
        return _form(items)


def _form(items: list[_ast.expr]) -> _ast.expr:
    """Return what a list stands for: a value given to a name, names, a function or a call."""
    head = items[0] if items else _ast.Constant(value=None)
    if not isinstance(head, _ast.Name):
        return _ast.Tuple(items, _LOAD)
    word = head.id
    if word in _ASSIGNS and len(items) > 2 and isinstance(items[1], _ast.Name):
        return _ast.NamedExpr(_ast.Name(items[1].id, _ast.Store()), items[2])
    if word in _LETS and len(items) > 1:
        return _ast.Tuple([*_bindings(items[1]), *items[2:]], _LOAD)
    if word in _FUNCTIONS:
        return _ast.Tuple(items[2:], _LOAD)
    if word in ("progn", "begin", "do", "when", "unless", "if", "cond", "dolist", "while", "loop"):
        return _ast.Tuple(items[1:], _LOAD)
    return _ast.Call(head, items[1:], [])


def _bindings(pairs: _ast.expr) -> list[_ast.expr]:
    """Return what ``((name value) ..)`` gives: pairs were read as calls of their names."""
    found = (
        [pairs]
        if isinstance(pairs, _ast.Call)
        else list(pairs.elts)
        if isinstance(pairs, _ast.Tuple)
        else []
    )
    out: list[_ast.expr] = []
    for pair in found:
        if isinstance(pair, _ast.Call) and isinstance(pair.func, _ast.Name) and pair.args:
            out.append(_ast.NamedExpr(_ast.Name(pair.func.id, _ast.Store()), pair.args[-1]))
        else:
            out.append(pair)
    return out
