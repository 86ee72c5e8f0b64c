"""PowerShell text to a tree (PowerShell language specification 3.0; about_Parsing). Never raises;
what it cannot read is ``broken``.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.powershell.pipeline import PowerShellPipelines
from interlock.effects.powershell.scan import LETTERS, MAX_DEPTH
from interlock.effects.powershell.tree import PsNode

MAX_SIZE = 128 * 1024
"""Characters of a text; a command line of Windows holds at most 32,767 (CreateProcess)."""
NO_BRACKETS = "a condition without its brackets"
"""What no PowerShell runs: ``if``, ``while`` or ``for`` without ``(``."""
_FLOW = frozenset({"return", "exit", "throw", "break", "continue"})
_NAMED_BLOCKS = frozenset({"begin", "process", "end", "clean", "dynamicparam"})
_UNREAD = frozenset({"class", "enum", "configuration", "workflow"})


def parse(text: str) -> list[PsNode]:
    """Return the statements of a text; the last is ``broken`` if it was not read to its end."""
    if len(text) > MAX_SIZE:
        return [PsNode("broken", 0, len(text), "more text than can be read")]
    return PowerShellParser(text).whole()


class PowerShellParser(PowerShellPipelines):
    """Reads statements."""

    def __init__(self, text: str) -> None:
        PowerShellPipelines.__init__(self, text)
        self.inner = self._inner
        self.following = self.statement
        self.parameters: list[list[PsNode]] = []
        self.jumps = 0

    def whole(self) -> list[PsNode]:
        """Read all of the text."""
        found = self.statements("")
        if self.broken:
            found.append(PsNode("broken", 0, self.size, self.broken))
        return found

    def _inner(self, close: str) -> list[PsNode]:
        """Read what stands in a group up to ``close``; for ``=`` one, the value in a table."""
        if self.depth >= MAX_DEPTH:
            self.fail("nested too deeply to read")
            return []
        self.depth += 1
        found = [self.statement()] if close == "=" else self.statements(close)
        self.depth -= 1
        return found

    def statements(self, close: str) -> list[PsNode]:
        """Read statements up to ``close``, which is taken; ``""``: up to the end."""
        found: list[PsNode] = []
        while self.spend():
            self.blanks(lines=True)
            char = self.peek()
            if char == ";":
                self.at += 1
            elif char == close:
                self.at += 1
                return found
            elif char == "":
                self.fail("a group without an end")
                return found
            elif char in (")", "}"):
                self.fail("a closing bracket without its opening")
            else:
                found.append(self.statement())
        return found

    # -- statements --------------------------------------------------------------------------------

    def statement(self) -> PsNode:
        """Read one statement."""
        start = self.at
        if self.peek() == ":" and self.peek(1) in LETTERS:
            self._label()
        word = self.letters().lower() if self.peek() in LETTERS else ""
        reader = self._keyword(word) if word and self._ends_keyword(len(word)) else None
        if reader is not None:
            self.at += len(word)
            return reader(start, word)
        if self.peek() == "[" and self._attribute():
            return PsNode("flow", start, self.at, "attribute")
        return self.chain()

    def _label(self) -> None:
        while self.at < self.size and self.text[self.at] not in " \n":
            self.at += 1
        self.blanks(lines=True)

    def _ends_keyword(self, length: int) -> bool:
        char = self.peek(length)
        return char == "" or char in " \t\r\n({;$})" or char in "'\""

    def _keyword(self, word: str) -> Callable[[int, str], PsNode] | None:
        if word in _FLOW:
            return self._flow
        if word in _UNREAD:
            return self._unread
        if word in _NAMED_BLOCKS:
            return self._parse_named_block if self._before_brace(len(word)) else None
        found: dict[str, Callable[[int, str], PsNode]] = {
            "if": self._if, "while": self._while, "for": self._for, "foreach": self._foreach,
            "do": self._do, "switch": self._switch, "try": self._try,
            "trap": self._trap, "function": self._function, "filter": self._function,
            "param": self._param, "using": self._using, "data": self._data,
        }  # fmt: skip
        return found.get(word)

    def _before_brace(self, length: int) -> bool:
        return self.text[self.at + length : self.at + length + 40].lstrip()[:1] == "{"

    def _attribute(self) -> bool:
        """Take ``[CmdletBinding()]`` and its like before ``param``."""
        if (
            self.text[self.at + 1 : self.at + 40]
            .lower()
            .startswith(("cmdletbinding", "outputtype", "diagnostics.codeanalysis"))
        ):
            self.parse_brackets()
            return True
        return False

    def _condition(self) -> list[PsNode]:
        self.blanks(lines=True)
        if self.peek() != "(":
            self.fail(NO_BRACKETS)
            return []
        self.at += 1
        return [PsNode("paren", self.at, self.at, "", self.inner(")"))]

    def _body(self) -> PsNode:
        self.blanks(lines=True)
        if self.peek() != "{":
            self.fail("a body without its brackets")
            return PsNode("broken", self.at, self.at, self.broken)
        return self.block()

    def block(self) -> PsNode:
        """Read ``{ .. }`` with the parameters that ``param( )`` in it names."""
        self.parameters.append([])
        jumps = self.jumps
        node = PowerShellPipelines.block(self)
        node.words = ["jumps"] if self.jumps > jumps else []
        node.end = self.at
        node.parts = [
            PsNode("parameters", node.start, node.start, "", self.parameters.pop()),
            *node.parts,
        ]
        return node

    def _if(self, start: int, _: str) -> PsNode:
        node = PsNode("if", start, start, "", [*self._condition(), self._body()])
        while self.spend():
            held = self.at
            self.blanks(lines=True)
            word = self.letters().lower()
            if word == "elseif":
                self.at += 6
                node.parts += [*self._condition(), self._body()]
            elif word == "else":
                self.at += 4
                node.parts.append(self._body())
                break
            else:
                self.at = held
                break
        return node

    def _while(self, start: int, _: str) -> PsNode:
        return PsNode("while", start, start, "", [*self._condition(), self._body()])

    def _do(self, start: int, _: str) -> PsNode:
        body = self._body()
        self.blanks(lines=True)
        self.at += len(self.letters())
        return PsNode("while", start, start, "do", [*self._condition(), body])

    def _for(self, start: int, _: str) -> PsNode:
        return PsNode("for", start, start, "", [*self._condition(), self._body()])

    def _foreach(self, start: int, word: str) -> PsNode:
        self.blanks()
        if self.starts("-p"):
            self.at += len(self.letters()) + 1
            self.blanks()
        if self.peek() != "(":
            self.at = start
            return self.chain()
        self.at += 1
        self.blanks(lines=True)
        variable = (
            self.dollar()
            if self.peek() == "$"
            else PsNode("broken", start, self.at, "a loop without its variable")
        )
        self.blanks(lines=True)
        self.at += len(self.letters())
        items = PsNode("paren", self.at, self.at, "", self.inner(")"))
        return PsNode(word, start, self.at, "", [variable, items, self._body()])

    def _switch(self, start: int, _: str) -> PsNode:
        self.blanks()
        while self.peek() == "-":
            self.at += 1 + len(self.letters())
            self.at += self.letters() == "" and self.peek() == "-"
            self.blanks()
        parts = self._condition() if self.peek() == "(" else [self.word()]
        self.blanks(lines=True)
        self.at += 1
        while self.spend():
            self.blanks(lines=True)
            if self.peek() in ("}", ""):
                self.at += 1
                break
            if self.peek() == ";":
                self.at += 1
                continue
            parts += [self.block() if self.peek() == "{" else self.word(), self._body()]
        return PsNode("switch", start, self.at, "", parts)

    def _try(self, start: int, _: str) -> PsNode:
        node = PsNode("try", start, start, "", [self._body()])
        while self.spend():
            held = self.at
            self.blanks(lines=True)
            word = self.letters().lower()
            if word not in ("catch", "finally"):
                self.at = held
                break
            self.at += len(word)
            self.blanks(lines=True)
            while self.peek() == "[":
                self.parse_brackets()
                self.blanks(lines=True)
                self.at += self.peek() == ","
                self.blanks(lines=True)
            node.parts.append(self._body())
            node.words.append(word)
        return node

    def _trap(self, start: int, _: str) -> PsNode:
        self.blanks()
        if self.peek() == "[":
            self.parse_brackets()
        return PsNode("try", start, start, "", [self._body()])

    def _parse_named_block(self, start: int, word: str) -> PsNode:
        return PsNode("group", start, start, word, [self._body()])

    def _data(self, start: int, word: str) -> PsNode:
        return self._parse_named_block(start, word) if self._before_brace(0) else self._back(start)

    def _back(self, start: int) -> PsNode:
        self.at = start
        return self.chain()

    def _function(self, start: int, _: str) -> PsNode:
        self.blanks()
        begin = self.at
        while self.at < self.size and self.text[self.at] not in " \t\r\n({":
            self.at += 1
        name = self.text[begin : self.at].lower().rpartition(":")[2]
        self.blanks(lines=True)
        given: list[PsNode] = []
        if self.peek() == "(":
            self.at += 1
            given = self._parse_parameters()
        body = self._body()
        if given and body.parts:
            body.parts[0].parts = given
        return PsNode("function", start, self.at, name, [body])

    def _param(self, start: int, _: str) -> PsNode:
        self.blanks(lines=True)
        if self.peek() != "(":
            return self._back(start)
        self.at += 1
        declared = self._parse_parameters()
        if self.parameters:
            self.parameters[-1] = declared
            return PsNode("flow", start, self.at, "param")
        return PsNode("declared", start, self.at, "", declared)

    def _parse_parameters(self) -> list[PsNode]:
        """Read ``[type]$name = value, ..`` up to ``)``: each parameter with its default, if any."""
        found: list[PsNode] = []
        while self.at < self.size and self.spend():
            self.blanks(lines=True)
            char = self.peek()
            if char == ")":
                self.at += 1
                return found
            if char == "[":
                self.parse_brackets()
            elif char == "$":
                found.append(PsNode("parameter", self.at, self.at, self.dollar().name))
            elif char == "=" and found:
                self.at += 1
                self.blanks(lines=True)
                found[-1].parts.append(self.expression(8))
            elif char == ",":
                self.at += 1
            else:
                break
        self.fail("parameters that cannot be read")
        return found

    def _using(self, start: int, _: str) -> PsNode:
        self._to_line_end()
        return PsNode("flow", start, self.at, "using")

    def _unread(self, start: int, word: str) -> PsNode:
        if not self.text[self.at : self.at + 40].strip()[:1].isalpha():
            return self._back(start)
        self.fail(f"a {word} is not followed")
        return PsNode("broken", start, self.at, self.broken)

    def _flow(self, start: int, word: str) -> PsNode:
        self.jumps += 1
        self.blanks()
        ends = self.peek() in ("", ";", "\n", "}", ")", "|")
        return PsNode("flow", start, self.at, word, [] if ends else [self.chain()])
