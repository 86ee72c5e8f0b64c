"""Shell arithmetic on known numbers (bash manual 6.5), in bounded work. Whatever it does not know, it does not guess."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MAX_TOKENS = 400
MAX_BITS = 63
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
_OPERATORS = ("<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "**", "+", "-", "*", "/", "%", "(", ")", "<", ">", "&", "|", "^", "~", "!")


def evaluate(text: str, lookup: Callable[[str], str | None]) -> int | None:
    """Return the value of an expression, or None where something in it is unknown, unsupported (assignments, ``?:``) or too long."""
    tokens = _tokens(text)
    if tokens is None or not tokens:
        return None if tokens is None else 0
    reader = _Reader(tokens, lookup)
    value = reader.binary(0)
    return value if reader.at == len(tokens) else None


def _tokens(text: str) -> list[str] | None:
    out: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char.isspace():
            at += 1
            continue
        operator = next((mark for mark in _OPERATORS if text.startswith(mark, at)), "")
        end = at + len(operator)
        while not operator and end < len(text) and (text[end] in _DIGITS or text[end] == "#"):
            end += 1
        if end == at or len(out) >= MAX_TOKENS:
            return None
        out.append(text[at:end])
        at = end
    return out


class _Reader:
    """Precedence climbing over tokens; None spreads from any unknown."""

    def __init__(self, tokens: list[str], lookup: Callable[[str], str | None]) -> None:
        self.tokens = tokens
        self.lookup = lookup
        self.at = 0

    def binary(self, level: int) -> int | None:
        if level == len(_LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.at < len(self.tokens) and self.tokens[self.at] in _LEVELS[level]:
            operator = self.tokens[self.at]
            self.at += 1
            right = self.binary(level + 1)
            left = None if left is None or right is None else _apply(operator, left, right)
        return left

    def unary(self) -> int | None:
        if self.at >= len(self.tokens):
            return None
        mark = self.tokens[self.at]
        self.at += 1
        if mark == "(":
            value = self.binary(0)
            if self.at < len(self.tokens) and self.tokens[self.at] == ")":
                self.at += 1
                return value
            return None
        if mark in ("-", "+", "~", "!"):
            value = self.unary()
            if value is None:
                return None
            return {"-": -value, "+": value, "~": ~value, "!": int(not value)}[mark]
        return self._operand(mark)

    def _operand(self, mark: str) -> int | None:
        if mark[0].isdigit():
            return number(mark)
        value = self.lookup(mark) if mark.isidentifier() else None
        return number(value.strip()) if value is not None and value.strip() else (0 if value == "" else None)


def number(text: str) -> int | None:
    """Read ``12``, ``-12``, ``0x1f``, ``017``, ``2#101``."""
    sign = -1 if text[:1] == "-" else 1
    text = text.lstrip("+-")
    base, digits = 10, text
    if "#" in text:
        head, _, digits = text.partition("#")
        if not head.isdigit() or not 2 <= int(head) <= 64:
            return None
        base = int(head)
    elif text[:2].lower() == "0x":
        base, digits = 16, text[2:]
    elif text[:1] == "0" and len(text) > 1:
        base, digits = 8, text[1:]
    if base <= 36:
        digits = digits.lower()
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
    if operator in ("**", "<<", ">>"):
        if not 0 <= right <= MAX_BITS:
            return None
        return left**right if operator == "**" else left << right if operator == "<<" else left >> right
    return int(_PLAIN[operator](left, right))


_PLAIN: dict[str, Callable[[int, int], int]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
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
