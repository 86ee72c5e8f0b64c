"""Expressions of many languages to the nodes of Python's tree: texts, names, operators, functions
without a name.
"""

from __future__ import annotations

import _ast

from interlock.effects.foreign.cursor import LOAD, STORE
from interlock.effects.foreign.members import ARROWS, ENDS, MemberReader
from interlock.effects.foreign.token_kinds import COMMAND, LINE, MARK, NAME, NUMBER, PATTERN, TEXT
from interlock.effects.foreign.tokens import ForeignToken
from interlock.effects.foreign.words import CHANGES, FUNCTIONS, MODIFIERS, OPERATORS, PREFIXES, TREE
from interlock.effects.python.values import MARK as HOLLOW
from interlock.shell.value import HOLE

MAX_DEPTH = 80
_NOTHING = _ast.arguments([], [], None, [], [], None, [])


_BUILDS = frozenset({"groovy", "kotlin"})
"""Languages of Gradle's builds, in which ``delete`` is a function."""


class ExpressionReader(MemberReader):
    """Reads expressions from tokens."""

    # -- expressions -------------------------------------------------------------------------------

    def sequence(self) -> _ast.expr | None:
        """Return expressions with commas between them: one, or a tuple."""
        found = [self.expression()]
        while self.take(","):
            if self.kind() == LINE:
                self.lines()
            found.append(self.expression())
        if (
            len(found) > 1
            and isinstance(found[-1], _ast.NamedExpr)
            and all(isinstance(one, (_ast.Name, _ast.Attribute)) for one in found[:-1])
        ):  # a, b = value
            last = found[-1]
            return _ast.NamedExpr(_ast.Tuple([*found[:-1], last.target], STORE), last.value)  # type: ignore[arg-type]
        return found[0] if len(found) == 1 else _ast.Tuple(found, LOAD)

    def expression(self, least: int = 0) -> _ast.expr:
        """Return the next expression; an unknown word is left out."""
        self._level += 1
        try:
            if self._level > MAX_DEPTH:
                self.cut = True
                self.at += 1
                return _ast.Constant(value=None)
            left = self.prefix()
            return self.operators(left, least)
        finally:
            self._level -= 1

    def operators(self, left: _ast.expr, least: int) -> _ast.expr:
        """Return what operators after ``left`` make of it."""
        while self.at < len(self.tokens):
            operator = self._operator()
            if operator == "<" and self.reads_handle():
                break
            strength = OPERATORS.get(operator, -1)
            if strength < least or strength < 0:
                break
            self.at += 1
            self.lines()
            left = self._apply_operator(left, operator, strength)
        return left

    def _operator(self) -> str:
        """Return the operator that is next; a line's end stands before none, but for one that
        begins the next line.
        """
        if self.kind() == LINE:
            ahead = 1
            while self.kind(ahead) == LINE:
                ahead += 1
            if (
                self.kind(ahead) == MARK
                and self.peek(ahead) in ("+", "||", "&&", "|>", "?", "??", "<>", "=", "|")
                and self.peek(ahead) in OPERATORS
            ):
                self.at += ahead
                return self.word()
            return ""
        if (
            self.kind() == NAME
            and self.word() in ("x", "is", "as", "in")
            and self.dialect.name not in ("perl", "kotlin", "swift", "python")
        ):
            return ""
        if self.kind() == NAME and self.word() in ("in", "as"):
            return ""
        return self.word() if self.kind() in (MARK, NAME) else ""

    def _apply_operator(self, left: _ast.expr, operator: str, strength: int) -> _ast.expr:
        if operator == "?":
            return self._choice(left)
        if operator in CHANGES:
            return _ast.NamedExpr(left, self.expression(strength))  # type: ignore[arg-type]
        if strength == OPERATORS["="]:
            return _ast.NamedExpr(
                left,  # type: ignore[arg-type]
                self._binary(left, operator[:-1], self.expression(strength)),
            )
        right = self.expression(strength + 1)
        if operator == "|>":
            return self._make_pipe_call(left, right)
        return self._binary(left, operator, right)

    def _binary(self, left: _ast.expr, operator: str, right: _ast.expr) -> _ast.expr:
        if operator in self.dialect.join:
            return _ast.BinOp(left, _ast.Add(), right)
        if operator in ("||", "or", "??", "//"):
            return _ast.BoolOp(_ast.Or(), [left, right])
        if operator in ("&&", "and"):
            return _ast.BoolOp(_ast.And(), [left, right])
        if operator == "=~" and isinstance(right, _ast.Call):
            return _ast.Call(right.func, [left, *right.args], [])
        kind = TREE.get(operator)
        if kind is not None:
            return _ast.BinOp(left, getattr(_ast, kind)(), right)
        return _ast.Compare(left, [_ast.Eq()], [right])

    def _make_pipe_call(self, left: _ast.expr, right: _ast.expr) -> _ast.expr:
        if isinstance(right, _ast.Call):
            return _ast.Call(right.func, [left, *right.args], right.keywords)
        return _ast.Call(right, [left], [])

    def _choice(self, test: _ast.expr) -> _ast.expr:
        one = self.expression()
        self.lines()
        if not self.take(":"):
            return _ast.IfExp(test, one, _ast.Constant(value=None))
        return _ast.IfExp(test, one, self.expression(OPERATORS["?"]))

    # -- what an expression begins with ------------------------------------------------------------

    def prefix(self) -> _ast.expr:
        """Return an operand with what stands before and after it."""
        word = self.word()
        if self.kind() == MARK and word in (
            "!",
            "-",
            "+",
            "~",
            "&",
            "*",
            "@",
            "\\",
            "++",
            "--",
            "...",
            "..",
            "<-",
            "=",
            "%",
            "$",
        ):
            self.at += 1
            inner = self.expression(21)
            if word == "-":
                return _ast.UnaryOp(_ast.USub(), inner)
            return _ast.Starred(inner, LOAD) if word == "..." else inner
        if (
            self.kind() == NAME
            and word in PREFIXES
            and not (word == "delete" and self.dialect.name in _BUILDS)
            and self.peek(1) not in (".", "=", ")", ",", ":", "=>")
        ):
            self.at += 1
            return self.expression(21)
        return self.after(self.operand())

    def operand(self) -> _ast.expr:
        """Return a text, a number, a name, a list, a function..."""
        if self.at >= len(self.tokens):
            return _ast.Constant(value=None)
        token = self.tokens[self.at]
        kind, word = token.kind, token.text
        if kind == LINE or (kind == MARK and word in ENDS):
            return _ast.Constant(value=None)
        self.at += 1
        if kind in (TEXT, COMMAND):
            text = self.text(token)
            return text if kind == TEXT else self.call_of("`", [text])
        if kind == NUMBER:
            return _ast.Constant(value=_number(word))
        if kind == PATTERN:
            code = [piece for piece in token.pieces if isinstance(piece, tuple)]
            return (
                self.inside(code[0][0])
                if code
                else self.call_of("$pattern", [_ast.Constant(value=word)])
            )
        if kind == NAME:
            return self.name(word)
        return self._parse_marked(word)

    def _parse_marked(self, word: str) -> _ast.expr:
        """Return what begins with a mark."""
        if word == "(":
            return self._round()
        if word == "[":
            return self.parse_map("]") if self._is_map() else _ast.List(self.listed("]"), LOAD)
        if word == "{":
            return self.parse_braces()
        if word == "->" and self.word() in ("(", "{"):  # ->(x) { .. } of Ruby
            return self.function("")
        if word in ("|", "||"):
            return self.function("", bars=word)
        if word == "<" and self.kind() == NAME and self.peek(1) == ">":  # <STDIN>, <$fh>
            handle = self.operand()
            self.at += 1
            return _ast.Call(_ast.Attribute(handle, "readline", LOAD), [], [])
        if word == "<>":
            return self.call_of("readline", [])
        return _ast.Constant(value=None)

    def _is_map(self) -> bool:
        """Whether the bracket that was just opened holds keys: ``["method" => "POST"]`` of PHP."""
        if self.dialect.name != "php":
            return False
        self.lines()
        return self.kind() in (TEXT, NAME, NUMBER) and self.peek(1) == "=>"

    def _round(self) -> _ast.expr:
        """``(a)``, ``(a, b)``, ``(a, b) => ..``."""
        if self._is_arrow():
            self.at -= 1
            return self.function("")
        held, self.block_follows = self.block_follows, False
        items = self.listed(")")
        self.block_follows = held
        return (
            items[0]
            if len(items) == 1 and not isinstance(items[0], _ast.Starred)
            else _ast.Tuple(items, LOAD)
        )

    def _is_arrow(self) -> bool:
        """Whether the parenthesis that was just opened holds the names of an arrow function."""
        depth, at = 1, self.at
        limit = min(len(self.tokens), at + 200)
        while at < limit and depth:
            text = self.tokens[at].text if self.tokens[at].kind == MARK else ""
            depth += (text == "(") - (text == ")")
            at += 1
        return (
            at < len(self.tokens) and self.tokens[at].kind == MARK and self.tokens[at].text == "=>"
        )

    def text(self, token: ForeignToken) -> _ast.expr:
        """Return a quoted text; code in it becomes a part."""
        if all(isinstance(piece, str) for piece in token.pieces):
            return _ast.Constant(
                value="".join([piece for piece in token.pieces if isinstance(piece, str)]).replace(
                    HOLE, HOLLOW
                )
            )
        parts = [
            self.inside(piece[0])
            if isinstance(piece, tuple)
            else _ast.Constant(value=piece.replace(HOLE, HOLLOW))
            for piece in token.pieces
        ]
        return _ast.JoinedStr(parts)

    def inside(self, code: str) -> _ast.expr:
        """Return the expression that stands inside a text."""
        if self.inner > 6:
            return _ast.Name(HOLLOW, LOAD)
        reader = type(self)(code, self.dialect, self.inner + 1)
        return reader.sequence() or _ast.Constant(value=None)

    def name(self, word: str) -> _ast.expr:
        """Return a name, or what a word begins: a function, a call without parentheses."""
        if HOLE in word:
            return _ast.Name(HOLLOW, LOAD)
        if word in FUNCTIONS and self.word() not in (".", "=", ",", ")", "->"):
            return self.function("")
        if self.word() == "=>" and self.dialect.name in ARROWS:
            self.at -= 1
            return self.function("")
        if word in ("true", "false", "null", "nil", "undefined", "None", "True", "False"):
            return _ast.Constant(
                value={"true": True, "True": True, "false": False, "False": False}.get(word)
            )
        if (
            word in self.dialect.implied
            and (self.word() in MODIFIERS or self.word() in (";", "}", ")", ""))
            and self.kind() not in (TEXT, COMMAND, PATTERN)
        ):
            return self.call_of(word, [_ast.Name("$_", LOAD)])
        if word in self.dialect.called and self.word() != "(":
            return self.call_of(word, [])
        if (word in ("do", "begin") and self.word() in ("{", LINE)) or (
            word == "begin" and self.dialect.ends
        ):
            return (
                _ast.Call(_ast.Lambda(_NOTHING, _ast.Constant(value=None)), [], [])
                if not self.suite()
                else _ast.Constant(value=None)
            )
        return _ast.Name(word, LOAD)


def _number(word: str) -> float | None:
    """Return the number a word stands for; None where it is none."""
    text = word.rstrip("nLlUuFfdD") if not word.lower().startswith("0x") else word
    try:
        if text[:1] == "0" and len(text) > 1 and text.isdigit():
            return int(text, 8)
        return (
            int(text, 0)
            if ("." not in text and "e" not in text.lower()) or text.lower().startswith("0x")
            else float(text)
        )
    except ValueError:
        return None
