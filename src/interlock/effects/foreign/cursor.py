"""A place in a row of tokens: what is next, and going past it. The layers of the grammar stand on
each other, this one at the bottom.
"""

from __future__ import annotations

import _ast
from typing import Protocol

from interlock.effects.foreign.token_kinds import LINE, MARK, NAME, NUMBER, TEXT
from interlock.effects.foreign.tokens import MAX_TOKENS, ForeignToken, TokenDialect, TokenScanner

LOAD, STORE = _ast.Load(), _ast.Store()


class ReaderLayers(Protocol):
    """What the layers above a cursor read, and those below them ask for."""

    def body(self) -> list[_ast.stmt]:
        """Return the statements of the whole text; ``Grammar`` knows them."""

    def suite(self) -> list[_ast.stmt]:
        """Return a block; ``Grammar`` knows it."""

    def block(self) -> list[_ast.stmt]:
        """Return the statements of ``{..}``; ``Grammar`` knows them."""

    def rest_of_block(self) -> list[_ast.stmt]:
        """Return the statements up to a closing brace; ``Grammar`` knows them."""

    def function(self, name: str, bars: str = "") -> _ast.expr:
        """Return a function; ``Functions`` knows them."""

    def parse_braces(self) -> _ast.expr:
        """Return what stands in braces where a value is expected; ``Functions`` knows it."""

    def parse_map(self, close: str) -> _ast.Dict:
        """Return keys and values up to a closing mark; ``Functions`` knows them."""

    def expression(self, least: int = 0) -> _ast.expr:
        """Return the next expression; ``Expressions`` knows them."""

    def sequence(self) -> _ast.expr | None:
        """Return expressions with commas between them; ``Expressions`` knows them."""

    def text(self, token: ForeignToken) -> _ast.expr:
        """Return a quoted text; ``Expressions`` knows them."""


class TokenCursor(ReaderLayers):
    """The tokens of one text. ``at`` is the next token."""

    def __init__(self, text: str, dialect: TokenDialect, inner: int = 0) -> None:
        self.dialect = dialect
        self.tokens = TokenScanner(text, dialect).scan()
        self.at = 0
        self.depth = 0
        self.inner = inner
        self.block_follows = False
        self._level = 0
        self.cut = len(self.tokens) >= MAX_TOKENS
        """Whether a bound left a part of the text unread."""

    # -- tokens ------------------------------------------------------------------------------------

    def word(self) -> str:
        """Return the next token's text; ``""`` at the end, and for a quoted text."""
        return self.peek(0)

    def peek(self, ahead: int) -> str:
        """Return the text of a token further on."""
        at = self.at + ahead
        if at >= len(self.tokens):
            return ""
        token = self.tokens[at]
        return (
            LINE if token.kind == LINE else token.text if token.kind in (NAME, MARK, NUMBER) else ""
        )

    def kind(self, ahead: int = 0) -> str:
        """Return the kind of a token."""
        at = self.at + ahead
        return self.tokens[at].kind if at < len(self.tokens) else ""

    def take(self, word: str) -> bool:
        """Go past a token of this text, if it is next."""
        if self.at < len(self.tokens) and self.word() == word and self.kind() != TEXT:
            self.at += 1
            return True
        return False

    def lines(self) -> None:
        """Go past the ends of lines."""
        while self.kind() == LINE:
            self.at += 1

    def skip_round(self) -> None:
        """Go past ``( .. )``."""
        depth = 0
        while self.at < len(self.tokens):
            depth += (self.word() == "(") - (self.word() == ")")
            self.at += 1
            if depth <= 0:
                return

    # -- nodes -------------------------------------------------------------------------------------

    def target(self, name: str) -> _ast.Name:
        """Return a name that is given a value."""
        return _ast.Name(name, STORE)

    def call_of(self, name: str, arguments: list[_ast.expr]) -> _ast.Call:
        """Return the call of a function by its name."""
        return _ast.Call(_ast.Name(name, LOAD), arguments, [])
