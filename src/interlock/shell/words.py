r"""Words and what quotes them: ``\x``, ``'..'``, ``".."``, back-ticks, ``<(..)``, extended globs
(bash manual 3.1.2, 3.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from interlock.shell.scan import END, META, STOP, ScanStop, ShellScanner, is_balanced
from interlock.shell.tree import (
    CommandSubstitution,
    DoubleQuoted,
    ExtendedGlob,
    Literal,
    Part,
    ProcessSubstitution,
    Quoted,
    Script,
    Word,
)

# how a place is quoted
OPEN = 0
DOUBLE = 1  # in double quotes, arithmetic, subscripts
HERE = 2  # in the body of a here-document: there a double quote means itself

# what encloses, for Words.enclosed: opening and closing bracket, and one that ends it before its
# time
BRACES = "}} "
SUBSCRIPT = "[] "
SUBSCRIPT_IN_BRACES = "[]}"
ARITHMETIC = "() "
OLD_ARITHMETIC = "[] $"
GLOB = "() *"
_COUNTED = frozenset((ARITHMETIC, OLD_ARITHMETIC, GLOB))

REGEX = 1  # mode of a word: the right side of =~

_PLAIN_ENDS = frozenset(" \t\n;&)\0")
_GLOB_MARKS = frozenset("@!*+?")
_ESCAPED = ("", '$`"\\', "$`\\")  # what a backslash quotes, by how the place is quoted
_NESTED_TEXT = 10  # steps it costs to start on a text of its own


class Expansions(Protocol):
    """What words hold that the layers above read."""

    def dollar(self, i: int, parts: list[Part], quoted: int) -> int:
        """What ``$`` at ``i`` starts (``dollar.Dollars``)."""

    def parse_translated(self, i: int, parts: list[Part]) -> int:
        """``$'..'`` at ``i`` in a place that is expanded afterwards (``dollar.Dollars``)."""

    def expanded(self, body: str, offsets: Sequence[int], quoted: int) -> Sequence[Part]:
        """The parts of a text that bash expands on its own (``heredoc.Documents``)."""


class Words(ShellScanner, Expansions):
    """Reads words. The methods that take ``parts`` append to it and return where they ended."""

    __slots__ = ()

    def word(self, mode: int = 0) -> Word:
        """The word at ``i``."""
        i = self.i
        j = self.stop_at(STOP, i)
        if j > i and self.text[j] in _PLAIN_ENDS:
            self.i = j
            return Word(i, j, (Literal(i, j, self.text[i:j]),))
        parts: list[Part] = []
        end = self.pieces(i, parts, mode)
        if end == i:
            raise self.unexpected(i)
        self.i = end
        return Word(i, end, parts)

    def starts_word(self, c: str) -> bool:
        """Whether a word can start with the character ``c`` that stands at ``i``."""
        return c not in META or (c in "<>" and self.text[self.i + 1] == "(")

    def literal(self) -> str:
        """The word at ``i`` if it is wholly unquoted text (as reserved words are), else ``""``."""
        j = self.stop_at(STOP, self.i)
        c = self.text[j]
        return (
            self.text[self.i : j]
            if c in META and (c not in "<>" or self.text[j + 1] != "(")
            else ""
        )

    def pieces(self, i: int, parts: list[Part], mode: int) -> int:
        """Parts of an unquoted word from ``i``."""
        while True:
            self.spend()
            j = self.stop_at(STOP, i)
            if j > i:
                parts.append(Literal(i, j, self.text[i:j]))
                i = j
            c = self.text[i]
            if c not in META:
                i = self.part(i, c, parts, OPEN)
            elif c == "(":
                if mode == REGEX:
                    i = self._regex_group(i, parts)
                elif parts and _is_glob_mark(parts[-1]):
                    i = self._extended_glob(i, parts)
                elif len(parts) == 1 and isinstance(parts[0], Literal) and parts[0].text == "=":
                    parts.clear()
                    # zsh: a file that holds what the commands print
                    i = self.process(i - 1, "<", parts)
                else:
                    return i
            elif c in "<>" and self.text[i + 1] == "(":
                i = self.process(i, c, parts)
            elif c == "|" and mode == REGEX:
                parts.append(Literal(i, i + 1, c))
                i += 1
            else:
                return i

    def part(self, i: int, c: str, parts: list[Part], quoted: int) -> int:
        """The quoted or expanded part at ``i``; ``c`` stands there: a backslash, a quote, a
        back-tick or a dollar.
        """
        if c == "$":
            return self.dollar(i, parts, quoted)
        if c == "\\":
            return self._backslash(i, parts, quoted)
        if c == '"':
            return self.double_quoted(i, i + 1, parts)
        if c == "'":
            return self._single_quoted(i, parts)
        return self._back_ticks(i, parts, quoted)

    # -- quotes ------------------------------------------------------------------------------------

    def _backslash(self, i: int, parts: list[Part], quoted: int) -> int:
        end = min(i + 2, self.n)
        text = self.text[i + 1 : end]
        if not text or (quoted and text not in _ESCAPED[quoted]):
            text = "\\" + text
        parts.append(Quoted(i, end, text))
        return end

    def _single_quoted(self, i: int, parts: list[Part]) -> int:
        end = self.text.find("'", i + 1)
        if end < 0:
            raise ScanStop("unterminated '")
        if self.offsets is not None:
            end = self.restore(i + 1, self.offsets[end])
        parts.append(Quoted(i, end + 1, self.text[i + 1 : end]))
        return end + 1

    def double_quoted(self, start: int, i: int, parts: list[Part]) -> int:
        """``".."`` whose inside starts at ``i``; ``start``: the part's (``$".."`` has one more)."""
        inner: list[Part] = []
        while True:
            self.spend()
            j = self.quote_stop(i)
            if j > i:
                inner.append(Quoted(i, j, self.text[i:j]))
            c = self.text[j]
            if c == '"':
                parts.append(DoubleQuoted(start, j + 1, inner))
                return j + 1
            if c == END:
                raise ScanStop('unterminated "')
            i = self.part(j, c, inner, DOUBLE)

    # -- texts and lists in a word -----------------------------------------------------------------

    def _back_ticks(self, i: int, parts: list[Part], quoted: int) -> int:
        end = i + 1
        escapes: list[int] = []
        while (c := self.text[end := self.quote_stop(end)]) != "`":
            self.spend()
            if c == END:
                raise ScanStop("unterminated `")
            if c == "\\":
                if self.text[end + 1] in _ESCAPED[quoted or HERE]:
                    escapes.append(end)
                end += 1
            end = min(end + 1, self.n)
        text, offsets = self._without(escapes, i + 1, end)
        self.deeper()
        inner = type(self)(text, self.depth, self.steps - _NESTED_TEXT)
        script = inner.script()
        script.offsets = offsets
        self.steps = inner.steps
        self.depth -= 1
        parts.append(CommandSubstitution(i, end + 1, script))
        return end + 1

    def _without(self, dropped: list[int], start: int, end: int) -> tuple[str, Sequence[int]]:
        """``text[start:end]`` without some characters, and where each one left came from."""
        if not dropped:
            return self.text[start:end], range(start, end + 1)
        pieces: list[str] = []
        offsets: list[int] = []
        for drop in dropped:
            pieces.append(self.text[start:drop])
            offsets.extend(range(start, drop))
            start = drop + 1
        pieces.append(self.text[start:end])
        offsets.extend(range(start, end + 1))
        return "".join(pieces), offsets

    def process(self, i: int, direction: str, parts: list[Part]) -> int:
        """``<(..)`` or ``>(..)`` at ``i``."""
        script = self.parse_substitution(i + 2)
        parts.append(ProcessSubstitution(i, self.i, direction, script))
        return self.i

    def parse_substitution(self, start: int) -> Script:
        """Commands from ``start`` up to ``)``, which is taken."""
        self.i = start
        self.substitutions += 1
        body = self.command_list()
        self.substitutions -= 1
        end = self.i
        if self.text[end] != ")":
            raise self.unexpected(end)
        self.i = end + 1
        return Script(start, end, self.source, body)

    # -- brackets ----------------------------------------------------------------------------------

    def _extended_glob(self, i: int, parts: list[Part]) -> int:
        mark = parts.pop()
        if mark.end - mark.start > 1 and isinstance(mark, Literal):
            parts.append(Literal(mark.start, i - 1, mark.text[:-1]))
        inner: list[Part] = []
        end = self.parse_enclosed(i + 1, GLOB, inner, OPEN) + 1
        parts.append(ExtendedGlob(i - 1, end, self.text[i - 1], inner))
        return end

    def _regex_group(self, i: int, parts: list[Part]) -> int:
        parts.append(Literal(i, i + 1, "("))
        end = self.parse_enclosed(i + 1, GLOB, parts, OPEN)
        parts.append(Literal(end, end + 1, ")"))
        return end + 1

    def subscript(self, i: int) -> Word:
        """The word between ``[`` and its ``]``, from ``i``. Expansions are active in it even in
        single quotes: it is arithmetic.
        """
        parts: list[Part] = []
        end = self.parse_enclosed(i, SUBSCRIPT, parts, DOUBLE)
        return Word(i, end, parts)

    def parse_enclosed(
        self, i: int, brackets: str, parts: list[Part], quoted: int, *, quotes: bool = False
    ) -> int:
        """Parts from ``i`` up to the closing bracket that stands at the returned position; pairs of
        brackets are skipped.

        Where ``quoted``, single quotes are looked over in search of the bracket, but do not quote
        (``_parse_hidden``), unless ``quotes`` says that they do.
        """
        opening, closing, last = brackets[0], brackets[1], brackets[2]
        self.deeper()
        begin = i
        pairs = 0
        while True:
            self.spend()
            i = self.group_stop(i)
            c = self.text[i]
            if c == closing:
                if not pairs:
                    break
                pairs -= 1
            elif c == opening:
                pairs += 1
            elif c == last:
                break
            elif c == END:
                raise ScanStop(f"unterminated {closing}")
            elif c == "'" and quoted and not quotes:
                self._text(begin, i, parts, quoted)
                begin = i = self._parse_hidden(i, parts, quoted)
                continue
            elif c in "\\\"'`$" or (
                c in "<>" and self.text[i + 1] == "(" and not (quoted and brackets in _COUNTED)
            ):
                self._text(begin, i, parts, quoted)
                begin, i = i, self._parse_nested(i, c, parts, quoted)
                if c in "$<>" and brackets in _COUNTED:
                    self._check_count(begin, i, brackets)
                begin = i
                continue
            i += 1
        self._text(begin, i, parts, quoted)
        self.depth -= 1
        return i

    def _parse_nested(self, i: int, c: str, parts: list[Part], quoted: int) -> int:
        if c in "<>":
            return self.process(i, c, parts)
        if c == "$" and quoted == DOUBLE and self.text[i + 1] == "'":
            return self.parse_translated(i, parts)
        return self.part(i, c, parts, quoted)

    def _check_count(self, start: int, end: int, brackets: str) -> None:
        """Stop where bash would find another closing bracket: it counts those in ``${..}`` and the
        like, too.

        In arithmetic it reads no expansion but ``$(..)`` when it looks for the end; in extended
        globs, none. ``$(( ${x:-)) `` ends there, whatever follows.
        """
        text = self.text[start:end]
        if text.startswith("$(") and brackets is not GLOB:
            return
        self.spend(len(text) // 64)
        if not is_balanced(text, brackets[0], brackets[1]):
            raise ScanStop(f"{brackets[1]} that bash may count otherwise")

    def _parse_hidden(self, i: int, parts: list[Part], quoted: int) -> int:
        """From the ``'`` at ``i`` to the next: text that bash first looks over unread, and expands
        later with its quotes.

        An expansion in it that goes on after the second quote is therefore not what it seems: it is
        ``Opaque``.
        """
        end = self.text.find("'", i + 1)
        if end < 0:
            raise ScanStop("unterminated '")
        parts.append(Quoted(i, i + 1, "'"))
        if end > i + 1:
            parts += self.expanded(self.text[i + 1 : end], range(i + 1, end + 1), quoted)
        parts.append(Quoted(end, end + 1, "'"))
        return end + 1

    def _text(self, start: int, end: int, parts: list[Part], quoted: int) -> None:
        if end > start:
            parts.append((Quoted if quoted else Literal)(start, end, self.text[start:end]))


def _is_glob_mark(part: Part) -> bool:
    """Whether ``part`` ends in a character that makes the ``(`` after it an extended glob (bash
    manual 3.5.8.1).
    """
    return isinstance(part, Literal) and part.text[-1] in _GLOB_MARKS
