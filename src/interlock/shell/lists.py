"""Lists, pipelines, simple commands, assignments and redirections (POSIX 2.7, 2.9.1-2.9.3, 2.10;
bash manual 3.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from interlock.shell.heredoc import HereDocuments
from interlock.shell.scan import DIGITS, NAME, NAME_START, STOP, HereDocument
from interlock.shell.tree import (
    AndOr,
    Assignment,
    Command,
    CommandList,
    Compound,
    DoubleQuoted,
    Literal,
    Part,
    Pipeline,
    Quoted,
    Redirect,
    Simple,
    Word,
)

OPENING = frozenset(
    ("{", "if", "for", "while", "until", "select", "case", "[[", "function", "coproc")
)
RESERVED = OPENING | {"!", "then", "elif", "else", "fi", "do", "done", "esac", "}", "in", "]]"}

# how the words after a command name are read
_PLAIN = 0
_DECLARED = 1  # x=1 is an assignment
_ARRAYS = 2  # only x=(..) is
_BUILTINS = {
    "declare": _DECLARED,
    "export": _DECLARED,
    "local": _DECLARED,
    "readonly": _DECLARED,
    "typeset": _DECLARED,
    "alias": _ARRAYS,
    "eval": _ARRAYS,
    "let": _ARRAYS,
}

_NO_COMMAND = frozenset("\n;|)\0")
_PLAIN_ENDS = frozenset(" \t\n;|&)\0")
_TWO = frozenset(("<<", ">>", "<&", ">&", "<>", ">|", "&>"))
_THREE = frozenset(("<<<", "<<-", "&>>"))
_LARGEST_FD = 2**31 - 1


class CompoundCommands(Protocol):
    """Commands that hold commands, which the layer above reads."""

    def parenthesis(self) -> Command:
        """What ``(`` starts (``compound.Compounds``)."""

    def parse_reserved(self, word: str) -> Command:
        """What a reserved word starts (``compound.Compounds``)."""

    def function(self, start: int, name: Word | Assignment) -> Compound:
        """A function whose name was read (``compound.Compounds``)."""


class Lists(HereDocuments, CompoundCommands):
    """Reads lists down to simple commands. What opens a compound command is left to
    ``compound.Compounds``.
    """

    __slots__ = ()

    # -- lists -------------------------------------------------------------------------------------

    def command_list(self) -> CommandList:
        """Commands up to what cannot start one: ``)``, ``;;``, a reserved word, the end."""
        self.deeper()
        out = CommandList(self.i, self.i, [], [])
        self.fill(out, [], [])
        self.depth -= 1
        return out

    def fill(self, into: CommandList, commands: list[Command], operators: list[str]) -> None:
        """Read commands into ``into``; after an error it holds those read, and ends there."""
        into.commands, into.operators = commands, operators
        while True:
            self.spend(2)
            if self.newlines() in ";)\0":
                return
            command = self.and_or()
            if command is None:
                return
            if not commands:
                into.start = command.start
            commands.append(command)
            operators.append("")
            into.end = command.end
            c = self.blanks()
            if c == "\n":
                self.newline()
            elif c == "&" or (c == ";" and self.text[self.i + 1] not in ";&"):
                self.i += 1
            else:
                return
            operators[-1] = c
            into.end = self.i

    def and_or(self) -> Command | None:
        """Pipelines with ``&&`` and ``||`` between, or None where no command starts."""
        first = self.pipeline()
        if first is None:
            return None
        c = self.blanks()
        if c not in "&|" or self.text[self.i + 1] != c:
            return first
        commands = [first]
        operators = []
        while c in "&|" and self.text[self.i + 1] == c:
            self.spend()
            operators.append(c + c)
            self.i += 2
            self.newlines()
            commands.append(self._require(self.pipeline()))
            c = self.blanks()
        return AndOr(first.start, commands[-1].end, commands, operators)

    def _require(self, command: Command | None) -> Command:
        if command is None:
            raise self.unexpected(self.i)
        return command

    def pipeline(self) -> Command | None:
        """Commands with pipes between. One command without ``!`` or ``time`` is given as it is."""
        start = self.i
        negated = timed = False
        if self.text[start] in "!t":
            negated, timed = self._prefixes()
        first = self.command()
        if first is None:
            if self.i == start:
                return None
            if self.text[self.i] not in ";\n\0" or self.text.startswith((";;", ";&"), self.i):
                raise self.unexpected(self.i)
            return Pipeline(start, self.i, (), (), negated, timed)
        if self.blanks() != "|" or self.text[self.i + 1] == "|":
            return (
                Pipeline(start, first.end, (first,), (), negated, timed)
                if negated or timed or start != first.start
                else first
            )
        commands = [first]
        operators = []
        while self.text[self.i] == "|" and self.text[self.i + 1] != "|":
            self.spend()
            operator = "|&" if self.text[self.i + 1] == "&" else "|"
            operators.append(operator)
            self.i += len(operator)
            self.newlines()
            commands.append(self._require(self.command()))
            self.blanks()
        return Pipeline(start, commands[-1].end, commands, operators, negated, timed)

    def _prefixes(self) -> tuple[bool, bool]:
        negated = timed = False
        while (word := self.literal()) in ("!", "time"):
            self.spend()
            self.i += len(word)
            self.blanks()
            if word == "!":
                negated = not negated
                continue
            timed = True
            for option in ("-p", "--"):
                if self.literal() == option:
                    self.i += 2
                    self.blanks()
        return negated, timed

    # -- commands ----------------------------------------------------------------------------------

    def command(self) -> Command | None:
        """A simple or compound command, or None where none starts."""
        i = self.i
        text = self.text
        c = text[i]
        if c in _NO_COMMAND or (c == "&" and text[i + 1] != ">"):
            return None
        if c == "(":
            return self.parenthesis()
        word = text[i : self.stop_at(STOP, i)]
        if word in RESERVED and self.literal():
            return self.parse_reserved(word) if word in OPENING else None
        return self._simple()

    def _simple(self) -> Command:
        start = self.i
        words: list[Word | Assignment] = []
        assignments: list[Assignment] = []
        redirects: list[Redirect] = []
        kind = _PLAIN
        end = start
        while True:
            self.steps -= 1
            if self.steps < 0:
                self.spend()
            text = self.text
            i = self.i
            while text[i] in " \t":
                i += 1
            self.i = i
            j = self.stop_at(STOP, i)
            if j > i and text[j] in _PLAIN_ENDS and (c := text[i]) != "#":
                literal = text[i:j]
                if (
                    (words and not kind)
                    or c == "-"
                    or not ("=" in literal or ("[" in literal and c != "["))
                ):
                    if not words:
                        kind = _BUILTINS.get(literal, _PLAIN)
                    words.append(Word(i, j, (Literal(i, j, literal),)))
                    self.i = end = j
                    continue
            if not self._piece(words, assignments, redirects, kind):
                break
            end = self.i
        if self.text[self.i] == "(":
            if len(words) != 1 or assignments or redirects:
                raise self.unexpected(self.i)
            return self.function(start, words[0])
        return Simple(start, end, assignments, words, redirects)

    def _piece(
        self,
        words: list[Word | Assignment],
        assignments: list[Assignment],
        redirects: list[Redirect],
        kind: int,
    ) -> bool:
        """Take one part of a simple command; False where it ends."""
        i = self.i
        text = self.text
        c = text[i]
        if c == "#":
            self.comment(i)
            return False
        operator = self._operator_at(i)
        if operator >= 0:
            redirects.append(self._redirect(i, operator))
            return True
        if not self.starts_word(c):
            return False
        if not words or kind == _DECLARED or (kind == _ARRAYS and self._starts_array(i)):
            found = self._assignment(leading=not words)
            if isinstance(found, Assignment) and not words:
                assignments.append(found)
                return True
            if found is not None:
                words.append(found)
                return True
        words.append(self.word())
        return True

    # -- redirections ------------------------------------------------------------------------------

    def redirects(self) -> list[Redirect]:
        """The redirections after a compound command."""
        found: list[Redirect] = []
        while True:
            self.blanks()
            operator = self._operator_at(self.i)
            if operator < 0:
                return found
            self.spend()
            found.append(self._redirect(self.i, operator))

    def _operator_at(self, i: int) -> int:
        """Where the operator is of the redirection at ``i``, which may have a ``2`` or ``{fd}``
        before it; -1 if there is none.
        """
        text = self.text
        c = text[i]
        if c in "<>":
            return -1 if text[i + 1] == "(" else i
        if c == "&":
            return i if text[i + 1] == ">" else -1
        if c not in DIGITS and c != "{":
            return -1
        j = self.stop_at(STOP, i)
        if text[j] not in "<>" or text[j + 1] == "(":
            return -1
        return j if _is_descriptor(text[i:j]) else -1

    def _redirect(self, start: int, i: int) -> Redirect:
        """The redirection at ``start`` whose operator is at ``i``."""
        text = self.text
        operator = text[i : i + 3]
        if operator not in _THREE:
            operator = operator[:2]
            if operator not in _TWO:
                operator = operator[:1]
        self.i = i + len(operator)
        if not self.starts_word(self.blanks()) or self._operator_at(self.i) >= 0:
            raise self.unexpected(self.i)
        target = self.word()
        redirect = Redirect(start, self.i, operator, target, text[start:i])
        if operator in ("<<", "<<-"):
            raw = self.text[target.start : target.end]
            quoted = "'" in raw or '"' in raw or "\\" in raw
            delimiter = self._unquote(target.parts) if quoted else raw
            self.documents.append(HereDocument(redirect, delimiter, quoted=quoted))
        return redirect

    def _unquote(self, parts: Sequence[Part]) -> str:
        """The text of a here-document's delimiter: quotes removed, nothing expanded."""
        out = []
        for part in parts:
            if isinstance(part, Literal | Quoted):
                out.append(part.text)
            elif isinstance(part, DoubleQuoted):
                out.append(self._unquote(part.parts))
            else:
                out.append(self.text[part.start : part.end])
        return "".join(out)

    # -- assignments -------------------------------------------------------------------------------

    def _starts_array(self, i: int) -> bool:
        j = self.stop_at(STOP, i)
        return self.text[j] == "(" and self.text[j - 1] == "="

    def _assignment(self, *, leading: bool) -> Assignment | Word | None:
        """The assignment at ``i``, or None. ``leading``: before the command name.

        There ``name[`` is a subscript, blanks and all, even when no ``=`` follows: then it is a
        word.
        """
        start = i = self.i
        text = self.text
        if text[i] not in NAME_START:
            return None
        while text[i] in NAME:
            i += 1
        name = text[start:i]
        subscript = None
        if text[i] == "[":
            region = text[i : self.stop_at(STOP, i)]
            if not leading and (region.count("[") > 1 or "]" not in region):
                return None
            subscript = self.subscript(i + 1)
            i = subscript.end + 1
        return self._parse_assignment(start, name, subscript, i)

    def _parse_assignment(
        self, start: int, name: str, subscript: Word | None, i: int
    ) -> Assignment | Word | None:
        """The assignment whose ``=`` or ``+=`` should be at ``i``; otherwise the word there, or
        None if it was not read yet.
        """
        text = self.text
        append = text[i] == "+" and text[i + 1] == "="
        if append:
            i += 1
        if text[i] != "=":
            self.i = start
            return self._parse_subscripted(start, subscript) if subscript is not None else None
        self.i = i = i + 1
        array = self._array() if text[i] == "(" else None
        value = None
        if self.starts_word(self.text[self.i]):
            value = self.word()
        elif array is None:
            value = Word(i, i, ())
        return Assignment(start, self.i, name, value, append, subscript, array)

    def _parse_subscripted(self, start: int, subscript: Word) -> Word:
        """The word that starts with this subscript."""
        end = subscript.end + 1
        opening = Literal(start, subscript.start, self.text[start : subscript.start])
        parts: list[Part] = [opening, *subscript.parts, Literal(end - 1, end, "]")]
        self.i = self.pieces(end, parts, 0)
        return Word(start, self.i, parts)

    def _array(self) -> list[Word | Assignment]:
        """The words between the parentheses at ``i`` (bash manual 6.7)."""
        self.deeper()
        self.i += 1
        items: list[Word | Assignment] = []
        while (c := self.newlines()) != ")":
            self.spend()
            if not self.starts_word(c):
                raise self.unexpected(self.i)
            item = self._element() if c == "[" else None
            items.append(item if item is not None else self.word())
        self.i += 1
        self.depth -= 1
        return items

    def _element(self) -> Assignment | Word | None:
        start = self.i
        subscript = self.subscript(start + 1)
        return self._parse_assignment(start, "", subscript, subscript.end + 1)


def _is_descriptor(text: str) -> bool:
    """Whether ``text`` before ``<`` or ``>`` is a file descriptor: a number, or ``{name}`` (bash
    manual 3.6).
    """
    if text[0] == "{":
        name = text[1:-1].partition("[")[0]
        return text[-1] == "}" and name.isascii() and name.isidentifier()
    if not (text.isascii() and text.isdigit()):
        return False
    digits = text.lstrip("0")
    return len(digits) <= 10 and int(digits or "0") <= _LARGEST_FD
