"""Actions on objects that are put together before they act: builders of processes, requests, and
the odd shapes of C, Go, R and Julia.
"""

from __future__ import annotations

from interlock.effects.foreign.actions import ACTIONS
from interlock.effects.foreign.exchange import Action, foundation
from interlock.effects.python.call import Call
from interlock.effects.python.files import opened
from interlock.effects.python.network import visit
from interlock.effects.python.values import (
    UNKNOWN,
    Function,
    Item,
    Name,
    Thing,
    is_text,
    labels_of,
    text_of,
    unknown_from,
)
from interlock.model.effect import Deletes, Installs
from interlock.shell.value import HOLE


def _builder(thing: Thing | None) -> dict[str, Thing] | None:
    base = foundation(thing)
    return (
        base.value.fields
        if base is not None and isinstance(base.value, Item) and base.value.kind == "builder"
        else None
    )


def new_builder(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``new ProcessBuilder("sh", "-c", text)``, ``Command::new("sh")``: a command that is not
    started yet.
    """
    del call, traits
    words = [
        inner
        for thing in things
        for inner in (thing.value if isinstance(thing.value, list) else [thing])
    ]
    return Thing(Item("builder", {"words": Thing(words)}), labels_of(words))


def add_word(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``.arg(x)``, ``.args([..])``."""
    del traits
    fields = _builder(call.owner)
    words = fields.get("words") if fields is not None else None
    if words is not None and isinstance(words.value, list):
        for thing in things[1:]:
            words.value.extend(thing.value if isinstance(thing.value, list) else [thing])
    return call.owner


def join_streams(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``.stdin(stream)``: a socket makes it a shell for the other end."""
    del traits
    if "socket" in labels_of(things[1:]):
        call.program.marks.add("joined")
    return call.owner


def start(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """The command of a builder is started. Swift gives its words as members."""
    del things, traits
    fields = _builder(call.owner)
    if fields is None:
        return None
    words = fields.get("words") or Thing([])
    first = fields.get("executableURL") or fields.get("launchPath")
    rest = fields.get("arguments")
    if first is not None:
        name = foundation(first)
        inner = (
            name.value.fields.get("url")
            if name is not None and isinstance(name.value, Item)
            else name
        )
        words = Thing(
            [
                inner or Thing(HOLE),
                *(rest.value if rest is not None and isinstance(rest.value, list) else []),
            ]
        )
    return ACTIONS["argv"](call, [words], ["process"])


def executed(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``"ls".execute()`` of Groovy, ``"ls".!`` of Scala; ``cursor.execute(sql)`` is something
    else.
    """
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


def exec_image(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``execl(path, name, arg, .., NULL)``: the name it is told is no argument."""
    words = [thing for thing in things if is_text(thing.value)]
    return ACTIONS["argv"](call, [*words[:1], *words[2:]], traits) if words else None


def open_flags(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``open(path, O_WRONLY | O_CREAT)``: flags are names."""
    del traits
    if not things:
        return None
    flags = repr(things[1].value) if len(things) > 1 else ""
    reads = len(things) < 2 or "RDONLY" in flags
    return opened(call, things[0], "r" if reads else "a")


def duplicates(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``dup2(socket, 0)``."""
    del things, traits
    call.program.marks.add("dup2")
    return None


def after_context(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``exec.CommandContext(ctx, name, ..)``."""
    return ACTIONS["argv"](call, things[1:], traits)


def new_request(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
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


def home_folder(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``os.UserHomeDir()`` gives the folder and an error."""
    del things, traits
    return Thing([Thing(call.run.context.home or HOLE), Thing(None)])


def copy_between(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``io.Copy(to, from)``."""
    del traits
    call.owner = things[1] if len(things) > 1 else None
    return ACTIONS["pipe"](call, things[:1], [])


def swift_path(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``removeItem(atPath: x)``, ``removeItem(at: url)``."""
    del traits
    given = next(
        (call.keywords[name] for name in ("atPath", "at") if name in call.keywords),
        things[0] if things else None,
    )
    inner = (
        given.value.fields.get("url")
        if given is not None and isinstance(given.value, Item)
        else given
    )
    if inner is not None:
        call.path(Deletes, inner, "recursive")
    return None


def parsed_text(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``parse(text = x)`` of R: code that ``eval`` runs."""
    del things, traits
    return call.keywords.get("text")


def sourced(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``source(path or URL)`` of R."""
    if things and text_of(things[0]).startswith(("http://", "https://")):
        call.run.unknown_code("network", "r")
        return None
    return ACTIONS["load"](call, things, traits)


def pasted(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``paste(a, b, sep = " ")``."""
    del traits
    glue = text_of(call.keywords.get("sep", Thing(" ")))
    return Thing(
        glue.join([text_of(thing) for thing in things]), labels_of(things), unknown_from(things).why
    )


def read_path_or_command(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``read("file", String)``, read(`command`, String) of Julia."""
    if things and is_text(things[0].value) and "command" not in things[0].labels:
        return ACTIONS["contents"](call, things[:1], traits)
    return things[0] if things else None


def write_path_or_stream(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``write("file", text)``, ``write(io, text)``."""
    return ACTIONS["store" if things and is_text(things[0].value) else "write"](
        call, things, traits
    )


def plain_object(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """An object of a kind; a builder of processes keeps its words."""
    return (
        new_builder(call, things, traits)
        if traits[:1] == ["builder"]
        else Thing(Item(traits[0], {"name": things[0]} if things else None), labels_of(things))
    )


def lisp_process(start: int) -> Action:
    """``(call-process program infile destination display word ..)``, ``(start-process name buffer
    program word ..)``.
    """

    def begin(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
        words = [things[0], *things[4:]] if start == 0 else things[start:]
        return ACTIONS["argv"](call, words, traits) if things else None

    return begin


def listed(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``array(a, b)``, ``c(a, b)``: a list."""
    del traits
    return Thing([*things, *call.keywords.values()], labels_of(things))


def system_property(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``System.getProperty("user.home")``."""
    del traits
    name = text_of(things[0]) if things else ""
    return (
        Thing(call.run.context.home or HOLE)
        if name == "user.home"
        else Thing("/tmp")
        if name == "java.io.tmpdir"
        else Thing(HOLE)
    )


def applied(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """``lapply(list, f)``, ``foreach(f, list)``: the function is called with each item."""
    del traits
    function = next((thing for thing in things if isinstance(thing.value, (Function, Name))), None)
    others = [thing for thing in things if thing is not function]
    if function is None or not others:
        return None
    items = others[0].value if isinstance(others[0].value, list) else others[:1]
    return Thing(
        [call.program.call(function, [item], {}, call.node) for item in items[:64]],
        labels_of(others),
    )


def installs(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
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
    return Thing(None)


def nobody_knows(call: Call, things: list[Thing], traits: list[str]) -> Thing | None:
    """Something of which nothing is known."""
    del call, traits
    return Thing(UNKNOWN, labels_of(things))


OBJECTS: dict[str, Action] = {
    "list": listed, "property": system_property, "apply": applied,
    "item": plain_object, "addword": add_word, "rustjoin": join_streams, "built": start,
    "executed": executed, "cexec": exec_image, "copen": open_flags, "dupes": duplicates,
    "goargv": after_context, "goget": new_request,
    "gohome": home_folder, "gocopy": copy_between, "swiftpath": swift_path, "rparse": parsed_text,
    "rsource": sourced, "rpaste": pasted, "juliaread": read_path_or_command,
    "juliawrite": write_path_or_stream, "installs": installs, "unknown": nobody_knows,
    "lispcall": lisp_process(0), "lispstart": lisp_process(2), "lispmake": lisp_process(1),
}  # fmt: skip
