"""Shell commands to effects: the visitor that meets each command and knows what programs do."""

from __future__ import annotations

from collections.abc import Iterable

from interlock.effects import (
    background,
    late_texts,
    outgoing_secrets,
    project_tools,
    redirects,
    source_words,
    touched_files,
    unending,
)
from interlock.effects.common_options import traits_of_unknown
from interlock.effects.environment import judge_prefix
from interlock.effects.filenames import enter_named, pass_on
from interlock.effects.named_files import doubt_words
from interlock.effects.printed_places import find_location
from interlock.effects.program_rows import apply
from interlock.effects.program_spelling import BIN_FOLDERS, as_git, by_pattern, resolve_word
from interlock.effects.programs import table as programs
from interlock.effects.rows import ProgramRow
from interlock.effects.run import Run
from interlock.effects.texts import Texts, readable
from interlock.model.effect import WORKSPACE, Connects, Executes, Exhausts, RunsCode, Span
from interlock.model.facts import FOLDER
from interlock.shell.builtins import MOVING
from interlock.shell.execution import Execution, NestedText
from interlock.shell.state import ShellState
from interlock.shell.value import (
    ENVIRONMENT,
    HOLE,
    NAME,
    NOTHING,
    OUTPUT,
    UNREAD,
    Flow,
    Value,
)
from interlock.shell.walk import Walker

TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that turn the direction of text: a person would approve something else than what runs
(CVE-2021-42574).
"""
INVISIBLE = frozenset("\u00a0\u00ad\u200b\u200c\u200d\u2060\ufeff") | TURNING
"""Characters that nobody sees: a program's name with one is not the program it seems to be."""
EXPORTS = frozenset({"export", "declare", "typeset", "local"})
"""Builtins that may put variables into the environment of what is started later."""
READING = frozenset({"read", "mapfile", "readarray"})
"""Builtins that set variables to what somebody else wrote."""
SILENT = frozenset(
    (
        "rm rmdir mkdir mv cp ln touch chmod chown chgrp unlink kill sleep cd pushd popd export"
        " declare typeset local readonly unset set shift read mapfile readarray true false : wait"
        " trap test [ mkfifo truncate disown ulimit umask sync"
    ).split()
)
"""Programs that print nothing, unless told to."""
_PLAIN = ProgramRow(operands="data*")
_FAMILIES = (
    "containers clusters databases migrations daemons machine trusting stores backups remoting"
    " syspackages netconfig accounts services"
)
_BY_WORDS = frozenset(_FAMILIES.split())
"""Families of programs whose words are groups and verbs."""
_TELLS_NOTHING = (Executes, Connects)
"""That something runs, and where it is: what words do there is not said by that."""


class ShellReader(Texts):
    """Reads one shell text: its commands, each by its program."""

    def read(self, text: str, cwd: str) -> list[NestedText]:
        """Read a shell text as the call's own input; return all texts met."""
        context = self.context
        state = ShellState(cwd or None, context.home, self._variable)
        state.arguments = []  # clients hand the text to `sh -c` without arguments
        walker = Walker(self, state)
        if not TURNING.isdisjoint(text):
            context.opaque(
                "characters that show the text in another order than it is run",
                Span(0, 0, len(text)),
                "syntax",
            )
        unending.doubt_shown(self.context, walker.nested(text, 0, len(text), "input", state))
        if self.written:
            late_texts.read_late(self, walker, state)
        return walker.texts

    def _variable(self, name: str) -> str | None:
        value = self.context.facts.variable(name)
        return value if isinstance(value, str) else None

    # -- the visitor -------------------------------------------------------------------------------

    def visit(self, execution: Execution, walker: Walker) -> Flow:
        """Read one simple command; return what it prints."""
        self.written.maybe = execution.maybe
        if execution.redirects:
            redirects.before(self, execution)
        flow = (
            NOTHING
            if execution.argv or len(execution.redirects) != 1 or execution.stdin is None
            else execution.stdin
        )
        if execution.prefix:
            judge_prefix(self, execution, walker)
        if execution.argv and execution.argv[0].text in EXPORTS:
            self._judge_export(execution, walker)
        elif execution.argv and execution.argv[0].text in READING:
            self._judge_reading(execution, walker)
        source_words.note(self, execution, walker.texts[execution.text].text)
        if execution.argv:
            if execution.argv[0].text in MOVING:
                enter_named(self.context, execution)
            self.noted(execution.argv)
            if execution.background or self.context.call.input.get("run_in_background") is True:
                background.note(self.context, [value.text for value in execution.argv])
            flow = pass_on(
                self.context, execution, outgoing_secrets.read_command(self, execution, walker)
            )
            flow = unending.carry(self.context, execution, flow)
        return redirects.after(self, execution, flow) if execution.redirects else flow

    def noted(self, argv: Iterable[Value]) -> None:
        """Keep the words of a command that is run, for rules that look at words."""
        self.context.noted([word.text for word in argv])

    def _judge_export(self, execution: Execution, walker: Walker) -> None:
        """``export NAME=VALUE`` is an assignment before every command from here on."""
        words = execution.argv
        if words[0].text != "export" and not any(
            word.text[:1] == "-" and "x" in word.text for word in words[1:]
        ):
            return
        told = execution.inner(words)
        for word in words[1:]:
            name, equals, text = word.text.partition("=")
            held = walker.state.variables.get(name)
            if HOLE in name:
                self.context.doubt(
                    "which variables the programs that follow are given is not known"
                )
            elif equals:
                told.prefix.append((name, Value(text, word.start, word.end, word.why)))
            elif held is not None and held.text:
                told.prefix.append((name, held))
        judge_prefix(self, told, walker)

    def _judge_reading(self, execution: Execution, walker: Walker) -> None:
        """``read NAME``: nobody knows what a variable holds that programs are given already."""
        told = execution.inner([])
        told.prefix = [
            (word.text, Value(HOLE, word.start, word.end))
            for word in execution.argv[1:]
            if word.text.isidentifier()
        ]
        judge_prefix(self, told, walker)

    def printed(self, execution: Execution, flow: Flow) -> Flow:
        """Remember what a compound command or function prints into a file; return the rest."""
        return redirects.record_redirects(self, execution, flow)

    def opaque(self, why: str, walker: Walker, start: int, end: int) -> None:
        """Add what could not be read."""
        self.context.opaque(why, Span(walker.at.text, start, end), "syntax")

    def is_folder(self, path: str) -> bool:
        """Tell whether a folder is known to be there."""
        return self.context.is_kind(path, FOLDER)

    def knows(self, name: str) -> bool:
        """Tell whether a program of this name is known, or is named by its path."""
        return "/" in name or programs.find(name) is not None

    def done(self) -> int:
        """Return a number that grows with everything that is done."""
        return self.context.past.count

    def find_received(self, path: str) -> Flow | None:
        """Return what was written to a path."""
        return self.written.get(path)

    def exhausts(self, name: str, walker: Walker, start: int, end: int) -> None:
        """Add a fork bomb."""
        what = (
            "a loop that starts commands"
            if name in ("while", "until")
            else "a function that starts copies of itself"
        )
        self.context.add(
            Exhausts,
            name,
            span=Span(walker.at.text, start, end),
            by=name,
            detail=f"{what} without end",
        )

    def never_ends(self, walker: Walker) -> None:
        """Note a loop that goes on until somebody ends it."""
        del walker
        self.context.doubt("a loop has no end")

    # -- programs ----------------------------------------------------------------------------------

    def program(self, execution: Execution, walker: Walker) -> Flow:
        """Read the program of a command: its row, its file, or its words."""
        word = execution.argv[0]
        span = Span(execution.text, word.start, word.end)
        if word.hollow or NAME in word.text or not INVISIBLE.isdisjoint(word.text):
            if (
                word.why == ENVIRONMENT
                and "/" in word.text.rpartition(HOLE)[2]
                and INVISIBLE.isdisjoint(word.text)
            ):
                return self._somewhere(execution, walker, word, span)  # $JAVA_HOME/bin/java
            return self._unknown_program(execution, word, span)
        if word.pattern:
            return by_pattern(self, execution, walker, word)
        word = resolve_word(self, execution, walker, word)
        text = word.text
        folder, slash, name = text.rpartition("/")
        if slash and folder not in BIN_FOLDERS:
            return self._by_path(execution, walker, word, span)
        row = programs.find(name) or self.own.get(name)
        if row is None:
            traits = traits_of_unknown(execution.argv[1:])
            self.context.add(Executes, name, traits=traits, span=span, by=name)
            flow = self._of_windows(execution, walker, name) or self._judge_unlisted(
                execution, walker, name
            )
        else:
            flow, bare = self._listed(execution, walker, row, name)
            if bare:
                self._judge_unlisted_words(execution, walker, name)
            elif name in self.own or programs.is_described(name):
                from interlock.effects.unknown_programs import say

                say(Run(self, walker, execution, _PLAIN, name))
        verbose = any(
            value.text.startswith("-") and "v" in value.text for value in execution.argv[1:2]
        )
        if (
            flow.text is None
            and name in SILENT
            and ENVIRONMENT not in flow.labels
            and execution.argv[1:]
            and not verbose
        ):
            return NOTHING
        flow = (
            find_location(self.context, walker.state, name, execution.argv[1:]) or flow
            if flow.text is None and execution.argv[1:]
            else flow
        )
        return (
            Flow(":\n")
            if flow.text is None and programs.sets_up(name, execution.argv[1:])
            else flow
        )

    def _listed(
        self, execution: Execution, walker: Walker, row: ProgramRow, name: str
    ) -> tuple[Flow, bool]:
        """Read a program by its row; tell whether that says of many words only that it runs."""
        if programs.names().get(name) not in _BY_WORDS:
            return self.apply(execution, walker, row, name), False
        read = self.context.gather(lambda: self.apply(execution, walker, row, name))
        return self.context.take(read), all(
            effect.kind in _TELLS_NOTHING for effect in read.effects
        )

    def apply(self, execution: Execution, walker: Walker, row: ProgramRow, name: str) -> Flow:
        """Read a command by the row of its program."""
        run = Run(self, walker, execution, row, name)
        project_tools.look(run)
        return self.apply_row(run)

    def apply_row(self, run: Run) -> Flow:
        """Add what a run's row says of it, and what the row's own code does; the one place that
        does so, for subcommands too.
        """
        return apply(run)

    def _somewhere(self, execution: Execution, walker: Walker, word: Value, span: Span) -> Flow:
        """A program of a known name in a folder that the environment names: as well known as one in
        the folders of programs.
        """
        name = word.text.rpartition("/")[2]
        row = programs.find(name)
        self.context.add(
            Executes,
            word.text.replace(HOLE, "?"),
            traits=frozenset({"by-path"}),
            span=span,
            by=name,
            certain=False,
        )
        return (
            self.apply(execution, walker, row, name)
            if row is not None
            else self._judge_unlisted(execution, walker, name)
        )

    def _unknown_program(self, execution: Execution, word: Value, span: Span) -> Flow:
        why = word.why or OUTPUT
        self.context.misses()
        traits = {"unknown-program", "unread", f"from-{why}"}
        if word.text.strip(HOLE):
            traits.add("partly-known")
        self.context.add(
            RunsCode,
            traits=frozenset(traits),
            span=span,
            by=execution.argv[0].text.replace(HOLE, "?"),
            detail=f"a program named by {why}",
        )
        return UNREAD

    def _by_path(self, execution: Execution, walker: Walker, word: Value, span: Span) -> Flow:
        """A program named by its path: a script or binary outside the usual folders."""
        path = self.context.normal(word.text, execution.cwd)
        name = word.text.rpartition("/")[2]
        if path is None:
            self.context.add(
                Executes,
                word.text,
                traits=frozenset({"by-path"}),
                span=span,
                by=name,
                certain=False,
            )
            return self._elsewhere(execution, walker, name)
        path = self.context.through(path)
        folder, _, real = path.rpartition("/")
        if folder in ("/etc/init.d", "/etc/rc.d"):
            words = [
                Value("service", word.start, word.end),
                Value(name, word.start, word.end),
                *execution.argv[1:],
            ]
            return walker.run(execution.inner(words), functions=False)
        name = self.stands_for.get(path, real if folder in BIN_FOLDERS else name)
        row = programs.find(name)
        flow = self.find_written(path)
        place = self.context.place(path)
        labels = flow.labels if flow is not None else frozenset()
        known = self.context.facts.labels(path) | touched_files.unseen_traits(
            self.context, path, place, flow
        )
        traits = (
            frozenset({"by-path"}) | {f"from-{label}" for label in labels} | known | readable(flow)
        )
        if name != name.strip():
            # `./init ` looks like `./init` wherever it is shown (MITRE ATT&CK T1036.006)
            traits |= {"deceptive"}
        self.context.add(Executes, path, place=place, traits=traits, span=span, by=name)
        if flow is not None or row is None or place.location == WORKSPACE or path in self.built:
            run = Run(self, walker, execution, _PLAIN, name)
            run.given, run.called = execution.argv[1:], word
            self.start(run, word, path)
        return (
            self._judge_unlisted(execution, walker, name)
            if row is None
            else self.apply(execution, walker, row, name)
        )

    def _elsewhere(self, execution: Execution, walker: Walker, name: str) -> Flow:
        """A program in a folder that nobody knows: of another machine its words are no words of the
        project's own.
        """
        row = programs.find(name)
        if row is not None:
            return self.apply(execution, walker, row, name)
        return self._judge_unlisted(execution, walker, name) if self.context.where else UNREAD

    def _of_windows(self, execution: Execution, walker: Walker, name: str) -> Flow | None:
        """A name that only Windows knows; None for every other."""
        if name[:4] == "git-" and programs.below("git", name[4:]) is not None:
            return as_git(execution, walker, name[4:])
        if (
            "." not in name
            and name not in ("rd", "del", "erase", "robocopy")
            and not ("-" in name and name[:1].isupper())
        ):
            return None
        from interlock.effects.windows_programs import in_unix

        return in_unix(self, walker, execution)

    def _judge_unlisted(self, execution: Execution, walker: Walker, name: str) -> Flow:
        """A program nobody described: its words are all that is known of it."""
        from interlock.effects.unknown_programs import climb

        run = Run(self, walker, execution, _PLAIN, name)
        project_tools.look(run)
        climb(run)
        doubt_words(run)
        return Flow(None, run.input_labels())

    def _judge_unlisted_words(self, execution: Execution, walker: Walker, name: str) -> None:
        """A program whose row says nothing of these words: it may have got new ones since."""
        from interlock.effects.unknown_programs import add_change

        add_change(
            Run(self, walker, execution, _PLAIN, name),
            name,
            execution.argv[1:],
            own=False,
            strong=True,
        )
