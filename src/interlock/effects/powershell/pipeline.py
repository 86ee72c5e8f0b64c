"""Commands and pipelines: words, parameters, redirections (PowerShell language specification 3.0;
about_Parsing, about_Redirection).
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.powershell.expression import STARTS, PowerShellExpressions
from interlock.effects.powershell.scan import BLANKS, ENDS_WORD, LETTERS, MAX_DEPTH
from interlock.effects.powershell.tree import PsNode

_ASSIGNING = ("??=", "+=", "-=", "*=", "/=", "%=", "=")


class PowerShellPipelines(PowerShellExpressions):
    """Reads pipelines; ``following`` is given by the parser: it reads what is assigned."""

    def __init__(self, text: str) -> None:
        PowerShellExpressions.__init__(self, text)
        self.following: Callable[[], PsNode] = self.chain

    # -- pipelines ---------------------------------------------------------------------------------

    def chain(self) -> PsNode:
        """Read pipelines joined by ``&&`` and ``||`` (PowerShell 7)."""
        node = PsNode("chain", self.at, self.at, "", [self._pipeline()])
        while self.spend():
            self.blanks()
            if not (self.starts("&&") or self.starts("||")):
                break
            node.words.append(self.text[self.at : self.at + 2])
            self.at += 2
            self.blanks(lines=True)
            node.parts.append(self._pipeline())
        if self.peek() == "&" and not self.starts("&&"):
            self.at += 1
            node.name = "&"
        node.end = self.at
        return node if node.words or node.name else node.parts[0]

    def _pipeline(self) -> PsNode:
        node = PsNode("pipeline", self.at, self.at, "", [self._element()])
        while self.spend():
            self.blanks()
            if (self.peek() != "|" or self.starts("||")) and (
                self.peek() != "\n" or not self._goes_on()
            ):
                break
            self.at += 1
            self.blanks(lines=True)
            node.parts.append(self._element())
        node.end = self.at
        return node if len(node.parts) > 1 else node.parts[0]

    def _goes_on(self) -> bool:
        """Whether the next line begins with ``|`` (PowerShell 7)."""
        held = self.at
        self.blanks(lines=True)
        if self.peek() == "|" and not self.starts("||"):
            return True
        self.at = held
        return False

    def _element(self) -> PsNode:
        """Read an expression, an assignment or a command."""
        start, char = self.at, self.peek()
        if (
            char in ("&", ".")
            and (self.peek(1) in BLANKS or self.peek(1) in "$('\"{[`")
            and self.peek(1)
        ):
            self.at += 1
            self.blanks()
            return self._command(start, char)
        if char in STARTS and char and not self._is_name():
            return self._add_redirects(self._parse_assignment(self.expression()))
        if char == "-" and self._is_unary():
            return self._add_redirects(self.expression())
        return self._command(start, "")

    def _is_unary(self) -> bool:
        return self._after_dash() in ("not", "join", "split", "bnot") or (
            self.peek(1) in "(-$0123456789" and self.peek(1) != ""
        )

    def _is_name(self) -> bool:
        """Whether digits begin a command's name (``7z``, ``2to3``), not a number."""
        if not self.peek().isdigit():
            return False
        end = self.at
        while end < self.size and (self.text[end].isalnum() or self.text[end] in "._-"):
            end += 1
        word = self.text[self.at : end]
        return (
            not (word[0] == "0" and word[1:2] in "xX")
            and any(char in LETTERS for char in word)
            and word[-2:].lower() not in ("kb", "mb", "gb", "tb")
        )

    def _parse_assignment(self, target: PsNode) -> PsNode:
        """Read the value that is assigned to what was read, if one is."""
        self.blanks()
        sign = next((sign for sign in _ASSIGNING if self.starts(sign)), "")
        if not sign or self.starts("=="):
            return target
        self.at += len(sign)
        self.blanks(lines=True)
        if self.depth >= MAX_DEPTH:
            self.fail("nested too deeply to read")
            return target
        self.depth += 1
        value = self.following()
        self.depth -= 1
        return PsNode("assign", target.start, self.at, sign, [target, value])

    def _add_redirects(self, node: PsNode) -> PsNode:
        redirects = self._redirects()
        return (
            PsNode("redirected", node.start, self.at, "", [node, *redirects]) if redirects else node
        )

    def _redirects(self) -> list[PsNode]:
        found: list[PsNode] = []
        while self.spend():
            self.blanks()
            one = self._redirect()
            if one is None:
                return found
            found.append(one)
        return found

    def _redirect(self) -> PsNode | None:
        """Read ``> file``, ``2>&1`` and their like, if they come next."""
        start, char = self.at, self.peek()
        skip = 1 if char and char in "123456*" and self.peek(1) == ">" else 0
        if self.peek(skip) != ">":
            return None
        stream = char if skip else "1"
        self.at += skip + 1
        append = self.peek() == ">"
        self.at += append
        if self.peek() == "&":
            self.at += 2
            return PsNode("redirect", start, self.at, "&")
        self.blanks()
        return PsNode("redirect", start, self.at, (">>" if append else ">") + stream, [self.word()])

    # -- commands ----------------------------------------------------------------------------------

    def _command(self, start: int, call: str) -> PsNode:
        """Read a command's words and redirections up to the end of the command."""
        node = PsNode("command", start, start, call)
        while self.spend():
            self.blanks()
            char = self.peek()
            if char in ("", "\n", ";", "|", ")", "}") or (char == "&" and node.parts):
                break
            if char in ("<", "&"):
                self.fail("a command that cannot be read")
                break
            if self.starts("--%"):
                self._verbatim(node)
                break
            redirect = self._redirect()
            node.parts.append(redirect if redirect is not None else self._argument())
        node.end = self.at
        return node

    def _verbatim(self, node: PsNode) -> None:
        """Read the words behind ``--%``: nothing in them is special but quotes and ``|``."""
        self.at += 3
        line = self.text[self.at :].partition("\n")[0].partition("|")[0]
        for piece in line.split():
            node.parts.append(PsNode("text", self.at, self.at + len(line), piece.strip('"')))
        self.at += len(line)

    def _argument(self) -> PsNode:
        """Read an argument: a parameter, a word, or words joined by commas."""
        if self.peek() == "-" and (self.peek(1) in LETTERS or self.peek(1) == "?") and self.peek(1):
            return self._parameter()
        first = self.word()
        items = [first]
        while self.spend():
            held = self.at
            self.blanks()
            if self.peek() != ",":
                self.at = held
                break
            self.at += 1
            self.blanks(lines=True)
            items.append(self.word())
        return first if len(items) == 1 else PsNode("list", first.start, self.at, "", items)

    def _parameter(self) -> PsNode:
        """Read ``-Name`` or ``-Name:value``; a program's own stays text."""
        start = self.at
        word = self.word()
        first = word.parts[0] if word.kind == "word" and word.parts else word
        literal = first.name if first.kind == "text" else ""
        if len(literal) < 2:
            return word
        name, colon, rest = literal.partition(":")
        node = PsNode("parameter", start, self.at, name)
        node.words = [literal]
        if len(word.parts) > 1 or rest:
            beginning = [PsNode("text", start, self.at, rest)] if rest else []
            node.parts = [PsNode("word", start, self.at, "", [*beginning, *word.parts[1:]])]
            node.words.append("joined" if not colon else "colon")
        elif colon:
            self.blanks()
            node.parts = (
                [self._argument()] if self.peek() not in ("", "\n", ";", "|", ")", "}") else []
            )
            node.words.append("colon")
        return node

    def word(self) -> PsNode:
        """Read one word of a command."""
        start, char = self.at, self.peek()
        if char in ("(", "{") and char:
            return self.postfix(self.primary(), word=True)
        if char == "@" and self.peek(1) and (self.peek(1) in "({'\"" or self.peek(1) in LETTERS):
            return self.postfix(self.primary(), word=True)
        parts: list[PsNode] = []
        literal: list[str] = []
        while self.at < self.size and self.spend():
            char = self.text[self.at]
            if char == "`" and self.at + 1 < self.size:
                literal.append(self.scan_escape())
                continue
            piece = self._piece(char)
            if piece is not None:
                parts += [
                    *([PsNode("text", start, self.at, "".join(literal))] if literal else []),
                    piece,
                ]
                literal = []
                continue
            if char in ENDS_WORD:
                break
            literal.append(char)
            self.at += 1
        if literal or not parts:
            parts.append(PsNode("text", start, self.at, "".join(literal)))
        if self.at == start:
            self.fail("a word that cannot be read")
        return (
            parts[0]
            if len(parts) == 1 and parts[0].kind not in ("text", "word")
            else PsNode("word", start, self.at, "", parts)
        )

    def _piece(self, char: str) -> PsNode | None:
        """Read a quoted or variable piece of a word."""
        if char in ("'", '"'):
            return self.quoted()
        if char == "$" and self._begins_variable():
            return self.postfix(self.dollar(), word=True)
        return None
