"""One session of cmd.exe while its text is followed: folder, variables, pipes, loops."""

from __future__ import annotations

from interlock.effects.api import ShellReading
from interlock.effects.cmd import builtins
from interlock.effects.cmd.parse import CmdNode, CmdParser, lines
from interlock.effects.cmd.variables import CmdVariables
from interlock.effects.programs import table as programs
from interlock.effects.rows import ProgramRow
from interlock.effects.run import Run
from interlock.effects.windows_programs import program_word, run_program
from interlock.model.effect import SINK, Reads, Span, Writes
from interlock.shell.execution import Execution
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value, join_flows
from interlock.shell.walk import Walker

MAX_SIZE = 128 * 1024
"""Characters of a text; a command line of Windows holds at most 32,767 (CreateProcess)."""
MAX_ITEMS = 64
COMMAND = 12
"""What following a command costs, in steps."""
MAX_DEPTH = 32
"""How deep groups, conditions, loops, calls and texts may stand in each other."""


class CmdSession:
    """Reads command lines."""

    def __init__(self, reader: ShellReading[Run], walker: Walker) -> None:
        self.reader = reader
        self.walker = walker
        self.context = reader.context
        self.variables = CmdVariables(reader.context)
        for name in walker.state.exported:
            value = walker.state.lookup(name)
            if value is not None and value.known:
                self.variables.assign(name, value.text)
        self.stdin: Flow | None = None
        self.folders: list[str | None] = []
        self.local: list[dict[str, str]] = []
        """Variables as they were before each ``setlocal``."""
        self.full = False
        self.both = False
        """Whether PowerShell reads the same text: then its cmdlets are left to it, for cmd.exe has
        no programs of such names.
        """

    def read(self, text: str) -> Flow:
        """Read a text line by line; return what it prints."""
        if len(text) > MAX_SIZE:
            self.context.opaque("more text than can be read", self.span(0, len(text)), "too-much")
            return UNREAD
        flows = []
        low = text.lower()
        self.variables.jumps = (
            self.variables.jumps or "goto" in low or "call :" in low or "exit" in low
        )
        for start, line in lines(text):
            if self.full:
                break
            self.reader.steps -= 1
            self.variables.cwd = self.walker.state.cwd
            expanded = self.variables.expand_line(line)
            self.reader.steps -= len(expanded) // 16
            node = CmdParser(expanded).whole()
            if expanded == line:
                _shift(node, start)
            flows.append(self.run(node))
        return join_flows([flow for flow in flows if flow is not NOTHING])

    def span(self, start: int, end: int) -> Span:
        """Return a range of the current text."""
        size = len(self.walker.texts[self.walker.at.text].text)
        return Span(self.walker.at.text, min(start, size), min(end, size))

    # -- commands put together ---------------------------------------------------------------------

    def run(self, node: CmdNode) -> Flow:
        """Follow a node; return what it prints."""
        self.reader.steps -= 1
        if not self._may_go_on(node):
            return UNREAD
        self.reader.depth += 1
        try:
            return self._run(node)
        finally:
            self.reader.depth -= 1

    def _may_go_on(self, node: CmdNode) -> bool:
        """Whether a bound is left; where none is, the rest is opaque, said once."""
        if self.reader.steps >= 0 and self.reader.depth < MAX_DEPTH:
            return True
        if not self.full:
            self.full = True
            self.context.opaque(
                "more commands than can be followed", self.span(node.start, node.end), "too-much"
            )
        return False

    def _run(self, node: CmdNode) -> Flow:
        if node.kind == "simple":
            return self._simple(node)
        if node.kind == "pipe":
            return self._pipe(node)
        if node.kind == "for":
            return self._for(node)
        if node.kind == "broken":
            self.context.opaque(node.raw, self.span(node.start, node.end), "syntax")
            return UNREAD
        if node.kind in ("if", "maybe"):
            return self._if(node)
        found = join_flows([flow for flow in map(self.run, node.parts) if flow is not NOTHING])
        return (
            self._into_files(node, found, self._execution(node, [Value("group")]))
            if node.redirects
            else found
        )

    def _pipe(self, node: CmdNode) -> Flow:
        held, flow = self.stdin, self.stdin
        cwd = self.walker.state.cwd
        try:
            for part in node.parts:
                self.stdin = flow
                flow = self.run(part)
        finally:
            self.stdin = held
            self.walker.state.cwd = cwd
        return flow if flow is not None else UNREAD

    def _if(self, node: CmdNode) -> Flow:
        """Every branch is read, each from where the condition leaves off; what they leave
        differently is unknown.
        """
        before, cwd = dict(self.variables.known), self.walker.state.cwd
        ends, flows = [(before, cwd)] if len(node.parts) < 2 else [], []
        for part in node.parts:
            self.variables.known, self.walker.state.cwd = dict(before), cwd
            flows.append(self.run(part))
            ends.append((self.variables.known, self.walker.state.cwd))
        cwd = self.walker.state.cwd
        self._meet(ends)
        if node.kind == "maybe" and node.raw == "&&":
            self.walker.state.cwd = cwd
        found = [flow for flow in flows if flow is not NOTHING]
        if node.kind == "maybe":
            return join_flows(found)
        return NOTHING if not found else Flow(None, join_flows(found).labels)

    def _meet(self, ends: list[tuple[dict[str, str], str | None]]) -> None:
        merged = dict(ends[0][0])
        for known, _ in ends[1:]:
            for name in {*merged, *known}:
                one, other = merged.get(name), known.get(name)
                merged[name] = (
                    (one or other or "") if one is None or other is None or one == other else HOLE
                )
        self.variables.known = merged
        folders = {cwd for _, cwd in ends}
        self.walker.state.cwd = folders.pop() if len(folders) == 1 else None

    def _for(self, node: CmdNode) -> Flow:
        """The command once for each known item, else once for what nobody knows."""
        words = node.raw.split()
        name = words[-2].lstrip("%")[:1] if len(words) > 2 else ""
        options = " ".join(words[1:-2]).lower()
        whole = self.variables.expand_word(node.words[0] if node.words else "")
        items, why = self._items(node, options, whole)
        held = dict(self.variables.loops), dict(self.variables.why)
        before = dict(self.variables.known)
        flows = []
        try:
            for item in items:
                for offset in range(4 if "tokens" in options else 1):
                    letter = chr(ord(name) + offset) if name else ""
                    self.variables.loops[letter] = item
                    self.variables.why[letter] = why
                flows.extend([self.run(part) for part in node.parts])
        finally:
            self.variables.loops, self.variables.why = held
        self._meet([(before, self.walker.state.cwd), (self.variables.known, self.walker.state.cwd)])
        return join_flows([flow for flow in flows if flow is not NOTHING])

    def _items(self, node: CmdNode, options: str, whole: str) -> tuple[list[str], str]:
        """Return the items of a loop, and where what is unknown of them comes from."""
        if "/l" in options.split():
            return [HOLE], "number"
        if "/f" in options.split():
            mark = whole[:1]
            if mark in ("'", "`") and mark:
                flow = self._run_nested(node, whole.strip("'`"))
                if flow.text is not None and flow.text.strip() and "\n" not in flow.text.strip():
                    return [flow.text.strip()], ""
                return [HOLE], flow.why
            if mark == '"':
                return [whole.strip('"')], ""
            for word in whole.split():
                self._act(node).path(Reads, _path(word))
            return [HOLE], "file"
        items = whole.replace(",", " ").replace(";", " ").split()
        words = [word.strip('"') for word in self.context.limit(items, MAX_ITEMS, "items")]
        deep = "**/" if "/r" in options.split() else ""
        folder = (
            options.rsplit(maxsplit=1)[-1]
            if deep and options.rsplit(maxsplit=1)[-1] != "/r"
            else ""
        )
        if deep:
            words = [
                f"{folder.strip(chr(34)) or '.'}/{deep}{word if word != '.' else '*'}"
                for word in words
            ]
        return words or [HOLE], "" if words else "loop"

    def _run_nested(self, node: CmdNode, text: str) -> Flow:
        held = self.variables.known
        self.variables.known = dict(held)
        try:
            return self.run(CmdParser(self.variables.expand_line(text)).whole())
        finally:
            self.variables.known = held
            del node

    # -- simple commands ---------------------------------------------------------------------------

    def _execution(self, node: CmdNode, argv: list[Value]) -> Execution:
        span = self.span(node.start, node.end)
        one = Execution(argv, span.start, span.end, span.text, self.walker.state.cwd)
        one.external = True
        one.stdin = self.stdin
        return one

    def _act(self, node: CmdNode, name: str = "for") -> Run:
        return Run(
            self.reader,
            self.walker,
            self._execution(node, [Value(name)]),
            ProgramRow(clustered=False),
            name,
        )

    def _simple(self, node: CmdNode) -> Flow:
        self.reader.steps -= COMMAND
        first = (
            builtins.head(node.words[0])[0].lower().rpartition("\\")[2].removesuffix(".exe")
            if node.words
            else ""
        )
        expand = (
            self.variables.keep_word
            if first in ("cmd", "call", "start")
            else self.variables.expand_word
        )
        words = [expand(word) for word in node.words]
        if words and " " in words[0] and ("%" in node.words[0] or "!" in node.words[0]):
            words[:1] = words[0].split()  # a variable that holds a whole command
        if not words:
            return (
                self._into_files(node, NOTHING, self._execution(node, [Value("redirection")]))
                if node.redirects
                else NOTHING
            )
        head, rest = builtins.head(words[0])
        words[:1] = [head, *([rest] if rest else [])]
        values = [Value(word, node.start, node.end, self.variables.reason(word)) for word in words]
        execution = self._execution(node, values)
        for operator, target in node.redirects:
            if operator[:1] == "<":
                value = _path(self.variables.expand_word(target))
                run = self._act(node, head)
                run.path(Reads, value, "redirect")
                execution.stdin = run.contents(value)
        if self.both and _is_cmdlet(head.lower()):
            return UNREAD
        act = builtins.ACTS.get(head.lower())
        if act is not None:
            self.reader.noted([Value(head.lower()), *values[1:]])
            flow = act(builtins.Builtin(self, node, execution))
        else:
            execution.argv[0] = program_word(self.context, values[0])
            flow = run_program(self.reader, self.walker, execution)
        return self._into_files(node, flow, execution)

    def _into_files(self, node: CmdNode, flow: Flow, execution: Execution) -> Flow:
        """Add the files that output is written to; return what is left for the pipe."""
        for operator, target in node.redirects:
            self.reader.steps -= COMMAND
            if operator[:1] != ">" or not self._may_go_on(node):
                continue
            run = Run(
                self.reader,
                self.walker,
                execution,
                ProgramRow(clustered=False),
                execution.argv[0].text,
            )
            append = operator.startswith(">>")
            text = self.variables.expand_word(target)
            effect = run.path(Writes, _path(text), "redirect", *(["append"] if append else []))
            sink = effect.place is not None and SINK in effect.place.natures
            if operator[-1:] == "1":
                if effect.target and not sink and HOLE not in text:
                    before = self.reader.written.get(effect.target)
                    whole = (
                        before.text + flow.text
                        if append
                        and before is not None
                        and before.text is not None
                        and flow.text is not None
                        else None
                    )
                    labels = flow.labels | (
                        before.labels if before is not None and append else frozenset()
                    )
                    self.reader.written[effect.target] = Flow(
                        whole if append else flow.text, labels
                    )
                flow = NOTHING
        return flow

    def again(self, node: CmdNode, text: str) -> Flow:
        """Read a text as commands of this session: ``call``."""
        return self.run(_at(CmdParser(self.variables.expand_line(text)).whole(), node))


def _is_cmdlet(name: str) -> bool:
    from interlock.effects.powershell.cmdlet_table import find

    return "-" in name and find(name) is not None and programs.find(name) is None


def _path(word: str) -> Value:
    text = word.strip('"').replace("\\", "/")
    return Value(
        text, why="environment" if HOLE in text else "", pattern="*" in text or "?" in text
    )


def _shift(node: CmdNode, by: int) -> None:
    """Move a tree's places to where its line stands in the text."""
    left = [node]
    while left:
        one = left.pop()
        one.start += by
        one.end += by
        left.extend(one.parts)


def _at(node: CmdNode, place: CmdNode) -> CmdNode:
    left = [node]
    while left:
        one = left.pop()
        one.start, one.end = place.start, place.end
        left.extend(one.parts)
    return node
