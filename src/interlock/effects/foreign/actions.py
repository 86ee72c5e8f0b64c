"""Actions of files, processes and code: what rows of a language's library may say of a call, each
word one function.

A row is words with positions: ``"store:append=0,1"``; positions left out are all arguments,
``self`` is the object.
"""

from __future__ import annotations

from interlock.effects.foreign.decoding import DECODED
from interlock.effects.foreign.exchange import EXCHANGES, Action, foundation, get
from interlock.effects.python.call import PyCall, idle
from interlock.effects.python.calls import perform_call
from interlock.effects.python.files import open_file, reading, remember
from interlock.effects.python.network import data_carries
from interlock.effects.python.processes import note_shell
from interlock.effects.python.values import (
    UNKNOWN,
    DottedName,
    Function,
    KnownObject,
    PyValue,
    is_text,
    labels_of,
    path_item,
    text_of,
)
from interlock.effects.rows import PATH_ROLES
from interlock.effects.touched_files import run_unseen
from interlock.model.effect import (
    ChangesMode,
    ControlsSystem,
    EscalatesPrivilege,
    Executes,
    RunsCode,
    Sends,
)
from interlock.model.facts import FILE
from interlock.shell.value import ENVIRONMENT, HOLE, NETWORK

# -- files -----------------------------------------------------------------------------------------


def _contents(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    del traits
    if not things or idle(things[0]):
        return None
    made = reading(call, things[0])
    return made.value.fields.get("contents")  # type: ignore[attr-defined, no-any-return]


def _store(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """A file is written with a text, all at once."""
    if not things:
        return None
    flags = call.arguments[2] if len(call.arguments) > 2 else None
    mode = (
        "a"
        if "append" in traits
        or (flags is not None and isinstance(flags.value, int) and flags.value & 8)
        else "w"
    )
    made = open_file(call, things[0], mode)
    target = made.value.fields.get("target") if isinstance(made.value, KnownObject) else None
    if len(things) > 1 and target is not None:
        remember(call, text_of(target), things[1])
    return None


def _open(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """A file is opened in a mode of C's ``fopen``; a trait names the mode if no argument does."""
    if not things or idle(things[0]):
        return None
    path = things[0]
    if is_text(path.value) and text_of(path).startswith(("http://", "https://", "ftp://")):
        return get(call, [path], [])
    if is_text(path.value) and text_of(path)[:1] == "|":
        return _shell(call, [PyValue(text_of(path)[1:], path.labels, path.why)], [])
    if is_text(path.value) and text_of(path).startswith(("php://", "data:")):
        return PyValue(KnownObject("file", {"contents": PyValue(HOLE, why="output")}))
    mode = (
        text_of(things[1])
        if len(things) > 1 and is_text(things[1].value)
        else (traits[0] if traits else "r")
    )
    return open_file(call, path, mode)


def _write(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``file.write(text)``: kept in mind; into a socket it is sent."""
    del traits
    owner = call.owner if call.owner is not None else (things.pop(0) if things else None)
    base = foundation(owner)
    if base is None or not isinstance(base.value, KnownObject):
        return None
    if base.value.kind == "file":
        target = base.value.fields.get("target")
        for thing in things[:1]:
            remember(call, text_of(target) if target is not None else "", thing)
    elif base.value.kind in ("socket", "request"):
        sent = [trait for trait in data_carries(things) if trait != "inline-data"]
        if any("command" in labels_of([thing]) for thing in things):
            call.program.marks.add("joined")
        host = base.value.fields.get("host")
        if sent:
            call.host(Sends, text_of(host) if host is not None else HOLE, "upload", *sent)
    elif base.value.kind == "process" and any("socket" in labels_of([thing]) for thing in things):
        call.program.marks.add("joined")
    elif base.value.kind == "process" and base.value.fields.get("shell") is not None:
        call.shell(things[0]) if things else None
    return None


def _copy(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """A tree's contents come to the target (``fs.cpSync``); Ruby's ``cp_r`` is cp(1)."""
    del traits
    return (
        perform_call(
            call.program,
            "shutil.copy" if call.method == "cp_r" else "shutil.copytree",
            things[:2],
            {},
            call.node,
        )
        if len(things) > 1
        else None
    )


def _move(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    del traits
    return (
        perform_call(
            call.program,
            "shutil.move" if call.method == "mv" else "os.rename",
            things[:2],
            {},
            call.node,
        )
        if len(things) > 1
        else None
    )


def _delete_if(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``rm(path, {recursive: true})``: the option tells."""
    options = [
        text_of(PyValue(key))
        for thing in call.arguments[1:]
        if isinstance(thing.value, dict)
        for key in thing.value
    ]
    recursive = "recursive" in [*options, *call.keywords, *traits]
    for thing in things[:1]:
        call.path(PATH_ROLES["deletes"][0], thing, *(["recursive"] if recursive else []))
    return None


def _mode(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``chmod``: path and mode in either order; a mode may be a text of digits."""
    del traits
    numbers = [
        thing
        for thing in things
        if isinstance(thing.value, int) or (is_text(thing.value) and text_of(thing).isdigit())
    ]
    bits = 0o644
    for thing in numbers[:1]:
        bits = thing.value if isinstance(thing.value, int) else int(text_of(thing), 8)
    found = [
        name
        for name, set_ in (
            ("setuid", bits & 0o6000),
            ("world-writable", bits & 0o002),
            ("removes-access", bits == 0),
        )
        if set_
    ]
    for thing in things:
        if thing not in numbers:
            call.path(ChangesMode, thing, *found)
    return None


def _glob(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``glob(pattern)``: paths a pattern stands for; ``entries``: what a folder holds."""
    if not things:
        return None
    text = (
        call.run.context.at_home(text_of(things[0]))
        if call.run.context.home
        else text_of(things[0])
    )
    text = f"{text.rstrip('/')}/*" if "entries" in traits else text
    if "*" not in text and "?" not in text and "[" not in text:
        return PyValue([things[0]])
    return PyValue([path_item(text, like=things[0], pattern=True)])


def _home(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    del things, traits
    return PyValue(call.run.context.home or HOLE)


def _cwd(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    del things, traits
    return PyValue(call.run.cwd or HOLE)


# -- processes -------------------------------------------------------------------------------------


def _plain(things: list[PyValue]) -> list[PyValue]:
    """Return the words among arguments: lists taken apart, options and functions left out."""
    out: list[PyValue] = []
    for thing in things:
        value = thing.value
        if isinstance(value, list):
            out.extend(_plain(value))
        elif _is_path(value) or (
            not isinstance(value, (dict, Function, KnownObject, bool)) and value is not None
        ):
            out.append(thing)
    return out


def _is_path(value: object) -> bool:
    """Whether a value is a path, as a program is handed one: ``Dir["x/*"].each { |d| system "rm", d
    }``.
    """
    return isinstance(value, KnownObject) and value.kind == "path"


def _shell(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """A text for the shell; several texts are a command and its words if the language has it so."""
    words = (
        _plain(things)
        if "list" in traits
        else [thing for thing in things if not isinstance(thing.value, (dict, Function))][:1]
    )
    if not words:
        return None
    _look(call, words)
    out = call.shell(words[0]) if len(words) == 1 else call.command(words)
    return _make_result(
        call,
        out,
        traits,
        shell=text_of(words[0]).strip() in ("sh", "bash", "/bin/sh", "/bin/bash", "cmd"),
    )


def _argv(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """A program and its words; with ``{shell: true}`` a text for the shell."""
    by_shell = any(
        isinstance(thing.value, dict)
        and any(key == "shell" and inner.value for key, inner in thing.value.items())
        for thing in things
    )
    words = _plain(things)
    for thing in things:
        given = thing.value.get("args") if isinstance(thing.value, dict) else None
        words += _plain([given]) if given is not None else []
    if not words:
        return None
    _look(call, words)
    text = PyValue(" ".join([text_of(word) for word in words]), labels_of(words), words[0].why)
    out = call.shell(text) if by_shell else call.command(words)
    return _make_result(call, out, traits, shell=len(words) == 1)


def _look(call: PyCall, words: list[PyValue]) -> None:
    """Note what a reverse shell starts: a shell with a socket as input and output."""
    note_shell(
        call, text_of(words[0]).split() if len(words) == 1 else [text_of(word) for word in words]
    )
    text = " ".join([text_of(word) for word in words])
    if ("<&" in text or ">&" in text) and ("sh" in text):
        rest = text.replace("2>&1", "")
        if "<&" in rest or ">&" in rest:
            call.program.marks.add("joined")
    if "socket" in labels_of(words) or any(
        "socket" in labels_of([thing]) for thing in call.arguments
    ):
        call.program.marks.add("joined")


def _make_result(call: PyCall, out: PyValue, traits: list[str], *, shell: bool) -> PyValue:
    """What starting gives: the text that is printed, or a process."""
    labels = out.labels | {"command"}
    if "process" in traits:
        fields = {"contents": PyValue(out.value, labels, out.why, out.path)}
        if shell and "shell" in call.program.marks:
            fields["shell"] = PyValue(value=True)
        return PyValue(KnownObject("process", fields), labels)
    return PyValue(out.value, labels, out.why, out.path)


def _evaluate(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """A text runs as code of the language, or of another one."""
    if not things or isinstance(things[0].value, (Function, DottedName)) or idle(things[0]):
        return None
    code = things[-1 if "last" in traits else 0]
    if isinstance(code.value, KnownObject):
        code = code.value.fields.get("contents") or PyValue(HOLE, code.labels, code.why)
    language = next((trait for trait in traits if trait != "last"), "")
    text = text_of(code)
    if not text.strip(HOLE).strip() and HOLE in text:
        call.unread(code, call.program.language)
        return None
    if "decoded" in code.labels:
        call.add_decoded_code()
    if language:
        call.run.code(call.word(code), language)
        return None
    return call.program.nested(text)  # type: ignore[attr-defined, no-any-return]


def _evaluate_text(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """What takes a function mostly, and code where it is given a text."""
    return _evaluate(call, things, traits) if things and is_text(things[0].value) else None


def _load(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """A file of code is run."""
    del traits
    if things and NETWORK in things[0].labels:
        call.run.unknown_code(NETWORK, call.program.language)
    elif things and is_text(things[0].value) and not idle(things[0]):
        call.run.script(call.word(things[0]), call.program.language)
    return None


def _fork(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    del things, traits
    return perform_call(call.program, "os.fork", [], {}, call.node)


def _kill(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``kill(pid, signal)``; Perl and Ruby name the signal first."""
    if "signal-first" in traits and len(things) > 1:
        things = [*things[1:2], things[0]]
    if len(things) > 1 and is_text(things[1].value) and text_of(things[1]) == "0":
        return None
    return perform_call(call.program, "os.kill", things[:2], {}, call.node)


# -- the rest --------------------------------------------------------------------------------------


def _environment(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """A variable of the environment, or all of them."""
    del traits
    if not things:
        return PyValue(UNKNOWN, frozenset({ENVIRONMENT}), ENVIRONMENT)
    return perform_call(call.program, "os.getenv", things[:1], {}, call.node)


def _beside(call: PyCall, thing: PyValue, name: str, endings: tuple[str, ...]) -> None:
    """Follow a file of code that the program loads, where it is known to be there."""
    for path in (name, *[name + ending for ending in endings]):
        full = call.run.context.normal(path, call.run.cwd)
        if (
            full is not None
            and not path.endswith(".json")
            and (full in call.run.reader.written or call.run.context.is_kind(full, FILE))
        ):
            call.run.script(call.program.word(path, call.node, thing.why), call.program.language)
            return
    word = call.program.word(name, call.node, thing.why)
    if name[:1] == "/" and not name.endswith(".json"):
        run_unseen(call.run, word, word)


def _relative(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``require_relative "x"``, ``include "x.php"``: a file beside the program."""
    if things and is_text(things[0].value) and HOLE not in text_of(things[0]):
        _beside(call, things[0], text_of(things[0]), tuple(traits))
    return PyValue(UNKNOWN)


def _require_file(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``require "/x/y"``: a file where the name is a path, else what is installed."""
    rooted = bool(things) and text_of(things[0]).startswith(("/", "./", "../"))
    return _relative(call, things, traits) if rooted else PyValue(UNKNOWN)


def _module(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """A module by its name; a path is a file of code."""
    del traits
    if not things:
        return None
    name = text_of(things[0])
    if HOLE in name or not is_text(things[0].value):
        return PyValue(DottedName("?"))
    if name.startswith(("./", "../", "/")):
        _beside(call, things[0], name, (".js", ".cjs", ".mjs", "/index.js"))
        return PyValue(UNKNOWN)
    return PyValue(DottedName(call.program.module(name)))  # type: ignore[attr-defined]


def _decode(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """A text is decoded in one of the ways of ``decoding``."""
    del call
    return DECODED[traits[0]](things) if traits and things else None


def _same(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """The first argument, unchanged."""
    del call, traits
    return things[0] if things else None


def _nothing(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    del call, things, traits
    return PyValue(None)


def _user_input(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """What somebody types, or an argument of the program."""
    del call, things, traits
    return PyValue(HOLE, why="argument")


def _escalates(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    del things, traits
    call.effect(EscalatesPrivilege, call.name)
    return None


def _controls(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """Something is done to the machine itself."""
    del things
    call.effect(ControlsSystem, call.method, *traits)
    return None


def _native(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """Machine code or a library is loaded."""
    del things
    call.effect(RunsCode, "native", "native", *traits, detail="native code")
    return None


def _executes(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    del things
    call.effect(Executes, call.name, *traits)
    return None


def _statement(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """SQL text."""
    del traits
    return (
        perform_call(
            call.program, "<db>.execute", things[:1], {}, call.node, PyValue(KnownObject("db"))
        )
        if things
        else None
    )


ACTIONS: dict[str, Action] = {
    "contents": _contents, "store": _store, "open": _open, "write": _write, "copy": _copy,
    "move": _move, "rm": _delete_if, "chmod": _mode, "glob": _glob,
    "home": _home, "cwd": _cwd, "shell": _shell, "argv": _argv, "eval": _evaluate,
    "evaltext": _evaluate_text, "load": _load, "fork": _fork, "kill": _kill,
    "env": _environment, "module": _module,
    "beside": _relative, "rooted": _require_file, "decode": _decode, "same": _same, "nothing": _nothing, "typed": _user_input,
    "escalates": _escalates, "controls": _controls, "native": _native, "executes": _executes, "sql": _statement,
    **EXCHANGES,
}  # fmt: skip
