"""One PowerShell session while its text is followed: variables, functions, pipelines, branches.
Statements come in the order they run.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects import windows_paths
from interlock.effects.api import ShellReading
from interlock.effects.context import CallContext
from interlock.effects.powershell import commands, evaluate, objects
from interlock.effects.powershell.parse import parse
from interlock.effects.powershell.tree import PsNode
from interlock.effects.powershell.values import (
    NULL,
    SECRET_VARIABLE,
    VARIABLE,
    PsValue,
    derive,
    make_list,
    output,
    set_items,
    unknown,
)
from interlock.effects.run import Run
from interlock.effects.secret_variables import SECRET_NAMES
from interlock.model.effect import Effect, Span
from interlock.shell.execution import NestedText
from interlock.shell.value import BRANCH, HOLE, Value
from interlock.shell.walk import Walker

MAX_DEPTH = 32
"""How deep functions, blocks and texts may stand in each other."""
MAX_ITEMS = 64
MAX_FIELDS = 256
_SCOPES = ("global", "script", "local", "private", "using", "variable")


class PowerShellSession:
    """Reads PowerShell texts for one call of an interpreter, or for the call itself."""

    def __init__(self, reader: ShellReading[Run], walker: Walker) -> None:
        self.reader = reader
        self.walker = walker
        self.context: CallContext = reader.context
        self.variables: dict[str, PsValue] = {}
        self.functions: dict[str, PsNode] = {}
        self.aliases: dict[str, str] = {}
        self.wide: dict[str, PsValue] = {}
        """Variables set for the whole session from within a function or block."""
        self.set_for_programs: list[tuple[str, Value]] = []
        self.current = NULL
        self.input = NULL
        self.full = False
        self.sockets: list[Effect] = []
        self.shells = False
        """Whether a shell was started that a socket could be joined to."""

    # -- texts and bounds --------------------------------------------------------------------------

    def read(self, text: str, start: int, end: int, label: str) -> PsValue:
        """Read a text found at ``[start, end)`` of the current one, in this session."""
        walker = self.walker
        walker.texts.append(NestedText(text, walker.at.text, start, end, label))
        with walker.within(text=len(walker.texts) - 1):
            return self.statements(parse(text))

    def span(self, node: PsNode) -> Span:
        """Return where a node stands."""
        return Span(self.walker.at.text, node.start, max(node.end, node.start))

    def pay(self, size: int) -> None:
        """Count work that grows with the size of texts."""
        self.reader.steps -= size >> 8

    def spend(self, node: PsNode) -> bool:
        """Count one step; past the bound the rest is opaque, said once."""
        self.reader.steps -= 1
        if self.reader.steps < 0 and not self.full:
            self.full = True
            self.context.opaque(
                "more of a program than can be followed", self.span(node), "too-much"
            )
        return not self.full

    def value(self, node: PsNode) -> PsValue:
        """Return what an expression is worth."""
        return evaluate.evaluate(self, node)

    def call(self, node: PsNode, target: PsValue, name: str, arguments: list[PsValue]) -> PsValue:
        """Call a method that acts."""
        return objects.call(self, node, target, name, arguments)

    def joins_sockets(self) -> None:
        """A shell runs in this session: every socket of it is joined to one."""
        self.shells = True

    def run_code(self, node: PsNode, thing: PsValue, by: str = "invoke-expression") -> PsValue:
        """Run a text or a block as code in this session."""
        return commands.run_code(self, node, thing, by)

    def run_program(self, node: PsNode, argv: list[Value], piped: PsValue = NULL) -> PsValue:
        """Run a program with these words."""
        return commands.run_program(self, node, argv, piped)

    def unread(self, node: PsNode, why: str) -> None:
        """Add what could not be read."""
        self.context.opaque(why, self.span(node), "syntax")

    # -- variables ---------------------------------------------------------------------------------

    @property
    def cwd(self) -> str | None:
        """The folder the session is in."""
        return self.walker.state.cwd

    def lookup(self, name: str) -> PsValue:
        """Return a variable's value."""
        scope, colon, rest = name.partition(":")
        if colon and scope == "env":
            return self._environment(rest)
        if colon and scope in _SCOPES:
            name = rest
        if name in ("_", "psitem"):
            return self.current
        if name == "input":
            return self.input
        found = self.variables.get(name)
        return found if found is not None else evaluate.automatic(self, name)

    def _environment(self, name: str) -> PsValue:
        found = self.variables.get(f"env:{name}")
        if found is not None:
            return found
        fixed = windows_paths.variable(self.context.home, name)
        if fixed is not None:
            return PsValue(fixed)
        value = self.walker.state.lookup(name.upper())
        if value is not None and not value.hollow:
            return PsValue(value.text)
        return unknown(
            VARIABLE, *([SECRET_VARIABLE] if name.upper().endswith(SECRET_NAMES) else [])
        )

    def assign(self, name: str, thing: PsValue) -> None:
        """Set a variable; of the environment also for the programs that are started."""
        scope, colon, rest = name.partition(":")
        if colon and scope == "env":
            self.variables[name] = thing
            value = Value(thing.text, thing.start, thing.end, thing.why)
            self.walker.state.assign(rest.upper(), value)
            self.walker.state.exported.add(rest.upper())
            self.set_for_programs.append((rest.upper(), value))
            return
        if colon and scope in ("global", "script"):
            self.wide[rest] = thing
        self.variables[rest if colon and scope in _SCOPES else name] = thing

    def forget(self, node: PsNode) -> None:
        """A variable that is counted up: nobody follows how far."""
        if node.kind == "variable":
            self.assign(node.name, PsValue(HOLE, frozenset({"output"}), "number"))

    # -- statements --------------------------------------------------------------------------------

    def statements(self, nodes: list[PsNode]) -> PsValue:
        """Follow statements one after another; return what they put out together."""
        return output([self.statement(node) for node in nodes])

    def statement(self, node: PsNode) -> PsValue:
        """Follow one statement of any form."""
        if self.full or not self.spend(node):
            return unknown("output")
        if self.reader.depth >= MAX_DEPTH:
            self.full = True
            self.context.opaque("nested too deeply to follow", self.span(node), "too-much")
            return unknown("output")
        reader = _STATEMENTS.get(node.kind)
        self.reader.depth += 1
        try:
            return reader(self, node) if reader is not None else evaluate.evaluate(self, node)
        finally:
            self.reader.depth -= 1

    def body(
        self,
        block: PsNode,
        arguments: list[PsValue] | None = None,
        *,
        given: dict[str, PsValue] | None = None,
    ) -> PsValue:
        """Follow a block's statements; its parameters are taken from ``given`` by name, else from
        the arguments in order.
        """
        rest = list(arguments or [])
        names = [
            declared for part in block.parts if part.kind == "parameters" for declared in part.parts
        ]
        for declared in names:
            found = (given or {}).get(declared.name)
            if found is None and rest:
                found = rest.pop(0)
            if found is None:
                found = (
                    evaluate.evaluate(self, declared.parts[0])
                    if declared.parts
                    else unknown("argument")
                )
            self.variables[declared.name] = found
        if arguments is not None:
            self.variables["args"] = make_list(rest)
        before = dict(self.variables) if "jumps" in block.words else None
        found = self.statements([part for part in block.parts if part.kind != "parameters"])
        if before is not None:  # who leaves early has not set what comes later
            self.variables = self._merge([before, self.variables])
        return found

    def run_in_scope(
        self,
        block: PsNode,
        arguments: list[PsValue] | None = None,
        given: dict[str, PsValue] | None = None,
    ) -> PsValue:
        """Follow a block in a scope of its own."""
        held, self.variables = self.variables, dict(self.variables)
        try:
            return self.body(block, arguments if arguments is not None else [], given=given)
        finally:
            environment = {
                name: thing for name, thing in self.variables.items() if name.startswith("env:")
            }
            self.variables = {**held, **environment, **self.wide}

    def branches(self, blocks: list[PsNode], *, complete: bool) -> PsValue:
        """Follow blocks of which one runs, or none; what they leave differently is unknown."""
        before, cwd = self.variables, self.walker.state.cwd
        ends = [] if complete else [(before, cwd)]
        outputs = []
        for block in blocks:
            self.variables, self.walker.state.cwd = dict(before), cwd
            outputs.append(self.body(block) if block.kind == "block" else self.statement(block))
            ends.append((self.variables, self.walker.state.cwd))
        self.variables = self._merge([variables for variables, _ in ends])
        folders = {folder for _, folder in ends}
        self.walker.state.cwd = folders.pop() if len(folders) == 1 else None
        found = [one for one in outputs if one is not NULL]
        return (
            NULL
            if not found
            else found[0]
            if len(outputs) == 1 and complete
            else derive(HOLE, *found)
        )

    def either_of(self, ends: list[dict[str, PsValue]]) -> dict[str, PsValue]:
        """Return variables of which nobody knows which of several states holds."""
        return self._merge(ends)

    def _merge(self, ends: list[dict[str, PsValue]]) -> dict[str, PsValue]:
        if len(ends) == 1:
            return ends[0]
        merged = dict(ends[0])
        for name in {name for end in ends for name in end}:
            found = [end.get(name) for end in ends]
            if any(one is not found[0] for one in found):
                merged[name] = self._either([one for one in found if one is not None])
        return merged

    def _either(self, things: list[PsValue]) -> PsValue:
        first = things[0]
        if all(
            thing.text == first.text and thing.known and thing.items is None for thing in things
        ):
            return first
        one = derive(HOLE, *things)
        one.labels |= {BRANCH}
        kinds = {thing.kind for thing in things}
        one.kind = kinds.pop() if len(kinds) == 1 else ""
        one.paths = [path for thing in things for path in thing.paths]
        return one


# -- statements of each kind -----------------------------------------------------------------------


def _assign(session: PowerShellSession, node: PsNode) -> PsValue:
    target, value = node.parts
    thing = session.statement(value)
    if node.name == "+=":
        from interlock.effects.powershell.operators import add

        before = evaluate.evaluate(session, target)
        session.pay(len(before.text) + len(thing.text) + 32 * len(before.items or ()))
        thing = add(before, thing)
    elif node.name != "=":
        thing = derive(HOLE, thing)
    _put(session, target, thing)
    return NULL


def _put(session: PowerShellSession, target: PsNode, thing: PsValue) -> None:
    if target.kind == "variable":
        session.assign(target.name, thing)
    elif target.kind == "cast":
        from interlock.effects.powershell.operators import cast

        _put(session, target.parts[0], cast(target.name, thing))
    elif target.kind == "list":
        items = thing.items
        for index, one in enumerate(target.parts):
            known = items is not None and index < len(items)
            _put(session, one, items[index] if known and items is not None else derive(HOLE, thing))
    elif target.kind == "member" and "called" not in target.words:
        objects.put(session, target, thing)
    elif target.kind == "index":
        _put_at(
            evaluate.evaluate(session, target.parts[0]),
            evaluate.evaluate(session, target.parts[1]),
            thing,
        )
    else:
        evaluate.evaluate(session, target)


def _put_at(base: PsValue, index: PsValue, thing: PsValue) -> None:
    """``$list[1] = x``, ``$table['k'] = x``."""
    number = index.number()
    if base.items is not None or (base.known and base is not NULL and base.kind != "table"):
        items = list(base.items or [])
        if number is None or not -len(items) <= number < len(items):
            set_items(base, None)
        else:
            items[number] = thing
            set_items(base, items)
        base.labels |= thing.labels
    elif len(base.fields) < MAX_FIELDS and base is not NULL:
        base.fields[index.text.lower()] = thing


def _if(session: PowerShellSession, node: PsNode) -> PsValue:
    parts = list(node.parts)
    complete = len(parts) % 2 == 1
    last = [parts.pop()] if complete else []
    for condition in parts[::2]:
        session.statement(condition)
    return session.branches([*parts[1::2], *last], complete=complete)


def _while(session: PowerShellSession, node: PsNode) -> PsValue:
    condition, body = node.parts[0], node.parts[-1]
    if node.name == "do":
        found = session.branches([body], complete=False)
        session.statement(condition)
        return derive(HOLE, found) if found is not NULL else NULL
    session.statement(condition)
    found = session.branches([body], complete=False)
    session.statement(condition)
    return found


def _for(session: PowerShellSession, node: PsNode) -> PsValue:
    condition, body = node.parts[0], node.parts[-1]
    for part in condition.parts:
        session.statement(part)
    for part in condition.parts[:1]:
        if part.kind == "assign" and part.parts[0].kind == "variable":
            session.assign(part.parts[0].name, PsValue(HOLE, frozenset({"output"}), "number"))
    found = session.branches([body], complete=False)
    return derive(HOLE, found) if found is not NULL else NULL


def _foreach(session: PowerShellSession, node: PsNode) -> PsValue:
    variable, items, body = node.parts[0], node.parts[1], node.parts[-1]
    things = session.statement(items).each()
    if len(things) > MAX_ITEMS and not all(thing.kind in ("number", "char") for thing in things):
        things = [*things[:MAX_ITEMS], derive(HOLE, *things)]
    outputs = []
    for thing in things or [unknown("loop")]:
        if variable.kind == "variable":
            session.assign(variable.name, thing)
        outputs.append(session.branches([body], complete=bool(things) and thing.known))
        if session.full:
            break
    return output([one for one in outputs if one is not NULL])


def _switch(session: PowerShellSession, node: PsNode) -> PsValue:
    thing = session.statement(node.parts[0])
    held, session.current = session.current, thing
    try:
        for condition in node.parts[1::2]:
            if condition.kind == "block":
                session.body(condition)
        return session.branches(node.parts[2::2], complete=False)
    finally:
        session.current = held


def _try(session: PowerShellSession, node: PsNode) -> PsValue:
    before = dict(session.variables)
    outputs = [session.body(node.parts[0]) if node.parts[0].kind == "block" else NULL]
    session.variables = session.either_of([before, session.variables])
    for word, block in zip(node.words, node.parts[1:], strict=False):
        outputs.append(session.branches([block], complete=word == "finally"))
    return output(outputs)


def _function(session: PowerShellSession, node: PsNode) -> PsValue:
    session.functions[node.name] = node.parts[0]
    return NULL


def _flow(session: PowerShellSession, node: PsNode) -> PsValue:
    return session.statement(node.parts[0]) if node.parts else NULL


def _group(session: PowerShellSession, node: PsNode) -> PsValue:
    return session.body(node.parts[0]) if node.parts and node.parts[0].kind == "block" else NULL


def _note_unread(session: PowerShellSession, node: PsNode) -> PsValue:
    session.unread(node, node.name)
    return unknown("output")


def _parameters(_: PowerShellSession, __: PsNode) -> PsValue:
    return NULL


def _declare(session: PowerShellSession, node: PsNode) -> PsValue:
    """The parameters of a whole script: nobody knows what it is given."""
    for declared in node.parts:
        session.assign(
            declared.name,
            evaluate.evaluate(session, declared.parts[0])
            if declared.parts
            else unknown("argument"),
        )
    return NULL


def _chain(session: PowerShellSession, node: PsNode) -> PsValue:
    found = [session.statement(node.parts[0])]
    for part, word in zip(node.parts[1:], node.words, strict=False):
        before, cwd = dict(session.variables), session.cwd
        found.append(
            session.statement(part) if word == "&&" else session.branches([part], complete=False)
        )
        session.variables = session.either_of([before, session.variables])
        session.walker.state.cwd = cwd if word == "||" else session.cwd
    return output(found)


def _pipeline(session: PowerShellSession, node: PsNode) -> PsValue:
    """Each element is given what the one before puts out."""
    held = session.input
    thing = NULL
    try:
        for index, part in enumerate(node.parts):
            session.input = thing
            thing = (
                commands.command(session, part, piped=index > 0)
                if part.kind == "command"
                else session.statement(part)
            )
    finally:
        session.input = held
    return thing


def _command(session: PowerShellSession, node: PsNode) -> PsValue:
    return commands.command(session, node, piped=False)


def _redirect(session: PowerShellSession, node: PsNode) -> PsValue:
    thing = session.statement(node.parts[0])
    return commands.apply_redirects(session, node, node.parts[1:], thing)


_STATEMENTS: dict[str, Callable[[PowerShellSession, PsNode], PsValue]] = {
    "assign": _assign, "if": _if, "while": _while, "for": _for, "foreach": _foreach,
    "switch": _switch, "try": _try, "function": _function, "flow": _flow,
    "group": _group, "broken": _note_unread, "parameters": _parameters,
    "declared": _declare, "chain": _chain, "pipeline": _pipeline, "command": _command,
    "redirected": _redirect,
}  # fmt: skip
