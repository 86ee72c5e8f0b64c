"""Commands: what names mean, and how blocks, code, functions, cmdlets and programs are run."""

from __future__ import annotations

from interlock.effects import windows_programs
from interlock.effects.cmd import builtins
from interlock.effects.powershell import cmdlet_table
from interlock.effects.powershell.cmdlet import Cmdlet, CmdletShape, bind, path_words, roles
from interlock.effects.powershell.following import PowerShellInterpreter
from interlock.effects.powershell.names import ALIASES
from interlock.effects.powershell.tree import PsNode
from interlock.effects.powershell.values import GLOBS, NULL, TRUE, PsValue, from_flow, unknown
from interlock.effects.programs import table as programs
from interlock.effects.rows import ProgramRow
from interlock.effects.run import Run
from interlock.model.effect import SINK, RunsCode, Writes
from interlock.shell.execution import Execution
from interlock.shell.value import HOLE, Flow, Value

COMMAND = 12
"""What following a command costs, in steps of an expression."""


# -- one command -----------------------------------------------------------------------------------


def command(session: PowerShellInterpreter, node: PsNode, *, piped: bool) -> PsValue:
    """Follow one command; return what it puts out."""
    redirects = [part for part in node.parts if part.kind == "redirect"]
    words = [part for part in node.parts if part.kind != "redirect"]
    if not words:
        return NULL
    session.reader.steps -= COMMAND
    held = session.input
    if not piped:
        session.input = NULL
    try:
        thing = _dispatch(session, node, words)
    finally:
        session.input = held
    return apply_redirects(session, node, redirects, thing)


def apply_redirects(
    session: PowerShellInterpreter, node: PsNode, redirects: list[PsNode], thing: PsValue
) -> PsValue:
    """Add the files that output is written to; return what is left for the next command."""
    for redirect in redirects:
        session.reader.steps -= COMMAND
        if not redirect.parts or not session.spend(redirect):
            continue
        target = session.value(redirect.parts[0])
        if target is NULL:
            thing = NULL
            continue
        for value in path_words(target, literal=True):
            run = Run(
                session.reader,
                session.walker,
                _make_execution(session, [Value("redirection")], node),
                ProgramRow(),
                "redirection",
            )
            effect = run.path(
                Writes, value, "redirect", *(["append"] if redirect.name.startswith(">>") else [])
            )
            if redirect.name[-1:] in ("1", "*"):
                sink = effect.place is not None and SINK in effect.place.natures
                if effect.target and not sink:
                    session.reader.written[effect.target] = Flow(
                        thing.flow().text if redirect.name[:2] != ">>" else None, thing.labels
                    )
                thing = NULL
    return thing


def _make_execution(session: PowerShellInterpreter, argv: list[Value], node: PsNode) -> Execution:
    one = Execution(
        argv, node.start, max(node.end, node.start), session.walker.at.text, session.cwd
    )
    one.external = True
    return one


def _dispatch(session: PowerShellInterpreter, node: PsNode, words: list[PsNode]) -> PsValue:
    """Find out what the first word names: a block, code, a function, a cmdlet, a program."""
    first = session.value(words[0])
    if first.block is not None:
        arguments = [session.value(word) for word in words[1:] if word.kind != "parameter"]
        return (
            session.run_in_scope(first.block, arguments)
            if node.name != "."
            else session.body(first.block, arguments)
        )
    if first.kind == "code":
        return run_code(session, node, first)
    return invoke(session, node, first, words[1:], piped=session.input)


def invoke(
    session: PowerShellInterpreter,
    node: PsNode,
    first: PsValue,
    words: list[PsNode],
    *,
    piped: PsValue,
) -> PsValue:
    """Run the command that a text names."""
    name = first.text.strip().lower() if first.known else ""
    bare = (
        name.rpartition("\\")[2]
        if name.partition("\\")[0].startswith("microsoft.powershell")
        else name
    )
    for _ in range(4):
        bare = session.aliases.get(bare, bare)
    if bare in session.functions and node.name != ".":
        return _function(session, session.functions[bare], words)
    if node.name == "." and (bare.endswith(".ps1") or not bare):
        return _program(session, node, first, words)
    if bare:
        shape = _shape(session, bare, words)
        if shape is not None:
            return _cmdlet(session, node, shape, words, piped)
    return _program(session, node, PsValue(bare) if bare != name and bare else first, words)


def _shape(
    session: PowerShellInterpreter, bare: str, words: list[PsNode]
) -> tuple[str, CmdletShape] | None:
    """Return the cmdlet that a name or an alias means with these words; None for a program's."""
    full = ALIASES.get(bare, bare)
    shape = cmdlet_table.find(full)
    if shape is None or (full != bare and cmdlet_table.is_program(session, bare, shape, words)):
        return None
    return full, shape


def _function(session: PowerShellInterpreter, block: PsNode, words: list[PsNode]) -> PsValue:
    given: dict[str, PsValue] = {}
    arguments: list[PsValue] = []
    pending = ""
    declared = {one.name for part in block.parts if part.kind == "parameters" for one in part.parts}
    for word in words:
        if word.kind == "parameter":
            name = next(
                (one for one in declared if one.startswith(word.name[1:].lower())),
                word.name[1:].lower(),
            )
            pending = name
            given[name] = session.value(word.parts[0]) if word.parts else TRUE
            pending = "" if word.parts else name
            continue
        thing = session.value(word)
        if pending:
            given[pending], pending = thing, ""
        else:
            arguments.append(thing)
    held, session.current = (
        session.current,
        session.input if session.input is not NULL else session.current,
    )
    try:
        return session.run_in_scope(block, arguments, given)
    finally:
        session.current = held


# -- cmdlets ---------------------------------------------------------------------------------------


def _cmdlet(
    session: PowerShellInterpreter,
    node: PsNode,
    found: tuple[str, CmdletShape],
    words: list[PsNode],
    piped: PsValue,
) -> PsValue:
    name, shape = found
    session.reader.noted(
        [Value(name), *[Value(word.name.lower()) for word in words if word.kind == "parameter"]]
    )
    run = Cmdlet(
        session,
        _make_execution(session, [Value(name, node.start, node.start + len(name))], node),
        shape,
        name,
    )
    run.node = node
    bind(session, run, words)
    run.input = piped
    if shape.piped and shape.piped not in run.named and piped is not NULL:
        run.named[shape.piped] = piped
    if run.on("whatif", "wi"):
        return NULL
    for word in shape.effects.split():
        kind, _, traits = word.partition(":")
        run.effect(programs.kind(kind), name, *[trait for trait in traits.split(",") if trait])
    if not shape.runs:
        blocks(session, [*run.named.values(), *run.extra])
    if shape.act is not None:
        result = shape.act(run)
        return result if result is not None else NULL
    roles(run)
    return unknown(*shape.prints.split(), *run.input.labels) if shape.prints != "none" else NULL


def blocks(session: PowerShellInterpreter, things: list[PsValue]) -> None:
    """Follow every block that a command is given: nobody knows that it is not run."""
    for thing in things:
        if thing.block is not None:
            session.run_in_scope(thing.block)
        elif thing.items is not None or thing.fields:
            blocks(
                session,
                [
                    one
                    for one in (*(thing.items or ()), *thing.fields.values())
                    if one.block is not None or one.fields
                ],
            )


# -- programs --------------------------------------------------------------------------------------


def _program(
    session: PowerShellInterpreter, node: PsNode, first: PsValue, words: list[PsNode]
) -> PsValue:
    """Run a program by its words, as every shell would."""
    argv = first.values(literal=True)[:1] or [Value("")]
    for word in words:
        argv.extend(_arguments(session, word))
    return run_program(session, node, argv, session.input)


def run_program(
    session: PowerShellInterpreter, node: PsNode, argv: list[Value], piped: PsValue
) -> PsValue:
    """Run a program with these words and this input."""
    if not argv:
        return unknown("output")
    dotted = node.kind == "command" and node.name == "."
    word = windows_programs.program_word(session.context, argv[0])
    one = _make_execution(session, [word, *argv[1:]], node)
    one.prefix, session.set_for_programs = session.set_for_programs, []
    if piped is not NULL:
        one.stdin = piped.flow()
    if word.text.rpartition("/")[2] in ("cmd", "powershell", "pwsh", "bash", "sh"):
        session.joins_sockets()
    if dotted and word.text.lower().endswith(".ps1"):
        session.reader.noted(one.argv)
        run = Run(session.reader, session.walker, one, ProgramRow(), "powershell")
        run.script(word, "powershell", own=True)
        return unknown("output")
    if word.text in builtins.ACTS and any(value.text[:1] == "/" for value in argv[1:]):
        from interlock.effects.cmd.session import CmdSession as Cmd

        text = " ".join(
            [
                word.text,
                *[f'"{value.text}"' if " " in value.text else value.text for value in argv[1:]],
            ]
        )
        return from_flow(Cmd(session.reader, session.walker).read(text))
    return from_flow(windows_programs.run_program(session.reader, session.walker, one))


def _arguments(session: PowerShellInterpreter, word: PsNode) -> list[Value]:
    """Return what a program is given for a word."""
    if word.kind == "parameter":
        first = word.words[0] if word.words else word.name
        if not word.parts:
            return [Value(first, word.start, word.end)]
        value = session.value(word.parts[0])
        rest = [Value(one.text, word.start, word.end, one.why) for one in value.each()]
        if "joined" in word.words or (":" in first and not first.endswith(":")):
            text = "".join(
                [
                    first.partition(":")[0] + ":" if "colon" in word.words else first,
                    *[one.text for one in rest],
                ]
            )
            return [Value(text, word.start, word.end, value.why)]
        return [Value(first, word.start, word.end), *rest]
    thing = session.value(word)
    if thing.block is not None:
        blocks(session, [thing])
        return [Value(HOLE, word.start, word.end, "output")]
    if word.kind == "splat" and thing.fields:
        return [
            Value(text, word.start, word.end)
            for key, one in thing.fields.items()
            for text in (f"-{key}", one.text)
        ]
    found = [Value(one.text, word.start, word.end, one.why) for one in thing.each()] or [
        Value("", word.start, word.end)
    ]
    return [_expand_word(session, found[0]), *found[1:]] if _is_bare(word) else found


def _is_bare(word: PsNode) -> bool:
    return (
        word.kind == "word" and not word.name and bool(word.parts) and word.parts[0].kind == "text"
    )


def _expand_word(session: PowerShellInterpreter, value: Value) -> Value:
    """Return a word without quotes as a program is given it: ``~`` is the home, and on Unix
    wildcards are for PowerShell to fill in.

    Source: about_Wildcards and about_Experimental_Features (``PSNativeWindowsTildeExpansion``);
    before 7.5 ``~`` stayed as it is on Windows.
    """
    text = value.text
    if text == "~" or text.startswith(("~/", "~\\")):
        text = (session.context.home.replace("\\", "/") or HOLE) + text[1:]
    globs = session.context.call.platform != "windows" and not GLOBS.isdisjoint(text)
    return Value(text, value.start, value.end, value.why, globs)


def run_code(
    session: PowerShellInterpreter, node: PsNode, thing: PsValue, by: str = "invoke-expression"
) -> PsValue:
    """Run a text as code in this very session."""
    if thing.block is not None:
        return session.run_in_scope(thing.block)
    run = Run(
        session.reader,
        session.walker,
        _make_execution(session, [Value(by)], node),
        ProgramRow(),
        by,
    )
    flow = thing.flow()
    text = flow.text
    if "network" in thing.labels or not thing.known:
        session.joins_sockets()
    if text is None or not text.strip(HOLE + " \r\n\t") or "network" in flow.labels:
        session.reader.flow_as_code(
            run,
            Flow(None, flow.labels, flow.path)
            if text is None or text.strip(HOLE + " ") == ""
            else flow,
            "powershell",
        )
        return unknown("output")
    if "decoded" in flow.labels:
        run.effect(RunsCode, "", "decoded", detail="decoded text run as code")
    start, end = (thing.start, thing.end) if thing.end else (node.start, node.end)
    return session.read(text, start, end, by)
