"""Read a shell text into its tree: ``parse(text)``.

The grammar is Bash's (and so POSIX sh's), read by recursive descent in one pass. It is spread over
a chain of classes, each adding a layer: ``scan`` (characters), ``words``, ``dollar`` (expansions),
``heredoc``, ``lists`` (down to simple commands), ``condition``, ``compound``, and ``ShellParser``
here, which keeps what was read when reading had to stop.
"""

from __future__ import annotations

from interlock.shell.compound import Compounds
from interlock.shell.places import relocate
from interlock.shell.scan import LONGEST, Budget, ScanStop
from interlock.shell.tree import Command, CommandList, Opaque, Script

__all__ = ["Budget", "parse"]


def parse(text: str, *, depth: int = 0, budget: Budget | None = None) -> Script:
    """Read ``text``. Never raises, whatever the text, and ends after a bounded number of steps.

    What cannot be read (a syntax error, a NUL, more than 256 KiB, more nesting or work than
    allowed) is one ``Opaque`` in the place of the commands from there on, last in ``body``; those
    before it stay, since bash runs them when they are on lines before. ``depth`` is how deep
    ``text`` itself is nested, ``budget`` what is left to spend on it and what it is nested in (it
    is charged).
    """
    if budget is None:
        budget = Budget.of(text)
    if len(text) > LONGEST:
        return _make_opaque(text, f"longer than {LONGEST} characters")
    if "\0" in text:
        return _make_opaque(text, "NUL byte")
    parser = ShellParser(text, depth, budget.steps)
    script = parser.script()
    budget.steps = parser.steps
    return script


def _make_opaque(text: str, why: str) -> Script:
    opaque = Opaque(0, len(text), why)
    return Script(0, len(text), text, CommandList(0, len(text), (opaque,), ("",)))


class ShellParser(Compounds):
    """Reads one text."""

    __slots__ = ()

    def script(self) -> Script:
        """The whole text, with an ``Opaque`` for what could not be read."""
        commands: list[Command] = []
        operators: list[str] = []
        body = CommandList(0, 0, commands, operators)
        why = ""
        try:
            self.fill(body, commands, operators)
            if self.i < self.n:
                raise self.unexpected(self.i)
            self._end_documents()
        except ScanStop as stop:
            why = stop.why
        except RecursionError:  # whoever called us was deep already
            why = "nested too deep"
        if why:
            commands.append(Opaque(body.end, self.n, why))
            operators.append("")
        script = Script(0, self.n, self.source, body)
        script.comments = self.comments
        if self.offsets is not None:
            for node in (script, *self.comments):
                relocate(node, self.offsets, self.source)
            script.start, script.end = 0, len(self.source)
        if why:
            commands[-1].end = body.end = script.end
        return script

    def _end_documents(self) -> None:
        """Give the here-documents that no line came after an empty body."""
        documents, self.documents = self.documents, []
        for document in documents:
            self.document(document)
