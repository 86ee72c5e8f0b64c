"""Expressions: operands, what hangs on them, and operators in their order
(about_Operator_Precedence).
"""

from __future__ import annotations

from interlock.effects.powershell.scan import LETTERS, MAX_DEPTH, PowerShellScanner
from interlock.effects.powershell.tree import PsNode

MAX_LINKS = 64
"""Members, calls and indexes behind one operand."""
_COMPARING = (
    "eq ne gt ge lt le like notlike match notmatch contains notcontains in notin replace split join is isnot as band bor bxor shl shr"
).split()
_POWER: dict[str, int] = {
    "-and": 1, "-or": 1, "-xor": 1, "??": 2,
    **{f"-{case}{name}": 3 for name in _COMPARING for case in ("", "c", "i")},
    "+": 4, "-": 4, "*": 5, "/": 5, "%": 5, "-f": 6, "..": 7, ",": 8,
}  # fmt: skip
_UNARY = frozenset({"-not", "-bnot", "-join", "-split", "-csplit", "-isplit"})
_DIGITS = frozenset("0123456789abcdefABCDEFxX.lLdDkKmMgGtTpPbBuUsSyYn")
STARTS = frozenset("$@([\"'{!+,0123456789")
"""What an expression begins with, where a command's name could stand too."""


class PowerShellExpressions(PowerShellScanner):
    """Reads expressions."""

    listing = True
    """Whether a comma makes a list here; between the arguments of a method it parts them
    (about_Methods).
    """

    def expression(self, power: int = 0) -> PsNode:
        """Read an expression whose operators bind more tightly than ``power``."""
        if self.depth >= MAX_DEPTH or not self.spend():
            self.fail("nested too deeply to read")
            return PsNode("broken", self.at, self.at, self.broken)
        self.depth += 1
        left = self.unary()
        while self.at < self.size:
            operator = self._operator()
            if not operator or _POWER[operator] <= power or not self.spend():
                break
            self.at += len(operator)
            self.blanks(lines=True)
            if operator == "," and left.kind == "list" and left.name == "":
                left.parts.append(self.expression(8))
                left.end = self.at
                continue
            right = self.expression(_POWER[operator])
            kind = "list" if operator == "," else "binary"
            left = PsNode(
                kind, left.start, self.at, "" if operator == "," else operator, [left, right]
            )
        self.depth -= 1
        return self._ternary(left) if power == 0 and self._asks() else left

    def _asks(self) -> bool:
        self.blanks()
        return self.peek() == "?" and self.peek(1) in " \n"

    def _ternary(self, condition: PsNode) -> PsNode:
        self.at += 1
        self.blanks(lines=True)
        one = self.expression(1)
        self.blanks(lines=True)
        if self.peek() != ":":
            return PsNode("broken", condition.start, self.at, "a question without its other answer")
        self.at += 1
        self.blanks(lines=True)
        return PsNode("either", condition.start, self.at, "", [condition, one, self.expression(1)])

    def _operator(self) -> str:
        """Return the operator that comes next, or ``""``."""
        self.blanks()
        char = self.peek()
        if char == "-":
            found = "-" + self.text[self.at + 1 : self.at + 16].lower()
            end = 1
            while end < len(found) and found[end] in LETTERS:
                end += 1
            if end > 1:
                return found[:end] if found[:end] in _POWER else ""
            return "-" if self.peek(1) not in ("-", "=") else ""
        if self.starts("..") or (self.starts("??") and self.peek(2) != "="):
            return self.text[self.at : self.at + 2]
        if char in "+*/%" and char and self.peek(1) != "=" and not self.starts("++"):
            return char
        return char if char == "," and self.listing else ""

    def unary(self) -> PsNode:
        """Read an operand with what stands before it."""
        self.blanks(lines=True)
        start, char = self.at, self.peek()
        word = "-" + self._after_dash() if char == "-" else ""
        if word in _UNARY:
            self.at += len(word)
            return PsNode("unary", start, self.at, word, [self._next()])
        if char in ("!", "+", "-", ","):
            self.at += 2 if self.starts("++") or self.starts("--") else 1
            return PsNode("unary", start, self.at, char, [self._next()])
        if char == "[":
            return self._parse_type()
        return self.postfix(self.primary())

    def _after_dash(self) -> str:
        end = self.at + 1
        while end < self.size and self.text[end] in LETTERS:
            end += 1
        return self.text[self.at + 1 : end].lower()

    def _next(self) -> PsNode:
        """Read the operand of a unary operator or a cast; they nest."""
        if self.depth >= MAX_DEPTH or not self.spend():
            self.fail("nested too deeply to read")
            return PsNode("broken", self.at, self.at, self.broken)
        self.depth += 1
        node = self.unary()
        self.depth -= 1
        return node

    def _parse_type(self) -> PsNode:
        """Read ``[type]``, a cast ``[type]$x``, or ``[type]::member``."""
        start = self.at
        node = PsNode("type", start, start, self.parse_brackets())
        node.end = self.at
        if self.starts("::"):
            return self.postfix(node)
        self.blanks()
        char = self.peek()
        if char and (
            char in "$@(['\""
            or char.isdigit()
            or (char == "-" and self._after_dash()[:1] in ("", "j", "s"))
        ):
            return PsNode("cast", start, self.at, node.name, [self._next()])
        return node

    def parse_brackets(self) -> str:
        """Read ``[..]`` and its inside; return the name in it, in lower case without blanks."""
        start, deep = self.at, 0
        while self.at < self.size:
            char = self.text[self.at]
            deep += (char == "[") - (char == "]")
            self.at += 1
            if deep == 0:
                return "".join(self.text[start + 1 : self.at - 1].lower().split())
        self.fail("a bracket without an end")
        return ""

    def primary(self) -> PsNode:
        """Read an operand itself; in its own brackets a comma makes a list."""
        held, self.listing = self.listing, True
        node = self._primary()
        self.listing = held
        return node

    def _primary(self) -> PsNode:
        start, char = self.at, self.peek()
        if char == "$":
            return self.dollar() if self.peek(1) else self._strange()
        if char in ("'", '"'):
            return self.quoted()
        if char == "@":
            return self._at_sign()
        if char == "(":
            self.at += 1
            return PsNode("paren", start, self.at, "", self.inner(")"))
        if char == "{":
            return self.block()
        if char.isdigit() or (char == "." and self.peek(1).isdigit()):
            return self._number()
        return self._strange()

    def block(self) -> PsNode:
        """Read ``{ .. }``; the parser knows about its parameters."""
        start = self.at
        self.at += 1
        return PsNode("block", start, self.at, "", self.inner("}"))

    def _at_sign(self) -> PsNode:
        start, char = self.at, self.peek(1)
        if char == "(":
            self.at += 2
            return PsNode("array", start, self.at, "", self.inner(")"))
        if char == "{":
            self.at += 2
            return self._hash(start)
        if char in ("'", '"') and char:
            return self.here_string()
        if char in LETTERS:
            name = self.dollar().name
            return PsNode("splat", start, self.at, name)
        return self._strange()

    def _hash(self, start: int) -> PsNode:
        """Read what follows ``@{``: keys and statements."""
        parts: list[PsNode] = []
        while self.at < self.size and self.spend():
            self.blanks(lines=True)
            if self.peek() == ";":
                self.at += 1
                continue
            if self.peek() == "}":
                self.at += 1
                return PsNode("hash", start, self.at, "", parts)
            key = self._key()
            self.blanks()
            if self.peek() != "=":
                break
            self.at += 1
            self.blanks(lines=True)
            parts += [key, *self.inner("=")]
        self.fail("a table without an end")
        return PsNode("hash", start, self.at, "", parts)

    def _key(self) -> PsNode:
        start = self.at
        if self.peek() in LETTERS or self.peek().isdigit():
            while self.at < self.size and (
                self.text[self.at] in LETTERS
                or self.text[self.at].isdigit()
                or self.text[self.at] in "-."
            ):
                self.at += 1
            return PsNode("text", start, self.at, self.text[start : self.at])
        return self.postfix(self.primary())

    def _number(self) -> PsNode:
        start = self.at
        while self.at < self.size and self.text[self.at] in _DIGITS and not self.starts(".."):
            self.at += 1
        return PsNode("number", start, self.at, self.text[start : self.at])

    def _strange(self) -> PsNode:
        start = self.at
        self.at += 1
        self.fail("text that is no expression")
        return PsNode("broken", start, self.at, self.broken)

    # -- what hangs on an operand ------------------------------------------------------------------

    def postfix(self, node: PsNode, *, word: bool = False) -> PsNode:
        """Read members, calls and indexes behind an operand; in a command's ``word`` only what is
        written without a blank.
        """
        links = 0
        while self.at < self.size and self.spend():
            links += 1
            if links > MAX_LINKS:
                self.fail("a longer chain of members than can be followed")
                return node
            char = self.peek()
            if self.starts("?.") or self.starts("?["):
                self.at += 1
                char = self.peek()
            if self.starts("::") or (char == "." and not self.starts("..")):
                if (
                    word
                    and self.peek(1) not in LETTERS
                    and self.peek(1) not in ("(", "$", "'", '"')
                ):
                    return node
                node = self._member(node)
            elif char == "[":
                node = self._index(node)
            elif self.starts("++") or self.starts("--"):
                self.at += 2
                node = PsNode("unary", node.start, self.at, "count", [node])
            else:
                return node
        return node

    def _index(self, node: PsNode) -> PsNode:
        self.at += 1
        self.blanks(lines=True)
        held, self.listing = self.listing, True
        index = self.expression()
        self.listing = held
        self.blanks(lines=True)
        if self.peek() != "]":
            self.fail("an index without an end")
        self.at += 1
        return PsNode("index", node.start, self.at, "", [node, index])

    def _member(self, node: PsNode) -> PsNode:
        sign = "::" if self.starts("::") else "."
        self.at += len(sign)
        self.blanks(lines=True)
        name = self._member_name()
        parts = [node, name]
        called = self.peek() == "("
        if called:
            self.at += 1
            parts += self._arguments()
        elif self.peek() == "{" and sign == "." and name.name.lower() in ("foreach", "where"):
            called = True
            parts.append(self.primary())
        member = PsNode("member", node.start, self.at, sign, parts)
        member.words = ["called"] if called else []
        return member

    def _member_name(self) -> PsNode:
        start, char = self.at, self.peek()
        if char in ("'", '"') and char:
            return self.quoted()
        if char == "$":
            return self.dollar()
        if char == "(":
            return self.primary()
        while self.at < self.size and (
            self.text[self.at] in LETTERS
            or self.text[self.at].isdigit()
            or self.text[self.at] in "`\ue000"
        ):
            self.at += 1
        return PsNode("text", start, self.at, self.text[start : self.at].replace("`", ""))

    def _arguments(self) -> list[PsNode]:
        """Read the arguments of a method up to ``)``."""
        found: list[PsNode] = []
        held, self.listing = self.listing, False
        while self.at < self.size and self.spend():
            self.blanks(lines=True)
            char = self.peek()
            if char == ")":
                self.at += 1
                break
            if char == ",":
                self.at += 1
                continue
            found.append(self.expression())
        else:
            self.fail("arguments without an end")
        self.listing = held
        return found
