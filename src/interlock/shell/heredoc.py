"""Bodies of here-documents (POSIX 2.7.4, bash manual 3.6.6)."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.shell.dollar import Dollars
from interlock.shell.places import relocate
from interlock.shell.scan import END, HereDocument, ScanStop
from interlock.shell.tree import Opaque, Part, Quoted, Word
from interlock.shell.words import HERE


class HereDocuments(Dollars):
    """Reads the bodies when the line that announced them ends.

    A body is a text of its own that bash expands when it is used: what is wrong in it is an
    ``Opaque`` part and no syntax error around it. Its offsets are nevertheless those of the outer
    text.
    """

    __slots__ = ()

    def document(self, document: HereDocument) -> None:
        """Read the here-document that starts at ``i``; the text's end ends it too (bash warns)."""
        start = self.i
        redirect = document.redirect
        if document.quoted and self.offsets is not None:
            first = self.offsets[start - 1] + 1
            self.restore(start, self._ending(self.source, len(self.source), first, document)[1])
        end, self.i = self._ending(self.text, self.n, start, document)
        body = self.text[start:end]
        offsets: Sequence[int] = range(start, end + 1)
        redirect.body_start, redirect.body_end = start, end
        if redirect.operator == "<<-" and "\t" in body:
            body, offsets = _without_tabs(body, start)
        if not body:
            redirect.body = Word(start, end, ())
        elif document.quoted:
            redirect.body = Word(start, end, (Quoted(start, end, body),))
        else:
            redirect.body = Word(start, end, self.expanded(body, offsets, HERE))

    def _ending(self, text: str, n: int, start: int, document: HereDocument) -> tuple[int, int]:
        """Where the body that starts at ``start`` ends in ``text[:n]`` and the text goes on."""
        delimiter = document.delimiter
        tabs = document.redirect.operator == "<<-"
        wanted = (delimiter or "\n") if tabs else "\n" + delimiter
        look = start if tabs else start - 1
        while "\n" not in delimiter and (found := text.find(wanted, look)) >= 0:
            self.spend()
            look = found + 1
            first = found if tabs else found + 1
            end = first + len(delimiter)
            while tabs and first > start and text[first - 1] == "\t":
                first -= 1
            if first > start and text[first - 1] != "\n":
                continue
            if end >= n or text[end] == "\n":
                return first, min(end + 1, n)
            if self.substitutions and self._closes(text, end):
                return first, end
        return n, n

    @staticmethod
    def _closes(text: str, end: int) -> bool:
        """Whether a ``)`` follows on the line: then bash takes ``EOF)`` for the end in a command
        substitution.
        """
        line = text.find("\n", end)
        return text.find(")", end, len(text) if line < 0 else line) >= 0

    def expanded(self, body: str, offsets: Sequence[int], quoted: int) -> Sequence[Part]:
        """The parts of ``body``, of which character i stands at ``offsets[i]``."""
        if not ("$" in body or "`" in body or "\\" in body):
            return (Quoted(offsets[0], offsets[-1], body),)
        self.deeper()
        inner = type(self)(body, self.depth, self.steps, join=False)
        parts = inner.text_parts(quoted)
        self.steps = inner.steps
        self.depth -= 1
        for node in (*parts, *inner.comments):
            relocate(node, offsets, self.source)
        self.comments += inner.comments
        return parts

    def text_parts(self, quoted: int) -> list[Part]:
        """The whole text as one in which only expansions and backslashes are special."""
        parts: list[Part] = []
        i = 0
        try:
            while True:
                self.spend()
                j = self.quote_stop(i)
                while self.text[j] == '"':
                    self.spend()
                    j = self.quote_stop(j + 1)
                if j > i:
                    parts.append(Quoted(i, j, self.text[i:j]))
                    i = j
                if self.text[i] == END:
                    return parts
                i = self.part(i, self.text[i], parts, quoted)
        except ScanStop as stop:
            why = stop.why
        except RecursionError:
            why = "nested too deep"
        parts.append(Opaque(i, self.n, why))
        return parts


def _without_tabs(body: str, start: int) -> tuple[str, list[int]]:
    """``body`` without the tabs its lines start with, and each character's offset (``<<-``)."""
    lines: list[str] = []
    offsets: list[int] = []
    for line in body.split("\n"):
        kept = line.lstrip("\t")
        after = start + len(line) + 1
        offsets.extend(range(after - len(kept) - 1, after))
        lines.append(kept)
        start = after
    return "\n".join(lines), offsets
