"""Follow a tree in execution order: every simple command with its words expanded, in the state that
stands when it runs.

The walker knows the shell's own rules (subshells, pipelines, loops, functions, folder changes).
What a program *does* is the visitor's business: it is shown each command and says what the command
prints.
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.shell import assigning, builtins, calls, control, redirecting, truth
from interlock.shell.api import Visitor
from interlock.shell.execution import DESCRIPTORS, LEAVING, Execution, NestedText
from interlock.shell.expand import fields, single
from interlock.shell.frame import Frame, FrameChange, Substitutions, WalkBudget
from interlock.shell.numbers import calculate, read_subscripts
from interlock.shell.parse import parse
from interlock.shell.state import ShellState
from interlock.shell.tree import (
    AndOr,
    Assignment,
    Command,
    CommandList,
    CommandSubstitution,
    Compound,
    Opaque,
    Pipeline,
    ProcessSubstitution,
    Script,
    Simple,
    Word,
)
from interlock.shell.value import (
    HOLE,
    MAX_CHOICES,
    MAX_TRAPS,
    NOTHING,
    UNREAD,
    Flow,
    Value,
    join_flows,
)

MAX_DEPTH = 40
FIRST_FREE = 10
"""The first descriptor that ``exec {name}<file`` takes (bash manual 3.6)."""
# that echo succeeds is not sure: what it writes to may be closed or full
_STATUSES = {"true": True, ":": True, "false": False}


class Walker:
    """One walk over one call. ``state`` is the shell that is running now, ``at`` where in it the
    walk stands; ``texts`` all texts met, the call's own first; ``left`` how much more is followed.
    """

    def __init__(self, visitor: Visitor[Walker], state: ShellState) -> None:
        self.visitor = visitor
        self.state = state
        self.at = Frame()
        self.texts: list[NestedText] = []
        self.left = WalkBudget()
        self.substitutions = Substitutions()
        self.status: bool | None = None
        """Whether the last command succeeded; None where nobody knows."""
        self.left_early = False
        self.passed_by: set[int] = set()
        self.choices = 0

    def within(self, state: ShellState | None = None, **changes: object) -> FrameChange:
        """Return a block in which the walk is elsewhere (``Frame``), in a given or this state."""
        return FrameChange(self, state, changes)

    # -- texts -------------------------------------------------------------------------------------

    def nested(
        self, text: str, start: int, end: int, label: str, state: ShellState | None = None
    ) -> Flow:
        """Read ``text``, found at ``[start, end)`` of the current text, as commands; in a given
        state or in the current one.
        """
        self.texts.append(NestedText(text, self.at.text, start, end, label))
        with self.within(state or self.state, text=len(self.texts) - 1):
            script = parse(text)
            self.substitutions.trees.append(script)
            flow = self.sequence(script.body)
            return flow if state is None else self.ending(flow)

    def ending(self, flow: Flow) -> Flow:
        """Run the traps of a shell that ends here, in its last state; return all that it prints."""
        flows = [flow]
        # a trap may set another one, for a signal that comes while it runs
        for _ in range(MAX_TRAPS):
            traps, self.state.traps = self.state.traps, {}
            for code, text in traps.values():
                with self.within(text=text, origin=code.why):
                    flows.append(self.nested(code.text, code.start, code.end, "trap"))
        return join_flows([flow for flow in flows if flow is not NOTHING])

    def substitution(self, node: CommandSubstitution) -> Flow:
        """Follow ``$(..)`` in a subshell and return what it prints; a command that is followed for
        several texts runs it once.
        """
        printed = self.substitutions.printed
        if self.at.choice is None or id(node) not in printed:
            printed[id(node)] = self._inside(
                node.script, node.start, node.end, "substitution", NOTHING
            )
        return printed[id(node)]

    def process_substitution(self, node: ProcessSubstitution) -> str:
        """Follow ``<(..)`` or ``>(..)`` and return the path it stands for; ``substitutions`` keeps
        what can be read there.
        """
        paths = self.substitutions.paths
        path = f"/dev/fd/{63 - len(paths)}"
        paths[path] = UNREAD
        if node.direction == "<":
            paths[path] = self._inside(
                node.script, node.start, node.end, "process substitution", UNREAD
            )
        else:
            self.at = self.at.replace(outputs=(*self.at.outputs, (path, node)))
        return path

    def _into_outputs(self, execution: Execution, flow: Flow) -> None:
        """Follow the ``>(..)`` of a command that has run: they read what it wrote there; if nobody
        knows that, what it prints or reads.
        """
        outputs, self.at = self.at.outputs, self.at.replace(outputs=())
        for path, node in outputs:
            written = self.visitor.find_received(path)
            if written is None:
                labels = flow.labels | (
                    execution.stdin.labels if execution.stdin is not None else frozenset()
                )
                written = Flow(None, labels)
            self._inside(node.script, node.start, node.end, "process substitution", written)

    def _inside(self, script: Script, start: int, end: int, label: str, stdin: Flow) -> Flow:
        """Follow a script in a subshell; ``NOTHING`` as its input leaves it that of the shell."""
        number = self.at.text
        if script.offsets is not None:
            self.texts.append(NestedText(script.text, number, start, end, label))
            self.texts[-1].offsets = script.offsets
            number = len(self.texts) - 1
        given = self.at.stdin if stdin is NOTHING else stdin
        with self.within(self.state.subshell(), text=number, stdin=given, outputs=()):
            return self.ending(self.sequence(script.body))

    # -- lists -------------------------------------------------------------------------------------

    def sequence(self, node: CommandList) -> Flow:
        """Follow commands one after another; return what they print together."""
        if self.at.depth > MAX_DEPTH:
            self.give_up("nested too deeply to follow", node.start, node.end)
            return UNREAD
        with self.within(depth=self.at.depth + 1):
            flows = []
            for command, operator in zip(node.commands, node.operators, strict=False):
                flow = self._in_background(command) if operator == "&" else self.command(command)
                if flow is not NOTHING:
                    flows.append(flow)
            return join_flows(flows)

    def _in_background(self, command: Command) -> Flow:
        with self.within(self.state.subshell(), background=True):
            return self.ending(self.command(command))

    def command(self, node: Command) -> Flow:
        """Follow one command of any form."""
        if isinstance(node, (Simple, Compound)):
            flow = self._simple(node) if isinstance(node, Simple) else self._follow_redirected(node)
            if node.redirects and self.status:
                # a file that does not open, a descriptor that is closed: it fails without having
                # run
                self.status = None
            return flow
        if isinstance(node, Pipeline):
            return self._pipeline(node)
        if isinstance(node, AndOr):
            return self._and_or(node)
        if isinstance(node, CommandList):
            return self.sequence(node)
        if isinstance(node, Opaque):
            self.visitor.opaque(node.why, self, node.start, node.end)
        return UNREAD

    def _and_or(self, node: AndOr) -> Flow:
        strict, self.state.strict = self.state.strict, False
        with self.within(maybe=self.at.maybe):
            flows = self._either_side(node)
        self.state.strict = strict
        return join_flows([flow for flow in flows if flow is not NOTHING])

    def _either_side(self, node: AndOr) -> list[Flow]:
        before, sure = self.state.doubt, True
        flows = [self.command(node.commands[0])]
        for command, operator in zip(node.commands[1:], node.operators, strict=False):
            runs = self.status if operator == "&&" or self.status is None else not self.status
            if runs is False:
                flows.append(control.pass_by(command, self))
                self.status = operator == "||"
                continue
            if runs is None:
                self.at = self.at.replace(maybe=self.at.maybe + 1)
            if operator == "&&":
                known = self.state.known()
                flows.append(
                    self._after_success(command)
                    if sure and self.state.doubt != before
                    else self.command(command)
                )
                if not runs:
                    self.state.doubt_changes(known)
                    self.status = None
                continue
            left, self.state = self.state, self.state.copy()
            flows.append(self.command(command))
            right, self.state = self.state, left
            if not control.merge_right(command, right, self):
                sure = False
            elif sure:
                self.state.doubt = before  # cd x || exit: who goes on is in x
            if control.looks_up(flows[-2]) and flows[-1].text:
                flows[-2:] = [control.one_of(flows[-2], flows[-1])]
            self.status = None
        return flows

    def _after_success(self, command: Command) -> Flow:
        """Follow what stands right of ``&&``: a ``cd`` on its left did not fail. Later commands
        cannot rely on that.
        """
        doubt = self.state.doubt
        self.state.doubt = None
        flow = self.command(command)
        if doubt is not None and self.state.doubt is None:
            self.state.doubt = doubt
        return flow

    def _pipeline(self, node: Pipeline) -> Flow:
        if len(node.commands) == 1:
            alone = self.command(node.commands[0])
            if node.negated and self.status is not None:
                self.status = not self.status
            return alone
        flow = self.at.stdin
        for command in node.commands:
            with self.within(self.state.subshell(), stdin=flow, piped=True):
                flow = self.ending(self.command(command))
        self.status = None
        return flow if flow is not None else UNREAD

    # -- compound commands -------------------------------------------------------------------------

    def _follow_redirected(self, node: Compound) -> Flow:
        if not node.redirects or node.keyword == "function":
            return control.follow(node, self)
        execution = Execution([], node.start, node.end, self.at.text, self.state.cwd)
        redirecting.redirect(self, node.redirects, execution)
        self.visitor.visit(execution, self)
        stdin = execution.stdin if execution.stdin is not None else self.at.stdin
        with self.within(stdin=stdin):
            flow = control.follow(node, self)
        return self.visitor.printed(execution, flow)

    # -- simple commands ---------------------------------------------------------------------------

    def _simple(self, node: Simple) -> Flow:
        if not self.left.command():
            self.give_up("more commands than can be followed", node.start, node.end)
            return UNREAD
        words = node.words
        argv: list[Value] = []
        self.status, self.choices = None if words else True, 0
        for word in words:
            if isinstance(word, Assignment) and word.array is not None:
                if any(value.text[:1] == "-" and "A" in value.text for value in argv):
                    self.state.subscripts = {**self.state.subscripts, word.name: {}}
                # declare -a x=(..)
                self._assign([word], Execution([], word.start, word.end, self.at.text, None))
            else:
                argv.extend(fields(word, self))
        at = self.at
        execution = Execution(argv, node.start, node.end, at.text, self.state.cwd)
        execution.stdin = at.stdin
        execution.piped = at.piped
        execution.background = at.background
        execution.doubt = self.state.doubt
        execution.maybe = at.maybe > 0
        if node.assignments:
            self._assign(node.assignments, execution)
        if node.redirects:
            redirecting.redirect(self, node.redirects, execution)
        if self.state.aliases and argv:
            expanded = calls.either_way(self, execution, node)
            if expanded is not None:
                return expanded
        if self.choices and argv and at.choice is None:
            return self._each(execution, node)
        flow = self.run(execution)
        if self.at.outputs:
            self._into_outputs(execution, flow)
        return flow

    def choose_text(self, texts: tuple[str, ...]) -> str:
        """Return the text that a choice stands for now: unknown, but where the command is followed
        for each of them.
        """
        self.choices = max(self.choices, min(len(texts), MAX_CHOICES))
        at = self.at.choice
        return HOLE if at is None else texts[at % len(texts)]

    def _each(self, execution: Execution, node: Simple) -> Flow:
        """Follow a command once for each text that its words may be; it changes the shell as if
        nobody knew which.
        """
        if (
            execution.argv[0].text in builtins.CHANGES
            or execution.argv[0].text in self.state.functions
        ):
            return self.run(execution)
        flows, count = [], self.choices
        for choice in range(count):
            with self.within(choice=choice):
                one = execution.inner(
                    [value for word in node.words for value in fields(word, self)]
                )
                one.prefix = execution.prefix
                redirecting.redirect(self, node.redirects, one)
            flows.append(self.run(one))
        either = Flow(None, frozenset().union(*[flow.labels for flow in flows]))
        either.choices = tuple([flow.text for flow in flows if flow.text is not None])
        return either if len(either.choices) == count else Flow(None, either.labels)

    def _assign(self, nodes: Sequence[Assignment], execution: Execution) -> None:
        assigning.assign(nodes, execution, self)

    def single(self, word: Word | None) -> Value:
        """Return the one value of a word where no splitting happens."""
        return single(word, self)

    def plain(self, node: Compound) -> bool:
        """Whether ``[[ .. ]]`` is a single test: nothing stands before its first word or behind its
        last one.
        """
        text = self.texts[self.at.text].text
        words = node.words
        return (
            bool(words)
            and not text[node.start + 2 : words[0].start].strip()
            and text[words[-1].end : node.end].strip() == "]]"
        )

    def opened(self, path: str) -> Flow | None:
        """Return what can be read at a path that stands for ``<(..)`` or a descriptor; None where
        it does not.
        """
        flow = self.substitutions.paths.get(path)
        folder, _, number = path.rpartition("/")
        return (
            flow
            if flow is not None or folder not in DESCRIPTORS
            else self.state.descriptors.get(number)
        )

    def run(self, execution: Execution, *, functions: bool = True) -> Flow:
        """Run a command whose words are expanded: a function of the script (not for ``command``), a
        builtin, or a program.
        """
        argv = execution.argv
        name = argv[0].text if argv else ""
        if execution.external:
            return self.visitor.visit(execution, self)
        if name in LEAVING:
            self.left_early = True
        function = self.state.functions.get(name) if argv and functions else None
        before = self.state.copy() if function is not None and name in self.state.unsure else None
        ran = self._function(name, function, execution) if function is not None else NOTHING
        if before is not None:
            # it may not be defined, and then the program of that name runs in its place
            self.state.merge([before, self.state.copy()])
        elif function is not None:
            return ran
        flow = join_flows(
            [one for one in (ran, self.visitor.visit(execution, self)) if one is not NOTHING]
        )
        change = builtins.CHANGES.get(name)
        if name == "exec" and len(argv) == 1:
            self._keep_redirects(execution)
        if name in ("[", "test"):
            self.status = truth.evaluate_test(argv[1 : -1 if name == "[" else None], self)
        elif name in _STATUSES:
            self.status = _STATUSES[name]
        if name in builtins.NAMING:
            self._named(argv)
        if change is not None:
            separators = self.state.variables.get("IFS")
            for variable, value in execution.prefix:
                if variable == "IFS":  # IFS=, read a b: for this one builtin (POSIX 2.9.1)
                    self.state.variables[variable] = value
            change(self.state, argv, flow if name == "printf" else execution.stdin)
            if separators is not None:
                self.state.variables["IFS"] = separators
            elif any(variable == "IFS" for variable, _ in execution.prefix):
                self.state.variables.pop("IFS", None)
            if name in builtins.MOVING and (
                self.state.strict
                or (self.state.cwd is not None and self.visitor.is_folder(self.state.cwd))
            ):
                self.state.doubt = None
        return NOTHING if name == "printf" and len(argv) > 1 and argv[1].text == "-v" else flow

    def _named(self, argv: list[Value]) -> None:
        """Follow the commands in subscripts of what a builtin takes for names of variables: ``read
        'a[$(cmd)]'``; ``let`` takes expressions.
        """
        integers = (
            any(value.text[:1] == "-" and "i" in value.text for value in argv)
            or self.state.integers
        )
        for value in argv[1:]:
            if integers and "=" in value.text:
                calculate(value.text.partition("=")[2], self)
            if argv[0].text == "let":
                number = calculate(value.text, self)
                self.status = None if number is None else number != 0
            else:
                read_subscripts(value.text.partition("=")[0], self)

    def _keep_redirects(self, execution: Execution) -> None:
        """Take over the redirections of a bare ``exec``: they hold for the rest of the shell."""
        for redirect in execution.redirects:
            if redirect.flow is not None:
                number = redirect.fd or "0"
                if number[0] == "{":
                    number, name = str(FIRST_FREE + len(self.state.descriptors)), number.strip("{}")
                    self.state.assign(name, Value(number))
                self.state.descriptors[number] = redirect.flow
                if redirect.fd in ("", "0"):
                    self.at = self.at.replace(stdin=redirect.flow)

    def _function(self, name: str, node: Compound, execution: Execution) -> Flow:
        return calls.call_function(self, name, node, execution)

    def give_up(self, why: str, start: int, end: int) -> None:
        """Say once that the rest of the call is not followed."""
        if not self.left.full:
            self.left.full = True
            self.visitor.opaque(why, self, start, end)
