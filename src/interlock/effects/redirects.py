"""Redirections to effects: files that the shell opens for a command, sockets that it connects, and
what goes through them.
"""

from __future__ import annotations

from interlock.effects.api import ShellReading
from interlock.effects.connecting import to_host
from interlock.effects.filenames import wherever
from interlock.effects.path_actions import PathAction
from interlock.effects.path_words import act_on
from interlock.effects.programs import table as programs
from interlock.effects.run import Run
from interlock.effects.unending import UNENDING, doubt_shown
from interlock.model.effect import (
    DEVICE,
    SINK,
    Connects,
    Effect,
    Exhausts,
    Kind,
    Persists,
    Reads,
    Span,
    Writes,
)
from interlock.shell.execution import Execution, Redirection
from interlock.shell.value import FILE, HOLE, NOTHING, SOCKETS, UNREAD, Flow, Value

_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh"})
MAX_WRAPPED = 64
"""Words of a command among which the shell is looked for that others start."""


def before(reader: ShellReading[Run], execution: Execution) -> None:
    """Add the files that are opened to read; standard input is what the last of them holds."""
    for redirect in execution.redirects:
        if redirect.operator in ("<", "<>") and not redirect.target.text.startswith("/dev/fd/"):
            _open_target(reader, execution, redirect, Reads, frozenset())
            if redirect.fd in ("", "0"):
                execution.stdin = reader.contents(redirect.target, execution.cwd)
        elif redirect.flow is not None and redirect.flow is execution.stdin:
            execution.stdin = _read_from(reader, execution, redirect.flow)


def _read_from(reader: ShellReading[Run], execution: Execution, flow: Flow) -> Flow:
    """Return what is read from a here-document or a descriptor: unknown pieces of a text carry what
    this call read to make them.
    """
    if flow.text is None and flow.path and not flow.path.startswith(SOCKETS):
        return reader.contents(Value(flow.path), execution.cwd)
    if flow.text is None or HOLE not in flow.text:
        return flow
    return Flow(flow.text, (flow.labels | reader.context.past.labels(reader.written)) - {FILE})


def after(reader: ShellReading[Run], execution: Execution, flow: Flow) -> Flow:
    """Add the files that are opened to write, and what is sent into sockets; return what is left
    for the next command.
    """
    printed = flow
    for redirect in execution.redirects:
        operator = redirect.operator
        _send_to_socket(reader, execution, redirect, flow)
        if not _writes(redirect):
            continue
        if redirect.target.text.startswith("/dev/fd/"):
            reader.written.add(redirect.target.text, flow)
        append = ">>" in operator
        traits = frozenset({"append"}) if append else frozenset()
        held = reader.contents(redirect.target, execution.cwd) if append else NOTHING
        effect = _open_target(reader, execution, redirect, Writes, traits)
        if (
            redirect.fd in ("", "1")
            and effect.place is not None
            and effect.place.location != DEVICE
        ):
            _doubt_stored(reader, effect, flow)
        if _starts_python(redirect.target.text, flow):
            reader.context.add(
                Persists,
                effect.target,
                place=effect.place,
                traits=frozenset({"startup"}),
                span=effect.span,
                by=effect.by,
            )
        if (
            redirect.fd in ("", "1")
            and effect.target
            and effect.place is not None
            and SINK not in effect.place.natures
        ):
            reader.written.add(effect.target, UNREAD if _stays(execution) else flow, held)
        elif redirect.fd and effect.target:
            reader.written.add(effect.target, UNREAD, held)
        if redirect.fd in ("", "1"):
            printed = NOTHING
    return printed


def _doubt_stored(reader: ShellReading[Run], effect: Effect, flow: Flow) -> None:
    """Add that a file is written without end: ``yes > file``, ``cat /dev/zero | tr .. > file``; and
    note that every variable is kept there.
    """
    doubt_shown(reader.context, flow)
    if UNENDING in flow.labels:
        reader.context.add(
            Exhausts,
            effect.target,
            span=effect.span,
            by=effect.by,
            certain=False,
            detail="writes without end",
        )


def _starts_python(path: str, flow: Flow) -> bool:
    """Whether a file is written that every start of Python runs: lines of ``*.pth`` that begin with
    ``import`` (Python's site module).
    """
    return (
        path.endswith(".pth")
        and flow.text is not None
        and any(line.startswith(("import ", "import\t")) for line in flow.text.split("\n"))
    )


def record_redirects(reader: ShellReading[Run], execution: Execution, flow: Flow) -> Flow:
    """Remember what a compound command or function prints into a file; return the rest."""
    printed = flow
    for redirect in execution.redirects:
        _send_to_socket(reader, execution, redirect, flow)
        if not _writes(redirect) or redirect.fd not in ("", "1"):
            continue
        doubt_shown(reader.context, flow)
        path = (
            None
            if redirect.target.hollow
            else reader.context.normal(redirect.target.text, execution.cwd)
        )
        if path is not None and path in reader.written:
            reader.written.add(
                path, flow, reader.written[path] if ">>" in redirect.operator else NOTHING
            )
        printed = NOTHING
    return printed


def _send_to_socket(
    reader: ShellReading[Run], execution: Execution, redirect: Redirection, flow: Flow
) -> None:
    """Add that what a command prints goes into a socket: one that it opens itself, or a descriptor
    that is joined to one.
    """
    path = redirect.flow.path if redirect.flow is not None else ""
    if (
        not path.startswith(SOCKETS)
        or redirect.operator[:1] == "<"
        or redirect.fd not in ("", "1")
        or flow is NOTHING
    ):
        return
    if _is_shell(execution) and redirect.operator == ">&":
        span = Span(execution.text, redirect.target.start, redirect.target.end)
        to_host(
            reader.context,
            Connects,
            _host(path),
            span,
            frozenset({"socket", "shell"}),
            execution.argv[0].text,
        )
        return
    if flow.text is not None and not flow.text.strip():
        return  # `echo > /dev/tcp/host/port` asks whether somebody listens
    from interlock.effects.programs.sending import flow_carries

    host = _host(path)
    unknown = {"unknown-host"} if HOLE in host or not host else set()
    by = execution.argv[0].text if execution.argv else "redirection"
    span = Span(execution.text, redirect.target.start, redirect.target.end)
    carries = flow_carries(flow)
    how = "post" if carries == {"inline-data"} else "upload"
    to_host(
        reader.context, programs.kind("sends"), host, span, frozenset({how, *carries, *unknown}), by
    )


def _host(path: str) -> str:
    return path.split("/")[3] if path.count("/") > 2 else ""


def _open_target(
    reader: ShellReading[Run],
    execution: Execution,
    redirect: Redirection,
    kind: Kind,
    traits: frozenset[str],
) -> Effect:
    context, target = reader.context, redirect.target
    span = Span(execution.text, target.start, target.end)
    name = execution.argv[0].text if execution.argv else ""
    if target.text.startswith(SOCKETS):
        joined = _is_shell(execution) and (
            name != "exec" or len(execution.argv) > 1 or redirect.fd in ("", "0", "1", "2")
        )
        return to_host(
            context,
            Connects,
            _host(target.text),
            span,
            frozenset({"socket", "shell" if joined else "get"}),
            name or "redirection",
        )
    act = PathAction(kind, span, traits | {"redirect"}, name)
    effect = act_on(context, act, target, execution.cwd)
    if kind is Writes:
        context.files.changed.add(effect.target)
        context.files.rewritten.add(effect.target)
        if "append" not in traits and target.known:
            context.makes(effect)
        if (
            execution.doubt is not None
            and target.text[:1] != "/"
            and effect.place is not None
            and SINK not in effect.place.natures
        ):
            context.possibly(
                lambda: act_on(context, act.having("if-cd-fails"), target, execution.doubt)
            )
        if execution.cwd is None:
            wherever(context, kind, target, (span, traits | {"redirect"}, name))
    return effect


def _writes(redirect: Redirection) -> bool:
    """Whether a redirection opens a file to write."""
    return redirect.operator not in ("<", "<<", "<<-", "<<<", "<&") and not _descriptor(redirect)


def _stays(execution: Execution) -> bool:
    """Whether the shell keeps the redirections (``exec > file``): later output goes there."""
    return len(execution.argv) == 1 and execution.argv[0].text == "exec"


def _descriptor(redirect: Redirection) -> bool:
    """Whether the target is a file descriptor (``2>&1``, ``>&-``)."""
    return (
        redirect.operator == ">&" and redirect.target.text.rstrip("-").isdigit()
    ) or redirect.target.text == "-"


def _is_shell(execution: Execution) -> bool:
    """Whether the command is a shell, or one that is started by others: ``setsid nohup bash``."""
    words = execution.argv[:MAX_WRAPPED]
    return bool(words) and (
        words[0].text == "exec" or any(word.text.rpartition("/")[2] in _SHELLS for word in words)
    )
