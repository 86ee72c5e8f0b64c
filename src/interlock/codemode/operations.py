"""Operations of running programs, as effects: one row each, so that a program and a tool call are
judged by the same rules.
"""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv6Address

from interlock.codemode.permissions import LOOPBACK, NATIVE, OF_GUARD, STARTED
from interlock.effects import places, registry
from interlock.effects.connecting import to_host
from interlock.effects.context import CallContext
from interlock.effects.path_actions import PathAction
from interlock.effects.path_words import act_on
from interlock.effects.read import read
from interlock.model.call import SHELL, ToolCall
from interlock.model.effect import (
    GUESSED,
    ChangesMode,
    Connects,
    Deletes,
    Effect,
    Executes,
    KillsProcess,
    Kind,
    Listens,
    Reads,
    Writes,
)
from interlock.model.facts import Facts
from interlock.model.record import Record
from interlock.shell.value import Value

Meaning = Callable[[CallContext, "Operation"], None]


OWN_FOLDERS = (".local/state/interlock", ".config/interlock")
"""Below the home folder, what belongs to the guard: its record, its policy, what it keeps."""


class Operation(Record):
    """One thing that a running program wants to do: ``write``, ``/srv/x``; where in its source; the
    function that does it.
    """

    name: str
    arguments: tuple[str, ...]
    where: str = ""
    by: str = ""

    @property
    def argument(self) -> str:
        """What it is done to, in one line for people."""
        return " ".join(self.arguments[:4])[:400]


class UnknownOperationError(ValueError):
    """There is no such operation, or it lacks an argument."""


PATHS: dict[str, tuple[tuple[Kind, tuple[str, ...]], ...]] = {
    "read": ((Reads, ()),),
    "list": ((Reads, ("listed",)),),
    "stat": ((Reads, ("listed",)),),
    "write": ((Writes, ()),),
    "append": ((Writes, ("append",)),),
    "update": ((Reads, ()), (Writes, ("append",))),
    "create": ((Writes, ("create",)),),
    "mkdir": ((Writes, ("create",)),),
    "truncate": ((Writes, ()),),
    "delete": ((Deletes, ()),),
    "rmdir": ((Deletes, ()),),
    "rmtree": ((Deletes, ("recursive",)),),
    "chown": ((ChangesMode, ("owner",)),),
    "utime": ((ChangesMode, ("times",)),),
    "rename": ((Deletes, ("moved",)), (Writes, ("moved-to",))),
    "link": ((Writes, ("link",)), (Writes, ("link",))),
}
"""Operations on paths: what each of their arguments is done to; one argument where one row is for
both effects (``update``).
"""
SINGLE = frozenset({"update"})
ITSELF = frozenset({"delete", "rmdir", "rename"})
"""Operations on what bears a name, a link itself, not where it leads (unlink(2), rename(2))."""


def effects(operation: Operation, call: ToolCall, facts: Facts) -> tuple[Effect, ...]:
    """Return what an operation does; raises ``UnknownOperationError``."""
    context = CallContext(call, facts, registry)
    meaning = MEANINGS.get(operation.name, _path)
    try:
        meaning(context, operation)
    except (KeyError, IndexError, ValueError) as error:
        raise UnknownOperationError(
            f"there is no operation {operation.name!r} with {len(operation.arguments)} arguments"
        ) from error
    return tuple([_of_guard(effect, context.home) for effect in context.found().effects])


def _of_guard(effect: Effect, home: str) -> Effect:
    """Return an effect with the trait that it is on the guard's own files, where it is."""
    place = effect.place
    if place is None or not home:
        return effect
    own = tuple([f"{home}/{folder}" for folder in OWN_FOLDERS])
    at = f"{place.real or effect.target}/"
    return (
        effect.replace(traits=effect.traits | {OF_GUARD})
        if at.startswith(tuple([f"{folder}/" for folder in own]))
        else effect
    )


def _path(context: CallContext, operation: Operation) -> None:
    rows, arguments = PATHS[operation.name], operation.arguments
    for number, (kind, traits) in enumerate(rows):
        path = arguments[0 if operation.name in SINGLE else number]
        if not path.startswith("/"):
            raise ValueError("a path is absolute")
        if operation.name in ITSELF:
            _itself(context, kind, path, frozenset(traits), operation.by)
        else:
            made = {"made-here"} if kind is Deletes and context.facts.made(path) else set()
            by = operation.by or operation.name
            _act_on_path(context, PathAction(kind, None, frozenset({*traits, *made}), by), path)


def _act_on_path(context: CallContext, act: PathAction, path: str) -> None:
    act_on(context, act, Value(path), None)


def _itself(context: CallContext, kind: Kind, path: str, traits: frozenset[str], by: str) -> None:
    """Add an effect on a name in a folder; the folder is where it really is."""
    folder, _, name = (context.normal(path, None) or path).rpartition("/")
    real = context.facts.real(folder or "/")
    if not isinstance(real, str):
        _act_on_path(context, PathAction(kind, None, traits, by), path)
        return
    target = f"{real.rstrip('/')}/{name}"
    place = places.classify(target, context.call.roots, context.home, context.temps)
    here = context.files.is_made(target) or context.facts.made(target)
    made = frozenset({"made-here"}) if here else frozenset()
    context.add(kind, target, place=place, traits=traits | made, by=by)


def _symlink(context: CallContext, operation: Operation) -> None:
    """A link itself does nothing: whoever goes through it is judged by where it leads."""
    act = PathAction(Writes, None, frozenset({"link"}), operation.by)
    _act_on_path(context, act, operation.arguments[1])


def _chmod(context: CallContext, operation: Operation) -> None:
    bits = int(operation.arguments[1])
    traits = [
        name
        for name, is_set in (
            ("setuid", bits & 0o6000),
            ("world-writable", bits & 0o002),
            ("removes-access", bits == 0),
        )
        if is_set
    ]
    act = PathAction(ChangesMode, None, frozenset(traits), operation.by)
    _act_on_path(context, act, operation.arguments[0])


def _exec(context: CallContext, operation: Operation) -> None:
    """A program that is started does what its command line says, besides being another program."""
    folder, path, *argv = (
        operation.arguments if operation.name == "exec-in" else ("", *operation.arguments)
    )
    name = path.rpartition("/")[2] if not context.workspace(path) else path
    context.add(Executes, name, traits=frozenset({STARTED}), by=operation.by)
    call = context.call.replace(
        tool=SHELL,
        name="exec",
        input={"command": [path, *argv[1:]]},
        cwd=folder or context.call.cwd,
    )
    for effect in read(call, context.facts).effects:
        context.add(
            effect.kind,
            effect.target,
            **{field: getattr(effect, field) for field in Effect.fields[2:] if field != "span"},
        )


def _shell(context: CallContext, operation: Operation) -> None:
    """A line for the shell is the shell, and what the line says."""
    context.add(Executes, "sh", traits=frozenset({STARTED}), by=operation.by)
    call = context.call.replace(tool=SHELL, name="exec", input={"command": operation.arguments[0]})
    for effect in read(call, context.facts).effects:
        context.add(
            effect.kind,
            effect.target,
            **{field: getattr(effect, field) for field in Effect.fields[2:] if field != "span"},
        )


OF_SHELLS = frozenset(
    {GUESSED}.union(
        ". : [ bg cd command echo eval exec exit export false fg getopts hash jobs kill printf pwd"
        " read return set shift source test time trap true type ulimit umask unset wait".split()
    )
)
"""What a shell does itself, though many of these are programs too (builtins(1))."""


def inner(operation: Operation, call: ToolCall, facts: Facts) -> tuple[str, ...]:
    """Return names of programs that a program is told to start: those of a line of shell."""
    words = operation.arguments[operation.name == "exec-in" :]
    text = words[0] if operation.name == "shell" else words[-1]
    if operation.name != "shell" and not (len(words) > 3 and words[-2] == "-c"):
        return ()
    line = call.replace(tool=SHELL, name="exec", input={"command": text})
    names = [words[0] for words in read(line, facts).commands if words]
    return tuple(dict.fromkeys([one for one in names if one and one not in OF_SHELLS]))


def _host(context: CallContext, operation: Operation) -> None:
    arguments = operation.arguments
    host = arguments[1] if operation.name == "connect" else arguments[0]
    to_host(
        context,
        Connects,
        host.lower().rstrip("."),
        None,
        frozenset({"lookup"} if operation.name == "resolve" else ()),
        operation.by,
    )


def _bind(context: CallContext, operation: Operation) -> None:
    host, port = operation.arguments[-2:]
    found = _address(host)
    anyones = host in ("", "0.0.0.0") or (  # noqa: S104 - a name to compare
        found is not None and (found.ipv4_mapped or found).is_unspecified
    )
    trait = "public" if anyones else LOOPBACK if is_loopback(host) else ""
    context.add(Listens, port, traits=frozenset({trait} if trait else ()), by=operation.by)


def _address(host: str) -> IPv6Address | None:
    """Return an address of IPv6, however it is written; None for what is none."""
    try:
        return IPv6Address(host.partition("%")[0]) if ":" in host else None
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine itself, by name or address."""
    parts = host.split(".")
    if ":" in host:
        found = _address(host)
        return found is not None and (found.ipv4_mapped or found).is_loopback
    return host == "localhost" or (
        len(parts) == 4 and parts[0] == "127" and all(part.isdigit() for part in parts)
    )


def _kill(context: CallContext, operation: Operation) -> None:
    """Signal 0 only asks whether a process is there (kill(2))."""
    pid, number = operation.arguments[:2]
    trait = "init" if pid == "1" else "all" if pid == "-1" else "by-pid"
    if number != "0":
        context.add(KillsProcess, pid, traits=frozenset({trait}), by=operation.by)


def _load(context: CallContext, operation: Operation) -> None:
    context.add(Executes, operation.arguments[0], traits=frozenset({NATIVE}), by=operation.by)


MEANINGS: dict[str, Meaning] = {
    "symlink": _symlink,
    "chmod": _chmod,
    "exec": _exec,
    "exec-in": _exec,
    "shell": _shell,
    "connect": _host,
    "dial": _host,
    "resolve": _host,
    "bind": _bind,
    "bound": _bind,
    "kill": _kill,
    "load": _load,
}
OPERATIONS = (*PATHS, *MEANINGS)
STARTING = {"exec": "", "exec-in": "", "shell": "/bin/sh"}
"""Operations that start a program, and which, where their arguments do not say it."""


def classify_open(flags: int) -> str:
    """Return the operation that opening with these flags is (open(2)): the numbers are Linux's,
    macOS has its own for all but the first two bits.
    """
    import os

    access, nameless = flags & 3, getattr(os, "O_TMPFILE", 0)
    if nameless and flags & nameless == nameless:
        return "create"
    if flags & getattr(os, "O_PATH", 0):
        return "stat"
    if flags & getattr(os, "O_DIRECTORY", 0):
        return "list"
    if access == os.O_RDONLY and not flags & (os.O_CREAT | os.O_TRUNC):
        return "read"
    if flags & os.O_APPEND and not flags & os.O_TRUNC:
        return "append" if access == os.O_WRONLY else "update"
    if flags & os.O_TRUNC or flags & os.O_EXCL:
        return "write"
    return "update" if access == os.O_RDWR else "write"
