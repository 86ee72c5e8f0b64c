"""The language's own ways to reach things: imports by name, attributes by name, text run as code,
unpickling, native code.
"""

from __future__ import annotations

from interlock.effects.python import known as pure
from interlock.effects.python.call import PyCall
from interlock.effects.python.parse import parse
from interlock.effects.python.values import (
    MARK,
    UNKNOWN,
    BoundAttribute,
    DottedName,
    Function,
    KnownObject,
    PyValue,
    is_known,
    is_text,
    labels_of,
    text_of,
    wrap,
)
from interlock.effects.touched_files import is_unseen, run_unseen
from interlock.model.effect import (
    HOME,
    SECRET,
    EscalatesPrivilege,
    Executes,
    Place,
    Reads,
    RunsCode,
    TampersWithGuard,
)
from interlock.shell.execution import MOST_INHERITED
from interlock.shell.value import ARGUMENT, FILE, HOLE, NETWORK, Value

REACHING = frozenset("os subprocess shutil builtins __builtins__ posix pty socket sys nt".split())
"""Modules of which a function that nobody can name may be any of the dangerous ones."""


def _execute(call: PyCall) -> PyValue | None:
    """``exec``/``eval`` of known text is read like the program; else it is unreadable code."""
    code = call.argument(0, "source", "object", "stmt", "statement")
    if code is None:
        return None
    from interlock.effects.python.call import idle

    if isinstance(code.value, Function) or idle(code):
        return None
    text = text_of(code)
    if not text.strip(HOLE).strip() and HOLE in text:
        call.unread(code, "python")
        return None
    if "decoded" in code.labels:
        call.add_decoded_code()
    return follow_code(call, code)


def follow_code(call: PyCall, code: PyValue) -> PyValue:
    """Follow text that runs as Python inside the program."""
    program = call.program
    text = text_of(code).replace(HOLE, MARK)
    if not program.charge(text):
        return PyValue(UNKNOWN, code.labels)
    tree = parse(text.strip())
    if tree is None:
        call.unread(PyValue(UNKNOWN, code.labels, code.why or ARGUMENT), "python")
        return PyValue(UNKNOWN, code.labels)
    held, program.at = program.at, program.at or program.word("", call.node)
    try:
        import _ast

        if len(tree.body) == 1 and isinstance(tree.body[0], _ast.Expr):
            return program.value(tree.body[0].value)
        program.body(tree.body)
    finally:
        program.at = held
    return PyValue(None)


def _compile(call: PyCall) -> PyValue | None:
    return call.argument(0, "source")


def _import(call: PyCall) -> PyValue | None:
    name = call.argument(0, "name")
    if name is None or not is_known(name):
        return PyValue(DottedName("?"))
    top = call.name == "__import__" and not call.argument(1, "package") and len(call.arguments) < 2
    module = text_of(name).partition(".")[0] if top else text_of(name)
    return call.program.follow_import(module) or PyValue(DottedName(module))


def _getattr(call: PyCall) -> PyValue | None:
    if len(call.arguments) < 2:
        return None
    owner, name = call.arguments[0], call.arguments[1]
    if is_known(name) and is_text(name.value):
        return call.program.attribute(owner, text_of(name))
    if isinstance(owner.value, DottedName) and owner.value.dotted in (*REACHING, "?"):
        return PyValue(BoundAttribute(owner, HOLE), labels_of([name]), name.why)
    return None


def call_unknown(call: PyCall) -> PyValue | None:
    """``getattr(os, x)(...)``: any function of a module that can do anything."""
    if call.owner is not None and isinstance(call.owner.value, DottedName):
        call.run.unknown_code(
            call.owner.why or ARGUMENT,
            "python",
            "unknown-function",
            value=call.program.word("", call.node),
        )
    return None


def _subclasses(call: PyCall) -> PyValue | None:
    """``().__class__.__base__.__subclasses__()``: only ever needed to get at what is hidden."""
    call.run.unknown_code("", "python", "unknown-function", value=call.program.word("", call.node))
    return None


def _vars(call: PyCall) -> PyValue | None:
    if not call.arguments:
        return PyValue(KnownObject("globals"))
    value = call.arguments[0].value
    return (
        PyValue(DottedName(f"{value.dotted}.__dict__")) if isinstance(value, DottedName) else None
    )


def _globals(call: PyCall) -> PyValue | None:
    del call
    return PyValue(KnownObject("globals"))


def _global(call: PyCall) -> PyValue | None:
    name = call.text(0)
    return (
        call.program.scope.find(name) or PyValue(DottedName(name))
        if name and HOLE not in name
        else None
    )


def _map(call: PyCall) -> PyValue | None:
    """``map(f, known)`` calls f with each item."""
    if len(call.arguments) < 2:
        return None
    function, items = call.arguments[0], call.arguments[1]
    values = call.program.iterate(items)
    return PyValue(
        [call.program.call(function, [value], {}, call.node) for value in values],
        items.labels,
    )


def _filter(call: PyCall) -> PyValue | None:
    return call.argument(1)


def _reduce(call: PyCall) -> PyValue | None:
    if len(call.arguments) < 2 or not isinstance(call.arguments[1].value, list):
        return None
    items = list(call.arguments[1].value)
    total = (
        call.arguments[2]
        if len(call.arguments) > 2
        else (items.pop(0) if items else PyValue(UNKNOWN))
    )
    for item in items:
        total = call.program.call(call.arguments[0], [total, item], {}, call.node)
    return total


def _partial(call: PyCall) -> PyValue | None:
    """What is given now is judged now; what comes later is added when the result is called."""
    if not call.arguments:
        return None
    if len(call.arguments) > 1:
        call.program.call(call.arguments[0], call.arguments[1:], call.keywords, call.node)
    return PyValue(
        KnownObject(
            "partial",
            {
                "of": call.arguments[0],
                "arguments": PyValue(call.arguments[1:]),
                "keywords": PyValue(dict(call.keywords)),
            },
        )
    )


def _first(call: PyCall) -> PyValue | None:
    return call.argument(0)


def _second(call: PyCall) -> PyValue | None:
    return call.argument(1, "val")


def _unknown(call: PyCall) -> PyValue:
    return call.unknown()


def _unbound(call: PyCall) -> PyValue | None:
    """``str.join(glue, parts)``: a method called through its class."""
    return (
        pure.method(call.arguments[0], call.method, call.arguments[1:]) if call.arguments else None
    )


def _owner(call: PyCall) -> PyValue | None:
    return call.owner


def _input(call: PyCall) -> PyValue | None:
    """What is typed, or comes down the pipe."""
    labels = call.run.stdin.labels if call.run.stdin is not None else frozenset[str]()
    return PyValue(HOLE, labels, NETWORK if NETWORK in labels else ARGUMENT)


def _find_path(call: PyCall, data: PyValue) -> Value | None:
    """Return the path of the file that is unpickled: of one in a folder for temporary files nobody
    knows who put it there.
    """
    named = data.value.fields.get("path") if isinstance(data.value, KnownObject) else data
    text = text_of(named) if named is not None and is_text(named.value) else data.path
    return call.program.word(text, call.node) if text else None


def _unpickle(call: PyCall) -> PyValue | None:
    """Unpickling runs code of the data's maker; that matters if it is from the network."""
    data = call.argument(0, "f", "filename", "filepath_or_buffer")
    if data is not None and call.name in _FROM_PATHS and is_text(data.value):
        call.path(Reads, data)
    if data is not None and NETWORK in labels_of([data]):
        call.run.unknown_code(NETWORK, "pickle")
    elif data is not None and (path := _find_path(call, data)) and is_unseen(call.run, path):
        call.run.unknown_code(FILE, "pickle")
        run_unseen(call.run, path, path)
    elif data is not None and call.name.startswith("marshal."):
        call.run.unknown_code(data.why, "marshal")
    return None


_FROM_PATHS = frozenset({"joblib.load", "torch.load", "pandas.read_pickle"})
"""Of what unpickles, functions that are given a path."""


def _load_yaml(call: PyCall) -> PyValue | None:
    """``yaml.load(text, Loader=..)`` runs code unless the loader is a safe one."""
    loader = call.argument(1, "Loader")
    name = (
        loader.value.dotted if loader is not None and isinstance(loader.value, DottedName) else ""
    )
    return None if "Safe" in name or "Base" in name else _unpickle(call)


def _run_module(call: PyCall) -> PyValue | None:
    """``runpy.run_module("pip")`` is ``python -m pip`` with the words of ``sys.argv``."""
    name = call.argument(0, "mod_name")
    if name is None:
        return None
    if (call.text(0) or "").partition(".")[0] == "interlock":
        call.run.context.add(
            TampersWithGuard,
            "interlock",
            traits=frozenset({"own-parts"}),
            certain=False,
            by=call.by,
        )
    words = call.program.given
    return call.command(
        [
            PyValue("python3"),
            PyValue("-m"),
            name,
            *(words.value[1:] if words is not None and isinstance(words.value, list) else []),
        ]
    )


def _set_variable(call: PyCall) -> PyValue | None:
    """``os.putenv("LD_PRELOAD", path)``, ``os.environ[..] = ..``: later starts load it."""
    set_variables(call, {call.text(0): call.argument(1) or PyValue(UNKNOWN)})
    return None


def set_variables(call: PyCall, variables: dict[str, PyValue]) -> None:
    """Judge variables that the program hands to what it starts, as assignments before a command."""
    from interlock.effects.environment import judge_prefix  # few programs set any

    execution = call.run.execution.inner(call.run.execution.argv or [Value("python")])
    execution.prefix = [
        (name, Value(text_of(value), why=value.why))
        for name, value in variables.items()
        if name.isidentifier() and is_text(value.value)
    ]
    judge_prefix(call.run.reader, execution, call.run.walker)
    held = call.run.execution
    held.inherited = [*held.inherited, *execution.prefix][-MOST_INHERITED:]


def _setuid(call: PyCall) -> PyValue | None:
    call.effect(EscalatesPrivilege, call.name)
    return None


def _native(call: PyCall) -> PyValue | None:
    name = call.text(0)
    if "/" in name and HOLE not in name:
        from interlock.effects.environment import use  # few programs load any

        use(call.run.reader, call.run.execution, call.name, name)
    return PyValue(KnownObject("native", {"name": call.argument(0) or PyValue(None)}))


def _native_memory(call: PyCall) -> PyValue | None:
    """Memory made executable from a program: machine code that nobody can read."""
    call.effect(
        RunsCode,
        "native",
        "unread",
        "native",
        "from-argument",
        detail="machine code run from memory",
    )
    call.run.context.misses()
    return None


def _keys(call: PyCall) -> PyValue | None:
    call.effect(Executes, call.name, "security-tool", detail="listens to every key that is pressed")
    return None


def _packets(call: PyCall) -> PyValue | None:
    call.effect(
        Executes,
        call.name,
        "security-tool",
        detail="makes up network packets, or listens to those of others",
    )
    return None


def _captures(call: PyCall) -> PyValue | None:
    """The screen, the camera, the microphone or the clipboard is looked at."""
    call.effect(
        Executes, call.name, "captures", detail="watches what the user sees, says or copies"
    )
    return PyValue(UNKNOWN, frozenset({"outside"}))


def _read_secret(call: PyCall) -> PyValue | None:
    """A password store or a browser's cookies are read."""
    call.run.context.add(
        Reads,
        call.name,
        place=Place(HOME, frozenset({SECRET})),
        span=call.program.span(call.node),
        by=call.by,
    )
    return PyValue(HOLE, frozenset({"secret", "outside"}), "file")


def _netrc(call: PyCall) -> PyValue | None:
    """``netrc.netrc()``: names and passwords for hosts, by default those of the user."""
    file = call.argument(0, "file") or PyValue(f"{call.run.context.home or '~'}/.netrc")
    call.path(Reads, file)
    return PyValue(HOLE, frozenset({"secret", "outside"}), "file")


def _search_path(call: PyCall) -> PyValue | None:
    """``sys.path.insert(0, folder)``: imports look there first, as with ``PYTHONPATH``."""
    folder = call.arguments[-1] if call.arguments else PyValue(UNKNOWN)
    if is_text(folder.value):
        set_variables(call, {"PYTHONPATH": folder})
    return None


def _make_text(call: PyCall) -> PyValue | None:
    return (
        wrap(text_of(call.arguments[0]), call.arguments[0].labels)
        if call.arguments
        else PyValue("")
    )


def _run_path(call: PyCall) -> PyValue | None:
    path = call.argument(0, "path_name", "filename")
    if path is not None:
        call.run.script(call.word(path), "python")
    return None


def _loads_file(call: PyCall) -> PyValue | None:
    """``spec_from_file_location(name, path)``, ``SourceFileLoader(name, path)``: a module by its
    file, which is run when it is loaded.
    """
    path = call.argument(1, "location", "path")
    if path is not None:
        call.run.script(call.word(path), "python")
    return None


def _own_attribute(call: PyCall) -> PyValue | None:
    return (
        call.program.attribute(call.owner, call.text(0))
        if call.owner is not None and call.arguments
        else None
    )


def _next(call: PyCall) -> PyValue | None:
    items = call.argument(0)
    return (
        items.value[0]
        if items is not None and isinstance(items.value, list) and items.value
        else None
    )


def _dict(call: PyCall) -> PyValue | None:
    first = call.argument(0)
    if first is None:
        return PyValue(dict(call.keywords))
    return PyValue(dict(first.value), first.labels) if isinstance(first.value, dict) else None
