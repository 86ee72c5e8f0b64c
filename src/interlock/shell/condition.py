"""``[[ .. ]]`` (bash manual 3.2.5.2)."""

from __future__ import annotations

from interlock.shell.lists import Lists
from interlock.shell.scan import ScanStop
from interlock.shell.tree import Literal, Word
from interlock.shell.words import REGEX

_UNARY = frozenset(f"-{letter}" for letter in "abcdefghknoprstuvwxzGLNORS")
_BINARY = frozenset(
    ("=", "==", "!=", "=~", "-nt", "-ot", "-ef", "-eq", "-ne", "-lt", "-gt", "-le", "-ge")
)


class Conditions(Lists):
    """Reads conditional expressions: their words in order, operators that are words included."""

    __slots__ = ()

    def condition(self) -> list[Word]:
        """The words after ``[[``, up to and with ``]]``."""
        words: list[Word] = []
        self._alternatives(words)
        if self.literal() != "]]":
            raise self.unexpected(self.i)
        self.i += 2
        return words

    def _alternatives(self, words: list[Word]) -> None:
        """Terms with ``||`` and ``&&`` between: which binds closer does not change them."""
        self.deeper()
        self._term(words)
        while self.text.startswith(("&&", "||"), self.i):
            self.i += 2
            self._term(words)
        self.depth -= 1

    def _term(self, words: list[Word]) -> None:
        self.spend()
        c = self.newlines()
        while c == "!" and self.literal() == "!":
            self.spend()
            self.i += 1
            c = self.newlines()
        if c == "(":
            self.i += 1
            self._alternatives(words)
            if self.text[self.i] != ")":
                raise self.unexpected(self.i)
            self.i += 1
            self.newlines()
        else:
            self._test(words)

    def _test(self, words: list[Word]) -> None:
        """One test; a newline may follow it if it has an operator."""
        first = self._operand()
        words.append(first)
        if (
            len(first.parts) == 1
            and isinstance(first.parts[0], Literal)
            and first.parts[0].text in _UNARY
        ):
            words.append(self._operand())
            self.newlines()
            return
        c = self.blanks()
        operator = self.literal()
        if c in "<>":
            operator = c
        elif operator not in _BINARY:
            return
        end = self.i + len(operator)
        words.append(Word(self.i, end, (Literal(self.i, end, operator),)))
        self.i = end
        words.append(self._operand(REGEX if operator == "=~" else 0))
        self.newlines()

    def _operand(self, mode: int = 0) -> Word:
        c = self.blanks()
        if not (self.starts_word(c) or (mode == REGEX and c in "(|")):
            raise self.unexpected(self.i)
        if self.literal() == "]]":
            raise ScanStop("unexpected ]]")
        return self.word(mode)
