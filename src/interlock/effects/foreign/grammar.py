"""Tokens to a tree: the nodes that Python's own programs have, so that one evaluator follows every
language.

The grammar is the common ground of languages with calls, members, operators and blocks. It refuses
nothing: what it does not know it leaves out, word by word, so the calls in it are still met.
"""

from __future__ import annotations

import _ast
from collections.abc import Callable

from interlock.effects.foreign.functions import FunctionReader
from interlock.effects.foreign.token_kinds import LINE, MARK, NAME, TEXT
from interlock.effects.foreign.words import FUNCTIONS, METHODS, MODIFIERS, SKIPPED, STATEMENTS
from interlock.effects.python.values import MARK as HOLLOW

MAX_NESTING = 60
_BLOCK_ENDS = frozenset(
    "end else elsif elseif elif when rescue ensure until catch finally after".split()
)


class Grammar(FunctionReader):
    """Reads statements. ``body`` is the one way in."""

    def body(self) -> list[_ast.stmt]:
        """Return the statements of the whole text."""
        out: list[_ast.stmt] = []
        while self.at < len(self.tokens):
            before = self.at
            out.extend(self.statement())
            if self.at == before:
                self.at += 1
        return out

    def block(self) -> list[_ast.stmt]:
        """Return the statements of ``{..}``, or of one statement without braces."""
        self.lines()
        if self.depth > MAX_NESTING:
            self.cut, self.at = True, len(self.tokens)
            return []
        if not self.take("{"):
            return self.statement()
        return self.rest_of_block()

    def rest_of_block(self) -> list[_ast.stmt]:
        """Return the statements up to the closing brace, which is taken."""
        out: list[_ast.stmt] = []
        self.depth += 1
        while self.at < len(self.tokens) and not self.take("}"):
            before = self.at
            out.extend(self.statement())
            if self.at == before:
                self.at += 1
        self.depth -= 1
        return out

    def until_end(self) -> list[_ast.stmt]:
        """Return the statements up to ``end`` or the next branch, which stays."""
        out: list[_ast.stmt] = []
        self.depth += 1
        if self.depth > MAX_NESTING:
            self.cut, self.at = True, len(self.tokens)
        while self.at < len(self.tokens) and not (
            self.kind() == NAME and self.word() in _BLOCK_ENDS
        ):
            before = self.at
            out.extend(self.statement())
            if self.at == before:
                self.at += 1
        self.depth -= 1
        return out

    def suite(self) -> list[_ast.stmt]:
        """Return a block in the way of the language, its ``end`` taken."""
        if not self.dialect.ends or self.word() == "{":
            return self.block()
        self.take("then")
        self.take("do")
        out = self.until_end()
        while self.at < len(self.tokens) and not self.take("end"):
            self.at += 1
            out.extend(self.until_end())
        return out

    def statement(self) -> list[_ast.stmt]:
        """Return the next statement: none, one or several."""
        self.lines()
        if self.at >= len(self.tokens):
            return []
        if self.kind() == MARK and self.word() in (";", "}", ")", "]", ","):
            self.at += 1
            return []
        if self.kind() == MARK and self.word() == "{":
            return self.block()
        if self.kind() == NAME:
            word = self.word()
            read: Callable[[Grammar], list[_ast.stmt]] | None = _STATEMENTS.get(
                STATEMENTS.get(word, "")
            )
            if (
                read is not None
                and self.peek(1) not in ("=", "=>", ".", "->", ":")
                and not (
                    self.peek(1) == "("
                    and (word in METHODS or (word == "foreach" and self.dialect.name == "julia"))
                )
            ):
                return read(self)
            # of Swift and Kotlin it says who may override; Perl's opens a file
            called = word == "open" and self.dialect.name == "perl"
            if (
                word in SKIPPED
                and not called
                and self.kind(1) in (NAME, MARK, TEXT)
                and self.peek(1) not in ("(", ".", "=", ";", "->", "=>")
            ):
                self.at += 1
                return self.parse_declaration()
            if self.defines():
                return self.definition()
        return self.simple()

    def parse_declaration(self) -> list[_ast.stmt]:
        """``const {exec: run} = ..``, ``my ($a, $b) = ..``, ``local x, y = ..``."""
        if self.word() == "{" and self.peek(1) != ";":
            names = self.unpacking()
            if names and self.take("="):
                return self.destructure(names, self.expression())
            return []
        return self.statement()

    def unpacking(self) -> list[tuple[str, str]]:
        """Return ``(member, name)`` of ``{a, b: c, d = 1}``, the brace taken."""
        self.at += 1
        found: list[tuple[str, str]] = []
        while self.at < len(self.tokens) and not self.take("}"):
            member = self.word() if self.kind() == NAME else ""
            self.at += 1
            name = member
            if self.word() in (":", "as", "=>") and self.kind(1) == NAME:
                name = self.peek(1)
                self.at += 2
            if member and name:
                found.append((member, name))
        return found

    def destructure(self, names: list[tuple[str, str]], value: _ast.expr) -> list[_ast.stmt]:
        """Give each name the member of the value that it stands for."""
        whole = _ast.Name("$taken", _ast.Store())
        out: list[_ast.stmt] = [_ast.Assign([whole], value)]
        for member, name in names:
            out.append(
                _ast.Assign(
                    [self.target(name)],
                    _ast.Attribute(_ast.Name("$taken", _ast.Load()), member, _ast.Load()),
                )
            )
        return out

    def simple(self) -> list[_ast.stmt]:
        """An expression, and what may stand after it: ``x if y``, ``x while y``, ``x for y``."""
        value = self.sequence()
        out: list[_ast.stmt] = [_ast.Expr(value)] if value is not None else []
        while self.kind() == NAME and self.dialect.bare and self.word() in MODIFIERS:
            word = self.word()
            self.at += 1
            condition = self.expression()
            out = _apply_modifier(word, condition, out)
        return out

    # -- branches and loops ------------------------------------------------------------------------

    def condition(self) -> _ast.expr:
        """Return what stands between ``if`` and its block."""
        held, self.block_follows = self.block_follows, True
        try:
            return self.expression()
        finally:
            self.block_follows = held

    def branch(self) -> list[_ast.stmt]:
        """``if``, ``unless``, with all that follows."""
        self.at += 1
        test = self.condition()
        while self.take(";") or self.take(LINE):  # `if x := f(); x` of Go
            if self.word() not in ("{", "then", LINE) and not self.dialect.ends:
                self.expression()
        body = self.branch_body()
        return [_ast.If(test, body, self.otherwise())]

    def branch_body(self) -> list[_ast.stmt]:
        """Return the statements of one branch; its ``end`` is left to the last."""
        if not self.dialect.ends or self.word() == "{":
            return self.block()
        self.take("then")
        return self.until_end()

    def otherwise(self) -> list[_ast.stmt]:
        """Return what ``else``, ``elsif``.. hold."""
        start = self.at
        self.lines()
        word = self.word() if self.kind() == NAME else ""
        if word in ("elsif", "elseif", "elif"):
            return self.branch()
        if word == "else":
            self.at += 1
            if self.word() == "if" and not self.dialect.ends:
                return self.branch()
            out = self.branch_body()
            if self.dialect.ends:
                self.take("end")
            return out
        if self.dialect.ends and self.take("end"):
            return []
        self.at = start if not self.dialect.ends else self.at
        return []

    def loop(self) -> list[_ast.stmt]:
        """``while``, ``until``, ``loop``."""
        word = self.word()
        self.at += 1
        endless = word in ("loop", "forever")
        test: _ast.expr = (
            _ast.Constant(value=True) if endless or self.word() in ("{", "do") else self.condition()
        )
        return _apply_modifier("while", test, self.suite())

    def for_loop(self) -> list[_ast.stmt]:
        """``for (a; b; c)``, ``for x in y``, ``for (x of y)``, ``foreach ($y as $x)``, ``for my $x
        (@y)``, ``for range``.
        """
        self.at += 1
        round_ = self.take("(")
        while self.word() in SKIPPED or self.word() in ("await", "my", "auto"):
            self.at += 1
        if self.word() == "{" and not round_:
            return [_ast.While(_ast.Constant(value=True), self.suite() or [_ast.Pass()], [])]
        first = self.sequence() if self.word() not in (";", "(") or not round_ else None
        if (self.kind() == NAME and self.word() in ("in", "of", "as")) or self.word() in (
            ":",
            "<-",
        ):
            return self.each(first, swapped=self.word() == "as", round_=round_)
        if self.word() == "(" and not round_ and first is not None:  # for my $x (LIST)
            self.at += 1
            items = self.listed(")")
            return self.items_loop(first, _ast.List(items, _ast.Load()))
        return self.counted(first, round_=round_)

    def each(self, first: _ast.expr | None, *, swapped: bool, round_: bool) -> list[_ast.stmt]:
        """A loop over the items of something."""
        self.at += 1
        second = self.condition()
        if self.take("=>"):  # foreach ($y as $key => $x)
            second = self.condition()
        if round_:
            self.take(")")
        name, items = (second, first) if swapped else (first, second)
        return self.items_loop(name, items if items is not None else _ast.Name(HOLLOW, _ast.Load()))

    def items_loop(self, name: _ast.expr | None, items: _ast.expr) -> list[_ast.stmt]:
        """Return the loop with its block read."""
        target = (
            name if isinstance(name, (_ast.Name, _ast.Tuple)) else _ast.Name("$each", _ast.Store())
        )
        return [_ast.For(target, items, self.suite() or [_ast.Pass()], [])]

    def counted(self, first: _ast.expr | None, *, round_: bool) -> list[_ast.stmt]:
        """``for (start; while; step)``; ``for (LIST)`` of Perl."""
        if self.word() != ";":
            if round_:
                self.take(")")
            return self.items_loop(
                _ast.Name("$_", _ast.Store()),
                first if first is not None else _ast.Constant(value=None),
            )
        self.at += 1
        test = self.sequence() if self.word() != ";" else _ast.Constant(value=True)
        self.take(";")
        step = self.sequence() if self.word() not in (")", "{") else None
        if round_:
            self.take(")")
        body = self.suite()
        steps: list[_ast.stmt] = [_ast.Expr(step)] if step is not None else []
        start: list[_ast.stmt] = [_ast.Expr(first)] if first is not None else []
        return [
            *start,
            _ast.While(test or _ast.Constant(value=True), [*body, *steps] or [_ast.Pass()], []),
        ]

    # -- the rest ----------------------------------------------------------------------------------

    def plain_block(self) -> list[_ast.stmt]:
        """``try``, ``begin``, ``do``, ``finally``: the block runs; a clause's own parentheses name
        what was caught.
        """
        word = self.word()
        self.at += 1
        if word in ("catch", "rescue", "except") and self.word() == "(":
            self.skip_round()
        if self.dialect.ends and word in ("begin", "do", "try"):
            return self.suite()
        if word == "do" and self.kind() == TEXT:
            self.at -= 1  # Perl's `do "file"`
            return [_ast.Expr(self.expression())]
        if self.word() != "{":
            return []
        out = self.block()
        if word == "do" and self.kind() == NAME and self.word() in ("while", "until"):
            self.at += 1
            out = [_ast.While(self.expression(), out or [_ast.Pass()], [])]
        return out

    def choice(self) -> list[_ast.stmt]:
        """``switch (x) { case a: .. }``, ``case x when a .. end``, ``match``: all are read."""
        word = self.word()
        self.at += 1
        subject = (
            self.condition() if self.word() not in ("{", ":", LINE) else _ast.Constant(value=None)
        )
        if self.dialect.ends and word == "case":
            out: list[_ast.stmt] = [_ast.Expr(subject)]
            while self.at < len(self.tokens) and not self.take("end"):
                if self.kind() == NAME and self.word() in ("when", "else", "in"):
                    self.at += 1
                before = self.at
                out.extend(self.statement())
                self.at += self.at == before
            return out
        if word in ("case", "when", "default"):
            self.take(":")
            return [_ast.Expr(subject)]
        return [_ast.Expr(subject), *self.block()]

    def result(self) -> list[_ast.stmt]:
        """``return x``, ``throw x``."""
        throws = self.word() not in ("return", "yield")
        self.at += 1
        value = (
            self.sequence() if self.word() not in (";", "}", LINE, "if", "unless", "end") else None
        )
        out: list[_ast.stmt] = (
            [_ast.Expr(value or _ast.Constant(value=None))] if throws else [_ast.Return(value)]
        )
        if self.kind() == NAME and self.word() in MODIFIERS and self.dialect.bare:
            self.at += 1
            out = _apply_modifier("if", self.expression(), out)
        return out

    def import_(self) -> list[_ast.stmt]:
        """``import x from "m"``, ``import {a as b} from "m"``."""
        self.at += 1
        names: list[tuple[str, str]] = []
        whole = ""
        while self.at < len(self.tokens) and self.kind() not in (LINE, TEXT) and self.word() != ";":
            if self.word() == "{":
                names.extend(self.unpacking())
            elif self.word() == "(":
                self.at -= 1  # import("m") is an expression
                return self.simple()
            else:
                whole = (
                    self.word()
                    if self.kind() == NAME and self.word() not in ("from", "as", "type")
                    else whole
                )
                self.at += 1
        if self.kind() != TEXT:
            return []
        module = self.tokens[self.at].text
        self.at += 1
        value = self.call_of("require", [_ast.Constant(value=module)])
        out: list[_ast.stmt] = [_ast.Assign([self.target(whole or "$module")], value)]
        return [*out, *(self.destructure(names, value) if names else [])]

    def skip_line(self) -> list[_ast.stmt]:
        """``use strict;``, ``package main``: nothing happens."""
        while self.at < len(self.tokens) and self.word() not in (";", LINE):
            self.at += 1
        return []

    def class_(self) -> list[_ast.stmt]:
        """``class A extends B { .. }``: what its methods would do is read, as of functions that
        nobody calls.
        """
        while self.at < len(self.tokens) and self.word() not in ("{", LINE, ";"):
            self.at += 1
        return self.suite()

    def definition(self) -> list[_ast.stmt]:
        """A function with a name: it is followed where it is called."""
        while (
            self.word() in FUNCTIONS
            or self.word() == "*"
            or (self.kind(1) == NAME and self.kind() == NAME)
        ):
            self.at += 1
        name = "$function"
        while self.kind() == NAME or self.word() in (".", ":", "::", "[", "]", "*"):
            name = self.word() if self.kind() == NAME else name
            self.at += 1
        return [self.function(name)]  # type: ignore[list-item]  # the node of a function


def _forks(node: _ast.expr) -> bool:
    return (
        isinstance(node, _ast.Call) and isinstance(node.func, _ast.Name) and node.func.id == "fork"
    )


def _reads_line(function: _ast.expr) -> bool:
    """Whether a line of a handle of Perl is read: alone in a condition it is put into ``$_``."""
    return (
        isinstance(function, _ast.Attribute)
        and function.attr == "readline"
        and isinstance(function.value, _ast.Name)
    )


def _apply_modifier(word: str, condition: _ast.expr, body: list[_ast.stmt]) -> list[_ast.stmt]:
    if _forks(condition):
        return [_ast.While(_ast.Constant(value=True), [_ast.Expr(condition), *body], [])]
    if word in ("while", "until"):
        if isinstance(condition, _ast.Call) and _reads_line(condition.func):  # while (<F>)
            condition = _ast.NamedExpr(_ast.Name("$_", _ast.Store()), condition)
        return [_ast.While(condition, body or [_ast.Pass()], [])]
    if word in ("for", "foreach"):
        return [_ast.For(_ast.Name("$_", _ast.Store()), condition, body or [_ast.Pass()], [])]
    return [_ast.If(condition, body or [_ast.Pass()], [])]


_STATEMENTS: dict[str, Callable[[Grammar], list[_ast.stmt]]] = {
    "branch": Grammar.branch, "loop": Grammar.loop, "for": Grammar.for_loop,
    "block": Grammar.plain_block, "choice": Grammar.choice,
    "result": Grammar.result, "import": Grammar.import_, "line": Grammar.skip_line,
    "class": Grammar.class_,
}  # fmt: skip
