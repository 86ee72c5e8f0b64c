"""Compound commands, functions, coprocesses (POSIX 2.9.4-5; bash manual 3.2.5, 3.2.6, 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from interlock.shell.arithmetic import is_expression
from interlock.shell.condition import Conditions
from interlock.shell.lists import OPENING, RESERVED
from interlock.shell.scan import META, STOP, ScanStop
from interlock.shell.tree import (
    Arithmetic,
    Assignment,
    Command,
    CommandList,
    Compound,
    DoubleQuoted,
    Literal,
    Parameter,
    Part,
    Quoted,
    Word,
)

_BODIES = OPENING - {"function", "coproc"}  # what the body of a function may start with, beside "("


def _spell(parts: Sequence[Part]) -> str:
    """Return an expression with a number for whatever is expanded; all arguments may be none."""
    return "".join(map(_spell_part, parts))


def _spell_part(part: Part) -> str:
    if isinstance(part, DoubleQuoted):
        return _spell(part.parts)
    if isinstance(part, Parameter) and part.name in ("@", "*"):
        return ""
    return part.text if isinstance(part, (Literal, Quoted)) else "1"


class Compounds(Conditions):
    """Reads compound commands. A method named for one is called with ``i`` after its reserved word
    at ``start``.
    """

    __slots__ = ()

    def parse_reserved(self, word: str) -> Command:
        """The compound command whose first word ``word`` is at ``i``."""
        start = self.i
        self.i += len(word)
        node = _READERS[word](self, start)
        return node if word in ("function", "coproc") else self._add_redirects(node)

    def _add_redirects(self, node: Compound) -> Compound:
        node.end = self.i
        redirects = self.redirects()
        if redirects:
            node.redirects = redirects
            node.end = redirects[-1].end
            if self.starts_word(
                self.text[self.i]
            ):  # no reserved word is known as one after a redirection
                raise self.unexpected(self.i)
        return node

    def parenthesis(self) -> Command:
        """``( .. )`` or ``(( .. ))``; what is no expression is two subshells, as in dash always."""
        start = self.i
        if self.text[start + 1] == "(":
            before, waiting = self._state(), list(self.documents)
            found = self.arithmetic_from(start + 2)
            if found is not None and is_expression(_spell(found[0])):
                return self._add_redirects(
                    Compound(start, start, "((", (), (self._expression(start, found),))
                )
            self._return_to(before)
            self.documents = waiting
        self.i = start + 1
        body = self._body()
        if self.text[self.i] != ")":
            raise self.unexpected(self.i)
        self.i += 1
        return self._add_redirects(Compound(start, start, "(", (body,)))

    def _expression(self, start: int, found: tuple[Sequence[Part], int]) -> Word:
        self.i = end = found[1]
        return Word(start, end, (Arithmetic(start, end, found[0]),))

    def _body(self) -> CommandList:
        """A list with at least one command."""
        body = self.command_list()
        if not body.commands:
            raise self.unexpected(self.i)
        return body

    def _keyword(self, *expected: str) -> str:
        """Take one of these reserved words."""
        self.newlines()
        word = self.literal()
        if word not in expected:
            raise ScanStop(f"expected {' or '.join(expected)}")
        self.i += len(word)
        return word

    # -- the plain ones ----------------------------------------------------------------------------

    def group(self, start: int) -> Compound:
        """``{ list; }``."""
        body = self._body()
        self._keyword("}")
        return Compound(start, start, "{", (body,))

    def conditional(self, start: int) -> Compound:
        """``if list; then list; [elif list; then list;]... [else list;] fi``."""
        bodies = [self._body()]
        self._keyword("then")
        bodies.append(self._body())
        while (word := self._keyword("elif", "else", "fi")) == "elif":
            self.spend()
            bodies.append(self._body())
            self._keyword("then")
            bodies.append(self._body())
        node = Compound(start, start, "if", bodies)
        if word == "else":
            bodies.append(self._body())
            node.has_else = True
            self._keyword("fi")
        return node

    def loop(self, start: int) -> Compound:
        """``while list; do list; done`` and ``until``."""
        condition = self._body()
        self._keyword("do")
        body = self._body()
        self._keyword("done")
        return Compound(start, start, self.text[start : start + 5], (condition, body))

    def test(self, start: int) -> Compound:
        """``[[ expression ]]``."""
        return Compound(start, start, "[[", (), self.condition())

    # -- for, select, case -------------------------------------------------------------------------

    def iteration(self, start: int) -> Compound:
        """``for name [in words]; do list; done``, ``select`` and ``for ((..; ..; ..))``."""
        c = self.blanks()
        keyword = "for" if self.text[start] == "f" else "select"
        if c == "(" and keyword == "for" and self.text[self.i + 1] == "(":
            return self._arithmetic_loop(start)
        if not self.starts_word(c):
            raise self.unexpected(self.i)
        name = _literal(self.word())
        words: list[Word] = []
        separated = self.blanks() in ";\n"
        explicit = False
        if self.text[self.i] == ";":
            self.i += 1
        else:
            self.newlines()
            explicit = self.literal() == "in"
        if explicit:
            self.i += 2
            self._items(words)
        node = Compound(
            start, start, keyword, (self._loop_body(braces=separated or explicit),), words, name
        )
        node.explicit_in = explicit
        return node

    def _items(self, words: list[Word]) -> None:
        """The words after ``in``, up to and with ``;`` or a newline."""
        while (c := self.blanks()) not in ";\n":
            self.spend()
            if not self.starts_word(c):
                raise self.unexpected(self.i)
            words.append(self.word())
        if c == ";":
            self.i += 1

    def _loop_body(self, *, braces: bool) -> CommandList:
        word = self._keyword("do", "{") if braces else self._keyword("do")
        body = self._body()
        self._keyword("done" if word == "do" else "}")
        return body

    def _arithmetic_loop(self, start: int) -> Compound:
        opening = self.i
        found = self.arithmetic_from(opening + 2)
        if found is None:
            raise ScanStop("unterminated ((")
        if sum(part.text.count(";") for part in found[0] if isinstance(part, Quoted)) != 2:
            raise ScanStop("for (( )) has three expressions")
        expression = self._expression(opening, found)
        if self.blanks() == ";":
            self.i += 1
        return Compound(start, start, "for((", (self._loop_body(braces=True),), (expression,))

    def case(self, start: int) -> Compound:
        """``case word in [(] pattern [| pattern]...) list ;; ... esac``."""
        subject = self._case_word()
        self._keyword("in")
        bodies: list[CommandList] = []
        patterns: list[list[Word]] = []
        node = Compound(start, start, "case", bodies, (subject,))
        node.patterns = patterns
        while True:
            self.spend()
            c = self.newlines()
            if self.literal() == "esac":
                break
            if c == "(":
                self.i += 1
            patterns.append(self._patterns())
            bodies.append(self.command_list())
            self.newlines()
            if not self.text.startswith((";;", ";&"), self.i):
                break
            self.i += 3 if self.text.startswith(";;&", self.i) else 2
        self._keyword("esac")
        return node

    def _case_word(self) -> Word:
        if not self.starts_word(self.blanks()):
            raise self.unexpected(self.i)
        return self.word()

    def _patterns(self) -> list[Word]:
        patterns = [self._case_word()]
        while self.blanks() == "|":
            self.spend()
            self.i += 1
            patterns.append(self._case_word())
        if self.text[self.i] != ")":
            raise self.unexpected(self.i)
        self.i += 1
        return patterns

    # -- functions and coprocesses -----------------------------------------------------------------

    def function(self, start: int, name: Word | Assignment) -> Compound:
        """``name () body``, from the ``(``."""
        self.i += 1
        if self.blanks() != ")" or isinstance(name, Assignment):
            raise self.unexpected(self.i)
        self.i += 1
        return self._parse_function(start, name)

    def function_keyword(self, start: int) -> Compound:
        """``function name [()] body``."""
        if not self.starts_word(self.blanks()):
            raise self.unexpected(self.i)
        name = self.word()
        if self.blanks() == "(":
            close = self.i + 1
            while self.text[close] in " \t":
                close += 1
            if self.text[close] == ")":
                self.i = close + 1
        return self._parse_function(start, name)

    def _parse_function(self, start: int, name: Word) -> Compound:
        c = self.newlines()
        if c != "(" and self.literal() not in _BODIES:
            raise self.unexpected(self.i)
        self.deeper()
        body = self.command()
        self.depth -= 1
        if body is None:
            raise self.unexpected(self.i)
        inner = CommandList(body.start, body.end, (body,), ("",))
        return Compound(start, body.end, "function", (inner,), (name,), _literal(name))

    def coprocess(self, start: int) -> Compound:
        """``coproc [name] command``; only a compound command can have a name."""
        self.blanks()
        name = self._coprocess_name()
        self.deeper()
        command = self.command()
        self.depth -= 1
        if command is None or (
            isinstance(command, Compound) and command.keyword in ("function", "coproc")
        ):
            raise self.unexpected(self.i)
        inner = CommandList(command.start, command.end, (command,), ("",))
        return Compound(start, command.end, "coproc", (inner,), (), name)

    def _coprocess_name(self) -> str:
        word = self.literal()
        if not word or word in RESERVED:
            return ""
        after = self.i + len(word)
        while self.text[after] in " \t":
            after += 1
        j = self.stop_at(STOP, after)
        following = self.text[after:j] if self.text[j] in META else ""
        if following in RESERVED and following not in _BODIES:
            raise ScanStop(f"unexpected {following}")
        if self.text[after] != "(" and following not in _BODIES:
            return ""
        self.i = after
        return word


def _literal(word: Word) -> str:
    """The text of a word that is nothing but unquoted text, else ``""``."""
    part = word.parts[0] if len(word.parts) == 1 else None
    return part.text if isinstance(part, Literal) else ""


_READERS: dict[str, Callable[[Compounds, int], Compound]] = {
    "{": Compounds.group,
    "if": Compounds.conditional,
    "while": Compounds.loop,
    "until": Compounds.loop,
    "for": Compounds.iteration,
    "select": Compounds.iteration,
    "case": Compounds.case,
    "[[": Compounds.test,
    "function": Compounds.function_keyword,
    "coproc": Compounds.coprocess,
}
