"""``Run``: one program being read. What the rows' own code works with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypedDict, Unpack

from interlock.data import options
from interlock.effects import rows
from interlock.effects.api import ShellReading
from interlock.effects.arguments import ParsedArguments, parse
from interlock.effects.connecting import to_host, to_url
from interlock.effects.context import CallContext
from interlock.effects.filenames import wherever
from interlock.effects.guard_files import find_in_search
from interlock.effects.labels import place_labels
from interlock.effects.path_actions import PathAction
from interlock.effects.path_words import act_on
from interlock.effects.printed_places import by_variable
from interlock.effects.programs import table as programs
from interlock.effects.read_selection import ReadSelection
from interlock.effects.rows import ProgramRow
from interlock.effects.scopes import find_scopes, in_production, words_of_variables
from interlock.effects.verbs import names_ruin, names_store, stem, task_of, unclear
from interlock.model.effect import (
    HERE,
    TEMP,
    WORKSPACE,
    ChangesInfrastructure,
    ChangesMode,
    Connects,
    Effect,
    Executes,
    Kind,
    Reads,
    RunsCode,
    Sends,
    Span,
    Writes,
)
from interlock.model.facts import FOLDER
from interlock.model.kinds import meaning
from interlock.shell.execution import Execution
from interlock.shell.value import FILE, HOLE, NETWORK, UNREAD, Flow, Value, join_flows
from interlock.shell.walk import Walker


class EffectDetails(TypedDict, total=False):
    """What a program's own reader may say of an effect besides its target and traits."""

    detail: str
    certain: bool
    host: str
    only: tuple[str, ...]


_ANEW = frozenset({"create", "extracted"})
"""Writes that make what they write, if nothing was there."""
_REMAINS = frozenset({"append", "in-place", "link", "create", "extracted", "moved-to"})
"""Writes that may leave something of what was there."""
_OF_A_PROJECT = frozenset({"package-script", "script", "by-path"})
"""Traits of a program that is the project's own, and is known by its name only."""
_ELSEWHERE = meaning("far")
_FAR = (
    "prod", "live", "mainnet", "destroy", "teardown", "nuke", "wipe", "db", "database", "schema",
)  # fmt: skip
"""Parts of a task's name, or of its last word, that are looked at closer."""


MAX_WORDS = 4096
"""Arguments of one command that are looked at one by one."""


class Run:
    """One execution of one program: its row, its arguments, and the ways to say what it does."""

    def __init__(
        self,
        reader: ShellReading[Run],
        walker: Walker,
        execution: Execution,
        row: ProgramRow,
        name: str,
        below: str = "",
    ) -> None:
        """``below``: the subcommand whose words these are, unless named (``run`` of docker)."""
        self.reader = reader
        self.context: CallContext = reader.context
        self.walker = walker
        self.execution = execution
        self.row = row
        self.name = name
        self._below = below
        self.arguments = execution.argv[1:]
        self._parsed: ParsedArguments | None = None
        self.cwd = execution.cwd
        self.given: list[Value] | None = None
        """What the shell code that it runs gets as arguments; None where it has none of its own."""
        self._files_read: list[tuple[Value, Effect]] = []
        self.called: Value | None = None
        """The file that this code is in, as it was named: ``$0``."""

    @property
    def parsed(self) -> ParsedArguments:
        """Its arguments told apart, by its row."""
        if self._parsed is None:
            self._parsed = self.parse(self.arguments)
        return self._parsed

    @parsed.setter
    def parsed(self, parsed: ParsedArguments) -> None:
        self._parsed = parsed

    def parse(self, words: list[Value]) -> ParsedArguments:
        """Tell words apart as this program does."""
        name = (
            self.name
            if options.find(self.name.partition(" ")[0]) is not None
            else programs.canonical(self.name)
        )
        return parse(self.row, words, f"{name} {self._below}", self.context.call.platform)

    def inside(self, words: list[Value], below: str, row: ProgramRow) -> Run:
        """Return the run of a subcommand: name and words, by its row and its own table."""
        return type(self)(
            self.reader, self.walker, self.execution.inner(words), row, self.name, below
        )

    # -- what it was given -------------------------------------------------------------------------

    @property
    def operands(self) -> list[Value]:
        """The arguments that are no options."""
        return self.parsed.operands

    @property
    def words(self) -> Sequence[Value]:
        """All its arguments, for readers that look at each; that there are more than anybody
        writes is said.
        """
        return self.context.limit(self.arguments, MAX_WORDS, "words")

    @property
    def stdin(self) -> Flow | None:
        """What it reads on standard input; None where nothing is joined to it."""
        return self.execution.stdin

    def has(self, *names: str) -> bool:
        """Whether one of these options was given."""
        return self.parsed.has(*names)

    def span(self, value: Value | None = None) -> Span:
        """Return where a word stands, or the whole command."""
        if value is None or value.end == 0:
            return Span(self.execution.text, self.execution.start, self.execution.end)
        return Span(self.execution.text, value.start, value.end)

    # -- what it does ------------------------------------------------------------------------------

    def effect(
        self,
        kind: Kind,
        target: str = "",
        *traits: str,
        value: Value | None = None,
        **fields: Unpack[EffectDetails],
    ) -> Effect:
        """Add an effect of this program; ``fields``: its ``detail``, ``certain`` and ``host``."""
        if kind in _ELSEWHERE:
            fields["only"] = find_scopes(self)
        if kind is Executes and not _OF_A_PROJECT.isdisjoint(traits):
            self._task(target, traits, value)
        return self.context.add(
            kind,
            target.replace(HOLE, "?"),
            traits=frozenset(traits) | self.parsed.traits,
            span=self.span(value),
            by=self.name,
            **fields,
        )

    def _task(self, target: str, traits: tuple[str, ...], value: Value | None) -> None:
        """Look closer at a task or a script whose name, or whose surroundings, say that it reaches
        beyond the workspace.
        """
        task = target if "package-script" in traits else stem(target)
        by_name = "package-script" in traits and any(
            mark in f"{target} {self.execution.argv[-1].text}" for mark in _FAR
        )
        far = in_production(self)
        if "package-script" in traits:
            self.doubt_task(task)
        if by_name or far:
            self._far(task, value, far=far)

    def unread_script(self, path: str) -> None:
        """Say what the name of a script tells whose text is not at hand: ``bin/drop_db``."""
        task = stem(path)
        self.doubt_task(task)
        if names_store(task) or names_ruin(task):
            self._far(task, None, far=False)

    def doubt_task(self, task: str) -> None:
        """Note what the name of a task says whose code is not at hand: ``nx affected -t ship``."""
        words = [unclear(task), *[value.text for value in words_of_variables(self)]]
        for word in filter(None, words):
            self.context.doubt(f"what {task} does is not known: {word}")

    def _far(self, task: str, value: Value | None, *, far: bool) -> None:
        """Add what the name of a task says that reaches beyond the workspace: ``npm run
        deploy:prod``, ``make destroy``.
        """
        found = task_of(task, [*self.arguments, *words_of_variables(self)], far=far)
        if found is not None:
            self.effect(
                ChangesInfrastructure,
                task,
                found.action,
                "ladder",
                value=value,
                detail=f"{found.verb}, by a task of the project",
                certain=False,
            )

    def path(self, kind: Kind, value: Value, *traits: str) -> Effect:
        """Add an effect on a path."""
        if value.text in self.walker.substitutions.paths:
            effect = self.effect(kind, value.text, "substitution", value=value)
            self._files_read += [(value, effect)] if kind is Reads else []
            return effect
        parents = self.name == "mkdir" and self.has("-p", "--parents")
        if parents and value.known and self._is_folder(value):
            kind, traits = Reads, ("listed",)  # nothing is made where it is there already
        act = PathAction(kind, self.span(value), frozenset(traits) | self.parsed.traits, self.name)
        effect = act_on(self.context, act, value, self.cwd)
        if (
            kind is Writes
            and not _ANEW.isdisjoint(traits)
            and value.known
            and self.context.is_new(effect.target)
        ):
            if parents:
                self.context.note_made_folders(effect)
            else:
                self.context.makes(effect)
        if kind is Reads:
            self._files_read.append((value, effect))
        else:
            for path in find_in_search(self.context, value, self.cwd) if self.here else ():
                self.possible(kind, Value(path, value.start, value.end), "found")
            self.context.files.changed.add(effect.target)
            if kind is not ChangesMode and "touched" not in traits:
                self.context.files.rewritten.add(effect.target)
        if kind is Writes and not _REMAINS & effect.traits and value.known:
            self.context.makes(effect)
        if kind is not Reads and self.execution.doubt is not None and value.text[:1] != "/":
            self._where_it_still_is(kind, value, frozenset(traits))
        if kind is not Reads and value.text[:1] == HOLE:
            for there in by_variable(
                self.context, value, self.walker.texts[self.execution.text].text
            ):
                self.possible(kind, there, *traits)
        if kind is not Reads and self.cwd is None:
            wherever(self.context, kind, value, (self.span(value), frozenset(traits), self.name))
        return effect

    def _is_folder(self, value: Value) -> bool:
        path = self.context.normal(value.text, self.cwd)
        return path is not None and self.context.is_kind(path, FOLDER)

    def read_picked(self, value: Value, picks: ReadSelection, *traits: str) -> Effect:
        """Add the reading of a file, or of what is picked of a folder or a pattern."""
        if value.text in self.walker.substitutions.paths:
            return self.path(Reads, value, *traits)
        marks = frozenset(traits) | self.parsed.traits
        act = PathAction(Reads, self.span(value), marks, self.name, picks)
        effect = act_on(self.context, act, value, self.cwd)
        self._files_read.append((value, effect))
        return effect

    def writes_made(self, value: Value, labels: frozenset[str], *traits: str) -> None:
        """Add that a text is written that was made of what was read: of what the same file holds it
        edits it, as ``sed -i`` does.
        """
        read = self.context.gather(lambda: self.path(Writes, value, *traits))
        shown = self.context.past.shown if "workspace" in labels else frozenset()
        self.context.take(
            read.each(lambda effect: _edits(effect) if effect.target in shown else effect)
        )

    def looks_at(self, value: Value) -> None:
        """Add that it looks at a path that it names by the way, or at the folder it works in, where
        that is outside: ``cd / && ls`` is ``ls /``.
        """
        if not self.here or not self.context.call.roots:
            return
        path = self.context.normal(value.text, self.cwd)
        if path is None or self.context.place(path).location not in (WORKSPACE, TEMP):
            self.path(Reads, value, "listed")

    def _where_it_still_is(self, kind: Kind, value: Value, traits: frozenset[str]) -> None:
        """Add what is deleted or written if the ``cd`` before failed: ``cd build; rm -rf *``."""
        told = traits | self.parsed.traits | {"if-cd-fails"}
        act = PathAction(kind, self.span(value), told, self.name)
        self.context.possibly(lambda: act_on(self.context, act, value, self.execution.doubt))

    def possible(self, kind: Kind, value: Value, *traits: str) -> None:
        """Add an effect on a path that may be, and may not be."""
        self.context.possibly(lambda: self.path(kind, value, *traits))

    def role(self, role: str, value: Value) -> None:
        """Add what a role means for a word."""
        found = rows.PATH_ROLES.get(role)
        if found is not None:
            self.path(found[0], value, *found[1])
        elif role == "url":
            to_url(
                self.context, value.text, self.span(value), frozenset(self.parsed.traits), self.name
            )
        elif role == "host":
            to_host(
                self.context,
                Connects,
                value.text,
                self.span(value),
                frozenset(self.parsed.traits),
                self.name,
            )
        elif role == "program":
            self.command([value])
        elif role.startswith("code"):
            self.code(value, role.partition(":")[2] or "sh")
        elif role.startswith("script"):
            self.script(value, role.partition(":")[2] or "sh")

    def roles(self) -> None:
        """Add what the row says of the options and operands given."""
        said = rows.table(self.row.options)
        for name, value in self.parsed.options:
            self.role(said.get(name, "").lstrip("?"), value)
        operands = self.operands
        spec = self.row.operands
        if spec.startswith("command") or spec.endswith(" command"):
            skip = spec.count(" ")
            for role, value in zip(spec.split(), operands[:skip], strict=False):
                self.role(role, value)
            if operands[skip:]:
                self.command(operands[skip:])
            return
        for role, value in zip(rows.roles(spec, len(operands)), operands, strict=False):
            self.role(role, value)

    def spoken(self, work: Callable[[], object]) -> Flow:
        """Add what its own reader finds, and what its options do to files that this does not speak
        of: ``ssh -E FILE``.
        """
        roles = rows.path_roles(self.row.options)
        if not roles:
            printed = work()
            return printed if isinstance(printed, Flow) else UNREAD
        read = self.context.gather(work)
        told = {effect.span for effect in read.effects}
        flow = self.context.take(read)
        for name, value in self.parsed.options:
            span = self.span(value)
            if name in roles and value.text != "-" and span not in told:
                self.role(roles[name], value)
                told.add(span)
        return flow

    # -- what it runs ------------------------------------------------------------------------------

    def command(self, argv: list[Value], stdin: Flow | None = None, *, own: bool = False) -> Flow:
        """Run another command with these fields, in the same place; ``own``: in this very shell, so
        that ``cd`` counts.
        """
        if not argv:
            return UNREAD
        if (
            self.parsed.unsure
            and len(argv) > 1
            and programs.find(argv[0].text.rpartition("/")[2]) is None
        ):
            self.parsed.unsure = False
            # the first word may be the value of the option before it
            self.command(argv[1:], stdin, own=own)
        inner = self.execution.inner(argv)
        inner.external = not own
        inner.cwd = self.cwd
        if stdin is not None:
            inner.stdin = stdin
        return self.walker.run(inner, functions=not own)

    def code(self, value: Value, language: str = "sh", *, own: bool = False) -> Flow:
        """Read a word as code of a language, in a new shell or in this one (``own``: eval)."""
        return self.reader.code(self, value.text, value, language, own=own)

    def script(self, value: Value, language: str = "sh", *, own: bool = False) -> Flow:
        """Run a script file in a language: its text if readable, else what is known of it."""
        return self.reader.script(self, value, language, own=own)

    def input_as_code(self, language: str = "sh", *, own: bool = False) -> Flow:
        """Run standard input as code. Commands of it that read standard input get what is left of
        the text, and nobody knows how much that is.
        """
        flow = self.stdin
        if flow is None:
            return UNREAD
        if flow.text is None:
            return self.reader.flow_as_code(self, flow, language, own=own)
        left = self.execution.stdin = Flow(None, flow.labels)
        left.choices = (flow.text,)
        try:
            return self.reader.flow_as_code(self, flow, language, own=own)
        finally:
            self.execution.stdin = flow

    def unknown_code(self, why: str, *traits: str, value: Value | None = None) -> None:
        """Add that text nobody can read is run as code; ``why`` says where it comes from."""
        labels = {f"from-{why}"} if why else set()
        if why == NETWORK:
            labels.add("from-network")
        self.context.misses()
        if why == FILE and value is not None:
            self.reader.run_unseen(self, value)
        self.context.add(
            RunsCode,
            traits=frozenset({*labels, *traits, "unread"}),
            span=self.span(value),
            by=self.name,
            detail=f"code from {why or 'somewhere unknown'}",
        )

    def executes(self, target: str, *traits: str) -> None:
        """Add that a program or script is started."""
        self.effect(Executes, target, *traits)

    def sends(self, host: str, *traits: str, value: Value | None = None) -> None:
        """Add that data goes to a host."""
        to_host(
            self.context,
            Sends,
            host,
            self.span(value),
            frozenset(traits) | self.parsed.traits,
            self.name,
        )

    # -- what it reads -----------------------------------------------------------------------------

    def input_labels(self) -> frozenset[str]:
        """Return the labels of all that it reads and may pass on: its input, and each file."""
        labels = self.stdin.labels if self.stdin is not None else frozenset()
        for value, effect in self._files_read:
            labels |= place_labels(effect) | self.contents(value).labels
        return labels

    def contents(self, value: Value) -> Flow:
        """Return what reading a file gives: known text where this call wrote it or a heredoc holds
        it, and labels of where it lies.
        """
        opened = self.walker.opened(value.text)
        if opened is not None:
            return opened
        return self.reader.contents(value, self.cwd)

    def text_of(self, value: Value) -> str | None:
        """Return the text that a file holds now; of one that this call changed in a way that nobody
        follows, what it held before.
        """
        flow = self.contents(value)
        text = self.reader.find_text(flow)
        path = (
            self.context.normal(value.text, self.cwd)
            if text is None and value.known and not flow.pieces
            else None
        )
        return (
            self.context.original(path)
            if path is not None and path in self.context.files.rewritten
            else text
        )

    def all_contents(self, values: Iterable[Value]) -> Flow:
        """Return what several files hold together."""
        flows = [self.contents(value) for value in values]
        return join_flows(flows) if flows else UNREAD

    @property
    def here(self) -> bool:
        """Whether this runs on this machine."""
        return self.context.where == HERE


def _edits(effect: Effect) -> Effect:
    """Return a write that replaces what was there as one that edits it."""
    if effect.kind is not Writes or "redirect" not in effect.traits:
        return effect
    return effect.replace(traits=effect.traits - {"redirect"} | {"in-place"})
