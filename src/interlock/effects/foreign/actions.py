"""Actions of files, processes and code: what rows of a language's library may say of a call, each
word one function.

A row is words with positions: ``"store:append=0,1"``; positions left out are all arguments,
``self`` is the object.
"""

from __future__ import annotations

from interlock.effects.foreign.decoding import DECODED
from interlock.effects.foreign.exchange import EXCHANGES, Action, foundation, get
from interlock.effects.python.call import Call, idle
from interlock.effects.python.calls import called
from interlock.effects.python.files import opened, reading, remember
from interlock.effects.python.network import carried
from interlock.effects.python.processes import note_shell
from interlock.effects.python.values import (
    UNKNOWN,
    Function,
    Item,
    Name,
    Thing,
    is_text,
    labels_of,
    path_item,
    text_of,
)
from interlock.effects.rows import PATH_ROLES
from interlock.effects.touched import run_unseen
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


def _contents(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    del traits
    if not things or idle(things[0]):
        return None
    made = reading(call, things[0])
    return made.value.fields.get("contents")  # type: ignore[attr-defined, no-any-return]


def _store(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
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
    made = opened(call, things[0], mode)
    target = made.value.fields.get("target") if isinstance(made.value, Item) else None
    if len(things) > 1 and target is not None:
        remember(call, text_of(target), things[1])
    return None


def _open(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """A file is opened in a mode of C's ``fopen``; a trait names the mode where no argument
    does.
    """
    if not things or idle(things[0]):
        return None
    path = things[0]
    if is_text(path.value) and text_of(path).startswith(("http://", "https://", "ftp://")):
        return get(call, [path], [])
    if is_text(path.value) and text_of(path)[:1] == "|":
        return _shell(call, [Thing(text_of(path)[1:], path.labels, path.why)], [])
    if is_text(path.value) and text_of(path).startswith(("php://", "data:")):
        return Thing(Item("file", {"contents": Thing(HOLE, why="output")}))
    mode = (
        text_of(things[1])
        if len(things) > 1 and is_text(things[1].value)
        else (traits[0] if traits else "r")
    )
    return opened(call, path, mode)


def _write(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``file.write(text)``: kept in mind; into a socket it is sent."""
    del traits
    owner = call.owner if call.owner is not None else (things.pop(0) if things else None)
    base = foundation(owner)
    if base is None or not isinstance(base.value, Item):
        return None
    if base.value.kind == "file":
        target = base.value.fields.get("target")
        for thing in things[:1]:
            remember(call, text_of(target) if target is not None else "", thing)
    elif base.value.kind in ("socket", "request"):
        sent = [trait for trait in carried(things) if trait != "inline-data"]
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


def _copy(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """A tree's contents come to the target (``fs.cpSync``), but for Ruby's ``cp_r``, which is
    cp(1).
    """
    del traits
    return (
        called(
            call.program,
            "shutil.copy" if call.method == "cp_r" else "shutil.copytree",
            things[:2],
            {},
            call.node,
        )
        if len(things) > 1
        else None
    )


def _move(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    del traits
    return (
        called(
            call.program,
            "shutil.move" if call.method == "mv" else "os.rename",
            things[:2],
            {},
            call.node,
        )
        if len(things) > 1
        else None
    )


def _delete_if(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``rm(path, {recursive: true})``: the option tells."""
    options = [
        text_of(Thing(key))
        for thing in call.arguments[1:]
        if isinstance(thing.value, dict)
        for key in thing.value
    ]
    recursive = "recursive" in [*options, *call.keywords, *traits]
    for thing in things[:1]:
        call.path(PATH_ROLES["deletes"][0], thing, *(["recursive"] if recursive else []))
    return None


def _mode(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
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


def _found(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
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
        return Thing([things[0]])
    return Thing([path_item(text, like=things[0], pattern=True)])


def _home(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    del things, traits
    return Thing(call.run.context.home or HOLE)


def _cwd(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    del things, traits
    return Thing(call.run.cwd or HOLE)


# -- processes -------------------------------------------------------------------------------------


def _plain(things: list[Thing]) -> list[Thing]:
    """Return the words among arguments: lists taken apart, options and functions left out."""
    out: list[Thing] = []
    for thing in things:
        value = thing.value
        if isinstance(value, list):
            out.extend(_plain(value))
        elif _is_path(value) or (
            not isinstance(value, (dict, Function, Item, bool)) and value is not None
        ):
            out.append(thing)
    return out


def _is_path(value: object) -> bool:
    """Whether a value is a path, as a program is handed one: ``Dir["x/*"].each { |d| system "rm", d
    }``.
    """
    return isinstance(value, Item) and value.kind == "path"


def _shell(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """A text for the shell; several texts are a command and its words, where the language has it
    so.
    """
    words = (
        _plain(things)
        if "list" in traits
        else [thing for thing in things if not isinstance(thing.value, (dict, Function))][:1]
    )
    if not words:
        return None
    _look(call, words)
    out = call.shell(words[0]) if len(words) == 1 else call.command(words)
    return _given(
        call,
        out,
        traits,
        shell=text_of(words[0]).strip() in ("sh", "bash", "/bin/sh", "/bin/bash", "cmd"),
    )


def _argv(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
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
    text = Thing(" ".join([text_of(word) for word in words]), labels_of(words), words[0].why)
    out = call.shell(text) if by_shell else call.command(words)
    return _given(call, out, traits, shell=len(words) == 1)


def _look(call: Call, words: list[Thing]) -> None:
    """Note what a reverse shell starts: a shell whose input and output are descriptors of a
    socket.
    """
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


def _given(call: Call, out: Thing, traits: list[str], *, shell: bool) -> Thing:
    """What starting gives: the text that is printed, or a process."""
    labels = out.labels | {"command"}
    if "process" in traits:
        fields = {"contents": Thing(out.value, labels, out.why, out.path)}
        if shell and "shell" in call.program.marks:
            fields["shell"] = Thing(value=True)
        return Thing(Item("process", fields), labels)
    return Thing(out.value, labels, out.why, out.path)


def _evaluate(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """A text runs as code of the language, or of another one."""
    if not things or isinstance(things[0].value, (Function, Name)) or idle(things[0]):
        return None
    code = things[-1 if "last" in traits else 0]
    if isinstance(code.value, Item):
        code = code.value.fields.get("contents") or Thing(HOLE, code.labels, code.why)
    language = next((trait for trait in traits if trait != "last"), "")
    text = text_of(code)
    if not text.strip(HOLE).strip() and HOLE in text:
        call.unread(code, call.program.language)
        return None
    if "decoded" in code.labels:
        call.decoded()
    if language:
        call.run.code(call.word(code), language)
        return None
    return call.program.nested(text)  # type: ignore[attr-defined, no-any-return]


def _evaluate_text(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """What takes a function mostly, and code where it is given a text."""
    return _evaluate(call, things, traits) if things and is_text(things[0].value) else None


def _load(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """A file of code is run."""
    del traits
    if things and NETWORK in things[0].labels:
        call.run.unknown_code(NETWORK, call.program.language)
    elif things and is_text(things[0].value) and not idle(things[0]):
        call.run.script(call.word(things[0]), call.program.language)
    return None


def _fork(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    del things, traits
    return called(call.program, "os.fork", [], {}, call.node)


def _kill(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``kill(pid, signal)``; Perl and Ruby name the signal first."""
    if "signal-first" in traits and len(things) > 1:
        things = [*things[1:2], things[0]]
    if len(things) > 1 and is_text(things[1].value) and text_of(things[1]) == "0":
        return None
    return called(call.program, "os.kill", things[:2], {}, call.node)


# -- the rest --------------------------------------------------------------------------------------


def _environment(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """A variable of the environment, or all of them."""
    del traits
    if not things:
        return Thing(UNKNOWN, frozenset({ENVIRONMENT}), ENVIRONMENT)
    return called(call.program, "os.getenv", things[:1], {}, call.node)


def _beside(call: Call, thing: Thing, name: str, endings: tuple[str, ...]) -> None:
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


def _relative(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``require_relative "x"``, ``include "x.php"``: a file beside the program."""
    if things and is_text(things[0].value) and HOLE not in text_of(things[0]):
        _beside(call, things[0], text_of(things[0]), tuple(traits))
    return Thing(UNKNOWN)


def _rooted(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``require "/x/y"``: a file where the name is a path, else what is installed."""
    rooted = bool(things) and text_of(things[0]).startswith(("/", "./", "../"))
    return _relative(call, things, traits) if rooted else Thing(UNKNOWN)


def _module(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """A module by its name; a path is a file of code."""
    del traits
    if not things:
        return None
    name = text_of(things[0])
    if HOLE in name or not is_text(things[0].value):
        return Thing(Name("?"))
    if name.startswith(("./", "../", "/")):
        _beside(call, things[0], name, (".js", ".cjs", ".mjs", "/index.js"))
        return Thing(UNKNOWN)
    return Thing(Name(call.program.module(name)))  # type: ignore[attr-defined]


def _decode(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """A text is decoded in one of the ways of ``decoding``."""
    del call
    return DECODED[traits[0]](things) if traits and things else None


def _same(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """The first argument, unchanged."""
    del call, traits
    return things[0] if things else None


def _nothing(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    del call, things, traits
    return Thing(None)


def _typed(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """What somebody types, or an argument of the program."""
    del call, things, traits
    return Thing(HOLE, why="argument")


def _escalates(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    del things, traits
    call.effect(EscalatesPrivilege, call.name)
    return None


def _controls(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """Something is done to the machine itself."""
    del things
    call.effect(ControlsSystem, call.method, *traits)
    return None


def _native(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """Machine code or a library is loaded."""
    del things
    call.effect(RunsCode, "native", "native", *traits, detail="native code")
    return None


def _executes(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    del things
    call.effect(Executes, call.name, *traits)
    return None


def _statement(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """SQL text."""
    del traits
    return (
        called(call.program, "<db>.execute", things[:1], {}, call.node, Thing(Item("db")))
        if things
        else None
    )


ACTIONS: dict[str, Action] = {
    "contents": _contents, "store": _store, "open": _open, "write": _write, "copy": _copy,
    "move": _move, "rm": _delete_if, "chmod": _mode, "glob": _found,
    "home": _home, "cwd": _cwd, "shell": _shell, "argv": _argv, "eval": _evaluate,
    "evaltext": _evaluate_text, "load": _load, "fork": _fork, "kill": _kill,
    "env": _environment, "module": _module,
    "beside": _relative, "rooted": _rooted, "decode": _decode, "same": _same, "nothing": _nothing, "typed": _typed,
    "escalates": _escalates, "controls": _controls, "native": _native, "executes": _executes, "sql": _statement,
    **EXCHANGES,
}  # fmt: skip
