"""Shell arithmetic (bash manual 6.5) in bounded work: known numbers give a number, anything else
gives None and is not guessed at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class ArithmeticVariables(Protocol):
    """The variables of the shell whose arithmetic this is."""

    def get(self, name: str, index: int | None) -> str | None:
        """Return the text of a variable, or of one element of an array; unset is ``""``,
        unknown is None.
        """
        ...

    def put(self, name: str, index: int | None, value: int | None) -> None:
        """Set a variable, or one element of an array; None is a number that nobody knows."""
        ...


MAX_TOKENS = 400
MAX_BITS = 63
MAX_WORK = 500
"""How many expressions one may stand for: variables hold expressions with variables."""
MAX_DEPTH = 24
"""How deep parentheses and variables that hold expressions may nest."""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_"
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<=", ">=", "<", ">"),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
    ("**",),
)
_RANK = {operator: rank for rank, operators in enumerate(_LEVELS) for operator in operators}
_SETTING = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|="))
_PAIRS = frozenset("<< >> <= >= == != && || ** ++ -- += -= *= /= %= &= ^= |=".split())
_STARTS = frozenset("+-*/%()<>&|^~!?:,=")
_WORDS = frozenset(_DIGITS + "#")
_results: dict[str, int | None] = {}
"""Expressions without variables that were evaluated before: loops repeat them."""
_KEPT = 512
_SHORT = 12
"""So many digits are no number too large in any base."""


class _NoVariables:
    """No variable has a value, and none can be set."""

    def get(self, name: str, index: int | None) -> str | None:
        del name, index
        return None

    def put(self, name: str, index: int | None, value: int | None) -> None:
        del name, index, value


def evaluate(
    text: str,
    variables: ArithmeticVariables | None = None,
    depth: int = 0,
    work: list[int] | None = None,
) -> int | None:
    """Return the value of an expression, after all that it assigns; None where something in it is
    unknown, wrong or too long.
    """
    if text.isdecimal() and text[0] != "0" and len(text) < 19 and text.isascii():
        return int(text)
    if text in _results and depth == 0:
        return _results[text]
    work = [MAX_WORK] if work is None else work
    work[0] -= 1
    tokens = _tokens(text) if work[0] >= 0 and depth <= MAX_DEPTH else None
    if tokens is None:
        return None
    reader = _Reader(tokens, variables or _NoVariables(), depth, work)
    value = reader.several() if tokens else 0
    if reader.at < len(tokens):
        value = None
    if depth == 0 and reader.constant and len(text) < _KEPT:
        if len(_results) >= _KEPT:
            _results.clear()
        _results[text] = value
    return value


def is_expression(text: str) -> bool:
    """Whether a text can be arithmetic at all; ``rm -rf ~`` cannot."""
    tokens = _tokens(text)
    if not tokens:
        return tokens is not None
    reader = _Reader(tokens, _NoVariables(), 0, [MAX_WORK])
    reader.several()
    return reader.at == len(tokens) and not reader.broken


def _tokens(text: str) -> list[str] | None:
    """Return numbers, names (with their subscripts) and operators; None for others, or too many."""
    out: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char.isspace():
            at += 1
            continue
        end = at
        if char in _STARTS:
            end += (
                3
                if text[at : at + 3] in ("<<=", ">>=")
                else 2
                if text[at : at + 2] in _PAIRS
                else 1
            )
            while text[at:end] in ("++", "--") and not _touches_name(text, at, end, out):
                end -= 1
        else:
            while end < len(text) and text[end] in _WORDS:
                end += 1
        if end < len(text) and text[end] == "[" and text[at:end].isidentifier():
            end = _closing(text, end)
        if end == at or len(out) >= MAX_TOKENS:
            return None
        out.append(text[at:end])
        at = end
    return out


def _touches_name(text: str, at: int, end: int, before: list[str]) -> bool:
    """Whether ``++`` or ``--`` stands at a variable; between numbers two signs (``3 --2``)."""
    after = text[end:].lstrip()[:1]
    return (bool(before) and before[-1][0] in _DIGITS[10:] and text[at - 1 : at] != ")") or (
        after.isidentifier() and not _has_operand(before)
    )


def _has_operand(before: list[str]) -> bool:
    """Whether an operand was read last."""
    return bool(before) and (before[-1] == ")" or before[-1][0] in _DIGITS)


def _closing(text: str, start: int) -> int:
    """Return where the bracket that opens at ``start`` is closed; ``start`` where it is not."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"[": 1, "]": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return start


class _Reader:
    """Precedence climbing over tokens, up to an empty one; None spreads from any unknown. ``idle``:
    in a part not evaluated (``0 && x++``).
    """

    def __init__(
        self, tokens: list[str], variables: ArithmeticVariables, depth: int, work: list[int]
    ) -> None:
        self.work = work
        self.tokens = [*tokens, ""]
        self.variables = variables
        self.depth = depth
        self.at = 0
        self.idle = False
        self.constant = True
        self.broken = False

    def _take(self, token: str) -> bool:
        found = self.tokens[self.at] == token
        self.at += found
        return found

    def several(self) -> int | None:
        """Expressions with commas between; the last one counts."""
        value = self.choice()
        while self._take(","):
            value = self.choice()
        return value

    def choice(self) -> int | None:
        """``a ? b : c``."""
        value = self.binary(0)
        if not self._take("?"):
            return value
        first = self._idly(self.several, idle=value == 0)
        if not self._take(":"):
            return None
        second = self._idly(self.choice, idle=bool(value))
        return None if value is None else first if value else second

    def _idly(self, read: Callable[[], int | None], *, idle: bool) -> int | None:
        held, self.idle = self.idle, self.idle or idle
        value = read()
        self.idle = held
        return value

    def binary(self, least: int) -> int | None:
        """Operands with binary operators of at least this rank between."""
        left = self.unary()
        while (rank := _RANK.get(self.tokens[self.at], -1)) >= least:
            operator = self.tokens[self.at]
            self.at += 1
            held = self.idle
            idle = (operator == "&&" and left == 0) or (operator == "||" and bool(left))
            self.idle = held or idle
            right = self.binary(rank if operator == "**" else rank + 1)
            self.idle = held
            left = (
                int(operator == "||")
                if idle
                else None
                if left is None or right is None
                else _apply(operator, left, right)
            )
        return left

    def unary(self) -> int | None:
        """An operand with the signs before it."""
        mark = self.tokens[self.at]
        self.at += bool(mark)
        self.broken = self.broken or not mark
        if mark[:1] and mark[0] in "0123456789":
            return number(mark)
        if mark == "(":
            return self._group()
        if mark in ("++", "--"):
            name = self.tokens[self.at]
            self.at += bool(name)
            return self._apply_to(name, mark[0], 1) if name[:1].isidentifier() else None
        if mark in ("-", "+", "~", "!"):
            value = self._deeper(self.unary)
            if value is None:
                return None
            return {"-": -value, "+": value, "~": ~value, "!": int(not value)}[mark]
        return self._operand(mark) if mark else None

    def _group(self) -> int | None:
        value = self._deeper(self.several)
        return value if self._take(")") else None

    def _deeper(self, read: Callable[[], int | None]) -> int | None:
        self.depth += 1
        value = read() if self.depth <= MAX_DEPTH else None
        self.depth -= 1
        return value

    def _operand(self, mark: str) -> int | None:
        if not mark[0].isidentifier():
            return None
        operator = self.tokens[self.at]
        if operator in _SETTING:
            self.at += 1
            return self._set(mark, operator)
        value = self._value(mark)
        if operator in ("++", "--"):
            self.at += 1
            self._apply_to(mark, operator[0], 1)
        return value

    def _set(self, name: str, operator: str) -> int | None:
        value = self._deeper(self.choice)
        if operator != "=":
            return self._apply_to(name, operator[:-1], value)
        self._put(name, value)
        return value

    def _apply_to(self, name: str, operator: str, by: int | None) -> int | None:
        before = self._value(name)
        value = None if before is None or by is None else _apply(operator, before, by)
        self._put(name, value)
        return value

    def _put(self, mark: str, value: int | None) -> None:
        if not self.idle:
            name, index, known = self._named(mark)
            self.variables.put(name, index, value if known else None)

    def _value(self, mark: str) -> int | None:
        """Return what a variable holds: a number, or an expression that is evaluated in turn."""
        name, index, known = self._named(mark)
        text = self.variables.get(name, index) if known and name.isidentifier() else None
        if text is None:
            return None
        return evaluate(text, self.variables, self.depth + 1, self.work) if text else 0

    def _named(self, mark: str) -> tuple[str, int | None, bool]:
        """Return name and index of a variable, and whether the index is known."""
        self.constant = False
        name, bracket, subscript = mark.partition("[")
        if not bracket:
            return name, None, True
        index = evaluate(subscript[:-1], self.variables, self.depth + 1, self.work)
        return name, index, index is not None


def number(text: str) -> int | None:
    """Read ``12``, ``-12``, ``0x1f``, ``017``, ``2#101``."""
    sign = -1 if text[:1] == "-" else 1
    text = text.lstrip("+-")
    base, digits = 10, text
    if "#" in text:
        head, _, digits = text.partition("#")
        if not (head.isdecimal() and len(head) < 3) or not 2 <= int(head) <= 64:
            return None
        base = int(head)
    elif text[:2].lower() == "0x":
        base, digits = 16, text[2:]
    elif text[:1] == "0" and len(text) > 1:
        base, digits = 8, text[1:]
    if base <= 36:
        if len(digits) <= _SHORT and digits.isalnum():
            try:
                return sign * int(digits, base)
            except ValueError:
                return None
        digits = digits.lower()
    if len(digits) < 19 and base == 10 and digits.isdecimal() and digits.isascii():
        return sign * int(digits)
    total = 0
    for char in digits:
        value = _DIGITS.find(char)
        if value < 0 or value >= base or total.bit_length() > MAX_BITS:
            return None
        total = total * base + value
    return sign * total if digits else None


def _apply(operator: str, left: int, right: int) -> int | None:
    if operator in ("/", "%"):
        if not right:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if operator == "/" else left - quotient * right
    if operator in ("**", "<<", ">>") and not 0 <= right <= MAX_BITS:
        return None
    if operator == "**" and (left.bit_length() * right) > MAX_BITS + 1:
        return None
    value = int(_PLAIN[operator](left, right))
    return value if value.bit_length() <= MAX_BITS else None  # it would wrap around


_PLAIN: dict[str, Callable[[int, int], int]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "**": lambda left, right: int(left**right),
    "<<": lambda left, right: left << right,
    ">>": lambda left, right: left >> right,
    "&": lambda left, right: left & right,
    "|": lambda left, right: left | right,
    "^": lambda left, right: left ^ right,
    "&&": lambda left, right: bool(left) and bool(right),
    "||": lambda left, right: bool(left) or bool(right),
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    ">": lambda left, right: left > right,
    "<=": lambda left, right: left <= right,
    ">=": lambda left, right: left >= right,
}
