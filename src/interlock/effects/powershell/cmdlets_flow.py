"""Cmdlets that only pass on, filter, shape or show what they are given, and those that change
nothing but the session.
"""

from __future__ import annotations

from interlock.effects.powershell.cmdlet import Cmdlet
from interlock.effects.powershell.names import ALIASES
from interlock.effects.powershell.values import (
    NULL,
    TRUE,
    PsValue,
    derive,
    make_list,
    output,
    unknown,
)
from interlock.shell.value import HOLE, Value

MAX_ITEMS = 1024


def _pass_through(run: Cmdlet) -> PsValue:
    """What is given, or what comes through the pipe."""
    return run.thing("inputobject") or run.input


def _show(run: Cmdlet) -> PsValue:
    del run
    return NULL


def _for_each(run: Cmdlet) -> PsValue:
    """``ForEach-Object { .. }``: the block once for each thing known, else once for the unknown."""
    blocks = [
        one
        for name in ("begin", "process", "end", "parallel")
        for one in (run.thing(name) or NULL).each()
    ]
    name = run.text("membername") or next((one.text for one in blocks if one.block is None), "")
    things = (run.thing("inputobject") or run.input).each()
    session = run.session
    if len(things) > MAX_ITEMS:
        things = [derive(HOLE, *things)]
    if not any(one.block is not None for one in blocks):
        return _member_of_each(run, name, things)
    held, outputs = session.current, []
    try:
        for thing in things or [NULL]:
            session.current = thing
            outputs.extend([session.body(one.block) for one in blocks if one.block is not None])
            if session.full:
                break
    finally:
        session.current = held
    return output(outputs)


def _member_of_each(run: Cmdlet, name: str, things: list[PsValue]) -> PsValue:
    """``ForEach-Object Name``: a property, or a method that is called."""
    if run.node is None or not name:
        return derive(HOLE, *things)
    for thing in things:
        run.session.call(run.node, thing, name.lower(), list(run.extra))
    one = derive(HOLE, *things)
    one.paths = [path for thing in things for path in thing.paths]
    return one


def _filter(run: Cmdlet) -> PsValue:
    """``Where-Object { .. }``: some of what comes in."""
    block = run.thing("filterscript")
    session = run.session
    if block is not None and block.block is not None:
        held, session.current = session.current, run.input
        try:
            session.body(block.block)
        finally:
            session.current = held
    return some_of(run.input)


def some_of(thing: PsValue) -> PsValue:
    """Return a part of what a thing stands for: of all files of a folder, some."""
    one = derive(HOLE, thing)
    one.items = thing.items
    one.kind = thing.kind
    for path in thing.paths:
        text = path.text[:-2] + "/some*" if path.text.endswith("/*") else path.text
        one.paths.append(Value(text, path.start, path.end, path.why, path.pattern))
    return one


def _select(run: Cmdlet) -> PsValue:
    """``Select-Object -First 3 -ExpandProperty Name``."""
    thing = run.thing("inputobject") or run.input
    first, skip = (run.thing("first") or NULL).number(), (run.thing("skip") or NULL).number() or 0
    if (
        thing.items is not None
        and first is not None
        and thing.items
        and all(item.known for item in thing.items)
    ):
        return make_list(thing.items[skip : skip + first])
    if run.named and thing.items is None and not thing.fields:
        one = (
            some_of(thing)
            if "first" in run.named or "last" in run.named or "skip" in run.named
            else derive(HOLE, thing)
        )
        one.paths = one.paths or thing.paths
        return one
    return thing


def _sort(run: Cmdlet) -> PsValue:
    return run.thing("inputobject") or run.input


def _as_text(run: Cmdlet) -> PsValue:
    thing = run.thing("inputobject") or run.input
    text = "\n".join([one.text for one in thing.each()])
    return PsValue(text, thing.labels)


def _convert(run: Cmdlet) -> PsValue:
    """What is made of the input in another form; JSON stays as it is, as its parts are taken."""
    thing = run.thing("inputobject", "string", "securestring") or run.input
    one = derive(HOLE, thing)
    one.labels |= (
        frozenset().union(*[field.labels for field in thing.fields.values()])
        if thing.fields
        else frozenset()
    )
    return one


def _set_location(run: Cmdlet) -> None:
    """``cd``: relative paths hang on the new folder."""
    state = run.walker.state
    thing = run.thing("path", "literalpath")
    text = thing.text if thing is not None else "~"
    if run.name == "push-location":
        state.old_cwd = state.cwd
    if text == "-":
        state.cwd, state.old_cwd = state.old_cwd, state.cwd
        return
    if text == "~" or text.startswith(("~/", "~\\")):
        text = (run.context.home or HOLE) + text[1:]
    state.cwd = run.context.normal(text, state.cwd) if HOLE not in text else None


def _pop_location(run: Cmdlet) -> None:
    run.walker.state.cwd = run.walker.state.old_cwd


def _location(run: Cmdlet) -> PsValue:
    return PsValue(run.cwd) if run.cwd is not None else unknown("output")


def _set_variable(run: Cmdlet) -> None:
    value = run.thing("value") or run.input
    wide = "global:" if run.text("scope").lower() not in ("", "local", "0") else ""
    run.session.assign(wide + run.text("name").lower(), value)


def _get_variable(run: Cmdlet) -> PsValue:
    name = run.text("name").lower()
    return run.session.lookup(name) if name and "*" not in name else unknown("output")


def _set_alias(run: Cmdlet) -> None:
    value = run.text("value").lower()
    run.session.aliases[run.text("name").lower()] = value or HOLE


def _find_command(run: Cmdlet) -> PsValue:
    """``Get-Command``, ``Get-Alias``: a name is known, a pattern of names is not."""
    name = run.text("name").lower()
    if not name or "*" in name or "?" in name or HOLE in name:
        return unknown("output")
    return PsValue(ALIASES.get(name, name) if run.name == "get-alias" else name)


def _measure(run: Cmdlet) -> PsValue:
    thing = run.thing("expression")
    if thing is not None and thing.block is not None:
        run.session.body(thing.block)
    return unknown("output")


def _environment(run: Cmdlet) -> PsValue:
    del run
    return unknown("environment")


def _secure(run: Cmdlet) -> PsValue:
    return run.thing("string", "securestring") or run.input


def _truth(run: Cmdlet) -> PsValue:
    del run
    return TRUE


def _look(run: Cmdlet) -> PsValue:
    return unknown("output", *run.input.labels)
