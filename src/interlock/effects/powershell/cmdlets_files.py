"""Cmdlets that work with files and folders (Microsoft.PowerShell.Management, .Utility, .Archive)"""

from __future__ import annotations

from interlock.effects.powershell import psdrives
from interlock.effects.powershell.cmdlet import Cmdlet
from interlock.effects.powershell.values import NULL, PsValue, derive, from_flow, make_list, unknown
from interlock.effects.programs.sending import read_labels
from interlock.effects.unending import EVERY_VARIABLE
from interlock.model.effect import ChangesMode, Deletes, Reads, Writes
from interlock.shell.value import HOLE, Flow, Value, join_flows


def _remove(run: Cmdlet) -> None:
    """``Remove-Item``: by name, by pattern, or what comes through the pipe."""
    piped = not ("path" in run.named or "literalpath" in run.named)
    names = run.paths("path", "literalpath")
    if not names:
        run.path(Deletes, Value(HOLE, why="output"), "recursive")
    for value in _apply_filters(run, names):
        run.path(
            Deletes,
            value,
            *(["found"] if piped and run.input is not NULL and "**/" in value.text else []),
        )


def _apply_filters(run: Cmdlet, values: list[Value]) -> list[Value]:
    """Return the paths with ``-Include`` and ``-Filter`` put behind them, as patterns."""
    marks = [one.text for name in ("include", "filter") for one in (run.thing(name) or NULL).each()]
    if not marks:
        return values
    deep = "**/" if run.on("recurse") else ""
    found = []
    for value in values:
        folder = value.text.removesuffix("/*").rstrip("/") or value.text
        found += [
            Value(f"{folder}/{deep}{mark}", value.start, value.end, value.why, pattern=True)
            for mark in marks
        ]
    return found


def _list(run: Cmdlet) -> PsValue:
    """``Get-ChildItem``: what it puts out stands for the files it finds."""
    names = run.paths("path", "literalpath") or [Value(".")]
    found: list[Value] = []
    labels = {"file", "output"}
    deep = "**/" if run.on("recurse", "depth") or run.thing("depth") is not None else ""
    marks = [
        one.text for name in ("include", "filter") for one in (run.thing(name) or NULL).each()
    ] or ["*"]
    for value in names:
        effect = run.path(Reads, value, "listed")
        if value.text.lower().startswith("env:"):
            labels.update(("environment", EVERY_VARIABLE))
        elif value.pattern and not deep and marks == ["*"]:
            found.append(value)
        else:
            folder = "/" if value.text == "/" else value.text.removesuffix("/*").rstrip("/")
            found += [
                Value(f"{folder}/{deep}{mark}", value.start, value.end, value.why, pattern=True)
                for mark in marks
            ]
        if effect.place is not None and "secret" in effect.place.natures:
            labels.add("listed")
    thing = unknown(*labels)
    thing.paths = found
    return thing


def _item(run: Cmdlet) -> PsValue:
    """``Get-Item``, ``Resolve-Path``...: it looks at what a path names, not into it."""
    values = run.paths("path", "literalpath")
    for value in values:
        run.path(Reads, value, "listed")
    thing = unknown("file")
    thing.paths = values
    if (
        len(values) == 1
        and values[0].known
        and run.name in ("resolve-path", "convert-path", "get-item")
    ):
        thing.text = values[0].text
    return thing


def _content(run: Cmdlet) -> PsValue:
    """``Get-Content``: known where this call wrote it."""
    flows = []
    for value in run.paths("path", "literalpath"):
        flow = read_labels(run, value) if not psdrives.of(value.text) else run.contents(value)
        flows.append(
            Flow(
                flow.text,
                flow.labels
                | ({"environment"} if value.text.lower().startswith("env:") else frozenset()),
                flow.path,
            )
        )
    flow = join_flows(flows) if len(flows) != 1 else flows[0]
    thing = from_flow(flow)
    if run.on("raw") and flow.text is not None:
        thing = PsValue(flow.text, flow.labels)
    return thing


def _write(run: Cmdlet) -> PsValue:
    """``Set-Content``, ``Add-Content``, ``Out-File``, ``Tee-Object``: what is written is what was
    given, or came through the pipe.
    """
    content = run.thing("value", "inputobject") or run.input
    append = run.name == "add-content" or run.on("append")
    how = (
        ["append"]
        if append
        else ["truncate", "emptied"]
        if run.name == "clear-content"
        else ["redirect"]
    )
    for value in run.paths("path", "literalpath", "filepath"):
        secret = ["carries-secret"] if "secret" in content.labels else []
        run.writes_made(value, content.labels, *how, *secret)
        run.remember(value.text, content if not append else derive(HOLE, content))
    return content if run.name == "tee-object" else NULL


def _create(run: Cmdlet) -> PsValue:
    """``New-Item``: a file, a folder, a link."""
    kind = run.text("itemtype", "type").lower()
    name = run.thing("name")
    thing = NULL
    for folder in run.paths("path") or [Value(".")]:
        value = (
            folder
            if name is None
            else Value(
                f"{folder.text}/{name.text}", folder.start, folder.end, folder.why or name.why
            )
        )
        if kind in ("symboliclink", "junction", "hardlink"):
            target = (run.thing("value", "target") or NULL).text.replace("\\", "/")
            effect = run.path(Writes, value, "link")
            run.path(Reads, Value(target, why="output"), "linked")
            leads = run.context.normal(target, run.cwd) if HOLE not in target else None
            if leads is not None:
                run.context.links(effect.target, leads)
            continue
        text = run.thing("value")
        run.path(Writes, value, "redirect" if run.on("force") and kind == "file" else "create")
        if text is not None:
            run.remember(value.text, text)
        thing = derive(value.text)
        thing.paths = [value]
    return thing


def _copy(run: Cmdlet) -> None:
    """``Copy-Item``: the target is written with what the sources hold."""
    target = run.paths("destination") or [Value(".")]
    if run.thing("tosession") is not None:
        run.sends("", "upload", "carries-workspace", "unknown-host")
    for value in _apply_filters(run, run.paths("path", "literalpath")):
        effect = run.path(Reads, value, *(["recursive"] if run.on("recurse") else []))
        flow = run.contents(value)
        secret = [f"carries-{label}" for label in flow.labels & {"secret"}]
        written = run.path(Writes, target[0], "copied", *secret)
        if value.known:
            run.reader.carry(effect.target, written.target, flow)


def _move(run: Cmdlet) -> None:
    """``Move-Item``, ``Rename-Item``: the source is gone from its place."""
    target = run.paths("destination", "newname") or [Value(".")]
    for value in run.paths("path", "literalpath"):
        effect = run.path(Deletes, value, "moved", "recursive")
        where = target[0]
        if run.name == "rename-item" and "/" not in where.text:
            folder, slash, _ = value.text.rstrip("/").rpartition("/")
            where = Value(f"{folder}{slash}{where.text}", where.start, where.end, where.why)
        flow = run.contents(value)
        written = run.path(Writes, where, "moved-to")
        if value.known:
            run.reader.carry(effect.target, written.target, flow)


def _pack(run: Cmdlet) -> None:
    """``Compress-Archive``: the archive holds what was read."""
    labels: frozenset[str] = frozenset()
    for value in run.paths("path", "literalpath"):
        labels |= read_labels(run, value, "archived").labels
    for value in run.paths("destinationpath"):
        written = run.path(Writes, value, *(["carries-secret"] if "secret" in labels else []))
        run.reader.written[written.target] = Flow(None, labels)


def _unpack(run: Cmdlet) -> None:
    from interlock.effects.programs.sending import unpack

    labels: frozenset[str] = frozenset()
    archives = run.paths("path", "literalpath")
    for value in archives:
        run.path(Reads, value)
        labels |= run.contents(value).labels
    for value in run.paths("destinationpath") or [Value(".")]:
        unpack(run, archives[0] if len(archives) == 1 else None, value, labels)


def _search(run: Cmdlet) -> PsValue:
    for value in run.paths("path", "literalpath"):
        run.path(Reads, value)
    labels = frozenset().union(
        *[run.contents(value).labels for value in run.paths("path", "literalpath")], frozenset()
    )
    return unknown(*labels)


def _inspect(run: Cmdlet) -> PsValue:
    """``Test-Path``, ``Get-Acl``, ``Get-FileHash``: an answer about a file."""
    for value in run.paths("path", "literalpath"):
        run.path(Reads, value, "listed")
    return PsValue(HOLE, frozenset({"output"}), "bool")


def _join_path(run: Cmdlet) -> PsValue:
    """``Join-Path``."""
    words = [
        word
        for name in ("path", "childpath", "additionalchildpath")
        for word in (run.thing(name) or NULL).each()
    ]
    return derive("/".join([word.text.replace("\\", "/").rstrip("/") for word in words]), *words)


def _part(run: Cmdlet) -> PsValue:
    """``Split-Path``: the folder, or with ``-Leaf`` the name."""
    thing = run.thing("path", "literalpath") or NULL
    text = thing.text.replace("\\", "/").rstrip("/")
    folder, _, leaf = text.rpartition("/")
    return derive(
        leaf
        if run.on("leaf")
        else folder
        if not run.on("leafbase", "extension", "qualifier")
        else HOLE,
        thing,
    )


def _properties(run: Cmdlet) -> None:
    """``Set-ItemProperty FILE ..``: attributes of a file; in the registry a value."""
    for value in run.paths("path", "literalpath"):
        run.path(Writes, value, "create")


def _rights(run: Cmdlet) -> None:
    for value in run.paths("path", "literalpath"):
        run.path(ChangesMode, value, "owner")


def _export(run: Cmdlet) -> None:
    content = run.thing("inputobject") or run.input
    for value in run.paths("path", "literalpath", "outputpath"):
        run.path(
            Writes,
            value,
            "append" if run.on("append") else "redirect",
            *(["carries-secret"] if "secret" in content.labels else []),
        )
        run.remember(value.text, derive(HOLE, content))


def _import(run: Cmdlet) -> PsValue:
    values = run.paths("path", "literalpath")
    for value in values:
        run.path(Reads, value)
    return make_list([]) if not values else unknown(*run.all_contents(values).labels)


def _folder(run: Cmdlet) -> PsValue:
    """``mkdir``: a function around New-Item."""
    for value in run.paths("path"):
        run.path(Writes, value, "create")
    return run.thing("path") or NULL
