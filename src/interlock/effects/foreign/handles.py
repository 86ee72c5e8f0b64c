"""Actions on things that are named before they are made: handles of Perl, sockets of C and PHP,
whose name is an argument of the call.
"""

from __future__ import annotations

import _ast

from interlock.effects.foreign.actions import ACTIONS
from interlock.effects.foreign.exchange import Action, foundation
from interlock.effects.python.call import PyCall
from interlock.effects.python.files import open_file
from interlock.effects.python.values import (
    UNKNOWN,
    BoundAttribute,
    DottedName,
    Function,
    KnownObject,
    PyValue,
    is_text,
    labels_of,
    text_of,
)
from interlock.model.effect import Connects, Deletes, Listens
from interlock.shell.value import HOLE, NETWORK

_STREAMS = frozenset({"STDIN", "STDOUT", "STDERR"})


def _assign_first(call: PyCall, value: PyValue) -> None:
    """Give the variable or handle that is the call's first argument a value."""
    nodes = getattr(call.node, "args", [])
    if nodes and isinstance(nodes[0], (_ast.Name, _ast.NamedExpr)):
        target = nodes[0] if isinstance(nodes[0], _ast.Name) else nodes[0].target
        call.program.assign(target, value)


def open_handle(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``open(H, "<", path)``, ``open(H, ">path")``, ``open(H, "cmd |")``, ``open(H, "-|", cmd,
    ..)``, ``open(STDIN, ">&S")``.
    """
    del traits
    if len(things) < 2:
        return None
    name = things[0].value.dotted if isinstance(things[0].value, DottedName) else ""
    mode, rest = text_of(things[1]).strip(), things[2:]
    if mode.startswith((">&", "<&", "+<&", "+>&")):
        if name in _STREAMS:
            call.program.marks.add("dup2")
        return None
    if mode in ("|-", "-|", "|", "|-:utf8"):
        made = ACTIONS["shell"](call, rest, ["list", "process"])
    elif not rest and (mode[:1] == "|" or mode[-1:] == "|"):
        made = ACTIONS["shell"](
            call, [PyValue(mode.strip("|").strip(), things[1].labels, things[1].why)], ["process"]
        )
    else:
        marks = mode[: len(mode) - len(mode.lstrip("+<> "))] if not rest else mode.partition(":")[0]
        path = (
            PyValue(mode[len(marks) :].strip(), things[1].labels, things[1].why)
            if not rest
            else rest[0]
        )
        letters = "a" if ">>" in marks else "w" if ">" in marks else "r"
        made = open_file(call, path, letters) if text_of(path) else None
    if made is not None:
        _assign_first(call, made)
        if name:
            call.program.scope.names[name] = made
    return made


def print_to(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``print H text``: into a file, a socket or a process."""
    if things and isinstance(things[0].value, (KnownObject, BoundAttribute)):
        return ACTIONS["write"](call, [*things], traits)
    return PyValue(None, labels_of(things))


def connect_to(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``connect(S, sockaddr_in(port, address))``, ``socket_connect($s, host, port)``."""
    del traits
    words: list[PyValue] = []
    for thing in things[1:]:
        inner = thing.value.fields.get("name") if isinstance(thing.value, KnownObject) else None
        words += [thing] if inner is None else [*thing.value.fields.values()]  # type: ignore[attr-defined]
    texts = [word for word in words if is_text(word.value) and not text_of(word).isdigit()]
    host = texts[0] if texts else PyValue(HOLE)
    effect = call.host(Connects, text_of(host), "socket")
    call.program.marks.add("socket")
    call.program.peer = effect.target
    _assign_first(call, PyValue(KnownObject("socket", {"host": host}), frozenset({"socket"})))
    return PyValue(value=True)


def bind_to(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``bind(S, sockaddr_in(port, ..))``, ``socket_bind($s, address, port)``."""
    del things, traits
    call.effect(Listens, "", "public")
    call.program.marks.add("socket")
    return PyValue(value=True)


def new_socket(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``socket(S, ..)``, ``accept(C, S)``: the first argument is the socket from now on."""
    del traits
    made = PyValue(KnownObject("socket", {}), frozenset({"socket"}))
    _assign_first(call, made)
    if things and isinstance(things[0].value, DottedName):
        call.program.scope.names[things[0].value.dotted] = made
    return made


def read_from(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``sysread(H, $buffer, n)``, ``fgets($h)``, ``socket_read($s, n)``: what a handle gives, into
    a variable or as the result.
    """
    base = foundation(things[0]) if things else None
    kind = base.value.kind if base is not None and isinstance(base.value, KnownObject) else ""
    if kind == "socket" or (base is not None and "socket" in base.labels):
        made = PyValue(HOLE, frozenset({NETWORK, "socket"}), NETWORK)
    elif kind:
        made = base.value.fields.get("contents", PyValue(UNKNOWN))  # type: ignore[union-attr]
    else:
        made = (
            PyValue(HOLE, why="argument")
            if base is not None and base.value is not UNKNOWN
            else PyValue(UNKNOWN, base.labels if base else frozenset())
        )
    nodes = getattr(call.node, "args", [])
    if "into" in traits and len(nodes) > 1 and isinstance(nodes[1], _ast.Name):
        call.program.assign(nodes[1], made)
    return made


def joins_streams(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``STDIN->fdopen($socket, "r")``, ``$stdin.reopen(socket)``: its input is now the socket."""
    del traits
    if "socket" in labels_of(things):
        call.program.marks.add("joined")
    return None


def shift_argument(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``shift``: the next argument of the function, or of the program."""
    del things, traits
    given = call.program.scope.find("@_")
    if given is None:
        return PyValue(HOLE, why="argument")
    if isinstance(given.value, list):
        return given.value.pop(0) if given.value else PyValue(None)
    return given


def address(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """Port and host put together."""
    del call, traits
    texts = [thing for thing in things if is_text(thing.value) and not text_of(thing).isdigit()]
    return PyValue(KnownObject("address", {"name": texts[0] if texts else PyValue(HOLE)}))


def each_of(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``map {..} LIST``: the block is followed with each item as ``$_``."""
    del traits
    functions = [thing.value for thing in things if isinstance(thing.value, Function)]
    items = [thing for thing in things if not isinstance(thing.value, Function)]
    if len(items) == 1 and isinstance(items[0].value, list):
        items = items[0].value
    out = []
    for item in items[:64]:
        call.program.scope.names["$_"] = item
        out += [call.program.invoke(function, [item], {}) for function in functions]
    return PyValue(out or items, labels_of(things))


def walk_below(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``find(sub {..}, folder)``: the function is called for what lies below the folder."""
    del traits
    roots = [thing for thing in things if is_text(thing.value)]
    for function in [thing.value for thing in things if isinstance(thing.value, Function)]:
        found = PyValue(f"{text_of(roots[0])}/{HOLE}" if roots else HOLE, why="output")
        for name in ("$_", "$File.Find.name"):
            call.program.scope.names[name] = found
        call.program.invoke(function, [found], {})
    return None


def send_name(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``object.send(:system, "ls")``: a function by its name."""
    del traits
    if not things or not is_text(things[0].value):
        return None
    return call.program.call(PyValue(DottedName(text_of(things[0]))), things[1:], {}, call.node)


def delete_path(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``path.delete``: of an object that is a path only."""
    del traits
    if (
        call.owner is not None
        and isinstance(call.owner.value, KnownObject)
        and call.owner.value.kind == "path"
    ):
        call.path(Deletes, call.owner)
        return None
    return PyValue(UNKNOWN, labels_of(things))


def copy_stream(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``IO.copy_stream(from, to)``: streams, paths or URLs."""
    del traits
    if len(things) < 2:
        return None
    if is_text(things[0].value):
        return ACTIONS["copy"](call, things, [])
    base = foundation(things[0])
    labels = labels_of([base]) if base is not None else frozenset()
    return ACTIONS["store"](call, [things[1], PyValue(UNKNOWN, labels)], [])


def proc_open(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``proc_open(command, [0 => $socket, ..], $pipes)``: a shell whose streams are a socket."""
    del traits
    if len(things) > 1 and "socket" in labels_of(things[1:2]):
        call.program.marks.add("joined")
    return (
        ACTIONS["argv" if isinstance(things[0].value, list) else "shell"](
            call, things[:1], ["process"]
        )
        if things
        else None
    )


def file_or_url(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``file_get_contents(path or URL, false, context)``: the context may hold what is sent."""
    if not things or not is_text(things[0].value):
        return None
    if text_of(things[0]).startswith(("http://", "https://", "ftp://")):
        context = next(
            (
                thing.value.fields.get("name")
                for thing in things
                if isinstance(thing.value, KnownObject) and thing.value.kind == "context"
            ),
            None,
        )
        options = (
            context.value.get("http")
            if context is not None and isinstance(context.value, dict)
            else None
        )
        said = options.value if options is not None and isinstance(options.value, dict) else {}
        sent = [said["content"]] if "content" in said else []
        verb = [text_of(said["method"])] if "method" in said else ["post"] if sent else traits
        return ACTIONS["get"](call, [things[0], *sent], verb)
    if text_of(things[0]).startswith("php://"):
        return PyValue(HOLE, why="argument")
    return ACTIONS["contents"](call, things[:1], [])


def include(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``include "x.php"``; of a URL it is code from the network."""
    if (
        things
        and is_text(things[0].value)
        and text_of(things[0]).startswith(("http://", "https://", "ftp://"))
    ):
        call.run.unknown_code(NETWORK, "php")
        return None
    if things and is_text(things[0].value) and text_of(things[0]).startswith(("data:", "php://")):
        call.run.unknown_code("argument", "php")
        return None
    return ACTIONS["beside"](call, things, traits)


_CURL_FIELDS = {
    "CURLOPT_URL": "url",
    "CURLOPT_POSTFIELDS": "body",
    "CURLOPT_INFILE": "body",
    "CURLOPT_CUSTOMREQUEST": "verb",
}


def curl_option(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``curl_setopt($handle, CURLOPT_POSTFIELDS, data)``, ``curl_setopt_array($handle, [..])``."""
    del call, traits
    if not things or not isinstance(things[0].value, KnownObject):
        return None
    given: dict[str, PyValue] = {}
    if len(things) > 2 and isinstance(things[1].value, DottedName):
        given = {things[1].value.dotted: things[2]}
    elif len(things) > 1 and isinstance(things[1].value, dict):
        given = things[1].value
    for name, thing in given.items():
        if name in _CURL_FIELDS:
            things[0].value.fields[_CURL_FIELDS[name]] = thing
    return None


def curl_go(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``curl_exec($handle)``."""
    del traits
    fields = things[0].value.fields if things and isinstance(things[0].value, KnownObject) else {}
    url = fields.get("url")
    if url is None:
        return None
    body = [fields["body"]] if "body" in fields else []
    verb = [text_of(fields["verb"])] if "verb" in fields else ["post"] if body else []
    made = ACTIONS["get"](call, [url, *body], verb)
    return PyValue(HOLE, made.labels, NETWORK) if made is not None else None


HANDLES: dict[str, Action] = {
    "perlshift": shift_argument,
    "perlopen": open_handle, "print": print_to, "perlconnect": connect_to, "perlbind": bind_to,
    "perlsocket": new_socket, "perlread": read_from, "joins": joins_streams,
    "address": address, "perlmap": each_of, "perlfind": walk_below,
    "rubysend": send_name, "deletepath": delete_path, "copystream": copy_stream,
    "procopen": proc_open, "fileget": file_or_url, "include": include, "curlset": curl_option,
    "curlexec": curl_go, "phpmap": each_of,
}  # fmt: skip
