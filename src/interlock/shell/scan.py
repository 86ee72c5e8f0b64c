r"""The text under the parser: where it stands, what it may still spend, which characters stop it.

Three things make the rest simple:

* A backslash-newline is taken out *before* parsing (``join_lines``), so no rule has to think of it;
  the few places where bash keeps it (single quotes, comments, quoted here-documents) put it back
  (``restore``).
* The text ends in two NUL characters, which no text has: looking one character ahead needs no test.
* ``stop_at`` finds the next character that can end a run of ordinary ones, at the speed of
  ``bytes.find``: it
  looks in a copy of the text with one byte a character, in which all such characters are ``\0``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from interlock.shell.tree import CommandList, Part, Redirect, Script, ShellNode, Word

TYPE_CHECKING = False

LONGEST = 256 * 1024
DEEPEST = 50

END = "\0"
META = frozenset(" \t\n|&;()<>\0")  # what ends an unquoted word (bash manual 2, "metacharacter")
NAME_START = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
DIGITS = frozenset("0123456789")
NAME = NAME_START | DIGITS

STOP = b"\0"


def _table(stops: str) -> bytes:
    return bytes(0 if chr(code) in stops or not code else code for code in range(256))


_IN_WORD = _table(" \t\n|&;()<>$`\"'\\")
_IN_QUOTES = _table('"\\$`')
_IN_GROUP = _table("()[]{}<>\"'\\$`")


class ScanStop(Exception):  # internal: it never leaves parse()
    """The text cannot be read further; ``why`` in a few words."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class ScanLimit(ScanStop):
    """The text asks for more work or nesting than it may have."""


class Budget:
    """Work that may still be done. A step is about a word or part; shared by all nested texts."""

    __slots__ = ("steps",)

    def __init__(self, steps: int) -> None:
        self.steps = steps

    @classmethod
    def of(cls, text: str) -> Budget:
        """What a text of this length may cost."""
        return cls(20_000 + min(len(text), LONGEST) // 8)


def join_lines(source: str) -> tuple[str, list[int]]:
    """``source`` without its backslash-newlines, and the offset in it of each character left (and
    of the end).
    """
    pieces: list[str] = []
    offsets: list[int] = []
    at = look = 0
    while (found := source.find("\\\n", look)) >= 0:
        look = found + 2
        first = found
        while first > at and source[first - 1] == "\\":
            first -= 1
        if (found - first) % 2 == 0:  # else the backslash is itself escaped
            pieces.append(source[at:found])
            offsets.extend(range(at, found))
            at = look
    pieces.append(source[at:])
    offsets.extend(range(at, len(source) + 1))
    return "".join(pieces), offsets


def is_balanced(text: str, opening: str, closing: str) -> bool:
    """Whether bash, counting brackets, gets from the start of ``text`` to its end, and is then
    where it was; False in doubt.

    Quotes are skipped as they are in bash's ``parse_matched_pair``; what only its parser can skip
    is in doubt.
    """
    i = pairs = 0
    while i < len(text) and pairs >= 0:
        c = text[i]
        if c == "\\":
            i += 1
        elif c in "'\"`":
            end = _find_quote_end(text, c, i + 1, escapes=c != "'" or text[i - 1 : i] == "$")
            if c == '"' and ("$" in text[i:end] or "`" in text[i:end]):
                return False
            i = end
        elif (
            c == "("
            and text[i - 1 : i] == "$"
            and ("#" in text[i:] or "case" in text[i:] or "<<" in text[i:])
        ):
            return False
        else:
            pairs += (c == opening) - (c == closing)
        i += 1
    return i == len(text) and not pairs


def _find_quote_end(text: str, quote: str, i: int, *, escapes: bool) -> int:
    """Where the ``quote`` that starts before ``i`` ends, or beyond the text."""
    while (i := text.find(quote, i)) >= 0:
        first = i
        while escapes and text[first - 1] == "\\":
            first -= 1
        if (i - first) % 2 == 0:
            return i
        i += 1
    return len(text) + 1


class HereDocument:
    """A here-document that was announced and is not read yet."""

    __slots__ = ("delimiter", "quoted", "redirect")

    def __init__(self, redirect: Redirect, delimiter: str, *, quoted: bool) -> None:
        self.redirect = redirect
        self.delimiter = delimiter
        self.quoted = quoted


class GrammarParts(Protocol):
    """What the parts of the grammar use of each other."""

    def document(self, document: HereDocument) -> None:
        """Read a here-document that starts at ``i`` (``heredoc.Documents``)."""

    def word(self, mode: int = 0) -> Word:
        """Read a word (``words.Words``)."""

    def command_list(self) -> CommandList:
        """Read commands up to what cannot start one (``lists.Lists``)."""

    def script(self) -> Script:
        """Read the whole text (``parse.Parser``)."""


class ShellScanner(GrammarParts):
    """Position, budget and blanks. The grammar is in the classes that extend it, down to
    ``parse.Parser``.

    ``i`` is where the next token starts; methods that return a position do not move it, the others
    do. ``text`` may change *after* ``i`` (see ``restore``): no method keeps it in a local over a
    call.
    """

    __slots__ = (
        "arithmetic",
        "comments",
        "depth",
        "documents",
        "group_stops",
        "i",
        "n",
        "offsets",
        "quote_stops",
        "raw",
        "source",
        "steps",
        "stop_at",
        "substitutions",
        "text",
    )

    if TYPE_CHECKING:
        stop_at: Callable[[bytes, int], int]

    def __init__(self, source: str, depth: int, steps: int, *, join: bool = True) -> None:
        self.source = source
        self.offsets: list[int] | None = None
        if join and "\\\n" in source:
            text, self.offsets = join_lines(source)
            self.use(text)
        else:
            self.use(source)
        self.i = 0
        self.depth = depth
        self.steps = steps
        self.substitutions = 0  # how many $( ) are open
        self.documents: list[HereDocument] = []
        self.comments: list[ShellNode] = []
        self.arithmetic: dict[int, tuple[Sequence[Part], int] | None] = {}

    def use(self, text: str) -> None:
        """Read ``text`` from here on."""
        self.n = len(text)
        self.text = text + "\0\0"
        # one byte a character, whatever the character
        self.raw = self.text.encode("latin-1", "replace")
        self.stop_at = self.raw.translate(_IN_WORD).find
        self.quote_stops: Callable[[bytes, int], int] | None = None
        self.group_stops: Callable[[bytes, int], int] | None = None

    def quote_stop(self, i: int) -> int:
        """Next character from ``i`` that is special in double quotes, or the end."""
        if self.quote_stops is None:
            self.quote_stops = self.raw.translate(_IN_QUOTES).find
        return self.quote_stops(STOP, i)

    def group_stop(self, i: int) -> int:
        """Next quote, bracket or expansion from ``i``, or the end."""
        if self.group_stops is None:
            self.group_stops = self.raw.translate(_IN_GROUP).find
        return self.group_stops(STOP, i)

    def spend(self, steps: int = 1) -> None:
        """Count work; called in every loop."""
        self.steps -= steps
        if self.steps < 0:
            raise ScanLimit("too much to read")

    def deeper(self) -> None:
        """Enter a nested construct; leaving it is ``self.depth -= 1``. After an error nothing is
        left: reading ends.
        """
        self.depth += 1
        if self.depth > DEEPEST:
            raise ScanLimit("nested too deep")

    def unexpected(self, i: int) -> ScanStop:
        """The error for what stands at ``i``."""
        if i >= self.n:
            return ScanStop("unexpected end")
        return ScanStop(
            "unexpected newline" if self.text[i] == "\n" else f"unexpected {self.text[i]}"
        )

    # -- backslash-newlines put back ------------------------------------------------------------

    def restore(self, start: int, end: int) -> int:
        """Put back what was taken out of the text from ``start`` up to offset ``end`` of the
        source; return where that is now.
        """
        offsets = self.offsets
        if offsets is None:
            return end
        first = offsets[start - 1] + 1
        low, high = start, len(offsets) - 1
        while low < high:
            middle = (low + high) // 2
            if offsets[middle] < end:
                low = middle + 1
            else:
                high = middle
        now = start + end - first
        if now != low:
            self.spend(1 + self.n // 200)  # copies the text
            self.use(self.text[:start] + self.source[first:end] + self.text[low : self.n])
            self.offsets = [*offsets[:start], *range(first, end), *offsets[low:]]
        return now

    # -- blanks, comments, newlines ---------------------------------------------------------------

    def blanks(self) -> str:
        """Skip blanks and a comment; return the character after them."""
        text = self.text
        i = self.i
        while text[i] in " \t":
            i += 1
        self.i = i
        if text[i] == "#":
            self.comment(i)
            return self.text[self.i]
        return text[i]

    def comment(self, start: int) -> None:
        """Skip a comment. Its newline ends it, even after a backslash."""
        end = self.text.find("\n", start)
        if self.offsets is not None:
            newline = self.source.find("\n", self.offsets[start])
            if newline >= 0:
                end = self.restore(start + 1, newline + 1) - 1
        if end < 0:
            end = self.n
        self.comments.append(ShellNode(start, end))
        self.i = end

    def newlines(self) -> str:
        """Skip blanks, comments and newlines; return the character after them."""
        while (c := self.blanks()) == "\n":
            self.newline()
        return c

    def newline(self) -> None:
        """Take the newline at ``i`` and the here-documents that start after it."""
        self.spend()
        self.i += 1
        if self.documents:
            documents, self.documents = self.documents, []
            for document in documents:
                self.document(document)
