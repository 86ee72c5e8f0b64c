"""Words that many languages share, by what they begin."""

from __future__ import annotations

from interlock.data.words import texts, words

_STATEMENTS = texts("code", "statements")
STATEMENTS: dict[str, str] = {
    word: kind for kind, found in _STATEMENTS.items() for word in found.split()
}
METHODS = frozenset(words("code", "methods"))
SKIPPED = frozenset(
    "var let const my our local public private protected internal static export default global async pub mut val final auto extern inline override open "
    "fun_ echo_ declare abstract readonly volatile register virtual constexpr lateinit suspend final".split()
)
FUNCTIONS = frozenset({"function", "sub", "def", "fn", "func", "fun", "defp", "defmacro", "proc"})
MODIFIERS = frozenset({"if", "unless", "while", "until", "for", "foreach"})
PREFIXES = frozenset(words("code", "prefixes"))
OPERATORS: dict[str, int] = {
    "or": 2, "xor": 2, "and": 3, "unless_": 2,
    "=": 5, "+=": 5, "-=": 5, "*=": 5, "/=": 5, ".=": 5, "..=": 5, "||=": 5, "&&=": 5, "??=": 5,
    "//=": 5, "|=": 5, "^=": 5, "&=": 5, "%=": 5, "x=": 5,
    ":=": 5, "<-": 5, "**=": 5,
    "?": 7, "..": 9, "||": 10, "??": 10, "//": 10, "&&": 11, "|>": 4, "|": 12, "^": 13, "&": 14,
    "==": 15, "!=": 15, "===": 15, "!==": 15, "=~": 16, "!~": 16, "~=": 15, "<=>": 15, "eq": 15,
    "ne": 15, "lt": 15, "gt": 15, "le": 15, "ge": 15, "in": 15,
    "instanceof": 15, "is": 15, "as": 21, "<": 17, ">": 17, "<=": 17, ">=": 17,
    "<<": 18, ">>": 18, ">>>": 18, "+": 19, "-": 19, ".": 19, "++": 19, "<>": 19, "~": 19, "*": 20,
    "/": 20, "%": 20, "x": 20, "**": 22,
}  # fmt: skip
"""How strongly an operator binds."""
TREE = {
    "+": "Add", "-": "Sub", "*": "Mult", "/": "Div", "%": "Mod", "^": "BitXor", "&": "BitAnd",
    "|": "BitOr", "<<": "LShift", ">>": "RShift", "x": "Mult",
    "**": "Pow",
}  # fmt: skip
"""The tree's names of operators."""
CHANGES = frozenset({"=", ":=", "<-"})
"""Operators that give a name a value."""
