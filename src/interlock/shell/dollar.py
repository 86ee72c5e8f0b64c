"""What a dollar starts: parameters, command substitutions, arithmetic, ``$'..'`` and ``$".."``
(bash manual 3.5.3-3.5.5).
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.shell.ansi import decode
from interlock.shell.scan import DIGITS, END, NAME, NAME_START, ScanStop
from interlock.shell.tree import (
    Arithmetic,
    CommandSubstitution,
    Literal,
    Opaque,
    Parameter,
    Part,
    Quoted,
    Script,
    Word,
)
from interlock.shell.words import (
    ARITHMETIC,
    BRACES,
    DOUBLE,
    OLD_ARITHMETIC,
    SUBSCRIPT_IN_BRACES,
    Words,
)

SPECIAL = frozenset("@*#?$!-")
_NESTED = frozenset("({['\"")  # after "${$" it is no parameter but an expansion, as only zsh has it
INVALID = "invalid"  # operator of a ${..} that bash calls a bad substitution when it comes to it

_TWO = frozenset((":-", ":=", ":?", ":+", "##", "%%", "//", "/#", "/%", "^^", ",,", "~~"))
_ONE = frozenset("-=?+#%/^,~:@")
_PATTERNS = frozenset("#%/^,~")  # operators after which quotes quote, even within double quotes


class Dollars(Words):
    """Reads expansions."""

    __slots__ = ()

    def dollar(self, i: int, parts: list[Part], quoted: int) -> int:
        """What the ``$`` at ``i`` starts, or itself."""
        text = self.text
        c = text[i + 1]
        if c in NAME_START:
            end = i + 2
            while text[end] in NAME:
                end += 1
            parts.append(Parameter(i, end, text[i + 1 : end]))
            return end
        if c == "(":
            return self._parenthesis(i, parts)
        if c == "{":
            return self._braces(i, parts, quoted)
        if c in DIGITS or c in SPECIAL:
            parts.append(Parameter(i, i + 2, c))
            return i + 2
        if c == "[":
            inner: list[Part] = []
            end = self.parse_enclosed(i + 2, OLD_ARITHMETIC, inner, DOUBLE) + 1
            parts.append(Arithmetic(i, end, inner))
            return end
        if not quoted and c == '"':
            return self.double_quoted(i, i + 2, parts)
        if not quoted and c == "'":
            return self._ansi_quoted(i, parts)
        parts.append((Quoted if quoted else Literal)(i, i + 1, "$"))
        return i + 1

    def _ansi_quoted(self, i: int, parts: list[Part]) -> int:
        end = self.group_stop(i + 2)
        while (c := self.text[end]) != "'":
            self.spend()
            if c == END:
                raise ScanStop("unterminated '")
            end = self.group_stop(min(end + (2 if c == "\\" else 1), self.n))
        if self.offsets is not None:
            end = self.restore(i + 2, self.offsets[end])
        parts.append(Quoted(i, end + 1, decode(self.text[i + 2 : end])))
        return end + 1

    def parse_translated(self, i: int, parts: list[Part]) -> int:
        """``$'..'`` where bash puts in what it stands for and expands that too."""
        end = self._ansi_quoted(i, parts)
        text = parts[-1].text if isinstance(parts[-1], Quoted) else ""
        if "$" in text or "`" in text:
            parts[-1] = Opaque(i, end, "an expansion spelled with $'..'")
        return end

    # -- $( and $(( -------------------------------------------------------------------------------

    def _parenthesis(self, i: int, parts: list[Part]) -> int:
        if self.text[i + 2] == "(":
            found = self.arithmetic_from(i + 3)
            if found is not None:
                parts.append(Arithmetic(i, found[1], found[0]))
                return found[1]
        script = self.parse_substitution(i + 2)
        parts.append(CommandSubstitution(i, self.i, script))
        return self.i

    def arithmetic_from(self, i: int) -> tuple[Sequence[Part], int] | None:
        """The expression after ``((`` up to and with its ``))``, or None: then it was two open
        parentheses.

        Asked once for a position (``self.arithmetic``): ``$((`` nested in ``$((`` that are commands
        would cost twice as much for each level.
        """
        if i in self.arithmetic:
            return self.arithmetic[i]
        before = self._state()
        waiting = list(self.documents)
        parts: list[Part] = []
        found = None
        # an error in it is one in bash, too, also where commands are meant
        end = self.parse_enclosed(i, ARITHMETIC, parts, DOUBLE)
        if self.text[end + 1] == ")":
            found = (parts, end + 2)
        else:
            self._return_to(before)
            self.documents = waiting
        if found is None or self.documents == waiting:
            self.arithmetic[i] = found
        return found

    def _state(self) -> tuple[int, int, int, int, list[int] | None, str]:
        return self.i, self.depth, self.substitutions, len(self.comments), self.offsets, self.text

    def _return_to(self, state: tuple[int, int, int, int, list[int] | None, str]) -> None:
        self.i, self.depth, self.substitutions, comments, self.offsets, text = state
        del self.comments[comments:]
        if self.text is not text:
            self.use(text[:-2])
            self.arithmetic.clear()

    # -- ${ ----------------------------------------------------------------------------------------

    def _braces(self, i: int, parts: list[Part], quoted: int) -> int:
        text = self.text
        c = text[i + 2]
        if c in " \t\n|":
            return self._function_substitution(i, parts)
        start = i + 2
        prefix = ""
        if c in "#!" and self._is_name(start + 1):
            prefix = c
            start += 1
        at = self._name_end(start)
        name = text[start:at]
        subscript = None
        if text[at] == "[" and name[:1] in NAME_START:
            subscript, at = self._subscript(at)
        if self.text[at] == "}":
            parts.append(Parameter(i, at + 1, name, prefix, subscript))
            return at + 1
        operator = self._operator(at, prefix) if name and self.text[at] != "[" else INVALID
        argument = self._argument(
            at if operator is INVALID else at + len(operator), operator, quoted
        )
        parts.append(Parameter(i, argument.end + 1, name, prefix, subscript, operator, argument))
        return argument.end + 1

    def _subscript(self, i: int) -> tuple[Word | None, int]:
        """The subscript at ``i`` and where it ends: at ``i``, and None, if the ``}`` comes first
        (then bash reads no subscript).
        """
        parts: list[Part] = []
        end = self.parse_enclosed(i + 1, SUBSCRIPT_IN_BRACES, parts, DOUBLE)
        return (Word(i + 1, end, parts), end + 1) if self.text[end] == "]" else (None, i)

    def _is_name(self, i: int) -> bool:
        """Whether a ``#`` or ``!`` before ``i`` is a prefix of a name, not a parameter."""
        c = self.text[i]
        return c in NAME or c in "@*" or (c in SPECIAL and self.text[i + 1] == "}")

    def _name_end(self, i: int) -> int:
        text = self.text
        if text[i] in SPECIAL:
            return i if text[i] == "$" and text[i + 1] in _NESTED else i + 1
        allowed = NAME if text[i] in NAME_START else DIGITS
        while text[i] in allowed:
            i += 1
        return i

    def _operator(self, i: int, prefix: str) -> str:
        text = self.text
        if text[i : i + 2] in _TWO:
            return text[i : i + 2]
        if text[i] in _ONE or (prefix == "!" and text[i] == "*"):
            return text[i]
        return INVALID

    def _argument(self, i: int, operator: str, quoted: int) -> Word:
        parts: list[Part] = []
        end = self.parse_enclosed(i, BRACES, parts, quoted, quotes=operator[0] in _PATTERNS)
        return Word(i, end, parts)

    def _function_substitution(self, i: int, parts: list[Part]) -> int:
        """``${ commands; }`` and ``${| commands; }`` of bash 5.3."""
        self.i = start = i + (3 if self.text[i + 2] == "|" else 2)
        body = self.command_list()
        end = self.i
        if self.text[end] != "}":
            raise self.unexpected(end)
        parts.append(CommandSubstitution(i, end + 1, Script(start, end, self.source, body)))
        return end + 1
