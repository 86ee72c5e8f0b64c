"""Evaluates a Python program's expressions as far as known, and shows every call to ``calls``."""

from __future__ import annotations

import _ast
from collections.abc import Callable, Sequence

from interlock.effects.python import known as pure
from interlock.effects.python.calls import describes, perform_call
from interlock.effects.python.frame import PythonFrame
from interlock.effects.python.receivers import kind_of, of_path, own_function
from interlock.effects.python.values import (
    MARK,
    MAX_TEXT,
    UNKNOWN,
    BoundAttribute,
    Class,
    DottedName,
    Either,
    Function,
    KnownObject,
    PyValue,
    Scope,
    either,
    is_text,
    join_paths,
    labels_of,
    text_of,
    unknown_from,
)
from interlock.effects.unending import EVERY_VARIABLE
from interlock.shell.value import ENVIRONMENT, HOLE


class Evaluator(PythonFrame):
    """The expressions of one program."""

    # -- expressions -------------------------------------------------------------------------------

    def value(self, node: _ast.expr) -> PyValue:
        """Return what an expression will be."""
        self.run.reader.steps -= 1
        if self.spent():
            return PyValue(UNKNOWN)
        visit: Callable[[_ast.expr], PyValue] | None = getattr(
            self, f"_is_{type(node).__name__}", None
        )
        made = visit(node) if visit is not None else unknown_from(self._inner(node))
        if isinstance(made.value, (list, dict)):
            self.run.reader.steps -= len(made.value) >> 4
        elif isinstance(made.value, (str, bytes)):
            self.run.reader.steps -= len(made.value) >> 8
        return made

    def _inner(self, node: object) -> list[PyValue]:
        found = []
        for field in getattr(node, "_fields", ()):
            value = getattr(node, field)
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, _ast.expr):
                    found.append(self.value(child))
                elif isinstance(child, _ast.AST):
                    found.extend(self._inner(child))
        return found

    def _is_Constant(self, node: _ast.Constant) -> PyValue:
        value = node.value
        if isinstance(value, str) and MARK in value:
            return PyValue(value.replace(MARK, HOLE), why=self.at.why if self.at else "")
        if isinstance(value, bytes) and MARK.encode() in value:
            return PyValue(
                value.replace(MARK.encode(), HOLE.encode()), why=self.at.why if self.at else ""
            )
        return (
            PyValue(value)
            if value is None or isinstance(value, (str, bytes, int, float))
            else PyValue(UNKNOWN)
        )

    def _is_Name(self, node: _ast.Name) -> PyValue:
        found = self.scope.find(node.id)
        if found is not None:
            return found
        if node.id == MARK:
            return PyValue(UNKNOWN, why=self.at.why if self.at else "")
        if node.id == "__file__":
            file = self.run.called
            path = (
                self.run.context.normal(file.text, self.run.cwd)
                if file is not None and not file.hollow
                else None
            )
            return PyValue(path or f"{self.run.cwd or '.'}/__file__.py")
        if node.id == "__name__":
            return PyValue("__main__")
        for module in self.scope.stars:
            if describes(f"{module}.{node.id}"):
                return PyValue(DottedName(f"{module}.{node.id}"))
        return PyValue(DottedName(node.id))

    def _is_Attribute(self, node: _ast.Attribute) -> PyValue:
        return self.attribute(self.value(node.value), node.attr)

    def attribute(self, owner: PyValue, name: str) -> PyValue:
        """Return ``owner.name``."""
        value = owner.value
        if isinstance(value, Either):
            return either([self.attribute(one, name) for one in value.things])
        if isinstance(value, DottedName):
            return self._constant(f"{value.dotted}.{name}")
        if isinstance(value, KnownObject):
            if name in value.fields and name not in ("path", "pattern"):
                return value.fields[name]
            method = value.of.method(name) if value.of is not None else None
            if method is not None:
                return (
                    PyValue(BoundAttribute(PyValue(method.value), name))
                    if not isinstance(method.value, Function)
                    else PyValue(BoundAttribute(owner, name))
                )
            if value.kind == "path":
                return of_path(owner, name)
        if isinstance(value, Class):
            found = value.method(name)
            if found is not None:
                return (
                    PyValue(BoundAttribute(owner, name))
                    if isinstance(found.value, Function)
                    and found.value.has_decorator("classmethod")
                    else found
                )
        return PyValue(BoundAttribute(owner, name), owner.labels, owner.why, owner.path)

    def _constant(self, dotted: str) -> PyValue:
        """Return what a name of a module is, where it is no function: ``sys.executable``."""
        if dotted == "sys.executable":
            return PyValue("python3")
        if dotted in _CONSTANTS:
            return PyValue(_CONSTANTS[dotted])
        if dotted in ("os.environ", "os.environb"):
            return PyValue(KnownObject("environ"), _EVERY_VARIABLE, ENVIRONMENT)
        if dotted == "sys.argv":
            return self._words()
        if dotted in ("sys.modules", "builtins.__dict__", "__builtins__.__dict__", "globals"):
            return PyValue(DottedName(dotted))
        return PyValue(DottedName(dotted.removeprefix("builtins.").removeprefix("__builtins__.")))

    def _words(self) -> PyValue:
        """Return ``sys.argv``: what the program is given, where that is known."""
        given = self.run.given
        if given is None or any(not value.known for value in given):
            return PyValue(UNKNOWN, why="argument")
        return PyValue(
            [
                PyValue(self.run.called.text if self.run.called is not None else "-c"),
                *[PyValue(value.text) for value in given],
            ]
        )

    def _is_JoinedStr(self, node: _ast.JoinedStr) -> PyValue:
        parts = [
            self.value(part.value if isinstance(part, _ast.FormattedValue) else part)
            for part in node.values
        ]
        return PyValue(
            pure.join_limited(map(text_of, parts)), labels_of(parts), unknown_from(parts).why
        )

    def _is_BinOp(self, node: _ast.BinOp) -> PyValue:
        return self.operate(type(node.op).__name__, self.value(node.left), self.value(node.right))

    def operate(self, operator: str, left: PyValue, right: PyValue) -> PyValue:
        """Return ``left operator right``; ``/`` joins paths."""
        for one in (left, right):
            if (
                operator == "Div"
                and isinstance(one.value, KnownObject)
                and one.value.kind == "path"
            ):
                return join_paths([left, right])
        if operator == "Mult" and pure.is_too_much(left, right):
            self.context.doubt("how much a program makes is too much")
        return pure.binary(operator, left, right)

    def _is_UnaryOp(self, node: _ast.UnaryOp) -> PyValue:
        value = self.value(node.operand)
        if isinstance(node.op, _ast.USub) and isinstance(value.value, (int, float)):
            return PyValue(-value.value, value.labels)
        return PyValue(UNKNOWN, value.labels)

    def _is_BoolOp(self, node: _ast.BoolOp) -> PyValue:
        """``a or b``: the first that is known to be something."""
        values = [self.value(value) for value in node.values]
        if isinstance(node.op, _ast.Or):
            useful = [
                value
                for value in values
                if value.value is not UNKNOWN and text_of(value) not in ("", HOLE)
            ]
            return useful[0] if useful and values[0] is useful[0] else unknown_from(values)
        return values[-1]

    def _is_IfExp(self, node: _ast.IfExp) -> PyValue:
        self.value(node.test)
        one, other = self.value(node.body), self.value(node.orelse)
        return (
            one
            if one.value == other.value
            else unknown_from([one, other], one.why or other.why or "branch")
        )

    def _is_List(self, node: _ast.List | _ast.Tuple | _ast.Set) -> PyValue:
        return PyValue(self.elements(node.elts))

    _is_Tuple = _is_Set = _is_List

    def elements(self, nodes: Sequence[_ast.expr]) -> list[PyValue]:
        """Return the values of expressions in a list; ``*known`` is taken apart."""
        out: list[PyValue] = []
        for node in nodes:
            if isinstance(node, _ast.Starred):
                inner = self.value(node.value)
                fits = isinstance(inner.value, list) and len(inner.value) + len(out) <= MAX_TEXT
                unknown = [PyValue(UNKNOWN, labels_of([inner]), inner.why)]
                out.extend(inner.value if fits else unknown)  # type: ignore[arg-type]
            else:
                out.append(self.value(node))
        return out

    def _is_Dict(self, node: _ast.Dict) -> PyValue:
        items: dict[object, PyValue] = {}
        labels: frozenset[str] = frozenset()
        for key, inner in zip(node.keys, node.values, strict=True):
            value = self.value(inner)
            name = self.value(key).value if key is not None else None
            if key is None and isinstance(value.value, dict):
                items.update(value.value)
            elif key is None:
                labels |= value.labels
            elif isinstance(name, (str, bytes, int, float)) or name is None:
                items[name] = value
            else:
                items[len(items)] = value
        return PyValue(items, labels)

    def _is_Subscript(self, node: _ast.Subscript) -> PyValue:
        owner = self.value(node.value)
        if isinstance(node.slice, _ast.Slice):
            parts = [
                self.value(part) if part is not None else None
                for part in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            return pure.take_slice(owner, *parts)
        index = self.value(node.slice)
        if isinstance(owner.value, KnownObject) and owner.value.kind == "environ":
            return perform_call(self, "os.getenv", [index], {}, node)
        if isinstance(owner.value, KnownObject) and owner.value.kind == "globals":
            return self.scope.find(text_of(index)) or PyValue(DottedName(text_of(index)))
        if isinstance(owner.value, DottedName):
            return self._get_named_item(owner.value.dotted, text_of(index))
        return pure.item_of(owner, index)

    def _get_named_item(self, dotted: str, key: str) -> PyValue:
        """``sys.modules["os"]``, ``__builtins__.__dict__["exec"]``, ``plumbum.local["rm"]``."""
        if HOLE in key:
            return PyValue(BoundAttribute(PyValue(DottedName(dotted)), HOLE))
        if dotted in (
            "sys.modules",
            "builtins.__dict__",
            "__builtins__.__dict__",
            "__builtins__",
            "__dict__",
        ):
            return PyValue(DottedName(key))
        if dotted.endswith(".__dict__"):
            return PyValue(DottedName(f"{dotted[:-9]}.{key}"))
        return PyValue(DottedName(f"{dotted}[{key}]"))

    def _is_Lambda(self, node: _ast.Lambda) -> PyValue:
        return PyValue(Function(node, self.scope))

    def _is_NamedExpr(self, node: _ast.NamedExpr) -> PyValue:
        value = self.value(node.value)
        self.scope.names[node.target.id] = value
        return value

    def _is_Await(self, node: _ast.Await | _ast.Starred) -> PyValue:
        return self.value(node.value)

    _is_Starred = _is_Await

    def _is_ListComp(self, node: _ast.ListComp | _ast.GeneratorExp | _ast.SetComp) -> PyValue:
        out: list[PyValue] = []
        self._comprehend(node.generators, lambda: out.append(self.value(node.elt)))
        return PyValue(out)

    _is_GeneratorExp = _is_SetComp = _is_ListComp

    def _is_DictComp(self, node: _ast.DictComp) -> PyValue:
        out: list[PyValue] = []
        self._comprehend(
            node.generators, lambda: out.extend([self.value(node.key), self.value(node.value)])
        )
        return unknown_from(out)

    def _comprehend(self, generators: list[_ast.comprehension], each: Callable[[], None]) -> None:
        """Run a comprehension's loops over what is known; a condition is taken to hold."""
        if not generators:
            each()
            return
        first = generators[0]
        outer, self.scope = self.scope, Scope(self.scope)
        items = self.iterate(self.value(first.iter))
        held, self.within = self.within, self.within * max(len(items), 1)
        loops, self.loops = self.loops, [*self.loops, ENDLESS if endless(first.iter) else None]
        for item in items:
            self.assign(first.target, item)
            for condition in first.ifs:
                self.value(condition)
            self._comprehend(generators[1:], each)
            if self.spent():
                break
        self.loops = loops
        self.within = held
        self.scope = outer

    def _is_Call(self, node: _ast.Call) -> PyValue:
        function = self.value(node.func)
        arguments = self.elements(node.args)
        keywords: dict[str, PyValue] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value.value, dict):
                keywords.update({str(name): inner for name, inner in value.value.items()})
        made = self.call(function, arguments, keywords, node)
        if isinstance(node.func, _ast.Attribute):
            self._hold(node.func.value, [*arguments, *keywords.values()])
        return made

    def _hold(self, owner: _ast.expr, given: list[PyValue]) -> None:
        """An object of which nothing is known may hold what its methods are given: what a message
        is made of is sent with it.
        """
        held = self.scope.find(owner.id) if isinstance(owner, _ast.Name) else None
        if held is None or held.value is not UNKNOWN:
            return
        more = (labels_of(given) & HELD) - held.labels
        if more:
            made = PyValue(UNKNOWN, held.labels | more, held.why, held.path)
            self.assign(owner, made)

    def call(
        self,
        function: PyValue,
        arguments: list[PyValue],
        keywords: dict[str, PyValue],
        node: object,
    ) -> PyValue:
        """Call a thing: a function of the program is followed, one of a library is looked up."""
        value = function.value
        if isinstance(value, Either):
            return either([self.call(one, arguments, keywords, node) for one in value.things])
        own, owner = own_function(function)
        if own is not None:
            return self.invoke(own, arguments, keywords, owner)
        if isinstance(value, Class):
            return self._instance(value, arguments, keywords)
        if isinstance(value, KnownObject) and value.kind == "partial":
            first, named = value.fields["arguments"].value, value.fields["keywords"].value
            if isinstance(first, list) and isinstance(named, dict):
                return self.call(
                    value.fields["of"], [*first, *arguments], {**named, **keywords}, node
                )
        self._hand_over(arguments, keywords, node)
        if isinstance(value, DottedName):
            return perform_call(self, value.dotted, arguments, keywords, node)
        if isinstance(value, BoundAttribute):
            return self._method(value, arguments, keywords, node)
        return unknown_from([function, *arguments, *keywords.values()])

    def _instance(
        self, cls: Class, arguments: list[PyValue], keywords: dict[str, PyValue]
    ) -> PyValue:
        made = PyValue(KnownObject("instance", of=cls))
        start = cls.method("__init__")
        if start is not None and isinstance(start.value, Function):
            self.invoke(start.value, arguments, keywords, made)
        else:
            made.value.fields.update(keywords)  # type: ignore[attr-defined]
        return made

    def _hand_over(
        self, arguments: list[PyValue], keywords: dict[str, PyValue], node: object
    ) -> None:
        """A function that is handed to somebody will be called: with the ``args`` beside it, or
        with what nobody knows.
        """
        for at, thing in enumerate([*arguments, *keywords.values()]):
            if isinstance(thing.value, DottedName) and describes(thing.value.dotted):
                self._hand_over_named(thing.value.dotted, arguments[at + 1 :], keywords, node)
            function, owner = own_function(thing)
            if function is None:
                continue
            given = keywords.get("args", keywords.get("iterable"))
            others = [other for other in arguments if other is not thing]
            items = given.value if given is not None and isinstance(given.value, list) else others
            if function.called and not items:
                continue
            if len(items) == 1 and isinstance(items[0].value, list) and given is None:
                for item in list(items[0].value):
                    self.invoke(function, [item], {}, owner)
            else:
                self.invoke(function, list(items), {}, owner)

    def _hand_over_named(
        self, name: str, after: list[PyValue], keywords: dict[str, PyValue], node: object
    ) -> None:
        """``submit(os.remove, path)``, ``Timer(1, os.system, [text])``, ``Thread(target=..,
        args=..)``: a library function is called by another.
        """
        given = keywords.get("args", keywords.get("iterable"))
        items = given.value if given is not None and isinstance(given.value, list) else after
        if len(items) == 1 and isinstance(items[0].value, list) and items[0].value:
            perform_call(self, name, list(items[0].value), {}, node)
            for item in items[0].value[:16]:
                perform_call(self, name, [item], {}, node)
        elif items:
            perform_call(self, name, list(items), {}, node)

    def _method(
        self,
        bound: BoundAttribute,
        arguments: list[PyValue],
        keywords: dict[str, PyValue],
        node: object,
    ) -> PyValue:
        owner = bound.thing
        if bound.attribute == "format" and is_text(owner.value):
            return pure.format_text(owner, arguments, keywords)
        result = pure.method(owner, bound.attribute, arguments)
        if result is not None:
            return result
        return perform_call(
            self, f"{kind_of(owner)}.{bound.attribute}", arguments, keywords, node, owner
        )

    def store_item(self, owner: PyValue, key: PyValue, value: PyValue) -> None:
        """Note ``owner[key] = value``."""
        if (isinstance(owner.value, dict) and isinstance(key.value, (str, int, bytes))) or (
            isinstance(owner.value, list)
            and isinstance(key.value, int)
            and -len(owner.value) <= key.value < len(owner.value)
        ):
            owner.value[key.value] = value  # type: ignore[index]
        elif isinstance(owner.value, KnownObject) and owner.value.kind == "environ":
            perform_call(self, "os.putenv", [key, value], {}, _ast.Constant(None))


HELD = frozenset({"secret", "workspace", "outside", "environment"})
"""Labels of data that tell where it comes from, wherever it is put."""
_CONSTANTS: dict[str, object] = {"os.sep": "/", "posixpath.sep": "/", "stat.S_ISUID": 0o4000,
    "stat.S_ISGID": 0o2000, "stat.S_IRWXU": 0o700, "stat.S_IRWXG": 0o070, "stat.S_IRWXO": 0o007,
    "stat.S_IWOTH": 0o002,
    "stat.S_IXUSR": 0o100, "stat.S_IXGRP": 0o010, "stat.S_IXOTH": 0o001, "signal.SIGKILL": 9,
    "signal.SIGTERM": 15}  # fmt: skip
_EVERY_VARIABLE = frozenset({ENVIRONMENT, EVERY_VARIABLE})
ENDLESS = _ast.While(_ast.Constant(value=True), [], [])
"""Stands for a loop without end."""


def endless(items: _ast.expr) -> bool:
    """Whether a loop over these never ends, or takes a thousand rounds: ``iter(int, 1)``,
    ``itertools.count()``, ``range(10**6)``.
    """
    if not isinstance(items, _ast.Call) or _find_called(items) != "range":
        return goes_on(items)
    last = items.args[-1] if items.args else None
    return isinstance(last, _ast.BinOp) or (
        isinstance(last, _ast.Constant) and isinstance(last.value, int) and last.value >= 1000
    )


def goes_on(items: _ast.expr) -> bool:
    """Whether a loop over these never ends."""
    if not isinstance(items, _ast.Call):
        return False
    name, given = _find_called(items), len(items.args)
    return name in ("count", "cycle") or (name, given) in (("iter", 2), ("repeat", 1))


def _find_called(call: _ast.Call) -> str:
    """Return the last name of what is called."""
    if isinstance(call.func, _ast.Name):
        return call.func.id
    return call.func.attr if isinstance(call.func, _ast.Attribute) else ""
