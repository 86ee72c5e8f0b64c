"""Texts that a call runs as code, in whatever language, and the files that they stand in."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.effects import amongfiles, touched_files
from interlock.effects.context import CallContext
from interlock.effects.labels import labels_of, origin_of
from interlock.effects.program_spelling import BIN_FOLDERS
from interlock.effects.programs import sending
from interlock.effects.rows import ProgramRow
from interlock.effects.run import Run
from interlock.effects.written_files import WrittenFiles
from interlock.model.effect import SINK, WORKSPACE, Executes, RunsCode
from interlock.shell.state import ShellState
from interlock.shell.value import (
    FILE,
    HOLE,
    NETWORK,
    NOTHING,
    OUTPUT,
    SOCKETS,
    UNREAD,
    Flow,
    Value,
)

MAX_NESTING = 12
MAX_GUESSES = 200
"""How often words of unknown programs are read as a command, in one call; more is opaque."""
MAX_COPIES = 64
MAX_STEPS = 60_000
"""How many expressions of programs are followed in one call, in all its programs together."""


class Texts:
    """What a call runs and what it put into files, so that running them is read too. ``own``: rows
    of programs that the policy describes.
    """

    def __init__(self, context: CallContext, own: Mapping[str, ProgramRow] | None = None) -> None:
        self.context = context
        self.own = own or {}
        self.written = WrittenFiles()
        self.unpacked: dict[str, Flow] = {}
        self.stands_for: dict[str, str] = {}
        """Copies of programs, and which program each of them is."""
        self.built: dict[str, list[tuple[Flow, str]]] = {}
        """What this call compiled: the sources, and their languages."""
        self.steps = MAX_STEPS
        self.depth = 0  # how deep the shells of Windows are in each other, in all texts together
        self._nesting = 0
        self.guesses = MAX_GUESSES

    # -- code --------------------------------------------------------------------------------------

    def code(
        self,
        run: Run,
        text: str,
        value: Value | None,
        language: str,
        *,
        own: bool = False,
        name: Value | None = None,
    ) -> Flow:
        """Read text as code of a language. Shell is followed, Python read, others searched."""
        if text.strip(HOLE).strip() == "" and HOLE in text:
            if value is not None and value.why == FILE and run.here:
                from interlock.effects.programs.sending import run_held  # most code is known

                if run_held(run, value, language, own=own):
                    return UNREAD
            run.unknown_code(value.why if value is not None else OUTPUT, language, value=value)
            return UNREAD
        if self._nesting >= MAX_NESTING:
            self.context.opaque("code nested too deeply", run.span(value), "syntax")
            return UNREAD
        self._nesting += 1
        try:
            if language == "sh":
                start, end = (
                    (value.start, value.end)
                    if value is not None and value.end
                    else (run.execution.start, run.execution.end)
                )
                state = None if own else run.walker.state.child()
                if state is not None:
                    for variable, given in run.execution.prefix:
                        state.assign(variable, given)
                    state.cwd = run.cwd
                    state.name = name or run.called or state.name
                    state.arguments = run.given if run.given is not None else state.arguments
                return self._followed(
                    run, text, Value(value.why if value is not None else "", start, end), state
                )
            return self.context.readers.code(language)(run, text, value, language) or UNREAD
        finally:
            self._nesting -= 1

    def _followed(self, run: Run, text: str, origin: Value, state: ShellState | None) -> Flow:
        """Follow a text in a new shell, or in the one that runs now; ``origin`` says where it
        stands and where its unknown pieces come from.
        """
        walker = run.walker
        own = walker.state if state is None and run.given else None
        arguments = own.arguments if own is not None else None
        if own is not None:
            own.arguments = run.given
        try:
            with walker.within(stdin=run.stdin, origin=origin.text):
                return walker.nested(text, origin.start, origin.end, run.name, state)
        finally:
            if own is not None:
                own.arguments = arguments

    def code_with_arguments(self, run: Run, code: Value, words: list[Value]) -> Flow:
        """Read the text of ``sh -c TEXT NAME ARG..`` in a new shell of known arguments."""
        run.given = words[1:]
        return self.code(run, code.text, code, "sh", name=words[0] if words else None)

    def flow_as_code(self, run: Run, flow: Flow, language: str, *, own: bool = False) -> Flow:
        """Run what flows in as code: read if known, else judged by where it comes from."""
        if flow.text is None and flow.choices:
            for text in flow.choices:
                self.flow_as_code(run, Flow(text, flow.labels), language, own=own)
            return UNREAD
        if flow.text is None and flow.pieces:
            return touched_files.run_pieces(self, run, flow, language, own=own)
        if flow.text is not None and flow.text.strip(HOLE + " \n"):
            if NETWORK in flow.labels:
                run.unknown_code(NETWORK)
            elif "decoded" in flow.labels:
                self.context.add(
                    RunsCode,
                    traits=frozenset({"decoded"}),
                    span=run.span(),
                    by=run.name,
                    detail="decoded text run as code",
                )
            return self.code(run, flow.text, None, language, own=own)
        if flow.text is not None and not flow.text.strip():
            return NOTHING
        if flow.path and not flow.labels - {"file", "workspace", "outside"}:
            return self.script(run, Value(flow.path), language, own=own)
        run.unknown_code(origin_of(flow), *sorted(flow.labels))
        return UNREAD

    def script(self, run: Run, value: Value, language: str, *, own: bool = False) -> Flow:
        """Run a script file with the words that stand behind its name."""
        if any(word is value for word in run.arguments):
            run.given = run.arguments[[word is value for word in run.arguments].index(True) + 1 :]
        opened = run.walker.opened(value.text) or run.execution.redirected(value.text)
        if opened is not None:
            return self.flow_as_code(run, opened, language, own=own)
        if value.text in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
            return run.input_as_code(language, own=own)
        if value.text.startswith(("http://", "https://")):
            run.unknown_code(NETWORK, value=value)
            return UNREAD
        path = None if value.hollow or value.pattern else self.context.normal(value.text, run.cwd)
        if path is None:
            return self._scripts(run, value, language, own=own)
        run.called = value
        path = self.context.through(path)
        flow, place = self.find_written(path), self.context.place(path)
        known = self.context.facts.labels(path) | touched_files.unseen_traits(
            self.context, path, place, flow
        )
        labels = flow.labels if flow is not None else frozenset()
        traits = (
            frozenset({"script", language})
            | {f"from-{label}" for label in labels}
            | known
            | readable(flow)
        )
        self.context.add(
            Executes, path, place=place, traits=traits, span=run.span(value), by=run.name
        )
        if run.given or run.execution.prefix:
            from interlock.effects.unknown_programs import add_change

            add_change(
                run,
                path.rpartition("/")[2],
                run.given or [],
                own=place.location == WORKSPACE and language != "jar",
            )
        return (
            touched_files.run_sourced(self, run, value, path, language)
            if own
            else self.run_file(run, value, path, language)
        )

    def _scripts(self, run: Run, value: Value, language: str, *, own: bool) -> Flow:
        """Run whichever scripts a pattern names, or one of which the name is not known."""
        found = amongfiles.files(run, value)
        for path in found:
            self.script(run, Value(path, value.start, value.end), language, own=own)
        if not found:
            amongfiles.somewhere(run, value, "script", language)
        if self.context.where and run.given:
            from interlock.effects.unknown_programs import add_change

            add_change(run, value.text.rpartition("/")[2], run.given, own=False)
        return UNREAD

    def run_file(
        self,
        run: Run,
        value: Value,
        path: str,
        language: str,
        *,
        own: bool = False,
        quiet: bool = False,
    ) -> Flow:
        """Read the text of a script that is run, where it can be had; of a program that this call
        compiled, its sources.
        """
        if path in self.built:
            for source, spoken in self.built[path]:
                self.flow_as_code(run, source, spoken)
            return UNREAD
        flow = self.find_written(path)
        if flow is not None:
            text = self.find_text(flow)
            if text is None and not flow.pieces and (quiet or NETWORK in flow.labels):
                # that a file of such an origin is started was said where it is started
                return UNREAD
            return self.flow_as_code(
                run, flow if flow.pieces else Flow(text, flow.labels), language, own=own
            )
        text = self.context.script(path)
        if text is None:
            return touched_files.run_rewritten(self, run, path, language, quiet=quiet)
        if language == "perl" and text.startswith("#!") and "perl" not in text.partition("\n")[0]:
            self.start(run, value, path)  # perlrun(1): a first line that names no perl is obeyed
            return UNREAD
        return self.code(run, text, value, language, own=own)

    def run_unseen(self, run: Run, value: Value) -> None:
        """Add that files are run of which nobody knows how they came there."""
        sending.run_read(run, value)

    def find_text(self, flow: Flow) -> str | None:
        """Return the text of a flow: known, what a file held before the call, or put together of
        such; None where a piece is not known.
        """
        return touched_files.find_text(self.context, flow)

    def carry(self, source: str | None, target: str, flow: Flow) -> None:
        """Note that a file or folder was copied or moved; a program's copy is the program."""
        self.written.carry(source, target, touched_files.bring(self, source, target, flow))
        self.context.copies(source, target)
        folder, _, name = (source or "").rpartition("/")
        name = self.stands_for.get(source or "", name if folder in BIN_FOLDERS else "")
        if name and len(self.stands_for) >= MAX_COPIES:
            self.context.opaque("more copies of programs than can be followed", None, "too-much")
        elif name:
            self.stands_for[target] = self.stands_for[f"{target}/{name}"] = name

    def find_written(self, path: str) -> Flow | None:
        """Return what this call put into a file: written, or brought in a folder above it from
        another place.
        """
        found = self.written.get(path)
        return found if found is not None else self.find_unpacked(path)

    def find_unpacked(self, path: str) -> Flow | None:
        """Return what this call brought to a path from another place, perhaps in a folder above."""
        while path and self.unpacked:
            if path in self.unpacked:
                return self.unpacked[path]
            path = path.rpartition("/")[0]
        return None

    def contents(self, value: Value, cwd: str | None) -> Flow:
        """Return what a file holds, as far as this call knows, with labels of where it lies."""
        if value.text.startswith(SOCKETS):
            return Flow(None, frozenset({NETWORK}))
        path = None if value.hollow else self.context.normal(value.text, cwd)
        if path is not None and value.pattern:
            fresh = any(path.startswith(f"{folder}/") for folder in self.context.files.made)
            return self.written.matching(path, whole=fresh) or Flow(
                None, self.context.secret_labels(path) | {FILE}
            )
        if path is None:
            return Flow(None, frozenset({FILE}))
        path = self.context.through(path)
        written = self.find_written(path)
        if written is not None:
            return written
        place = self.context.place(path)
        if SINK in place.natures:
            return NOTHING if path == "/dev/null" else UNREAD
        labels = labels_of(place) | self.context.secret_labels(path)
        flow = Flow(None, frozenset(labels | self.context.facts.labels(path)), path)
        flow.edited = path in self.context.files.rewritten
        return flow

    # -- files that are started --------------------------------------------------------------------

    def start(self, run: Run, word: Value, path: str) -> None:
        """Read a file that is started by its path as what its first line says it is."""
        flow = self.find_written(path)
        text = (
            self.find_text(flow)
            if flow is not None
            else None
            if path in self.built
            else self.context.script(path)
        )
        if text is None:
            self.run_file(run, word, path, "sh", quiet=True)
            return
        from interlock.effects.shebang import parse_first_line

        language, words = parse_first_line(text, path)
        if not language:
            self._obey(run, word, words)
        elif flow is not None:
            self.flow_as_code(run, Flow(text, flow.labels), language)
        else:
            self.code(run, text, word, language)

    def _obey(self, run: Run, word: Value, words: list[str]) -> None:
        """Run a first line's words before the words of the call; they may name their own file."""
        if self._nesting >= MAX_NESTING:
            self.context.opaque("code nested too deeply", run.span(word), "syntax")
            return
        self._nesting += 1
        try:
            before = [Value(name, word.start, word.end) for name in words]
            run.walker.run(run.execution.inner([*before, *run.execution.argv]), functions=False)
        finally:
            self._nesting -= 1


def readable(flow: Flow | None) -> frozenset[str]:
    """Return the trait of a file whose text this call wrote: what it does is read."""
    return frozenset({"known-text"}) if flow is not None and flow.text is not None else frozenset()
