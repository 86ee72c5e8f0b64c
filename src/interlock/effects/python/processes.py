"""Processes: commands that a program starts, copies of itself, and what it kills."""

from __future__ import annotations

from interlock.effects.python.call import PyCall
from interlock.effects.python.clients import judge_by_name
from interlock.effects.python.language import set_variables
from interlock.effects.python.values import (
    UNKNOWN,
    BoundAttribute,
    KnownObject,
    PyValue,
    from_flow,
    is_text,
    labels_of,
    text_of,
    unknown_from,
)
from interlock.model.effect import EscalatesPrivilege, KillsProcess
from interlock.shell.value import HOLE, NOTHING

SHELLS = frozenset("sh bash zsh dash ksh ash cmd.exe cmd powershell powershell.exe pwsh".split())


def _shell(call: PyCall) -> PyValue | None:
    """``os.system(text)`` and its like."""
    text = call.argument(0, "cmd", "command", "args")
    if text is None:
        return None
    note_shell(call, text_of(text).split())
    return _result(call, call.shell(text))


def _popen(call: PyCall) -> PyValue | None:
    text = call.argument(0, "cmd", "command")
    if text is None:
        return None
    out = call.shell(text)
    return PyValue(KnownObject("file", {"contents": out}), out.labels)


def _process(call: PyCall) -> PyValue | None:
    """``subprocess.run(args, shell=False, cwd=None, input=None, stdin=None)``."""
    arguments = call.argument(0, "args", "popenargs", "command")
    if arguments is None:
        return None
    _note_joined(call)
    run = call.run
    _with_variables(call)
    held = run.cwd
    folder = call.keywords.get("cwd")
    if folder is not None and folder.value is not None:
        text = text_of(folder)
        run.cwd = run.context.normal(text, held) if HOLE not in text else None
    try:
        out = _start(call, arguments)
    finally:
        run.cwd = held
    return _result(call, out)


def _start(call: PyCall, arguments: PyValue) -> PyValue:
    stdin = call.keywords.get("input") or (
        call.keywords.get("stdin")
        if isinstance(getattr(call.keywords.get("stdin"), "value", None), KnownObject)
        else None
    )
    shell = call.keywords.get("shell")
    by_shell = shell is not None and shell.value not in (False, 0, None)
    words = arguments.value
    if isinstance(words, list):
        note_shell(call, [text_of(word) for word in words])
        if by_shell and words:
            return call.shell(words[0], stdin)
        return call.command(words, stdin)
    note_shell(call, text_of(arguments).split())
    if is_text(words) or isinstance(words, KnownObject):
        return (
            call.shell(arguments, stdin)
            if by_shell or " " in text_of(arguments) or HOLE in text_of(arguments)
            else call.command([arguments], stdin)
        )
    return call.shell(arguments, stdin)


def _result(call: PyCall, out: PyValue) -> PyValue | None:
    """What the caller gets: text from ``check_output`` and ``getoutput``, else a process."""
    if call.method in ("check_output", "getoutput"):
        return out
    if call.method == "getstatusoutput":
        return PyValue([PyValue(0), out])
    if call.method in ("system", "call", "check_call"):
        return PyValue(UNKNOWN, out.labels)
    return PyValue(KnownObject("process", {"stdout": out, "output": out}), out.labels)


def _with_variables(call: PyCall) -> None:
    """``env=``: what the started program has in its environment."""
    given = call.keywords.get("env")
    if given is not None and isinstance(given.value, dict):
        set_variables(call, {str(name): value for name, value in given.value.items()})


def _words(call: PyCall) -> PyValue | None:
    """``asyncio.create_subprocess_exec(*words)``, ``os.execl(path, name, ..)``."""
    words = list(call.arguments)
    if call.method.startswith("spawn") and call.name.startswith("os."):
        words = words[1:]
    if call.method.startswith(("exec", "spawn", "posix_spawn")) and call.name.startswith("os."):
        words = _image(
            words,
            environment=call.method.rstrip("p").endswith("e"),
            listed="v" in call.method or "posix" in call.method,
        )
    note_shell(call, [text_of(word) for word in words])
    return _result(call, call.command(words))


def _image(words: list[PyValue], *, environment: bool, listed: bool) -> list[PyValue]:
    """Return the command of ``execv(path, [name, ..])`` or ``execl(path, name, ..)``: the name it
    is told is no argument.
    """
    if not words:
        return words
    if listed:
        inner = words[1].value if len(words) > 1 else None
        return [words[0], *(inner[1:] if isinstance(inner, list) else [unknown_from(words[1:])])]
    return [words[0], *words[2 : len(words) - environment if environment else None]]


def note_shell(call: PyCall, words: list[str]) -> None:
    """A shell without a command is what a reverse shell starts."""
    name = words[0].rpartition("/")[2] if words else ""
    if name in SHELLS and all(
        word in ("-i", "-l", "-p", "--noprofile", "--norc", "-") for word in words[1:]
    ):
        call.program.marks.add("shell")


def _note_joined(call: PyCall) -> None:
    for name in ("stdin", "stdout"):
        thing = call.keywords.get(name)
        if thing is not None and "socket" in labels_of([thing]):
            call.program.marks.add("joined")


def _pty(call: PyCall) -> PyValue | None:
    first = call.argument(0, "argv")
    if first is None:
        return None
    words = first.value if isinstance(first.value, list) else [first]
    note_shell(call, [text_of(word) for word in words])
    if "shell" in call.program.marks:
        call.program.marks.add("pty")
    return call.command(words)


def _dup2(call: PyCall) -> PyValue | None:
    second = call.argument(1, "fd2")
    if second is None or not isinstance(second.value, int) or second.value in (0, 1, 2):
        call.program.marks.add("dup2")
    return None


def _fork(call: PyCall) -> PyValue | None:
    if call.program.in_endless_loop():
        call.program.exhausts(call.name, call.node)
    return PyValue(UNKNOWN)


def _child(call: PyCall) -> PyValue | None:
    """``multiprocessing.Process(..)`` or a thread: started without end it exhausts the machine."""
    _fork(call)
    return PyValue(KnownObject("process"))


def _kill(call: PyCall) -> PyValue | None:
    """``os.kill(pid, signal)``; signal 0 only asks."""
    pid, signal = call.argument(0, "pid"), call.argument(1, "sig", "signal")
    if pid is None or (signal is not None and signal.value == 0 and signal.value is not False):
        return None
    from interlock.effects.python.call import idle

    if idle(pid):
        return None
    number = pid.value
    traits = "by-pid"
    if number == 1:
        traits = "init"
    elif number == -1:
        traits = "all"
    elif _own(pid):
        traits = "own"
    call.effect(KillsProcess, text_of(pid), traits)
    return None


def _own(pid: PyValue) -> bool:
    """Whether it is the number of a process that this program started, or its own."""
    if "own" in pid.labels:
        return True
    return (
        isinstance(pid.value, BoundAttribute)
        and pid.value.attribute == "pid"
        and isinstance(pid.value.thing.value, KnownObject)
        and pid.value.thing.value.kind == "process"
    )


def _self(call: PyCall) -> PyValue:
    del call
    return PyValue(UNKNOWN, frozenset({"own"}))


def _stop(call: PyCall) -> PyValue | None:
    """``process.kill()``: a process of the machine (psutil) is not the program's own."""
    if call.owner is not None and "processes" in call.owner.labels:
        call.effect(KillsProcess, "", "by-name")
        return None
    return judge_by_name(call)  # what a client gives is terminated elsewhere


def _processes(call: PyCall) -> PyValue:
    own = call.name == "psutil.Process" and (
        not call.arguments or "own" in call.arguments[0].labels
    )
    return PyValue(UNKNOWN, frozenset() if own else frozenset({"processes"}))


def _communicate(call: PyCall) -> PyValue | None:
    out = call.field("stdout") or PyValue(UNKNOWN)
    return PyValue([out, PyValue(UNKNOWN, out.labels)])


def _split(call: PyCall) -> PyValue | None:
    """``shlex.split(text)``: the words of a command, read by whoever runs them."""
    return call.argument(0, "s")


def _pip(call: PyCall) -> PyValue | None:
    words = call.argument(0, "args")
    return (
        call.command([PyValue("pip"), *words.value])
        if words is not None and isinstance(words.value, list)
        else None
    )


def _get_output(call: PyCall) -> PyValue | None:
    """``c.run(text)`` of fabric and invoke, ``get_ipython().system(text)``."""
    text = call.argument(0, "command")
    return _result(call, call.shell(text)) if text is not None and is_text(text.value) else None


def _remote(call: PyCall) -> PyValue | None:
    """``client.exec_command(text)``: the text runs on another machine."""
    text = call.argument(0, "command")
    if text is None or not is_text(text.value):
        return None
    host = call.field("host")
    context = call.run.context
    held, context.where = (
        context.where,
        f"remote {text_of(host) if host is not None else ''}".strip().replace(HOLE, "?"),
    )
    try:
        out = call.shell(text)
    finally:
        context.where = held
    return PyValue(
        [PyValue(UNKNOWN), PyValue(KnownObject("file", {"contents": out})), PyValue(UNKNOWN)]
    )


def _native_system(call: PyCall) -> PyValue | None:
    text = call.argument(0)
    return _result(call, call.shell(text)) if text is not None else None


def _escalate(call: PyCall) -> PyValue | None:
    call.effect(EscalatesPrivilege, call.name)
    return None


def _first(call: PyCall) -> PyValue | None:
    return call.argument(0)


def _nothing(call: PyCall) -> PyValue:
    del call
    return from_flow(NOTHING)


_EXEC = tuple(
    (
        "execv execve execvp execvpe execl execle execlp execlpe spawnv spawnve spawnvp"
        " spawnvpe spawnl spawnle spawnlp spawnlpe posix_spawn posix_spawnp"
    ).split()
)


def _django_command(call: PyCall) -> PyValue | None:
    """``call_command("flush", ..)`` is ``manage.py flush``."""
    words = [thing for thing in call.arguments if is_text(thing.value)]
    return call.command([PyValue("manage.py"), *words]) if words else None
