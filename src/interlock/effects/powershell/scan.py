"""Characters to words: quotes, escapes, here-strings, comments, variables (about_Quoting_Rules,
about_Special_Characters, about_Parsing).
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.powershell.tree import PsNode

MAX_DEPTH = 24
"""How deep groups may stand in each other."""
_LOOKALIKES = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"), **dict.fromkeys("\u201c\u201d\u201e", '"'),
    **dict.fromkeys("\u2013\u2014\u2015", "-"),
    "\u00a0": " ", "\u0085": " ",
}  # fmt: skip
"""Characters that PowerShell takes for a quote, a dash or a blank (CharTraits in its tokenizer)."""
_TABLE = {ord(char): plain for char, plain in _LOOKALIKES.items()}
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
"""What a backtick makes of a letter; ``e`` is an escape since PowerShell 6."""
BLANKS = " \t\r\f\v"
ENDS_WORD = frozenset(" \t\r\n\f\v;|&(){},<>")
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_?:")
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")


class PowerShellScanner:
    """A place in a text, and the words that can be read from there. ``statements`` is given by the
    parser, for what stands in ``$( )``.
    """

    def __init__(self, text: str) -> None:
        self.text = text.translate(_TABLE)
        self.at = 0
        self.size = len(text)
        self.depth = 0
        self.left = 4000 + 4 * len(text)
        self.inner: Callable[[str], list[PsNode]] = lambda _: []
        self.broken = ""

    # -- looking -----------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> str:
        """Return the character here, or so far ahead; ``""`` behind the end."""
        at = self.at + ahead
        return self.text[at] if at < self.size else ""

    def starts(self, text: str) -> bool:
        """Whether the text goes on like that."""
        return self.text.startswith(text, self.at)

    def spend(self) -> bool:
        """Take one step; False where too many were taken."""
        self.left -= 1
        if self.left < 0:
            self.fail("more than can be read in one text")
        return self.left >= 0

    def fail(self, why: str) -> None:
        """Give up on the rest of the text."""
        self.broken = self.broken or why
        self.at = self.size

    def blanks(self, *, lines: bool = False) -> None:
        """Skip blanks, comments and continued lines; with ``lines`` also the ends of lines."""
        while self.at < self.size:
            char = self.text[self.at]
            if char in BLANKS or (lines and char == "\n"):
                self.at += 1
            elif (
                char == "`" and self.text[self.at + 1 : self.at + 3] in ("\n", "\r\n")
            ) or self.starts("`\n"):
                self.at += 3 if self.peek(1) == "\r" else 2
            elif char == "#" and (self.at == 0 or self.text[self.at - 1] in ENDS_WORD):
                self._to_line_end()
            elif self.starts("<#"):
                end = self.text.find("#>", self.at + 2)
                self.at = self.size if end < 0 else end + 2
            else:
                return

    def _to_line_end(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = self.size if end < 0 else end

    def letters(self) -> str:
        """Return the letters and hyphens from here on, without taking them."""
        end = self.at
        while end < self.size and (
            self.text[end] in LETTERS or (self.text[end] == "-" and end > self.at)
        ):
            end += 1
        return self.text[self.at : end]

    # -- quotes ------------------------------------------------------------------------------------

    def quoted(self) -> PsNode:
        """Read ``'..'`` or ``".."``."""
        return self._single() if self.peek() == "'" else self._double('"')

    def _single(self) -> PsNode:
        start, pieces = self.at, []
        self.at += 1
        while True:
            end = self.text.find("'", self.at)
            if end < 0:
                self.fail("a quote without an end")
                break
            pieces.append(self.text[self.at : end])
            self.at = end + 1
            if self.peek() != "'":
                break
            pieces.append("'")
            self.at += 1
        return PsNode(
            "word", start, self.at, "quoted", [PsNode("text", start, self.at, "".join(pieces))]
        )

    def _double(self, close: str) -> PsNode:
        """Read a text with variables up to ``close``: ``"``, or the end of a here-string."""
        start = self.at
        parts: list[PsNode] = []
        literal: list[str] = []
        self.at += 1 if close == '"' else 0
        while self.at < self.size and self.spend():
            char = self.text[self.at]
            if self.starts(close):
                if close == '"' and self.peek(1) == '"':
                    literal.append('"')
                    self.at += 2
                    continue
                self.at += len(close)
                return PsNode(
                    "word", start, self.at, "quoted", [*parts, *_text(literal, start, self.at)]
                )
            if char == "`" and self.at + 1 < self.size:
                literal.append(self.scan_escape())
            elif char == "$" and self._begins_variable():
                parts += [*_text(literal, start, self.at), self.dollar()]
                literal = []
            else:
                literal.append(char)
                self.at += 1
        self.fail("a quote without an end")
        return PsNode("word", start, self.at, "quoted", [*parts, *_text(literal, start, self.at)])

    def scan_escape(self) -> str:
        """Read a backtick and what it protects."""
        char = self.text[self.at + 1]
        self.at += 2
        if char == "u" and self.peek() == "{":
            digits, _, _ = self.text[self.at + 1 : self.at + 9].partition("}")
            if (
                digits
                and all(digit in "0123456789abcdefABCDEF" for digit in digits)
                and int(digits, 16) < 0x110000
            ):
                self.at += len(digits) + 2
                return chr(int(digits, 16))
        return ESCAPES.get(char, char)

    def here_string(self) -> PsNode:
        """Read ``@'..'@`` or ``@".."@``: the text between opening and closing lines."""
        start, quote = self.at, self.text[self.at + 1]
        self.at += 2
        self._to_line_end()
        if quote == "'":
            end = self.text.find("\n'@", self.at)
            literal = self.text[self.at + 1 : end] if end >= 0 else ""
            self.at = end + 3
            if end < 0:
                self.fail("a here-string without an end")
            return PsNode(
                "word", start, self.at, "quoted", [PsNode("text", start, self.at, literal)]
            )
        if self.starts('\n"@'):
            self.at += 3
            return PsNode("word", start, self.at, "quoted", [])
        self.at += 1
        return self._double('\n"@')

    # -- variables ---------------------------------------------------------------------------------

    def _begins_variable(self) -> bool:
        char = self.peek(1)
        return char in LETTERS or char in ("{", "(", "$", "^", "?", "_") or char.isdigit()

    def dollar(self) -> PsNode:
        """Read ``$name``, ``${name}``, ``$scope:name`` or ``$( .. )``."""
        start = self.at
        char = self.peek(1)
        if char == "(":
            self.at += 2
            return PsNode("sub", start, self.at, "", self.inner(")"))
        if char == "{":
            end = self.text.find("}", self.at)
            if end < 0:
                self.fail("a variable's name without an end")
                return PsNode("broken", start, self.at, "a variable's name without an end")
            name, self.at = self.text[self.at + 2 : end], end + 1
            return PsNode("variable", start, self.at, name.replace("`", "").lower())
        self.at += 2
        if char in ("$", "^", "?"):
            return PsNode("variable", start, self.at, char)
        while self.at < self.size and self.text[self.at] in _NAME:
            if self.text[self.at] == "?" or (
                self.text[self.at] == ":" and (self.starts("::") or self.peek(1) not in LETTERS)
            ):
                break
            self.at += 1
        return PsNode("variable", start, self.at, self.text[start + 1 : self.at].lower())


def _text(literal: list[str], start: int, end: int) -> list[PsNode]:
    return [PsNode("text", start, end, "".join(literal))] if literal else []
