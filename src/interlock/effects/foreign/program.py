"""Follows a program of any language: the evaluator of Python programs, with the language's own
words for what its library does.
"""

from __future__ import annotations

import _ast

from interlock.effects.foreign.decoding import DECODED, METHODS, SAME
from interlock.effects.foreign.exchange import foundation
from interlock.effects.foreign.grammar import Grammar
from interlock.effects.foreign.language import Language
from interlock.effects.foreign.library import perform, request, row_of
from interlock.effects.foreign.lisp import LispReader
from interlock.effects.python import known as pure
from interlock.effects.python.call import PyCall
from interlock.effects.python.calls import GITS
from interlock.effects.python.clients import judge_by_name
from interlock.effects.python.gitclients import GIT
from interlock.effects.python.gits import read_method as told_by_git
from interlock.effects.python.printing import note
from interlock.effects.python.receivers import own_function
from interlock.effects.python.values import (
    UNKNOWN,
    BoundAttribute,
    Class,
    DottedName,
    Function,
    KnownObject,
    PyValue,
    is_text,
    labels_of,
    text_of,
    unknown_from,
)
from interlock.effects.python.walk import PythonProgram
from interlock.effects.run import Run
from interlock.shell.value import ENVIRONMENT, HOLE, NETWORK, Value

_EACH = frozenset(
    (
        "each forEach map each_with_index filter select some flatMap reduce collect times"
        " every find"
    ).split()
)
_LATER = frozenset(
    "then on once addEventListener tap let also apply run with use done success".split()
)
_ENTRIES = {
    **dict.fromkeys("go rust c kotlin scala java csharp swift".split(), ("main", "Main")),
    "go": ("main", "init", "TestMain"),
}
"""Functions with which a program begins, though nothing in it calls them."""
_ATTACHING = frozenset({"r", "julia"})
"""Languages in which a package's functions are called without its name."""
MAX_CALLED = 32
MAX_IDLE = 1500
"""How many expressions of a function that nobody calls are followed."""


class ForeignProgram(PythonProgram):
    """One program of a language."""

    def __init__(self, run: Run, source: str, at: Value | None, language: Language) -> None:
        super().__init__(run, source, at)
        self.dialect = language.dialect
        self.language = language.dialect.name
        self.library = language
        self.truncated = False
        self.tree: list[_ast.stmt] = []
        self._idle_steps = 10 * MAX_IDLE

    def run_text(self, text: str) -> None:
        """Follow a whole program."""
        self.tree = self._tree(text)
        self.follow(_ast.Module(self.tree, []))

    def word(self, text: str, node: object, why: str = "", *, pattern: bool = False) -> Value:
        """Return a text as a word of a command, or as a path, perhaps below ``~``."""
        return super().word(
            self.context.at_home(text) if self.library.tilde else text, node, why, pattern=pattern
        )

    def _tree(self, text: str) -> list[_ast.stmt]:
        reader = LispReader(text) if self.language == "lisp" else Grammar(text, self.dialect)
        body = reader.body()
        self.truncated = self.truncated or reader.cut
        return body

    def nested(self, text: str) -> PyValue:
        """Follow text that runs as code inside the program; return its last expression."""
        if not self.charge(text):
            return PyValue(UNKNOWN)
        body = self._tree(text)
        last = body.pop() if body and isinstance(body[-1], (_ast.Expr, _ast.Return)) else None
        self.body(body)
        return (
            self.value(last.value)
            if isinstance(last, (_ast.Expr, _ast.Return)) and last.value is not None
            else PyValue(None)
        )

    def idle(self, function: Function, owner: PyValue | None = None) -> None:
        """Read a function that is defined only: what nobody knows in it is harmless by itself, and
        a part of the budget is enough.
        """
        reader = self.run.reader
        if self.idling or self.spent() or self._idle_steps <= 0:
            return
        if owner is None and getattr(function.node, "name", "") in _ENTRIES.get(self.language, ()):
            self.invoke(function, [], {}, None, PyValue(UNKNOWN, why="argument"))
            return
        whole = reader.steps
        allowed = reader.steps = min(whole, MAX_IDLE, self._idle_steps)
        self.idling = True
        super().idle(function, owner)
        self.idling = False
        used = allowed - reader.steps
        self._idle_steps -= used
        reader.steps = max(whole - used, 1)

    def spent(self) -> bool:
        """Whether the budget is used up; not worth a word in a function that nobody calls."""
        return self.run.reader.steps <= 0 if self.idling else super().spent()

    def module(self, name: str) -> str:
        """Return the name under which the functions of a module are described."""
        name = name.removeprefix("node:").replace("::", ".").replace("/", ".").replace("-", "_")
        return self.library.modules.get(name, name)

    # -- names -------------------------------------------------------------------------------------

    def _is_Name(self, node: _ast.Name) -> PyValue:
        found = self.scope.find(node.id)
        if found is not None:
            return found
        made = super()._is_Name(node) if node.id[:2] == "__" else PyValue(DottedName(node.id))
        return self._constant(made.value.dotted) if isinstance(made.value, DottedName) else made

    def _constant(self, dotted: str) -> PyValue:
        kind = self.library.names.get(dotted)
        if kind == "environ":
            return PyValue(KnownObject("environ"), frozenset({ENVIRONMENT}), ENVIRONMENT)
        if kind == "home":
            return PyValue(self.context.home or UNKNOWN)
        if kind == "own":
            return PyValue(UNKNOWN, frozenset({"own"}))
        if kind == "argument":
            return PyValue(UNKNOWN, why="argument")
        if kind is not None and kind.startswith("="):
            return PyValue(kind[1:])
        if kind is not None and kind.startswith("#"):
            return PyValue(int(kind[1:], 8))
        if kind is not None and kind.startswith("<"):
            return PyValue(KnownObject(kind.strip("<>")))
        return PyValue(DottedName(kind if kind is not None else dotted))

    def attribute(self, owner: PyValue, name: str) -> PyValue:
        """Return ``owner.name``."""
        value = owner.value
        if isinstance(value, dict) and name in value:
            return value[name]  # type: ignore[no-any-return]
        if (
            isinstance(value, KnownObject)
            and value.kind == "environ"
            and f"<environ>.{name}" not in self.library.calls
        ):
            return self._read_variable(PyValue(name))
        if name == "constructor" and isinstance(value, (BoundAttribute, Function)):
            return PyValue(DottedName("Function"))
        if isinstance(value, (list, dict, str, bytes)) and name == "length":
            return PyValue(len(value))
        return super().attribute(owner, name)

    def _read_variable(self, name: PyValue) -> PyValue:
        return perform(PyCall(self, "env", [name], {}, None, None), "env=0") or PyValue(UNKNOWN)

    def _is_Subscript(self, node: _ast.Subscript) -> PyValue:
        owner = self.value(node.value)
        index = self.value(node.slice)
        if isinstance(owner.value, KnownObject) and owner.value.kind == "environ":
            return self._read_variable(index)
        if isinstance(owner.value, (DottedName, KnownObject, BoundAttribute)) and is_text(
            index.value
        ):
            return self._get_item(owner, index, node)
        return pure.item_of(owner, index)

    def _get_item(self, owner: PyValue, index: PyValue, node: _ast.expr) -> PyValue:
        """``process["env"]``, ``Dir["*"]``: a member, or what the language makes of it."""
        row = (
            self.library.calls.get(f"{owner.value.dotted}[]")
            if isinstance(owner.value, DottedName)
            else None
        )
        if row is not None:
            return perform(PyCall(self, "[]", [index], {}, node, None), row) or PyValue(UNKNOWN)
        return self.attribute(owner, text_of(index))

    def _is_NamedExpr(self, node: _ast.NamedExpr) -> PyValue:
        value = self.value(node.value)
        target: _ast.expr = node.target
        if isinstance(target, _ast.Attribute):
            owner = self.value(target.value)
            self._note_socket_stream(owner, value)
            if (
                isinstance(value.value, Function)
                and target.attr.startswith("on")
                and NETWORK in owner.labels
            ):
                # socket.onmessage = ..
                self.invoke(value.value, [PyValue(HOLE, owner.labels, NETWORK)], {})
        self.assign(target, value)
        return value

    def operate(self, operator: str, left: PyValue, right: PyValue) -> PyValue:
        """Return ``left operator right``; ``file << text`` writes."""
        if (
            operator == "LShift"
            and isinstance(left.value, KnownObject)
            and left.value.kind in ("path", "file", "socket", "process")
        ):
            row = "store:append=0,1" if left.value.kind == "path" else "write=0,1"
            perform(PyCall(self, "<<", [left, right], {}, None, None), row)
            return left
        return super().operate(operator, left, right)

    def _note_socket_stream(self, owner: PyValue, value: PyValue) -> None:
        """``command.Stdin = connection``: a process whose input is a socket."""
        base = foundation(owner)
        if (
            base is not None
            and isinstance(base.value, KnownObject)
            and base.value.kind == "process"
            and "socket" in labels_of([value])
        ):
            self.marks.add("joined")

    def assign(self, target: _ast.expr, value: PyValue) -> None:
        """Give a value to a name, a member or an item."""
        if isinstance(target, _ast.Dict):
            for key, inner in zip(target.keys, target.values, strict=False):
                if isinstance(key, _ast.Constant) and isinstance(inner, _ast.Name):
                    self.assign(inner, self.attribute(value, str(key.value)))
            return
        if isinstance(target, _ast.Name):
            scope = self.scope
            while (
                scope.outer is not None
                and target.id not in scope.names
                and scope.find(target.id) is not None
            ):
                scope = scope.outer
            scope.names[target.id] = value
            return
        super().assign(target, value)

    def _is_FunctionDef(self, node: _ast.FunctionDef) -> PyValue:
        function = Function(node, self.scope)
        self._functions.append(function)
        return PyValue(function)

    def _do_FunctionDef(self, node: _ast.FunctionDef | _ast.AsyncFunctionDef) -> None:
        self.scope.names[node.name] = self._is_FunctionDef(node)  # type: ignore[arg-type]

    _do_AsyncFunctionDef = _do_FunctionDef

    # -- calls -------------------------------------------------------------------------------------

    def call(
        self,
        function: PyValue,
        arguments: list[PyValue],
        keywords: dict[str, PyValue],
        node: object,
    ) -> PyValue:
        """Call a thing: a function of the program is followed, one of the library is looked up;
        what it is handed is called with what it gives.
        """
        own, owner = own_function(function)
        if own is not None:
            return self.invoke(own, arguments, keywords, owner)
        value = function.value
        if isinstance(value, Class):
            return PyValue(KnownObject("instance", of=value))
        if is_text(value) and text_of(function).isidentifier():
            value = DottedName(text_of(function))
        if isinstance(value, DottedName):
            result = self._call_function(value.dotted, arguments, keywords, node)
        elif isinstance(value, BoundAttribute):
            result = self._method(value, arguments, keywords, node)
        else:
            result = unknown_from([function, *arguments, *keywords.values()])
        self._follow_callback(value, result, [*arguments, *keywords.values()], node)
        return result

    def _call_function(
        self,
        name: str,
        arguments: list[PyValue],
        keywords: dict[str, PyValue],
        node: object,
        owner: PyValue | None = None,
    ) -> PyValue:
        """Look a function up; a method of something unknown as ``?.name``."""
        call = PyCall(self, name, arguments, keywords, node, owner)
        note(call)
        row = self._row(name)
        if row is not None:
            found = perform(call, row)
            return found if found is not None else call.unknown()
        of_git = GITS.get(name)
        return (of_git(call) or call.unknown()) if of_git is not None else judge_by_name(call)

    def _row(self, name: str) -> str | None:
        calls = self.library.calls
        for prefix in self.library.prefixes:
            name = name.removeprefix(prefix)
        found = row_of(calls, name)
        attaches = found is None and self.language in _ATTACHING and "." not in name
        return self._attached(name) if attaches else found

    def _attached(self, name: str) -> str | None:
        """Return the row of a function that is called without its package, which the text names:
        ``library(httr); POST(..)``.
        """
        rows = self.library.calls.items()
        told = [(key.rpartition("."), row) for key, row in rows if key.endswith(f".{name}")]
        return next((row for (head, _, _), row in told if head in self.source), None)

    def _method(
        self,
        bound: BoundAttribute,
        arguments: list[PyValue],
        keywords: dict[str, PyValue],
        node: object,
    ) -> PyValue:
        owner, name = bound.thing, bound.attribute
        value = owner.value
        if name in ("call", "apply", "bind", "()") and isinstance(
            value, (DottedName, Function, BoundAttribute)
        ):
            rest = arguments[1:] if self.language == "javascript" else arguments
            return self.call(
                owner,
                rest
                if name != "apply" or not rest or not isinstance(rest[0].value, list)
                else rest[0].value,
                keywords,
                node,
            )
        if is_text(value) or isinstance(value, (list, dict)):
            made = self._of_data(owner, name, arguments, node)
            if made is not None:
                return made
        if GIT in owner.labels:
            made = told_by_git(PyCall(self, name, arguments, keywords, node, owner))
            if made is not None:
                return made
        base = foundation(owner)
        kind = base.value.kind if base is not None and isinstance(base.value, KnownObject) else "?"
        called, calls = f"<{kind}>.{name}", self.library.calls
        row = calls.get(called) or request(calls, called) or calls.get(f"?.{name}")
        call = PyCall(self, called, arguments, keywords, node, owner)
        if row is not None:
            found = perform(call, row)
            return found if found is not None else call.unknown()
        if name in _LATER or name in SAME or name == "new":
            return owner
        return judge_by_name(call)

    def _of_data(
        self, owner: PyValue, name: str, arguments: list[PyValue], node: object
    ) -> PyValue | None:
        """A method of a text, a list or a map."""
        plain = [
            argument
            for argument in arguments
            if not isinstance(argument.value, (Function, DottedName))
        ]
        if name in _EACH:
            return self._each(owner, arguments, node)
        row = (
            self.library.calls.get(f"<text>.{name}")
            if is_text(owner.value)
            else self.library.calls.get(f"<list>.{name}")
        )
        if row is not None:
            return perform(PyCall(self, name, plain, {}, node, owner), row)
        if name in METHODS and METHODS[name] in DECODED:
            return DECODED[METHODS[name]]([owner, *plain])
        if name in SAME:
            return owner
        name = {
            "toLowerCase": "lower",
            "downcase": "lower",
            "toUpperCase": "upper",
            "upcase": "upper",
            "push": "append",
            "charAt": "get",
        }.get(name, name)
        if name in ("get", "at", "item") and plain and not isinstance(owner.value, dict):
            return pure.item_of(owner, plain[0])
        return pure.method(owner, name, plain)

    def _each(self, owner: PyValue, arguments: list[PyValue], node: object) -> PyValue:
        """``list.map(f)``: f is called with each item."""
        functions = [
            argument
            for argument in arguments
            if isinstance(argument.value, (Function, DottedName, BoundAttribute))
        ]
        if not functions:
            return owner
        items = self.iterate(owner)
        made = [self.call(functions[0], [item], {}, node) for item in items]
        return (
            PyValue(made, owner.labels)
            if "map" in node_name(node) or "collect" in node_name(node)
            else PyValue(items, owner.labels)
        )

    def _follow_callback(
        self, callee: object, result: PyValue, arguments: list[PyValue], node: object
    ) -> None:
        """A function that is handed to somebody will be called, with what the call gives."""
        given = result
        if isinstance(callee, DottedName) and callee.dotted.rpartition(".")[2] in _LATER:
            given = PyValue(DottedName(callee.dotted.rpartition(".")[0]))
        if isinstance(callee, BoundAttribute):
            owner = callee.thing
            given = owner if callee.attribute in _LATER or owner.labels else result
            base = foundation(owner)
            if (
                base is not None
                and isinstance(base.value, KnownObject)
                and "contents" in base.value.fields
            ):
                given = base.value.fields["contents"]
            elif NETWORK in labels_of([owner]):
                given = unknown_from([owner], NETWORK)
            if is_text(owner.value) or isinstance(owner.value, (list, dict)):
                given = unknown_from([owner])
                if callee.attribute in _EACH:
                    return
        for argument in arguments:
            if isinstance(argument.value, Function) and not argument.value.called:
                count = len(argument.value.node.args.args)  # type: ignore[attr-defined]
                self.invoke(argument.value, [given] * min(count, MAX_CALLED), {})
            elif (
                isinstance(argument.value, DottedName)
                and isinstance(callee, BoundAttribute)
                and self._row(argument.value.dotted) is not None
            ):
                self._call_function(argument.value.dotted, [given], {}, node)
            elif isinstance(argument.value, dict):
                self._follow_callback(
                    callee,
                    result,
                    [
                        inner
                        for inner in argument.value.values()
                        if isinstance(inner.value, Function)
                    ],
                    node,
                )


def node_name(node: object) -> str:
    """Return the last word of what a call's node calls."""
    function = getattr(node, "func", None)
    return getattr(function, "attr", "") or getattr(function, "id", "")
