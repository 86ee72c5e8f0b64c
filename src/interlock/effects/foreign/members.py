"""What comes after an operand: calls, members, items, blocks that are handed over; and arguments,
with and without parentheses.
"""

from __future__ import annotations

import _ast

from interlock.effects.foreign.cursor import LOAD, TokenCursor
from interlock.effects.foreign.token_kinds import COMMAND, LINE, MARK, NAME, NUMBER, PATTERN, TEXT
from interlock.effects.foreign.words import MODIFIERS, OPERATORS

ARROWS = frozenset({"javascript", "csharp", "scala"})
"""Languages in which ``x => y`` is a function."""
ENDS = frozenset({")", "]", "}", ",", ";", ":", "=>", "|", ""})


class MemberReader(TokenCursor):
    """Reads what stands after an operand."""

    # -- what comes after an operand ---------------------------------------------------------------

    def after(self, left: _ast.expr) -> _ast.expr:
        """Return calls, members and items of ``left``."""
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            word = token.text if token.kind == MARK else ""
            if token.kind == LINE and self._continues():
                continue
            if word == "(" and (
                not token.spaced or self.dialect.name != "ruby" or isinstance(left, _ast.Attribute)
            ):
                self.at += 1
                left = self.called(left, ")")
            elif word == "[" and not (token.spaced and self.dialect.bare):
                self.at += 1
                items = self.listed("]")
                left = _ast.Subscript(left, items[0] if items else _ast.Constant(value=None), LOAD)
            elif word in self.dialect.member or (
                word == ":" and self.dialect.name == "lua" and self.kind(1) == NAME
            ):
                left = self.member(left)
            elif (
                word == "{"
                and self.dialect.name == "perl"
                and not token.spaced
                and self._can_hold_items(left)
            ):
                self.at += 1
                left = _ast.Subscript(left, self.key(), LOAD)
                self.take("}")
            elif self._names_handle(left):
                left = self.bare_call(left)
            elif word == "{" and self.dialect.name == "lua" and _is_callable(left):
                self.at += 1
                left = _ast.Call(left, [self.parse_map("}")], [])  # request{url = ..}
            elif word in ("{", "do") or (token.kind == NAME and token.text == "do"):
                made = self.trailing(left)
                if made is None:
                    break
                left = made
            elif word in ("++", "--") and "++" not in self.dialect.join:
                self.at += 1
            elif word == "!" and not token.spaced and self.peek(1) in ("(", "[", "."):
                self.at += 1  # macros of Rust, certainty of Swift and Kotlin
            elif (
                token.kind == TEXT
                and not token.spaced
                and isinstance(left, (_ast.Name, _ast.Attribute))
            ):
                self.at += 1
                left = _ast.Call(left, [self.text(token)], [])
            elif self.starts_argument(left):
                left = self.bare_call(left)
            else:
                break
        return left

    def _can_hold_items(self, left: _ast.expr) -> bool:
        return isinstance(left, (_ast.Subscript, _ast.Attribute)) or (
            isinstance(left, _ast.Name) and left.id[:1] in "$%@"
        )

    def _continues(self) -> bool:
        """Go past a line's end where the next line goes on with ``.name``."""
        ahead = 1
        while self.kind(ahead) == LINE:
            ahead += 1
        if (
            self.kind(ahead) == MARK
            and self.peek(ahead) in (".", "?.", "->")
            and self.kind(ahead + 1) == NAME
        ):
            self.at += ahead
            return True
        return False

    def member(self, left: _ast.expr) -> _ast.expr:
        """``left.name``, ``left->name``, ``left::name``, ``left->[0]``, ``left->{key}``,
        ``left->(..)``.
        """
        mark = self.word()
        self.at += 1
        self.lines()
        word = self.word()
        if word in ("!", "!!") and self.dialect.name == "scala":
            self.at += 1
            return _ast.Call(_ast.Attribute(left, word, LOAD), [], [])
        if word in ("[", "("):
            return left
        if word == "{":
            self.at += 1
            made = _ast.Subscript(left, self.key(), LOAD)
            self.take("}")
            return made
        if (mark == "." and self.kind() == TEXT) or self.kind() not in (NAME, NUMBER):
            self.at -= 1
            right = self.expression(20) if mark in self.dialect.join and self._step() else None
            return _ast.BinOp(left, _ast.Add(), right) if right is not None else self._lost(left)
        if mark in self.dialect.join and mark == ".":  # `.` of PHP and Perl joins texts
            return _ast.BinOp(left, _ast.Add(), self.expression(20))
        self.at += 1
        made_: _ast.expr = _ast.Attribute(left, word, LOAD)
        if (
            self.dialect.properties
            and self.word() != "("
            and mark != "::"
            and not self.starts_argument(made_)
            and self.word() != "="
        ):
            return _ast.Call(made_, [], [])
        return made_

    def _step(self) -> bool:
        self.at += 1
        return True

    def _lost(self, left: _ast.expr) -> _ast.expr:
        self.at += 1
        return left

    def key(self) -> _ast.expr:
        """Return what stands in ``{..}`` after a hash: a bare word is a text."""
        if self.kind() == NAME and self.peek(1) == "}":
            word = self.word()
            self.at += 1
            return _ast.Constant(value=word) if word[:1] not in "$@" else _ast.Name(word, LOAD)
        return self.sequence() or _ast.Constant(value=None)

    def trailing(self, left: _ast.expr) -> _ast.expr | None:
        """A block that is handed to a call: ``each { |x| .. }``, ``open(f) do |io| .. end``, ``run
        { .. }`` of Kotlin and Swift.
        """
        word = self.word()
        if self.block_follows or (word == "do" and not self.dialect.ends):
            return None
        if word == "{" and not (
            self.dialect.name in ("ruby", "groovy", "kotlin", "swift", "scala", "perl")
            and isinstance(left, (_ast.Call, _ast.Name, _ast.Attribute))
        ):
            return None
        if isinstance(left, _ast.Name) and left.id in ("else", "then"):
            return None
        if self.dialect.name == "perl" and not (
            isinstance(left, _ast.Name)
            and left.id in ("map", "grep", "sort", "first", "any", "eval", "do")
        ):
            return None
        block = self.function("", bars="{" if word == "{" else "do")
        if isinstance(left, _ast.Call):
            return _ast.Call(left.func, [*left.args, block], left.keywords)
        if (
            self.dialect.name == "perl"
            and isinstance(left, _ast.Name)
            and self.kind() not in (LINE, "")
            and self.word() not in ENDS
        ):
            return _ast.Call(left, [block, *self.arguments_on_line()], [])
        return _ast.Call(left, [block], [])

    # -- arguments ---------------------------------------------------------------------------------

    def called(self, function: _ast.expr, close: str) -> _ast.Call:
        """Return the call of a function, its parenthesis just opened."""
        keywords: list[_ast.keyword] = []
        held, self.block_follows = self.block_follows, False
        arguments = self.listed(close, keywords)
        self.block_follows = held
        return _ast.Call(function, arguments, keywords)

    def listed(self, close: str, keywords: list[_ast.keyword] | None = None) -> list[_ast.expr]:
        """Return expressions up to a closing mark, which is taken; ``name: value`` and ``name =>
        value`` become keywords, or items in turn.
        """
        out: list[_ast.expr] = []
        while self.at < len(self.tokens):
            self.lines()
            if self.take(close):
                break
            if self.take(",") or self.take(";"):
                continue
            before = self.at
            self._item(out, keywords)
            if self.at == before:
                self.at += 1
        return out

    def _item(self, out: list[_ast.expr], keywords: list[_ast.keyword] | None) -> None:
        """Take one argument."""
        name = (
            self.word()
            if self.kind() == NAME
            else (self.tokens[self.at].text if self.kind() == TEXT else "")
        )
        if self._named(name):
            self.at += 2
            self.lines()
            value = self.expression()
            if keywords is not None and name.lstrip("-").isidentifier():
                keywords.append(_ast.keyword(name.lstrip("-"), value))
            else:
                out.extend([_ast.Constant(value=name), value])
            return
        if self.take(":"):  # a symbol of Ruby or Elixir
            out.append(self.symbol())
            return
        if self.word() == "&" and self.peek(1) == ":" and self.kind(2) == NAME:
            out.append(_call_of_each(self.peek(2)))
            self.at += 3
            return
        value = self.expression()
        if self.take("=>") or (self.word() == ":" and self.take(":")):
            self.lines()
            out.extend([value, self.expression()])
            return
        out.append(value)

    def _named(self, name: str) -> bool:
        """Whether ``name: value``, ``name => value`` or ``name = value`` stands next."""
        mark = self.peek(1)
        if (
            mark not in (":", "=>", "=")
            or self.kind(1) != MARK
            or self.kind() not in (NAME, TEXT)
            or self._is_member_colon(name)
        ):
            return False
        return (
            self.dialect.name not in ARROWS
            if mark == "=>"
            else mark == ":" or keywords_by_equals(self.dialect.name)
        )

    def _is_member_colon(self, name: str) -> bool:
        return self.peek(1) == ":" and (
            self.dialect.name == "lua"
            or (self.kind() == TEXT and self.dialect.name == "erlang")
            or not name
        )

    def symbol(self) -> _ast.expr:
        """``:name``, and the member of a module so named: ``:os.cmd(..)``."""
        if self.kind() != NAME:
            return self.expression()
        word = self.word()
        if self.peek(1) == ".":
            return self.expression()
        self.at += 1
        return _ast.Constant(value=word)

    def starts_argument(self, left: _ast.expr) -> bool:
        """Whether an argument follows a call without parentheses: ``system "ls"``, ``puts x``."""
        if not isinstance(left, (_ast.Name, _ast.Attribute)) or self.at >= len(self.tokens):
            return False
        token = self.tokens[self.at]
        if isinstance(left, _ast.Name) and left.id[:1] in ("$", "@", "%", "&"):
            return False
        if isinstance(left, _ast.Name) and left.id in self.dialect.keywords:
            return token.kind in (TEXT, COMMAND, NAME, NUMBER) or token.text in ("(", "[")
        if token.kind in (TEXT, COMMAND):
            return self.dialect.bare or self.dialect.blocks
        if not self.dialect.bare:
            return False
        if token.kind in (NUMBER, PATTERN):
            return True
        if token.kind == NAME:
            return (
                token.text not in MODIFIERS
                and token.text not in OPERATORS
                and token.text
                not in ("do", "then", "end", "and", "or", "of", "where", "as", "from")
            )
        if token.text in ("[", "-", "*", "&", "%", "\\", ":", "::", "<", "->"):
            following = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else None
            return token.spaced and following is not None and not following.spaced
        return token.text == "<>"

    def reads_handle(self) -> bool:
        """Whether ``<F>`` of Perl comes next, which is no comparison: it stands behind a handle as
        well (``print $socket <F>``).
        """
        return (
            self.dialect.name == "perl"
            and self.word() == "<"
            and self.kind() == MARK
            and self.kind(1) == NAME
            and self.peek(2) == ">"
        )

    def _names_handle(self, function: _ast.expr) -> bool:
        """Whether the block of ``print {$handle} LIST`` of Perl comes next."""
        return (
            self.dialect.name == "perl"
            and isinstance(function, _ast.Name)
            and function.id in ("print", "printf", "say")
            and self.kind() == MARK
            and self.word() == "{"
        )

    def bare_call(self, function: _ast.expr) -> _ast.Call:
        """Return the call whose arguments stand up to the end of the line."""
        keywords: list[_ast.keyword] = []
        out: list[_ast.expr] = []
        if self._names_handle(function):
            self.at += 1
            out.append(self.expression())
            self.take("}")
        out += self.arguments_on_line(keywords)
        return _ast.Call(function, out, keywords)

    def arguments_on_line(self, keywords: list[_ast.keyword] | None = None) -> list[_ast.expr]:
        """Return arguments without parentheses."""
        out: list[_ast.expr] = []
        while self.at < len(self.tokens):
            before = self.at
            self._item(out, keywords)
            if self.at == before:
                break
            if self.take(","):
                self.lines()
                continue
            nothing = not self.reads_handle() and (
                self.kind() not in (TEXT, COMMAND, NAME)
                or self.word() in MODIFIERS
                or self.word() in OPERATORS
            )
            if nothing or self.word() in ("do", "then", "end"):
                break
        return out


def _call_of_each(name: str) -> _ast.Lambda:
    """Return ``&:name`` of Ruby: a function that calls this method of what it is given."""
    given = _ast.arguments([], [_ast.arg("one")], None, [], [], None, [])
    method = _ast.Attribute(_ast.Name("one", LOAD), name, LOAD)
    return _ast.Lambda(given, _ast.Call(method, [], []))


def _is_callable(left: _ast.expr) -> bool:
    return isinstance(left, (_ast.Name, _ast.Attribute, _ast.Call, _ast.Subscript))


def keywords_by_equals(name: str) -> bool:
    """Whether ``f(name = value)`` names an argument in the language."""
    return name in ("r", "julia", "scala", "kotlin", "groovy")
