"""Follows a Python program: statements in order, both branches, loops over what is known, functions
where they are called.
"""

from __future__ import annotations

import _ast
from collections.abc import Callable, Sequence

from interlock.effects.python.branches import (
    MAX_DEPTH,
    changes_nothing,
    find_assigned,
    find_nodes,
    merge,
)
from interlock.effects.python.calls import knows_module
from interlock.effects.python.evaluate import ENDLESS, Evaluator, endless, goes_on
from interlock.effects.python.gits import forget
from interlock.effects.python.parse import parse
from interlock.effects.python.values import (
    IDLE,
    UNKNOWN,
    Class,
    DottedName,
    Function,
    KnownObject,
    PyValue,
    Scope,
    either,
    fingerprint,
    labels_of,
    unknown_from,
)
from interlock.model.effect import TampersWithGuard
from interlock.model.facts import FILE
from interlock.shell.value import ARGUMENT, BRANCH, LOOP, Value

MAX_ITEMS = 64
MAX_ROUNDS = 2000
MAX_ALIKE = 2
MAX_WITHIN = 768
"""How often the body of an inner loop is followed, by the loops around it; past that the first item
and an unknown one stand for all.
"""
_ENDING = (_ast.Break, _ast.Return, _ast.Raise, _ast.Yield, _ast.Await)
"""What may end a loop, or have it wait."""
_IDLE = frozenset({IDLE})
_OWN = "interlock"
_SWITCHES = frozenset({"__main__", "approvals", "cli", "hook", "limits", "store"})


class PythonProgram(Evaluator):
    """One program being followed. ``scope`` is where names are looked up now."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self._functions: list[Function] = []
        self._running: list[object] = []
        self._returns: list[list[PyValue]] = []
        self._left: list[list[dict[str, PyValue]]] = []
        """For each function that runs, what globals it sets hold at each of its returns."""
        self._rounds = MAX_ROUNDS
        self._modules: dict[str, PyValue] = {}
        self._followed: dict[object, tuple[object, Scope, PyValue]] = {}

    # -- the whole ---------------------------------------------------------------------------------

    def follow(self, tree: _ast.Module) -> None:
        """Follow the module, then what it defines and nobody calls."""
        self.body(tree.body)
        for function in self._functions:
            if not function.called:
                self.idle(function)

    def idle(self, function: Function, owner: PyValue | None = None) -> None:
        """Read a function only defined: what it is given is unknown, and harmless by itself."""
        self.invoke(function, [], {}, owner, PyValue(UNKNOWN, _IDLE, ARGUMENT))

    # -- statements --------------------------------------------------------------------------------

    def body(self, statements: Sequence[_ast.stmt]) -> bool:
        """Follow statements; tell whether they leave the block (return, raise, break, continue)."""
        leaves = False
        for statement in statements:
            if self.spent():
                return leaves
            visit: Callable[[_ast.stmt], None] | None = getattr(
                self, f"_do_{type(statement).__name__}", None
            )
            if visit is None:
                self.children(statement)
            else:
                visit(statement)
            leaves = leaves or isinstance(
                statement, (_ast.Return, _ast.Raise, _ast.Break, _ast.Continue)
            )
        return leaves

    def children(self, node: object) -> None:
        """Evaluate every expression and follow every statement below any other node."""
        for field in getattr(node, "_fields", ()):
            value = getattr(node, field)
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, _ast.stmt):
                    self.body([child])
                elif isinstance(child, _ast.expr):
                    self.value(child)
                elif isinstance(child, _ast.AST):
                    self.children(child)

    def _do_Import(self, node: _ast.Import) -> None:
        for alias in node.names:
            self._own_parts(alias.name)
            if alias.asname:
                self.scope.names[alias.asname] = self.follow_import(alias.name) or PyValue(
                    DottedName(alias.name)
                )
            else:
                top = alias.name.partition(".")[0]
                self.scope.names[top] = self.follow_import(top) or PyValue(DottedName(top))

    def _do_ImportFrom(self, node: _ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names if module.partition(".")[0] == _OWN else ():
            self._own_parts(f"{module}.{alias.name}")
        own = self.follow_import(node.module or "") if node.module else None
        fields = own.value.fields if own is not None and isinstance(own.value, KnownObject) else {}
        for alias in node.names:
            if alias.name == "*":
                self.scope.stars.append(module)
                self.scope.names.update(fields)
            else:
                self.scope.names[alias.asname or alias.name] = fields.get(alias.name) or PyValue(
                    DottedName(f"{module}.{alias.name}")
                )

    def _own_parts(self, name: str) -> None:
        """The guard's parts that hold its switches and its state are for a person; what it judges
        with anybody may use.
        """
        if name.startswith(_OWN + ".") and name.split(".")[1] in _SWITCHES:
            self.context.add(
                TampersWithGuard, name, traits=frozenset({"own-parts"}), certain=False, by="python"
            )

    def follow_import(self, name: str) -> PyValue | None:
        """Follow a module that lies beside the program: what it does when it is imported, and what
        it defines. None for every other module.
        """
        if not name or knows_module(name):
            return None
        if name not in self._modules:
            self._modules[name] = PyValue(DottedName(name))
            text = self._beside(name)
            if text is None:
                return None
            tree = parse(text)
            if tree is None:
                self.context.opaque(f"the module {name} cannot be read", None, "syntax")
            elif self.charge(text):
                outer, self.scope = self.scope, Scope()
                count = len(self._functions)
                self.body(tree.body)
                del self._functions[count:]  # what nobody calls of it is not of this program
                self._modules[name] = PyValue(KnownObject("module", self.scope.names))
                self.scope = outer
        found = self._modules[name]
        return found if isinstance(found.value, KnownObject) else None

    def _beside(self, name: str) -> str | None:
        """Return the text of ``name.py`` in the folder the program runs in, written by this call or
        known to lie there.
        """
        path = self.context.normal(name.replace(".", "/") + ".py", self.run.cwd)
        if path is None:
            return None
        return (
            self.run.text_of(Value(path))
            if path in self.run.reader.written or self.context.is_kind(path, FILE)
            else None
        )

    def _do_FunctionDef(self, node: _ast.FunctionDef | _ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            self.value(decorator)
        for default in [
            *node.args.defaults,
            *[one for one in node.args.kw_defaults if one is not None],
        ]:
            self.value(default)
        function = Function(node, self.scope)
        self._functions.append(function)
        self.scope.names[node.name] = PyValue(function)

    _do_AsyncFunctionDef = _do_FunctionDef

    def _do_ClassDef(self, node: _ast.ClassDef) -> None:
        for decorator in node.decorator_list:
            self.value(decorator)
        bases = [self.value(base) for base in node.bases]
        for keyword in node.keywords:
            self.value(keyword.value)
        scope = Scope(self.scope)
        outer, self.scope = self.scope, scope
        self.body(node.body)
        self.scope = outer
        self.scope.names[node.name] = PyValue(Class(scope, bases))

    def _do_Return(self, node: _ast.Return) -> None:
        value = self.value(node.value) if node.value is not None else PyValue(None)
        if self._returns:
            self._returns[-1].append(value)
            self._left[-1].append(
                {
                    name: scope.top.names[name]
                    for scope, name in self.shared
                    if name in scope.top.names
                }
            )

    def _do_Assign(self, node: _ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.assign(target, value)

    def _do_AnnAssign(self, node: _ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value))

    def _do_AugAssign(self, node: _ast.AugAssign) -> None:
        before = self.value(node.target)
        self.assign(
            node.target, self.operate(type(node.op).__name__, before, self.value(node.value))
        )

    def _do_Delete(self, node: _ast.Delete) -> None:
        forget(self, node.targets)

    def _do_Global(self, node: _ast.Global) -> None:
        for name in node.names:
            self.shared.add((self.scope, name))

    _do_Nonlocal = _do_Global

    def _do_If(self, node: _ast.If) -> None:
        self.value(node.test)
        before = dict(self.scope.names)
        left = self.body(node.body)
        one, self.scope.names = self.scope.names, before
        right = self.body(node.orelse)
        if left:
            return
        self.scope.names = one if right else merge(one, self.scope.names)

    def _do_Match(self, node: _ast.Match) -> None:
        self.value(node.subject)
        ends = []
        before = dict(self.scope.names)
        for case in node.cases:
            self.scope.names = dict(before)
            self.children(case.pattern)
            self.body(case.body)
            ends.append(self.scope.names)
        self.scope.names = before
        for end in ends:
            self.scope.names = merge(self.scope.names, end)

    def _do_Try(self, node: _ast.Try) -> None:
        """The body may end at any of its statements; a handler goes on with what holds there."""
        begun = dict(self.scope.names)
        self.body(node.body)
        self.body(node.orelse)
        ended = dict(self.scope.names)
        for clause in node.handlers:
            self.scope.names = merge(dict(begun), ended)
            if clause.name:
                self.scope.names[clause.name] = PyValue(UNKNOWN)
            leaves = self.body(clause.body)
            ended = ended if leaves else merge(ended, self.scope.names)
        self.scope.names = ended
        self.body(node.finalbody)

    _do_TryStar = _do_Try

    def _do_With(self, node: _ast.With | _ast.AsyncWith) -> None:
        for item in node.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value)
        self.body(node.body)

    _do_AsyncWith = _do_With

    def _do_For(self, node: _ast.For | _ast.AsyncFor) -> None:
        items = self.iterate(self.value(node.iter))
        self.loops.append(ENDLESS if endless(node.iter) else node)
        if goes_on(node.iter) and not find_nodes(node, _ENDING):
            self.context.doubt("a loop has no end")
        if (
            len(items) > MAX_ALIKE
            and all(isinstance(item.value, int) for item in items)
            and changes_nothing(node.body, self.scope, set())
        ):
            # each round does what the first does: branches are followed whatever the number is
            items = items[:MAX_ALIKE]
        held, self.within = self.within, self.within * max(len(items), 1)
        for item in items:
            self.assign(node.target, item)
            self.body(node.body)
            if self.spent():
                break
        self.within = held
        self.loops.pop()
        self.body(node.orelse)

    _do_AsyncFor = _do_For

    def _do_While(self, node: _ast.While) -> None:
        endless = isinstance(node.test, _ast.Constant) and bool(node.test.value)
        self.value(node.test)
        if endless and not find_nodes(node, _ENDING):
            self.context.doubt("a loop has no end")
        self.loops.append(node if endless else None)
        self.body(node.body)
        if self._rounds > 0:
            self._rounds -= 1
            self.value(node.test)
            self.body(node.body)
        self.loops.pop()
        for name in find_assigned(node):
            found = self.scope.names.get(name)
            if found is not None and not isinstance(
                found.value, (KnownObject, Function, Class, DottedName)
            ):
                self.scope.names[name] = PyValue(UNKNOWN, found.labels, found.why or LOOP)
        self.body(node.orelse)

    # -- names -------------------------------------------------------------------------------------

    def assign(self, target: _ast.expr, value: PyValue) -> None:
        """Give a value to a name, an attribute, an item or several of these."""
        if isinstance(target, _ast.Name):
            scope = self.scope.top if (self.scope, target.id) in self.shared else self.scope
            scope.names[target.id] = value
        elif isinstance(target, _ast.Starred):
            self.assign(target.value, PyValue([value], value.labels))
        elif isinstance(target, (_ast.Tuple, _ast.List)):
            for inner, item in zip(
                target.elts, self.unpacked(value, len(target.elts)), strict=True
            ):
                self.assign(inner, item)
        elif isinstance(target, _ast.Attribute):
            owner = self.value(target.value)
            if isinstance(owner.value, KnownObject):
                owner.value.fields[target.attr] = value
            elif (
                isinstance(owner.value, DottedName)
                and owner.value.dotted == "sys"
                and target.attr == "argv"
            ):
                self.given = value
        elif isinstance(target, _ast.Subscript):
            owner, key = self.value(target.value), self.value(target.slice)
            self.store_item(owner, key, value)

    def unpacked(self, value: PyValue, count: int) -> list[PyValue]:
        """Return the ``count`` parts of a value that is taken apart."""
        if isinstance(value.value, list) and len(value.value) == count:
            return list(value.value)
        return [PyValue(UNKNOWN, labels_of([value]), value.why)] * count

    def iterate(self, value: PyValue) -> list[PyValue]:
        """Return what a loop over the value takes, one by one, or a single unknown one."""
        items: list[PyValue] | None = None
        if isinstance(value.value, list):
            items = value.value
        elif isinstance(value.value, dict):
            items = [PyValue(key) for key in value.value]
        elif isinstance(value.value, bytes):
            items = [PyValue(byte, value.labels) for byte in value.value]
        elif isinstance(value.value, str):
            items = [PyValue(char, value.labels) for char in value.value]
        if items is None:
            return [PyValue(UNKNOWN, labels_of([value]), value.why or LOOP, value.path)]
        if len(items) > min(self._rounds, max(MAX_ITEMS, self._rounds // 4)) or (
            self.within > 1 and self.within * len(items) > MAX_WITHIN
        ):
            return [*items[:1], unknown_from(items[:MAX_ITEMS], LOOP)]
        self._rounds -= len(items)
        return items

    # -- functions of the program ------------------------------------------------------------------

    def invoke(
        self,
        function: Function,
        arguments: list[PyValue],
        keywords: dict[str, PyValue],
        owner: PyValue | None = None,
        default: PyValue | None = None,
    ) -> PyValue:
        """Follow a function's body with what it is given; return what it returns."""
        function.called = True
        node = function.node
        if node in self._running or len(self._running) > MAX_DEPTH or self.spent():
            return unknown_from([*arguments, *keywords.values()])
        key = (
            id(node),
            id(function.scope),
            default is not None,
            fingerprint([*arguments, *keywords.values(), *([owner] if owner is not None else [])]),
        )
        if len(self._running) > 1 and key in self._followed:
            # functions that call each other deep inside: the same with the same is the same
            return self._followed[key][-1]
        result = self._follow_call(function, arguments, keywords, owner, default)
        # kept, so that no other node or scope gets their number
        self._followed[key] = (node, function.scope, result)
        return result

    def _follow_call(
        self,
        function: Function,
        arguments: list[PyValue],
        keywords: dict[str, PyValue],
        owner: PyValue | None,
        default: PyValue | None,
    ) -> PyValue:
        node = function.node
        scope = Scope(function.scope)
        spec: _ast.arguments = node.args  # type: ignore[attr-defined]
        outer, self.scope = self.scope, function.scope
        self._bind(
            scope,
            spec,
            [owner, *arguments] if owner is not None else arguments,
            keywords,
            default or PyValue(UNKNOWN, why=ARGUMENT),
        )
        self.scope = scope
        self._running.append(node)
        self._returns.append([])
        self._left.append([])
        held, self.loops = self.loops, [*self.loops]
        try:
            if isinstance(node, _ast.Lambda):
                return self.value(node.body)
            self.body(node.body)  # type: ignore[attr-defined]
            found = self._returns[-1]
        finally:
            self.scope, self.loops = outer, held
            self._running.pop()
            self._returns.pop()
            for names in self._left.pop():
                function.scope.top.names.update(
                    merge(names, {name: function.scope.top.names[name] for name in names})
                )
        if not found:
            return PyValue(None)
        return either(found, BRANCH)

    def _bind(
        self,
        scope: Scope,
        spec: _ast.arguments,
        arguments: list[PyValue],
        keywords: dict[str, PyValue],
        default: PyValue,
    ) -> None:
        names = [argument.arg for argument in [*spec.posonlyargs, *spec.args]]
        defaults: dict[str, _ast.expr] = dict(
            zip(names[len(names) - len(spec.defaults) :], spec.defaults, strict=True)
        )
        for argument, expression in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
            if expression is not None:
                defaults[argument.arg] = expression
        given = dict(zip(names, arguments, strict=False))
        for name in [*names, *[argument.arg for argument in spec.kwonlyargs]]:
            if name in given or name in keywords:
                scope.names[name] = given.get(name) or keywords[name]
            elif name in defaults:
                scope.names[name] = self.value(defaults[name])
            else:
                scope.names[name] = default
        if spec.vararg is not None:
            scope.names[spec.vararg.arg] = (
                PyValue(arguments[len(names) :]) if default.labels != _IDLE else default
            )
        if spec.kwarg is not None:
            scope.names[spec.kwarg.arg] = (
                PyValue({name: value for name, value in keywords.items() if name not in names})
                if default.labels != _IDLE
                else default
            )
