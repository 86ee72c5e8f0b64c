"""Functions of many languages, and what stands in braces: maps, blocks, arrow functions."""

from __future__ import annotations

import _ast

from interlock.effects.foreign.expressions import ExpressionReader
from interlock.effects.foreign.token_kinds import LINE, MARK, NAME, NUMBER, TEXT
from interlock.effects.foreign.words import FUNCTIONS, STATEMENTS

_TYPED = frozenset({"throws", "async", "const", "noexcept", "Exception", "IOException", "mutating"})


class FunctionReader(ExpressionReader):
    """Reads functions and maps."""

    def parse_braces(self) -> _ast.expr:
        """``{a: 1, "b" => 2}``, a block of statements, or a function: ``{ x -> .. }``."""
        if self.dialect.name in ("groovy", "kotlin", "swift", "scala") or self.word() == "|":
            self.at -= 1
            return self.function("", bars="{")
        return self.parse_map("}")

    def parse_map(self, close: str) -> _ast.Dict:
        """Return keys and values up to the closing mark."""
        keys: list[_ast.expr | None] = []
        values: list[_ast.expr] = []
        while self.at < len(self.tokens) and not self.take(close):
            self.lines()
            if self.take(",") or self.take(";"):
                continue
            before = self.at
            self._pair(keys, values)
            if self.at == before:
                self.at += 1
        return _ast.Dict(keys, values)

    def _pair(self, keys: list[_ast.expr | None], values: list[_ast.expr]) -> None:
        """Take one ``key: value``, ``key = value``, ``key => value``, a method or a value."""
        if self.word() in ("}", "]"):
            return
        named = (
            self.kind() in (NAME, TEXT, NUMBER)
            and self.peek(1) in (":", "=", "=>")
            and self.kind(1) == MARK
        )
        if named:
            key: _ast.expr = (
                self.text(self.tokens[self.at])
                if self.kind() == TEXT
                else _ast.Constant(value=self.word())
            )
            self.at += 2
            self.lines()
            keys.append(key)
            values.append(self.expression())
            return
        if self.kind() == NAME and self.peek(1) == "(":
            name = self.word()
            self.at += 1
            keys.append(_ast.Constant(value=name))
            values.append(self.function(""))
            return
        if self.take(":"):
            keys.append(self.symbol())
        else:
            keys.append(self.expression())
        if self.take("=>") or self.take(":"):
            self.lines()
            values.append(self.expression())
        else:
            values.append(keys[-1] or _ast.Constant(value=None))
            keys[-1] = _ast.Constant(value=len(keys))

    def defines(self) -> bool:
        """Whether a named function begins here: ``function f(``, ``def f``, ``int main(..) {``."""
        if self.word() in FUNCTIONS and (self.kind(1) == NAME or self.peek(1) == "*"):
            return True
        ahead = 0
        while self.kind(ahead) == NAME and ahead < 8 and self.peek(ahead) not in STATEMENTS:
            ahead += 1
        if (
            not ahead
            or self.peek(ahead) != "("
            or self.dialect.name in ("perl", "lua", "r", "julia")
        ):
            return False
        depth = 0
        limit = min(len(self.tokens), self.at + ahead + 120)
        at = self.at + ahead
        while at < limit:
            text = self.tokens[at].text if self.tokens[at].kind == MARK else ""
            depth += (text == "(") - (text == ")")
            at += 1
            if depth == 0:
                break
        while at < limit and (
            self.tokens[at].kind == NAME
            and self.tokens[at].text
            in ("throws", "async", "const", "noexcept", "Exception", "IOException")
        ):
            at += 1
        opens = (
            at < len(self.tokens) and self.tokens[at].kind == MARK and self.tokens[at].text == "{"
        )
        return opens and not (
            self.dialect.name in ("ruby", "groovy", "kotlin", "swift", "scala") and ahead == 1
        )

    def function(self, name: str, bars: str = "") -> _ast.expr:
        """Return a function: its names and its body. ``bars``: what opened it if no parenthesis."""
        names = self._names(bars)
        self.lines()
        if (
            self.kind() == MARK and self.word() in ("->", ":") and bars != "{"
        ):  # the type of the result
            while self.at < len(self.tokens) and self.word() not in ("{", LINE, "=>", "=", ";"):
                self.at += 1
        self.take("=>")
        arguments = _ast.arguments(
            [],
            [_ast.arg(word) for word in names],
            _ast.arg("@_") if self.dialect.name == "perl" else None,
            [],
            [],
            None,
            [],
        )
        held, self.block_follows = self.block_follows, False
        try:
            body = self._function_body(bars)
        finally:
            self.block_follows = held
        if body and isinstance(body[-1], _ast.Expr):
            body[-1] = _ast.Return(body[-1].value)
        return _ast.FunctionDef(name or "$function", arguments, body or [_ast.Pass()], [])  # type: ignore[return-value]  # stands where a value is expected

    def _function_body(self, bars: str) -> list[_ast.stmt]:
        if bars == "{":
            return self.rest_of_block()
        if self.word() == "{":
            return self.block()
        if bars in ("|", "||") and not self.dialect.ends:
            return [_ast.Return(self.expression())]
        if self.dialect.ends and self.take("="):
            return [_ast.Return(self.expression())]
        if self.dialect.ends and bars != "=>" and self.dialect.name != "javascript":
            return self.suite()
        self.take("=")
        self.lines()
        return [_ast.Return(self.expression(5))]

    def _names(self, bars: str) -> list[str]:
        """Return the names a function gives what it gets."""
        if bars in ("{", "do"):
            self.at += 1
            if self.word() == "||":
                self.at += 1
                return []
            if self.take("|"):
                return self._until("|")
            arrow = next(
                (
                    ahead
                    for ahead in range(8)
                    if self.peek(ahead) in ("->", "in", "=>")
                    or self.kind(ahead) not in (NAME, MARK)
                ),
                8,
            )
            if bars == "{" and self.peek(arrow) in ("->", "in", "=>") and arrow:
                return self._until(self.peek(arrow))
            return ["it"] if bars == "{" else []
        if bars == "||":
            return []
        if bars == "|":
            return self._until("|")
        if self.kind() == NAME and self.peek(1) == "=>":
            name = self.word()
            self.at += 1
            return [name]
        if self.kind() == NAME and self.peek(1) == "(":
            self.at += 1
        if self.take("("):
            return self._until(")")
        return self._until(LINE) if self.dialect.ends and self.kind() == NAME else []

    def _until(self, close: str) -> list[str]:
        """Return the names up to a closing mark, which is taken; without types and defaults."""
        found: list[str] = []
        fresh = True
        depth = 0
        while self.at < len(self.tokens):
            word = self.word()
            if word == close and depth == 0:
                self.at += 1
                break
            depth += (word in ("(", "[", "{")) - (word in (")", "]", "}"))
            if word == ",":
                fresh = True
            elif self.kind() == NAME and fresh:
                found.append(word)
                fresh = self.kind(1) == NAME  # `int x`: the last name counts
                if fresh:
                    found.pop()
            elif word in ("=", ":"):
                fresh = False
            self.at += 1
        return found
