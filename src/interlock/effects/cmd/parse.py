"""Command lines of cmd.exe to a tree (Microsoft Learn: cmd, if, for; "Command shell overview").
Never raises, each character is read once.
"""

from __future__ import annotations

MAX_DEPTH = 24
_ENDS = frozenset("&|)\n")
_SPACES = " \t\r\f\v,;=\u00a0"
"""What separates words for cmd.exe itself; programs see only blanks and tabs as separators."""


_COMPARING = frozenset({"equ", "neq", "lss", "leq", "gtr", "geq"})


class CmdNode:
    """A command, or commands put together.

    ``kind``: ``simple`` (``words`` and ``raw``), ``list`` (``parts``), ``pipe`` (``parts``),
    ``group``, ``if`` (condition words, branches), ``for`` (``raw``: the options and variable,
    ``words``: the set, one part), ``broken`` (``raw`` says why).
    ``redirects``: operator and target.
    """

    __slots__ = ("end", "kind", "parts", "raw", "redirects", "start", "words")

    def __init__(self, kind: str, start: int) -> None:
        self.kind = kind
        self.start = start
        self.end = start
        self.raw = ""
        self.words: list[str] = []
        self.parts: list[CmdNode] = []
        self.redirects: list[tuple[str, str]] = []


class CmdParser:
    """Reads one logical line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.size = len(text)
        self.depth = 0
        self.broken = ""

    def whole(self) -> CmdNode:
        """Read all of the text."""
        node = self.commands(inside=False)
        if self.broken:
            broken = CmdNode("broken", 0)
            broken.raw, broken.end = self.broken, self.size
            node.parts.append(broken)
        return node

    def peek(self) -> str:
        """Return the character here."""
        return self.text[self.at] if self.at < self.size else ""

    def fail(self, why: str) -> None:
        """Give up on the rest."""
        self.broken = self.broken or why
        self.at = self.size

    def commands(self, *, inside: bool) -> CmdNode:
        """Read commands one after another, up to ``)`` inside a group."""
        node = CmdNode("list", self.at)
        joint = ""
        while self.at < self.size:
            self._blanks("\n&@")
            char = self.peek()
            if char == ")" and inside:
                self.at += 1
                return node
            if char == "":
                break
            if char == ")":
                # outside a group the rest of the line is not read by cmd.exe; to read it is the
                # stricter way
                self.at += 1
                continue
            node.parts.append(self._parse_joined(joint))
            node.end = self.at
            joint = self.text[self.at : self.at + 2]
            self.at += 2 if joint in ("&&", "||") else 0
        if inside:
            self.fail("a group without an end")
        return node

    def _parse_joined(self, joint: str) -> CmdNode:
        """Read a pipeline; behind ``&&`` or ``||`` it may run or not."""
        start = self.at
        found = self.pipeline()
        if joint not in ("&&", "||"):
            return found
        node = CmdNode("maybe", start)
        node.end, node.raw, node.parts = self.at, joint, [found]
        return node

    def _blanks(self, more: str = "") -> None:
        while self.at < self.size and (self.text[self.at] in _SPACES or self.text[self.at] in more):
            self.at += 1

    def pipeline(self) -> CmdNode:
        """Read commands joined by ``|``."""
        node = CmdNode("pipe", self.at)
        while True:
            node.parts.append(self.command())
            self._blanks()
            if self.peek() != "|" or self.text[self.at : self.at + 2] == "||":
                break
            self.at += 1
        node.end = self.at
        return node if len(node.parts) > 1 else node.parts[0]

    def command(self) -> CmdNode:
        """Read one command of any form."""
        self._blanks("@")
        if self.depth >= MAX_DEPTH:
            self.fail("nested too deeply to read")
            return CmdNode("list", self.at)
        self.depth += 1
        low = self.text[self.at : self.at + 5].lower()
        if low[:1] == "(":
            node = self._group()
        elif low[:3] in ("if ", "if\t", "if/", "if("):
            node = self._if()
        elif low[:4] in ("for ", "for\t"):
            node = self._for()
        elif low[:4].rstrip() == "rem" or low[:1] == ":":
            node = self._comment()
        else:
            node = self.simple()
        self.depth -= 1
        return node

    def _comment(self) -> CmdNode:
        node = CmdNode("list", self.at)
        while self.at < self.size and self.text[self.at] != "\n":
            self.at += 1
        return node

    def _group(self) -> CmdNode:
        node = CmdNode("group", self.at)
        self.at += 1
        node.parts = [self.commands(inside=True)]
        node.redirects = self._redirects()
        return node

    def _redirects(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        while True:
            self._blanks()
            one = self._redirect()
            if one is None:
                return found
            found.append(one)

    def _redirect(self) -> tuple[str, str] | None:
        """Read ``> file``, ``2>&1``, ``<file``, if they come next."""
        skip = (
            1 if self.peek().isdigit() and self.text[self.at + 1 : self.at + 2] in ("<", ">") else 0
        )
        sign = self.text[self.at + skip : self.at + skip + 1]
        if sign not in ("<", ">") or not sign:
            return None
        stream = self.text[self.at : self.at + skip] or ("1" if sign == ">" else "0")
        self.at += skip + 1
        if self.peek() == ">":
            sign = ">>"
            self.at += 1
        if self.peek() == "&":
            self.at += 2
            return "&", ""
        self._blanks()
        word, _ = self._word()
        return sign + stream, word

    def _if(self) -> CmdNode:
        """``if [/i] [not] exist X | defined X | errorlevel N | A==B | A EQU B CMD [else CMD]``."""
        node = CmdNode("if", self.at)
        self.at += 2
        words = 0
        needed = 1
        while self.at < self.size and words < needed:
            self._blanks()
            if self.peek() in _ENDS or not self.peek():
                break
            before = self.at
            word, _ = self._word(stops="=")
            low = word.lower()
            if self.at == before:
                self.at += 1
            node.words.append(word)
            if low in ("not", "/i"):
                continue
            words += 1
            if words == 1:
                needed = (
                    2
                    if low in ("exist", "defined", "errorlevel", "cmdextversion")
                    or self.text[self.at : self.at + 2] == "=="
                    else 3
                )
        if needed == 3 and not (len(node.words) > 1 and node.words[-2].lower() in _COMPARING):
            self.fail("a condition that cannot be read")
            return node
        node.parts.append(self.command())
        self._blanks("\n")
        if self.text[self.at : self.at + 4].lower() == "else":
            self.at += 4
            node.parts.append(self.command())
        return node

    def _for(self) -> CmdNode:
        """``for [/f "options" | /l | /r [path] | /d] %v in (set) do COMMAND``."""
        node = CmdNode("for", self.at)
        begin = self.at
        self.at += 3
        while self.at < self.size and self.text[self.at] not in "(\n":
            self.at += 1
        node.raw = self.text[begin : self.at]
        if self.peek() != "(":
            self.fail("a loop without its set")
            return node
        self.at += 1
        quote = ""
        first = self.at
        while self.at < self.size and (quote or self.text[self.at] != ")"):
            char = self.text[self.at]
            if char in "\"'`":
                quote = "" if quote == char else quote or char
            self.at += 1
        node.words = [self.text[first : self.at].strip()]
        self.at += 1
        self._blanks("\n")
        if self.text[self.at : self.at + 2].lower() != "do":
            self.fail("a loop without its command")
            return node
        self.at += 2
        node.parts = [self.command()]
        return node

    def simple(self) -> CmdNode:
        """Read the words and redirections of one command."""
        node = CmdNode("simple", self.at)
        raw: list[str] = []
        while self.at < self.size:
            begin = self.at
            while self.at < self.size and self.text[self.at] in " \t\r\u00a0":
                self.at += 1
            if node.words:
                raw.append(self.text[begin : self.at])
            if self.at >= self.size or self.text[self.at] in _ENDS:
                break
            redirect = self._redirect()
            if redirect is not None:
                node.redirects.append(redirect)
                continue
            before = self.at
            word, written = self._word()
            if self.at == before:
                self.at += 1
                continue
            node.words.append(word)
            raw.append(written)
        node.raw = "".join(raw)
        node.end = self.at
        return node

    def _word(self, stops: str = "") -> tuple[str, str]:
        """Read one word; return it without its quotes, and as it was written without its carets."""
        word: list[str] = []
        raw: list[str] = []
        quoted = False
        while self.at < self.size:
            char = self.text[self.at]
            if char == "\n":
                break
            if char == '"':
                quoted = not quoted
                raw.append(char)
                self.at += 1
                continue
            if not quoted:
                if char == "^":
                    self.at += 1
                    if self.peek() == "\n":
                        self.at += 1
                        continue
                    word.append(self.peek())
                    raw.append(self.peek())
                    self.at += 1
                    continue
                if char in " \t\r\u00a0<>&|)" or (
                    stops and self.text[self.at : self.at + 2] == "=="
                ):
                    if word or raw or not stops:
                        break
                    self.at += 2
                    continue
            word.append(char)
            raw.append(char)
            self.at += 1
        return "".join(word), "".join(raw)


def lines(text: str) -> list[tuple[int, str]]:
    """Split a text into logical lines with their places: a line ends at its end, unless it ends in
    ``^`` or a bracket is open.
    """
    found: list[tuple[int, str]] = []
    begin = at = depth = 0
    quoted = False
    while at < len(text):
        char = text[at]
        if char == '"':
            quoted = not quoted
        elif char == "^" and not quoted:
            at += 1
        elif char in "()" and not quoted:
            depth = max(0, depth + (1 if char == "(" else -1))
        elif char == "\n":
            quoted = False
            if depth == 0:
                found.append((begin, text[begin:at]))
                begin = at + 1
        at += 1
    if begin < len(text):
        found.append((begin, text[begin:]))
    return found
