"""Follow a tree in execution order: every simple command with its words expanded, in the state that stands when it runs.

The walker knows the shell's own rules (subshells, pipelines, loops, functions, folder changes). What a
program *does* is the visitor's business: it is shown each command and says what the command prints.
"""

from __future__ import annotations

from interlock.shell import builtins
from interlock.shell.execution import Execution, Nested, Redirection
from interlock.shell.expand import fields, single
from interlock.shell.parse import parse
from interlock.shell.tree import AndOr, Assignment, CommandList, Compound, Opaque, Pipeline, Simple
from interlock.shell.value import HOLE, LOOP, NETWORK, NOTHING, SOCKETS, UNREAD, Flow, Value, joined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.shell.execution import Visitor
    from interlock.shell.state import State
    from interlock.shell.tree import Command, CommandSubstitution, ProcessSubstitution, Redirect, Script


MAX_COMMANDS = 4000
"""Commands followed in one call, loops and functions unrolled; past it the rest is opaque."""
MAX_DEPTH = 40
MAX_ITEMS = 64
_LEAVES = frozenset({"exit", "return", "break", "continue", "die", "fail", "abort"})


class Walker:
    """One walk over one call. ``state`` is the shell that is running now; ``texts`` all texts met, the call's own first."""

    def __init__(self, visitor: Visitor, state: State) -> None:
        self.visitor = visitor
        self.state = state
        self.texts: list[Nested] = []
        self.text = 0
        self.stdin: Flow | None = None
        self.piped = False
        self.background = False
        self.origin = ""  # where the unknown pieces of the text that is read now come from
        self.substituted: dict[str, Flow] = {}
        self._calls: list[str] = []
        self._running: list[Compound] = []
        self._depth = 0
        self._left = MAX_COMMANDS
        self._full = False
        self._left_early = False

    # -- texts -------------------------------------------------------------------------------------

    def nested(self, text: str, start: int, end: int, label: str, state: State | None = None) -> Flow:
        """Read ``text``, found at ``[start, end)`` of the current text, as commands; in a given state or in the current one."""
        parent = self.text
        self.texts.append(Nested(text, parent, start, end, label))
        return self._enter(len(self.texts) - 1, text, state)

    def _enter(self, number: int, text: str, state: State | None) -> Flow:
        before, self.text = self.text, number
        outer = self.state
        if state is not None:
            self.state = state
        try:
            flow = self._script(parse(text))
            return flow if state is None else self._ending(flow)
        finally:
            self.text = before
            self.state = outer

    def _ending(self, flow: Flow) -> Flow:
        """Run the traps of a shell that ends here, in the state it ends in; return what it prints all in all."""
        traps, self.state.traps = self.state.traps, {}
        flows = [flow]
        for code, text in traps.values():
            before, self.text, self.origin = (self.text, self.origin), text, code.why
            try:
                flows.append(self.nested(code.text, code.start, code.end, "trap"))
            finally:
                self.text, self.origin = before
        return joined([flow for flow in flows if flow is not NOTHING])

    def _script(self, script: Script) -> Flow:
        return self.sequence(script.body)

    def substitution(self, node: CommandSubstitution) -> Flow:
        """Follow ``$(..)`` in a subshell and return what it prints."""
        return self._inside(node.script, node.start, node.end, "substitution", NOTHING)

    def process_substitution(self, node: ProcessSubstitution) -> str:
        """Follow ``<(..)`` or ``>(..)`` and return the path it stands for; ``substituted`` keeps what can be read there."""
        flow = self._inside(node.script, node.start, node.end, "process substitution", UNREAD)
        path = f"/dev/fd/{63 - len(self.substituted)}"
        self.substituted[path] = flow if node.direction == "<" else UNREAD
        return path

    def _inside(self, script: Script, start: int, end: int, label: str, stdin: Flow) -> Flow:
        outer, held, text = self.state, self.stdin, self.text
        if script.offsets is not None:
            self.texts.append(Nested(script.text, text, start, end, label))
            self.texts[-1].offsets = script.offsets
            self.text = len(self.texts) - 1
        self.state = outer.subshell()
        if stdin is UNREAD:
            self.stdin = stdin
        try:
            return self._ending(self._script(script))
        finally:
            self.state, self.stdin, self.text = outer, held, text

    # -- lists -------------------------------------------------------------------------------------

    def sequence(self, node: CommandList) -> Flow:
        """Follow commands one after another; return what they print together."""
        if self._depth > MAX_DEPTH:
            self._give_up("nested too deeply to follow", node.start, node.end)
            return UNREAD
        self._depth += 1
        try:
            flows = []
            for command, operator in zip(node.commands, node.operators, strict=False):
                flow = self._in_background(command) if operator == "&" else self.command(command)
                if flow is not NOTHING:
                    flows.append(flow)
            return joined(flows)
        finally:
            self._depth -= 1

    def _in_background(self, command: Command) -> Flow:
        outer, self.state = self.state, self.state.subshell()
        held, self.background = self.background, True
        try:
            return self._ending(self.command(command))
        finally:
            self.state, self.background = outer, held

    def command(self, node: Command) -> Flow:
        """Follow one command of any form."""
        if isinstance(node, Simple):
            return self._simple(node)
        if isinstance(node, Pipeline):
            return self._pipeline(node)
        if isinstance(node, AndOr):
            return self._and_or(node)
        if isinstance(node, Compound):
            return self._redirected(node)
        if isinstance(node, CommandList):
            return self.sequence(node)
        if isinstance(node, Opaque):
            self.visitor.opaque(node.why, self, node.start, node.end)
        return UNREAD

    def _and_or(self, node: AndOr) -> Flow:
        before, sure = self.state.doubt, True
        flows = [self.command(node.commands[0])]
        for command, operator in zip(node.commands[1:], node.operators, strict=False):
            if operator == "&&":
                flows.append(self._after_success(command) if sure else self.command(command))
                continue
            left, self.state = self.state, self.state.copy()
            flows.append(self.command(command))
            right, self.state = self.state, left
            if not _leaves(command):
                self.state.merge([left.copy(), right])
                sure = False
            elif sure:
                self.state.doubt = before  # cd x || exit: who goes on is in x
        return joined([flow for flow in flows if flow is not NOTHING])

    def _after_success(self, command: Command) -> Flow:
        """Follow what stands right of ``&&``: a ``cd`` on its left did not fail. Later commands cannot rely on that."""
        doubt = self.state.doubt
        self.state.doubt = None
        flow = self.command(command)
        if doubt is not None and self.state.doubt is None:
            self.state.doubt = doubt
        return flow

    def _pipeline(self, node: Pipeline) -> Flow:
        if len(node.commands) == 1:
            return self.command(node.commands[0])
        held, outer, was = self.stdin, self.state, self.piped
        flow = held
        self.piped = True
        try:
            for command in node.commands:
                self.stdin = flow
                self.state = outer.subshell()
                flow = self._ending(self.command(command))
        finally:
            self.stdin, self.state, self.piped = held, outer, was
        return flow if flow is not None else UNREAD

    # -- compound commands -------------------------------------------------------------------------

    def _redirected(self, node: Compound) -> Flow:
        if not node.redirects or node.keyword == "function":
            return self._compound(node)
        held = self.stdin
        execution = Execution([], node.start, node.end, self.text, self.state.cwd)
        self._redirections(node.redirects, execution)
        self.visitor.visit(execution, self)
        self.stdin = execution.stdin if execution.stdin is not None else held
        try:
            flow = self._compound(node)
        finally:
            self.stdin = held
        return self.visitor.printed(execution, flow)

    def _compound(self, node: Compound) -> Flow:
        keyword = node.keyword
        if keyword == "{":
            return self.sequence(node.bodies[0])
        if keyword in ("(", "coproc"):
            return self._subshell(node)
        if keyword == "function":
            self.state.functions[node.name] = node
            return NOTHING
        if keyword in ("for", "select"):
            return self._for(node)
        if keyword == "case":
            return self._case(node)
        for word in node.words:
            single(word, self)
        if keyword == "if":
            return self._if(node)
        if keyword in ("while", "until", "for(("):
            return self._while(node)
        return NOTHING

    def _subshell(self, node: Compound) -> Flow:
        """``( .. )``, and ``coproc``: a subshell that reads what the script may write to it later."""
        outer, self.state = self.state, self.state.subshell()
        held = self.stdin
        if node.keyword == "coproc":
            self.stdin = UNREAD
        try:
            return self._ending(joined([self.sequence(body) for body in node.bodies]))
        finally:
            self.state, self.stdin = outer, held

    def _if(self, node: Compound) -> Flow:
        """Conditions in order, each branch from the state its condition leaves; then what is common."""
        bodies = list(node.bodies)
        last = bodies.pop() if node.has_else else None
        ends: list[State] = []
        flows: list[Flow] = []
        for condition, branch in zip(bodies[::2], bodies[1::2], strict=False):
            flows.append(self.sequence(condition))
            flows.append(self._branch(branch, ends))
        if last is not None:
            flows.append(self._branch(last, ends))
        else:
            ends.append(self.state)
        self._meet(ends)
        return _mixed(flows)

    def _branch(self, body: CommandList, ends: list[State]) -> Flow:
        outer, self.state = self.state, self.state.copy()
        try:
            flow = self.sequence(body)
            if not _leaves(body):
                ends.append(self.state)
            return flow
        finally:
            self.state = outer

    def _meet(self, ends: list[State]) -> None:
        if ends:
            copies = [end.copy() for end in ends]
            self.state.merge(copies)

    def _case(self, node: Compound) -> Flow:
        single(node.words[0], self)
        ends: list[State] = [self.state]
        for patterns in node.patterns:
            for word in patterns:
                single(word, self)
        flows = [self._branch(body, ends) for body in node.bodies]
        self._meet(ends)
        return _mixed(flows)

    def _while(self, node: Compound) -> Flow:
        ends: list[State] = []
        *conditions, body = node.bodies
        before = self.state.copy()
        flows = [self.sequence(condition) for condition in conditions]
        flows.append(self._branch(body, ends))
        self._meet([before, *ends] if ends else [self.state])
        return _mixed(flows)

    def _for(self, node: Compound) -> Flow:
        items = self.state.arguments
        if node.explicit_in:
            items = [value for word in node.words for value in fields(word, self)]
        if items is None:
            items = [Value(HOLE, why="argument")]
        elif len(items) > MAX_ITEMS:
            items = [*items[:MAX_ITEMS], Value(HOLE, node.start, node.end, LOOP)]
        before = self.state.copy()
        outer, self._left_early = self._left_early, False
        flows = []
        for item in items:
            self.state.assign(node.name, item)
            flows.append(self.sequence(node.bodies[0]))
            if self._full:
                break
        if self._left_early or not items or any(item.hollow or item.pattern for item in items):
            self._meet([before, self.state.copy()])
        self._left_early = self._left_early or outer
        return joined([flow for flow in flows if flow is not NOTHING])

    # -- simple commands ---------------------------------------------------------------------------

    def _simple(self, node: Simple) -> Flow:
        self._left -= 1
        if self._left < 0:
            self._give_up("more commands than can be followed", node.start, node.end)
            return UNREAD
        words = node.words
        argv: list[Value] = []
        for word in words:
            if isinstance(word, Assignment) and word.array is not None:
                self._assignments([word], Execution([], word.start, word.end, self.text, None))  # declare -a x=(..)
            else:
                argv.extend(fields(word, self))
        execution = Execution(argv, node.start, node.end, self.text, self.state.cwd)
        execution.stdin = self.stdin
        execution.piped = self.piped
        execution.background = self.background
        execution.doubt = self.state.doubt
        if node.assignments:
            self._assignments(node.assignments, execution)
        if node.redirects:
            self._redirections(node.redirects, execution)
        if argv and argv[0].text in self.state.aliases and argv[0].text not in self._calls:
            return self._alias(argv[0].text, execution, node)
        return self.run(execution)

    def _assignments(self, nodes: Sequence[Assignment], execution: Execution) -> None:
        for node in nodes:
            if node.array is not None:
                items = [value for word in node.array for value in fields(word, self)]
                self.state.arrays[node.name] = (self.state.arrays.get(node.name, []) if node.append else []) + items
                self.state.variables.pop(node.name, None)
                continue
            value = single(node.value, self)
            if node.subscript is not None:
                single(node.subscript, self)
                self.state.arrays.setdefault(node.name, [])
                self.state.arrays[node.name] = [*self.state.arrays[node.name], value]
            elif execution.argv:
                execution.prefix.append((node.name, value))
            else:
                self.state.assign(node.name, Value(value.text, value.start, value.end, value.why), append=node.append)
                execution.prefix.append((node.name, value))

    def _redirections(self, nodes: Sequence[Redirect], execution: Execution) -> None:
        for node in nodes:
            flow = None
            if node.operator in ("<<", "<<-"):
                target = Value("", node.start, node.end)
                flow = _text_flow(single(node.body, self)) if node.body is not None else NOTHING
            else:
                target = single(node.target, self)
                if node.operator == "<<<":
                    flow = _text_flow(target)
                    if flow.text is not None:
                        flow = Flow(flow.text + "\n", flow.labels)
                else:
                    flow = self._joined_to(node, target, execution)
            if flow is not None and node.fd in ("", "0"):
                execution.stdin = flow
            execution.redirects.append(Redirection(node.fd, node.operator, target, flow))

    def _joined_to(self, node: Redirect, target: Value, execution: Execution) -> Flow | None:
        """Return what can be read from a descriptor that is joined to a file, a socket or another descriptor; None where nothing is known."""
        if target.text.startswith(SOCKETS):
            return Flow(None, frozenset({NETWORK}), target.text)
        if node.operator in ("<", "<>"):
            return self.substituted.get(target.text) or Flow(None, frozenset({"file"}), target.text)
        if node.operator in ("<&", ">&") and target.text.rstrip("-").isdigit():
            number = target.text.rstrip("-")
            here = [redirect.flow for redirect in execution.redirects if redirect.fd == number and redirect.flow is not None]
            return here[-1] if here else self.state.descriptors.get(number)
        return None

    def _alias(self, name: str, execution: Execution, node: Simple) -> Flow:
        """Put the alias's text before the remaining arguments and read that (bash manual 6.6)."""
        self._calls.append(name)
        try:
            rest = [_requoted(value.text) for value in execution.argv[1:]]
            held, self.stdin = self.stdin, execution.stdin
            try:
                return self.nested(" ".join([self.state.aliases[name], *rest]), node.start, node.end, "alias")
            finally:
                self.stdin = held
        finally:
            self._calls.pop()

    def run(self, execution: Execution, *, functions: bool = True) -> Flow:
        """Run a command whose words are expanded: a function of the script (not for ``command``), a builtin, or a program."""
        argv = execution.argv
        name = argv[0].text if argv else ""
        if execution.external:
            return self.visitor.visit(execution, self)
        if name in _LEAVES:
            self._left_early = True
        function = self.state.functions.get(name) if argv and functions else None
        if function is not None:
            return self._function(name, function, execution)
        flow = self.visitor.visit(execution, self)
        change = builtins.CHANGES.get(name)
        if name == "exec" and len(argv) == 1:
            self._kept(execution)
        if change is not None:
            separators = self.state.variables.get("IFS")
            for variable, value in execution.prefix:
                if variable == "IFS":  # IFS=, read a b: for this one builtin (POSIX 2.9.1)
                    self.state.variables[variable] = value
            change(self.state, execution.argv, execution.stdin)
            if separators is not None:
                self.state.variables["IFS"] = separators
            elif any(variable == "IFS" for variable, _ in execution.prefix):
                self.state.variables.pop("IFS", None)
            if name in builtins.MOVING and self.state.cwd is not None and self.visitor.is_folder(self.state.cwd):
                self.state.doubt = None
        return flow

    def _kept(self, execution: Execution) -> None:
        """Take over the redirections of ``exec`` without a command: they hold for the rest of the shell."""
        for redirect in execution.redirects:
            if redirect.flow is not None:
                self.state.descriptors[redirect.fd or "0"] = redirect.flow
                if redirect.fd in ("", "0"):
                    self.stdin = redirect.flow

    def _function(self, name: str, node: Compound, execution: Execution) -> Flow:
        if any(node is other for other in self._running):
            if execution.piped or execution.background:
                self.visitor.exhausts(name, self, execution.start, execution.end)
            return UNREAD
        arguments = self.state.arguments
        self._running.append(node)
        self.state.arguments = execution.argv[1:]
        held, self.stdin = self.stdin, execution.stdin
        redirected = execution.inner([])
        if execution.redirects:
            redirected.redirects = execution.redirects
            self.visitor.visit(redirected, self)
            self.stdin = redirected.stdin
        try:
            return self.visitor.printed(redirected, joined([self.sequence(body) for body in node.bodies]))
        finally:
            self._running.pop()
            self.state.arguments = arguments
            self.stdin = held

    def _give_up(self, why: str, start: int, end: int) -> None:
        if not self._full:
            self._full = True
            self.visitor.opaque(why, self, start, end)


def _text_flow(value: Value) -> Flow:
    """The flow of a text given in the script itself; holes stay in it, for whoever reads it to judge."""
    return Flow(value.text, frozenset({"script"}))


def _mixed(flows: list[Flow]) -> Flow:
    """What branches print: known only where nothing is printed at all."""
    flows = [flow for flow in flows if flow is not NOTHING and flow.text != ""]
    if not flows:
        return NOTHING
    return flows[0] if len(flows) == 1 else Flow(None, frozenset().union(*[flow.labels for flow in flows]))


def _leaves(node: Command) -> bool:
    """Whether the last thing a branch does is to leave it (``exit``, ``return``...)."""
    while not isinstance(node, Simple):
        if isinstance(node, (CommandList, AndOr)):
            inner: Sequence[Command] = node.commands
        elif isinstance(node, Compound) and node.keyword == "{":
            inner = node.bodies
        else:
            return False
        if not inner:
            return False
        node = inner[-1]
    words = list(node.words)
    parts: Sequence[object] = getattr(words[0], "parts", ()) if words else ()
    return len(parts) == 1 and getattr(parts[0], "text", "") in _LEAVES


def _requoted(text: str) -> str:
    """Quote a field so that reading it again gives the same field."""
    return "'" + text.replace("'", "'\\''") + "'"
