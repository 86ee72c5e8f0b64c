"""Files: opened, written, copied, moved, their rights, and names of paths."""

from __future__ import annotations

from interlock.effects.programs.bringing import bring_trees
from interlock.effects.python.call import PyCall
from interlock.effects.python.values import (
    UNKNOWN,
    KnownObject,
    PyValue,
    from_flow,
    is_known,
    is_text,
    join_paths,
    labels_of,
    path_item,
    text_of,
    unknown_from,
)
from interlock.model.effect import ChangesMode, Deletes, Reads, Writes
from interlock.shell.value import HOLE, Flow

OWN_TEMP = "/tmp/tmp.own"
FOLDERS_ONLY = frozenset({"", "/usr", "/var", "/home", "/sys", "/proc", "/Users"})
"""Folders that hold no files of their own: what is written there is new, nothing is lost."""


def _open(call: PyCall) -> PyValue:
    """``open(path, mode)``: reads, or writes with the trait of what becomes of the old text."""
    name = call.argument(0, "file", "filename", "path")
    mode = text_of(call.argument(1, "mode") or PyValue("r"))
    return open_file(call, name if name is not None else PyValue(UNKNOWN), mode)


def _link(call: PyCall) -> PyValue | None:
    """``os.symlink(src, dst)``, ``os.link``: what is done to the link is done to its target."""
    source, link = call.argument(0, "src"), call.argument(1, "dst")
    if source is None or link is None:
        return None
    call.path(Reads, source, "linked")
    effect = call.path(Writes, link, "link")
    folder = (
        effect.target.rpartition("/")[0]
        if effect is not None and call.method == "symlink"
        else call.run.cwd
    )
    leads = (
        call.run.context.normal(text_of(source), folder) if HOLE not in text_of(source) else None
    )
    if effect is not None and leads is not None and HOLE not in effect.target:
        call.run.context.links(effect.target, leads)
    return None


def _path_open(call: PyCall) -> PyValue:
    return open_file(
        call, call.owner or PyValue(UNKNOWN), text_of(call.argument(0, "mode") or PyValue("r"))
    )


def open_file(call: PyCall, name: PyValue, mode: str) -> PyValue:
    """Return a file opened in a mode of C's ``fopen``."""
    if isinstance(name.value, int):
        return PyValue(KnownObject("file"))
    if not set(mode) & set("wax+" + HOLE):
        return reading(call, name)
    traits = (
        ["append"]
        if "a" in mode
        else ["create"]
        if "x" in mode
        else ["in-place"]
        if "+" in mode and "w" not in mode
        else ["truncate"]
    )
    text = text_of(name)
    if traits == ["truncate"] and text.startswith("/") and text.rpartition("/")[0] in FOLDERS_ONLY:
        traits = ["create"]
    effect = call.path(Writes, name, *traits)
    target = effect.target if effect is not None else ""
    if target and "a" not in mode:
        call.run.reader.written[target] = Flow("")
    return PyValue(
        KnownObject("file", {"path": name, "target": PyValue(target)}), name.labels & {"idle"}
    )


def reading(call: PyCall, name: PyValue) -> PyValue:
    """Return a file opened to be read; its field ``contents`` is what it holds."""
    call.path(Reads, name)
    flow = (
        call.run.contents(call.word(name))
        if HOLE not in text_of(name)
        else Flow(None, frozenset({"file"}))
    )
    made = from_flow(flow)
    if HOLE not in text_of(name) and flow.text is None:
        made = PyValue(HOLE, flow.labels | name.labels, "file", text_of(name))
    return PyValue(KnownObject("file", {"path": name, "contents": made}), made.labels)


def _contents(call: PyCall) -> PyValue | None:
    return call.field("contents")


def _read_path(call: PyCall) -> PyValue | None:
    made = open_file(call, call.owner or PyValue(UNKNOWN), "r")
    return made.value.fields.get("contents")  # type: ignore[attr-defined, no-any-return]


def _lines(call: PyCall) -> PyValue | None:
    contents = call.field("contents")
    if contents is None:
        return None
    if is_known(contents) and isinstance(contents.value, str):
        return PyValue(
            [PyValue(line, contents.labels) for line in contents.value.splitlines(keepends=True)]
        )
    return PyValue(UNKNOWN, contents.labels, contents.why)


def _write(call: PyCall) -> PyValue | None:
    target = call.field("target")
    if target is not None and call.arguments:
        data = call.arguments[0]
        if call.field("packs") is not None and data.path and HOLE not in data.path:
            call.path(Reads, PyValue(data.path), "archived")
        remember(call, text_of(target), data)
    return None


def _write_path(call: PyCall) -> PyValue | None:
    made = open_file(call, call.owner or PyValue(UNKNOWN), "w")
    target = text_of(made.value.fields.get("target", PyValue("")))  # type: ignore[attr-defined]
    if call.arguments:
        remember(call, target, call.arguments[0])
    return None


def remember(call: PyCall, target: str, data: PyValue) -> None:
    """Note what a file now holds, so that running or sending it later is judged by that."""
    if not target:
        return
    written = call.run.reader.written
    before = written.get(target)
    labels = labels_of([data]) - {"idle"}
    text = text_of(data) if is_text(data.value) and is_known(data) else None
    if before is not None:
        labels |= before.labels
        text = before.text + text if before.text is not None and text is not None else None
    written[target] = Flow(text, labels)


def _copy(call: PyCall) -> PyValue | None:
    source, target = call.argument(0, "src"), call.argument(1, "dst")
    if source is None or target is None:
        return None
    bring_trees(
        call.run, [call.word(source)], call.word(target), contents=call.name.endswith("tree")
    )
    call.path(Reads, source, "recursive")
    flow = call.run.contents(call.word(source))
    effect = call.path(
        Writes, target, "copied", *(["carries-secret"] if "secret" in flow.labels else [])
    )
    if effect is not None and effect.target:
        call.run.reader.written[effect.target] = flow
    return target


def _move(call: PyCall) -> PyValue | None:
    return _move_file(call, call.argument(0, "src"), call.argument(1, "dst"))


def _move_path(call: PyCall) -> PyValue | None:
    return _move_file(call, call.owner, call.argument(0, "target"))


def _move_file(call: PyCall, source: PyValue | None, target: PyValue | None) -> PyValue | None:
    if source is not None and target is not None:
        bring_trees(call.run, [call.word(source)], call.word(target))
    if source is not None:
        call.path(Deletes, source, "moved", *(["recursive"] if call.name == "shutil.move" else []))
    if target is not None:
        call.path(Writes, target, "moved-to")
    return target


def _mode(call: PyCall) -> PyValue | None:
    target = call.owner if call.owner is not None else call.argument(0, "path")
    mode = call.argument(0 if call.owner is not None else 1, "mode")
    bits = mode.value if mode is not None else None
    traits = []
    if isinstance(bits, int):
        traits = [
            name
            for name, set_ in (
                ("setuid", bits & 0o6000),
                ("world-writable", bits & 0o002),
                ("removes-access", bits == 0),
            )
            if set_
        ]
    if target is not None:
        call.path(ChangesMode, target, *traits)
    return None


def _unknown(call: PyCall) -> PyValue:
    return call.unknown()


def _answer(call: PyCall) -> PyValue:
    del call
    return PyValue(UNKNOWN)


def _fdopen(call: PyCall) -> PyValue:
    del call
    return PyValue(KnownObject("file"))


# -- names of paths --------------------------------------------------------------------------------


def _path(call: PyCall) -> PyValue:
    return join_paths(call.arguments) if call.arguments else path_item(".")


def _join(call: PyCall) -> PyValue:
    joined = join_paths(call.arguments)
    return (
        joined
        if "pattern" in joined.value.fields  # type: ignore[attr-defined]
        else PyValue(text_of(joined), joined.labels, joined.why)
    )


def _path_join(call: PyCall) -> PyValue:
    return join_paths([*([call.owner] if call.owner is not None else []), *call.arguments])


def _home(call: PyCall) -> PyValue:
    return path_item(call.run.context.home or HOLE)


def _folder(call: PyCall) -> PyValue:
    cwd = call.run.cwd
    return (
        path_item(cwd or HOLE)
        if "cwd" in call.name and "Path" in call.name
        else PyValue(cwd or HOLE, why="" if cwd else "argument")
    )


def _expand(call: PyCall) -> PyValue:
    thing = call.owner if call.owner is not None else call.argument(0, "path")
    text = call.run.context.at_home(text_of(thing)) if thing is not None else ""
    if call.owner is not None:
        return path_item(text, like=thing)
    return PyValue(text, thing.labels if thing else frozenset(), thing.why if thing else "")


def _itself(call: PyCall) -> PyValue | None:
    """``resolve``, ``absolute``, ``normpath``, ``str``: the same path."""
    return call.owner if call.owner is not None else call.argument(0, "path")


def _text(call: PyCall) -> PyValue:
    thing = call.owner or PyValue(UNKNOWN)
    return PyValue(text_of(thing), thing.labels, thing.why)


def _dirname(call: PyCall) -> PyValue:
    thing = call.argument(0, "p") or PyValue(UNKNOWN)
    folder, slash, _ = text_of(thing).rpartition("/")
    return PyValue(folder or slash, thing.labels, thing.why)


def _basename(call: PyCall) -> PyValue:
    thing = call.argument(0, "p") or PyValue(UNKNOWN)
    return PyValue(text_of(thing).rpartition("/")[2], thing.labels, thing.why)


def _split_path(call: PyCall) -> PyValue:
    thing = call.argument(0, "p") or PyValue(UNKNOWN)
    text = text_of(thing)
    if call.method == "split":
        head, _, tail = text.rpartition("/")
        return PyValue(
            [PyValue(head, thing.labels, thing.why), PyValue(tail, thing.labels, thing.why)]
        )
    stem, dot, ending = text.rpartition(".")
    return PyValue(
        [
            PyValue(stem if dot else text, thing.labels, thing.why),
            PyValue(dot + ending if dot else "", thing.labels),
        ]
    )


def _glob(call: PyCall) -> PyValue:
    """``glob``, ``rglob``, ``iterdir``: a path that the pattern stands for."""
    owner = call.owner
    pattern = call.text(0, "pattern", "pathname") if call.method != "iterdir" else "*"
    if call.method == "rglob" and "**/" not in pattern:
        pattern = f"**/{pattern}"
    base = (
        text_of(owner) if owner is not None else text_of(call.keywords.get("root_dir", PyValue("")))
    )
    text = f"{base.rstrip('/')}/{pattern}" if base and not pattern.startswith("/") else pattern
    return PyValue(
        [path_item(text, like=unknown_from([owner] if owner else call.arguments), pattern=True)]
    )


def _walk(call: PyCall) -> PyValue:
    """``os.walk(top)``: the folder itself, and names in it."""
    top = call.argument(0, "top") or call.owner or PyValue(".")
    names = PyValue([PyValue(HOLE, why="output")])
    return PyValue([PyValue([PyValue(text_of(top), top.labels, top.why), names, names])])


def _change_name(call: PyCall) -> PyValue:
    owner = call.owner or PyValue(UNKNOWN)
    folder, slash, name = text_of(owner).rpartition("/")
    new = call.text(0)
    return path_item(
        folder + slash + (new if call.method == "with_name" else name.rpartition(".")[0] + new),
        like=owner,
    )


def _temporary(call: PyCall) -> PyValue:
    """A fresh path of the program's own: what is deleted there was made here."""
    call.run.context.files.made.add(OWN_TEMP)
    kind = call.method
    folder = call.keywords.get("dir")
    if folder is not None and folder.value is not None and kind != "gettempdir":
        call.path(Writes, folder, "create")
    if kind == "mkstemp":
        return PyValue([PyValue(3), PyValue(OWN_TEMP)])
    if kind in ("mkdtemp", "mktemp", "TemporaryDirectory"):
        return PyValue(OWN_TEMP)
    if kind == "gettempdir":
        return PyValue("/tmp")
    return PyValue(
        KnownObject("file", dict.fromkeys(("path", "name", "target"), PyValue(OWN_TEMP)))
    )


def _chdir(call: PyCall) -> PyValue | None:
    target = call.argument(0, "path")
    text = text_of(target) if target is not None else HOLE
    call.run.cwd = call.run.context.normal(text, call.run.cwd) if HOLE not in text else None
    return None


def _extract(call: PyCall) -> PyValue | None:
    where = call.argument(0, "path")
    if where is not None and call.method == "extractall":
        call.path(Writes, where, "extracted")
    return None


def _low_open(call: PyCall) -> PyValue | None:
    """``os.open(path, flags)``: flags are names of ``os``; any of the writing ones writes."""
    name = call.argument(0, "path")
    flags = call.argument(1, "flags")
    if name is not None:
        writes = flags is not None and not (isinstance(flags.value, int) and flags.value & 3 == 0)
        call.path(
            Writes if writes and "RDONLY" not in repr(flags.value if flags else "") else Reads,
            name,
            *(["append"] if writes else []),
        )
    return PyValue(3)


def _copy_path(call: PyCall) -> PyValue | None:
    call.arguments.insert(0, call.owner or PyValue(UNKNOWN))
    return _copy(call)


def _copy_objects(call: PyCall) -> PyValue | None:
    source, target = call.argument(0, "fsrc"), call.argument(1, "fdst")
    if source is not None and target is not None and isinstance(target.value, KnownObject):
        origin = source.value.fields.get("path") if isinstance(source.value, KnownObject) else None
        if "packs" in target.value.fields and origin is not None and HOLE not in text_of(origin):
            call.path(Reads, origin, "archived")
        remember(
            call,
            text_of(target.value.fields.get("target", PyValue(""))),
            PyValue(UNKNOWN, labels_of([source])),
        )
    return None


def _dump(call: PyCall) -> PyValue | None:
    data, target = call.argument(0), call.argument(1, "fp", "stream", "file")
    if data is not None and target is not None and isinstance(target.value, KnownObject):
        remember(
            call,
            text_of(target.value.fields.get("target", PyValue(""))),
            PyValue(UNKNOWN, labels_of([data])),
        )
    return None


def _load(call: PyCall) -> PyValue | None:
    first = call.argument(0)
    return PyValue(UNKNOWN, labels_of([first]), "file") if first is not None else None


def _expand_variables(call: PyCall) -> PyValue:
    thing = call.argument(0, "path") or PyValue(UNKNOWN)
    text = text_of(thing)
    for name in ("${HOME}", "$HOME"):
        text = text.replace(name, call.run.context.home or HOLE)
    return PyValue(HOLE if "$" in text else text, thing.labels, thing.why)
