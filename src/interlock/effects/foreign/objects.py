"""Actions on objects that are put together before they act: builders of processes, requests, and
the odd shapes of C, Go, R and Julia.
"""

from __future__ import annotations

from interlock.effects.foreign.actions import ACTIONS
from interlock.effects.foreign.exchange import Action, foundation
from interlock.effects.python.call import PyCall
from interlock.effects.python.files import open_file
from interlock.effects.python.network import visit
from interlock.effects.python.values import (
    UNKNOWN,
    DottedName,
    Function,
    KnownObject,
    PyValue,
    is_text,
    labels_of,
    text_of,
    unknown_from,
)
from interlock.model.effect import Deletes, Installs
from interlock.shell.value import HOLE


def _builder(thing: PyValue | None) -> dict[str, PyValue] | None:
    base = foundation(thing)
    return (
        base.value.fields
        if base is not None and isinstance(base.value, KnownObject) and base.value.kind == "builder"
        else None
    )


def new_builder(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``new ProcessBuilder("sh", "-c", text)``, ``Command::new("sh")``: not started yet."""
    del call, traits
    words = [
        inner
        for thing in things
        for inner in (thing.value if isinstance(thing.value, list) else [thing])
    ]
    return PyValue(KnownObject("builder", {"words": PyValue(words)}), labels_of(words))


def add_word(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``.arg(x)``, ``.args([..])``."""
    del traits
    fields = _builder(call.owner)
    words = fields.get("words") if fields is not None else None
    if words is not None and isinstance(words.value, list):
        for thing in things[1:]:
            words.value.extend(thing.value if isinstance(thing.value, list) else [thing])
    return call.owner


def join_streams(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``.stdin(stream)``: a socket makes it a shell for the other end."""
    del traits
    if "socket" in labels_of(things[1:]):
        call.program.marks.add("joined")
    return call.owner


def start(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """The command of a builder is started. Swift gives its words as members."""
    del things, traits
    fields = _builder(call.owner)
    if fields is None:
        return None
    words = fields.get("words") or PyValue([])
    first = fields.get("executableURL") or fields.get("launchPath")
    rest = fields.get("arguments")
    if first is not None:
        name = foundation(first)
        inner = (
            name.value.fields.get("url")
            if name is not None and isinstance(name.value, KnownObject)
            else name
        )
        words = PyValue(
            [
                inner or PyValue(HOLE),
                *(rest.value if rest is not None and isinstance(rest.value, list) else []),
            ]
        )
    return ACTIONS["argv"](call, [words], ["process"])


def execute_text(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``"ls".execute()`` of Groovy, ``"ls".!`` of Scala; ``cursor.execute(sql)`` is not."""
    del traits
    if not things:
        return None
    if is_text(things[0].value):
        return ACTIONS["shell"](call, things[:1], ["process"])
    return (
        ACTIONS["argv"](call, things[:1], ["process"])
        if isinstance(things[0].value, list)
        else None
    )


def exec_image(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``execl(path, name, arg, .., NULL)``: the name it is told is no argument."""
    words = [thing for thing in things if is_text(thing.value)]
    return ACTIONS["argv"](call, [*words[:1], *words[2:]], traits) if words else None


def open_flags(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``open(path, O_WRONLY | O_CREAT)``: flags are names."""
    del traits
    if not things:
        return None
    flags = repr(things[1].value) if len(things) > 1 else ""
    reads = len(things) < 2 or "RDONLY" in flags
    return open_file(call, things[0], "r" if reads else "a")


def duplicates(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``dup2(socket, 0)``."""
    del things, traits
    call.program.marks.add("dup2")
    return None


def after_context(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``exec.CommandContext(ctx, name, ..)``."""
    return ACTIONS["argv"](call, things[1:], traits)


def new_request(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``http.NewRequest(method, url, body)``."""
    del traits
    if len(things) < 2:
        return None
    return visit(
        call,
        things[1],
        text_of(things[0]) or "get",
        [thing for thing in things[2:3] if thing.value is not None],
    )


def home_folder(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``os.UserHomeDir()`` gives the folder and an error."""
    del things, traits
    return PyValue([PyValue(call.run.context.home or HOLE), PyValue(None)])


def copy_between(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``io.Copy(to, from)``."""
    del traits
    call.owner = things[1] if len(things) > 1 else None
    return ACTIONS["pipe"](call, things[:1], [])


def swift_path(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``removeItem(atPath: x)``, ``removeItem(at: url)``."""
    del traits
    given = next(
        (call.keywords[name] for name in ("atPath", "at") if name in call.keywords),
        things[0] if things else None,
    )
    inner = (
        given.value.fields.get("url")
        if given is not None and isinstance(given.value, KnownObject)
        else given
    )
    if inner is not None:
        call.path(Deletes, inner, "recursive")
    return None


def text_argument(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``parse(text = x)`` of R: code that ``eval`` runs."""
    del things, traits
    return call.keywords.get("text")


def source_file(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``source(path or URL)`` of R."""
    if things and text_of(things[0]).startswith(("http://", "https://")):
        call.run.unknown_code("network", "r")
        return None
    return ACTIONS["load"](call, things, traits)


def paste_texts(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``paste(a, b, sep = " ")``."""
    del traits
    glue = text_of(call.keywords.get("sep", PyValue(" ")))
    return PyValue(
        glue.join([text_of(thing) for thing in things]), labels_of(things), unknown_from(things).why
    )


def read_path_or_command(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``read("file", String)``, read(`command`, String) of Julia."""
    if things and is_text(things[0].value) and "command" not in things[0].labels:
        return ACTIONS["contents"](call, things[:1], traits)
    return things[0] if things else None


def write_path_or_stream(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``write("file", text)``, ``write(io, text)``."""
    return ACTIONS["store" if things and is_text(things[0].value) else "write"](
        call, things, traits
    )


def plain_object(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """An object of a kind; a builder of processes keeps its words."""
    return (
        new_builder(call, things, traits)
        if traits[:1] == ["builder"]
        else PyValue(
            KnownObject(traits[0], {"name": things[0]} if things else None), labels_of(things)
        )
    )


def lisp_process(start: int) -> Action:
    """``(call-process program infile destination display word ..)``, ``(start-process name buffer
    program word ..)``.
    """

    def begin(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
        words = [things[0], *things[4:]] if start == 0 else things[start:]
        return ACTIONS["argv"](call, words, traits) if things else None

    return begin


def make_list(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``array(a, b)``, ``c(a, b)``: a list."""
    del traits
    return PyValue([*things, *call.keywords.values()], labels_of(things))


def system_property(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``System.getProperty("user.home")``."""
    del traits
    name = text_of(things[0]) if things else ""
    return (
        PyValue(call.run.context.home or HOLE)
        if name == "user.home"
        else PyValue("/tmp")
        if name == "java.io.tmpdir"
        else PyValue(HOLE)
    )


def apply_each(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``lapply(list, f)``, ``foreach(f, list)``: the function is called with each item."""
    del traits
    function = next(
        (thing for thing in things if isinstance(thing.value, (Function, DottedName))), None
    )
    others = [thing for thing in things if thing is not function]
    if function is None or not others:
        return None
    items = others[0].value if isinstance(others[0].value, list) else others[:1]
    return PyValue(
        [call.program.call(function, [item], {}, call.node) for item in items[:64]],
        labels_of(others),
    )


def installs(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``install.packages(name, repos=URL)``, ``Pkg.add(url=..)``: into the user's library; from an
    address where one is given.
    """
    named = [
        text_of(call.keywords[name])
        for name in ("url", "repos", "contriburl")
        if name in call.keywords
    ]
    address = any(
        "://" in text
        and not any(
            known in text
            for known in ("cran.", "cloud.r-project", "bioconductor", "rspm", "packagemanager")
        )
        for text in named
    )
    found = traits or (
        ["url"] if address or any("://" in text_of(thing) for thing in things) else ["project"]
    )
    call.effect(Installs, text_of(things[0]) if things else "", *found)
    return PyValue(None)


def nobody_knows(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """Something of which nothing is known."""
    del call, traits
    return PyValue(UNKNOWN, labels_of(things))


OBJECTS: dict[str, Action] = {
    "list": make_list, "property": system_property, "apply": apply_each,
    "item": plain_object, "addword": add_word, "rustjoin": join_streams, "built": start,
    "executed": execute_text, "cexec": exec_image, "copen": open_flags, "dupes": duplicates,
    "goargv": after_context, "goget": new_request,
    "gohome": home_folder, "gocopy": copy_between, "swiftpath": swift_path, "rparse": text_argument,
    "rsource": source_file, "rpaste": paste_texts, "juliaread": read_path_or_command,
    "juliawrite": write_path_or_stream, "installs": installs, "unknown": nobody_knows,
    "lispcall": lisp_process(0), "lispstart": lisp_process(2), "lispmake": lisp_process(1),
}  # fmt: skip
