"""Source text to tokens, by what a language says of its comments, quotes and names. Never fails;
every token is one step of bounded work.
"""

from __future__ import annotations

from interlock.effects.foreign.quotes import PAIRS, QUOTING, closing, escape, inner, letters
from interlock.effects.foreign.token_kinds import COMMAND, LINE, MARK, NAME, NUMBER, PATTERN, TEXT
from interlock.model.record import Record
from interlock.shell.value import HOLE


class TokenDialect(Record):
    """How a language writes things.

    ``comments``: what begins a comment to the end of the line. ``raw``, ``cooked``: quotes without
    and with escapes. ``inside``: what begins a piece of code in a cooked text (``${``, ``#{``,
    ``$``). ``back``: what back quotes are: ``command``, ``text`` or ``name``.
    ``join``: operators that put texts together. ``member``: what stands between a thing and its
    member. ``lines``: whether a line's end ends a statement. ``bare``: whether arguments may stand
    without parentheses. ``ends``: whether blocks end with ``end``. ``sigils``: what variables begin
    with. ``called``: words that are calls by themselves; ``properties``: whether ``a.b`` calls
    ``b``. ``quoting``: ``q{..}``-like words.
    ``blocks``: text between ``[[`` and ``]]``. ``patterns``: whether ``/`` may begin a pattern.
    ``implied``: calls that take ``$_`` where they are given nothing. ``keywords``: words whose
    argument needs no parentheses. ``dotted``: whether names hold dots.
    """

    name: str
    comments: tuple[str, ...] = ("//",)
    raw: str = ""
    cooked: str = "\"'"
    inside: str = ""
    back: str = "text"
    join: frozenset[str] = frozenset({"+"})
    member: frozenset[str] = frozenset({".", "?.", "::", "->"})
    lines: bool = True
    bare: bool = False
    ends: bool = False
    sigils: str = ""
    called: frozenset[str] = frozenset()
    properties: bool = False
    quoting: str = ""
    blocks: bool = False
    patterns: bool = False
    implied: frozenset[str] = frozenset()
    keywords: frozenset[str] = frozenset()
    dotted: bool = False


class ForeignToken:
    """One token. ``pieces`` of a text: known text, and code as a tuple of one text."""

    __slots__ = ("kind", "pieces", "spaced", "text")

    def __init__(
        self, kind: str, text: str, *, spaced: bool, pieces: list[str | tuple[str]] | None = None
    ) -> None:
        self.kind = kind
        self.text = text
        self.spaced = spaced
        self.pieces = pieces if pieces is not None else [text]

    def __repr__(self) -> str:
        return f"{self.kind}:{self.text}"


MAX_TOKENS = 8_000
"""Tokens of a program that are followed; of a longer one the rest is only searched."""
_THREE = frozenset(
    {"===", "!==", "...", "**=", "<<=", ">>=", "&&=", "||=", "??=", "<=>", "//=", "->>", ">>>"}
)
_TWO = frozenset(
    "=> -> :: ?. == != <= >= && || ?? ++ -- += -= *= /= .= %= ^= |= &= << >> ** .. =~ !~ := <- <> |> // ~> ~= x=".split()
)
_BEFORE_VALUE = frozenset(
    "return and or not in if unless while until when case typeof print puts echo split grep map join push die throw => else elsif do then".split()
)


class TokenScanner:
    """Cuts one text into tokens."""

    def __init__(self, text: str, dialect: TokenDialect) -> None:
        self.text = text
        self.dialect = dialect
        self.tokens: list[ForeignToken] = []
        self._depth = 0
        self._waiting: list[tuple[str, ForeignToken]] = []

    def scan(self) -> list[ForeignToken]:
        """Return all tokens, at most ``MAX_TOKENS``."""
        at, size, text = 0, len(self.text), self.text
        spaced = True
        while at < size and len(self.tokens) < MAX_TOKENS:
            char = text[at]
            if char == "\n":
                at = self._line(at)
                spaced = True
            elif char in " \t\r\f" or (char == "\\" and text[at + 1 : at + 2] == "\n"):
                at += 1 if char != "\\" else 2
                spaced = True
            else:
                after = self._comment(at, char)
                at = after or self._token(at, char, spaced=spaced)
                spaced = bool(after)
        return self.tokens

    def _line(self, at: int) -> int:
        """The end of a line: here-documents that wait begin here."""
        if self.dialect.lines and self._depth <= 0:
            self._add(LINE, "\n", spaced=True)
        at += 1
        for mark, token in self._waiting:
            end = at
            lines = []
            while end < len(self.text):
                line, newline, _ = (
                    self.text[end:].partition("\n")
                    if len(self.text) - end < 4096
                    else _rest_of_line(self.text, end)
                )
                end += len(line) + len(newline)
                if line.strip().rstrip(";,)") == mark:
                    break
                lines.append(line + newline)
            token.pieces = self._pieces("".join(lines), cooked=True)
            token.text = "".join(lines)
            at = end
        self._waiting = []
        return at

    def _add(
        self, kind: str, text: str, *, spaced: bool, pieces: list[str | tuple[str]] | None = None
    ) -> None:
        self.tokens.append(ForeignToken(kind, text, spaced=spaced, pieces=pieces))

    def _comment(self, at: int, char: str) -> int:
        """Return where a comment that begins here ends, or 0."""
        text = self.text
        if self.dialect.blocks and text.startswith("--[[", at):
            end = text.find("]]", at)
            return end + 2 if end >= 0 else len(text)
        for mark in self.dialect.comments:
            if (
                char == mark[0]
                and text.startswith(mark, at)
                and not self._hash_of_something(at, mark)
            ):
                end = text.find("\n", at)
                return end if end >= 0 else len(text)
        if char == "/" and text.startswith("/*", at) and "//" in self.dialect.comments:
            end = text.find("*/", at + 2)
            return end + 2 if end >= 0 else len(text)
        return 0

    def _hash_of_something(self, at: int, mark: str) -> bool:
        """``$#list`` of Perl is no comment."""
        return mark == "#" and at > 0 and self.text[at - 1] in "$@"

    # -- one token ---------------------------------------------------------------------------------

    def _token(self, at: int, char: str, *, spaced: bool) -> int:
        dialect, text = self.dialect, self.text
        if char in dialect.raw or char in dialect.cooked:
            return self._scan_quoted(at, char, cooked=char in dialect.cooked, spaced=spaced)
        if char == "`":
            return self._back(at, spaced=spaced)
        if dialect.blocks and text.startswith("[[", at):
            end = text.find("]]", at)
            end = end if end >= 0 else len(text)
            self._add(TEXT, text[at + 2 : end], spaced=spaced)
            return end + 2
        if text.startswith("<<", at) and dialect.back == "command":
            end = self._heredoc(at, spaced=spaced)
            if end:
                return end
        if (
            char == "~"
            and text[at + 1 : at + 2].isalpha()
            and text[at + 2 : at + 3] in "\"'("
            and dialect.name == "elixir"
        ):
            return at + 2
        if char.isdigit():
            return self._number(at, spaced=spaced)
        if char.isalpha() or char in "_" + HOLE or char in dialect.sigils:
            return self._name(at, char, spaced=spaced)
        if char == "/" and dialect.patterns and self._expects_value():
            end = closing(text, at + 1, "/")
            if "\n" not in text[at:end]:
                self._add(PATTERN, text[at + 1 : end - 1], spaced=spaced)
                return letters(text, end)
        if char == "%" and dialect.quoting == "ruby" and self._expects_value():
            end = self._word_quote(at, spaced=spaced)
            if end:
                return end
        return self._mark(at, char, spaced=spaced)

    def _mark(self, at: int, char: str, *, spaced: bool) -> int:
        text = self.text
        for size, known in ((3, _THREE), (2, _TWO)):
            if text[at : at + size] in known:
                self._add(MARK, text[at : at + size], spaced=spaced)
                return at + size
        self._depth += (char in "([") - (char in ")]")
        if char in "{}":
            self._depth = 0
        self._add(MARK, char, spaced=spaced)
        return at + 1

    def _number(self, at: int, *, spaced: bool) -> int:
        end = at
        text = self.text
        while end < len(text) and (
            text[end].isalnum()
            or text[end] == "_"
            or (text[end] == "." and text[end + 1 : end + 2].isdigit())
        ):
            end += 1
        self._add(NUMBER, text[at:end].replace("_", ""), spaced=spaced)
        return end

    def _name(self, at: int, char: str, *, spaced: bool) -> int:
        text, end = self.text, at + 1
        if char in self.dialect.sigils:
            while end < len(text) and text[end] in "#$" and self.dialect.name in ("perl", "ruby"):
                end += 1
            if not (text[end : end + 1].isalpha() or text[end : end + 1] in ("_", HOLE)):
                follows = text[end : end + 1]
                if end == at + 1 and (char in "%&*" or follows in ("{", "(") or follows.isspace()):
                    return self._mark(at, char, spaced=spaced)
                end += (
                    end == at + 1
                    and self.dialect.name == "perl"
                    and follows not in ("", ")", ";", ",")
                )
        while end < len(text) and (
            text[end].isalnum()
            or text[end] in "_" + HOLE
            or (text[end] == "." and self.dialect.dotted)
        ):
            end += 1
        if (
            self.dialect.quoting == "ruby"
            and text[end : end + 1] in ("?", "!")
            and text[end + 1 : end + 2] != "="
        ):
            end += 1
        word = text[at:end]
        if self.dialect.quoting == "perl" and word in QUOTING["perl"] and not self._after_member():
            after = self._word_quote(at, spaced=spaced)
            if after:
                return after
        self._add(NAME, word, spaced=spaced)
        return end

    def _after_member(self) -> bool:
        return bool(self.tokens) and self.tokens[-1].text in ("->", "{", "sub", "::")

    def _expects_value(self) -> bool:
        """Whether a value may stand here, so that ``/`` begins a pattern."""
        if not self.tokens:
            return True
        last = self.tokens[-1]
        if last.kind == NAME:
            return last.text in _BEFORE_VALUE
        return last.kind == LINE or (last.kind == MARK and last.text not in (")", "]", "}"))

    # -- texts -------------------------------------------------------------------------------------

    def _scan_quoted(self, at: int, quote: str, *, cooked: bool, spaced: bool) -> int:
        text = self.text
        if text.startswith(quote * 3, at):
            end = text.find(quote * 3, at + 3)
            end = end if end >= 0 else len(text)
            self._add(
                TEXT,
                text[at + 3 : end],
                spaced=spaced,
                pieces=self._pieces(text[at + 3 : end], cooked=cooked),
            )
            return end + 3
        end = closing(text, at + 1, quote)
        body = text[at + 1 : end - 1] if text[end - 1 : end] == quote else text[at + 1 : end]
        self._add(TEXT, body, spaced=spaced, pieces=self._pieces(body, cooked=cooked))
        return end

    def _back(self, at: int, *, spaced: bool) -> int:
        end = closing(self.text, at + 1, "`")
        body = self.text[at + 1 : end - 1]
        back = self.dialect.back
        kind = COMMAND if back == "command" else NAME if back == "name" else TEXT
        self._add(kind, body, spaced=spaced, pieces=self._pieces(body, cooked=True))
        return end

    def _heredoc(self, at: int, *, spaced: bool) -> int:
        """``<<MARK``, ``<<~MARK``, ``<<'MARK'``, ``<<<MARK``: the text is on the next lines."""
        text, end = self.text, at + 2
        while end < len(text) and text[end] in "<~-'\"":
            end += 1
        start = end
        while end < len(text) and (text[end].isalnum() or text[end] == "_"):
            end += 1
        mark = text[start:end]
        if not mark or not (mark.isupper() or text[start - 1] in "~'\""):
            return 0
        token = ForeignToken(TEXT, "", spaced=spaced, pieces=[])
        self.tokens.append(token)
        self._waiting.append((mark, token))
        return end + (text[end : end + 1] in ("'", '"'))

    def _word_quote(self, at: int, *, spaced: bool) -> int:
        """``q(..)``, ``qw/../``, ``%w[..]``, ``s/a/b/e``: return its end, or 0 for none."""
        text, end = self.text, at
        while end < len(text) and (text[end].isalpha() or text[end] == "%"):
            end += 1
        kind = QUOTING[self.dialect.quoting].get(text[at:end])
        if kind is None:
            return 0
        while end < len(text) and text[end] == " " and self.dialect.quoting == "perl":
            end += 1
        mark = text[end : end + 1]
        if (
            not mark
            or mark.isalnum()
            or mark in " ,;=)>\n"
            or (self.dialect.quoting == "ruby" and mark not in "([{<|!/")
        ):
            return 0
        close = closing(text, end + 1, PAIRS.get(mark, mark), mark if mark in PAIRS else "")
        body = text[end + 1 : close - 1]
        if kind == "replace":
            return self._replacement(text[at:end].strip(), mark, close, spaced=spaced)
        if kind == "words":
            self._add(MARK, "(", spaced=spaced)
            for word in body.split()[:256]:
                self._add(TEXT, word, spaced=True)
                self._add(MARK, ",", spaced=False)
            self._add(MARK, ")", spaced=False)
            return close
        if kind == PATTERN:
            self._add(PATTERN, body, spaced=spaced)
            return letters(text, close)
        pieces = self._pieces(body, cooked=kind != "raw")
        self._add(COMMAND if kind == COMMAND else TEXT, body, spaced=spaced, pieces=pieces)
        return close

    def _replacement(self, word: str, mark: str, close: int, *, spaced: bool) -> int:
        """``s/a/b/e`` runs ``b``; of ``tr`` both lists are kept."""
        text = self.text
        start = close
        if mark in PAIRS:
            while start < len(text) and text[start].isspace():
                start += 1
            start += 1
        end = closing(text, start, PAIRS.get(mark, mark), mark if mark in PAIRS else "")
        flags = letters(text, end)
        code = "e" in text[end:flags] and word == "s"
        self._add(
            PATTERN,
            text[start : end - 1],
            spaced=spaced,
            pieces=[(text[start : end - 1],)] if code else [text[start : end - 1]],
        )
        return flags

    def _pieces(self, body: str, *, cooked: bool) -> list[str | tuple[str]]:
        """Return a text's pieces: what is known, and the code whose value is put in."""
        inside = self.dialect.inside if cooked else ""
        if "\\" not in body and (not inside or inside[0] not in body):
            return [body]
        out: list[str | tuple[str]] = []
        plain: list[str] = []
        at = 0
        while at < len(body):
            char = body[at]
            if char == "\\" and at + 1 < len(body):
                made, at = escape(body, at + 1, cooked=cooked)
                plain.append(made)
            elif inside and body.startswith(inside[0], at) and (code := inner(body, at, inside)):
                out.append("".join(plain))
                plain = []
                out.append((code[0],))
                at = code[1]
            else:
                plain.append(char)
                at += 1
        out.append("".join(plain))
        return out


def _rest_of_line(text: str, at: int) -> tuple[str, str, str]:
    end = text.find("\n", at)
    return (text[at:end], "\n", "") if end >= 0 else (text[at:], "", "")
