"""Methods of .NET and COM objects that act: files, processes, network, registry, native code."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

from interlock.data.words import tables
from interlock.effects.named_code import find_functions, name_modules
from interlock.effects.powershell import objects_files, objects_web
from interlock.effects.powershell.following import PowerShellInterpreter
from interlock.effects.powershell.object_actions import MethodCall
from interlock.effects.powershell.objects_web import (
    connect_socket,
    listening,
)
from interlock.effects.powershell.tree import PsNode
from interlock.effects.powershell.values import NULL, PsValue, derive, set_items, unknown
from interlock.model.effect import (
    ControlsSystem,
    ErasesTraces,
    KillsProcess,
    Persists,
    Reads,
    Writes,
)
from interlock.shell.value import HOLE, Value

Act = Callable[["MethodCall"], PsValue]

_NATIVE = tuple(
    (
        "virtualalloc virtualprotect createthread writeprocessmemory"
        " getdelegateforfunctionpointer getprocaddress createremotethread openprocess"
        " definedynamicassembly"
    ).split()
)
"""Methods that call into native code, or make it."""


# -- the network -----------------------------------------------------------------------------------


# -- files -----------------------------------------------------------------------------------------


# -- running ---------------------------------------------------------------------------------------


def _process(acting: MethodCall) -> PsValue:
    """``[Diagnostics.Process]::Start(program, arguments)``; also of a filled start information."""
    from interlock.effects.powershell.cmdlets_run import split

    thing = acting.argument(0)
    fields = thing.fields or acting.target.fields
    program = fields.get("filename", thing)
    rest = fields.get("arguments", acting.argument(1))
    if not program.known and not fields:
        acting.run.unknown_code(program.why)
        return unknown("own-process")
    note_shell(acting.session, program.text)
    words = [Value(word, why=rest.why) for word in split(rest.text)]
    return acting.session.run_program(acting.node, [Value(program.text, why=program.why), *words])


def note_shell(session: PowerShellInterpreter, program: str) -> None:
    """Note that a shell was started: joined to a socket of the same text, it obeys whoever holds
    the other end.
    """
    name = program.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    if name in ("cmd", "powershell", "pwsh", "sh", "bash"):
        session.joins_sockets()


def _com_run(acting: MethodCall) -> PsValue:
    """``WScript.Shell``'s Run and Exec: a command line."""
    line = acting.argument(0)
    acting.run.code(Value(line.text, line.start, line.end, line.why), "cmd")
    return unknown("output")


def _shell_execute(acting: MethodCall) -> PsValue:
    line = f"{acting.argument(0).text} {acting.argument(1).text}".strip()
    if acting.argument(3).text.lower() == "runas":
        from interlock.model.effect import EscalatesPrivilege

        acting.run.effect(EscalatesPrivilege, acting.argument(0).text, "runas")
    acting.run.code(
        Value(
            line,
            acting.node.start,
            acting.node.end,
            acting.argument(0).why or acting.argument(1).why,
        ),
        "cmd",
    )
    return NULL


def _invoke(acting: MethodCall) -> PsValue:
    """``$block.Invoke()``, ``InvokeScript(text)``, ``AddScript(text)``."""
    thing = (
        acting.argument(0)
        if acting.arguments and acting.target.block is None and acting.target.kind != "code"
        else acting.target
    )
    if (
        thing.block is not None
        or thing.kind == "code"
        or acting.node.parts[1].name.lower() in ("invokescript", "addscript", "invokecommand")
    ):
        return acting.session.run_code(acting.node, thing)
    if acting.target.kind == "object native":
        acting.run.unknown_code("", "native")
    return unknown(*acting.target.labels)


def _assembly(acting: MethodCall) -> PsValue:
    """``[Reflection.Assembly]::Load(bytes)``: compiled code that nobody reads; a file of the
    workspace is a file that is run.
    """
    thing = acting.argument(0)
    name = acting.node.parts[1].name.lower()
    if name == "loadwithpartialname" or (
        name == "load" and thing.known and thing.kind != "bytes" and thing.data is None
    ):
        return unknown(kind="object reflection.assembly")
    if name in ("loadfile", "loadfrom", "unsafeloadfrom") and thing.known:
        from interlock.model.effect import Executes

        effect = acting.run.path(Reads, acting.path())
        labels = acting.run.contents(acting.path()).labels
        acting.run.effect(
            Executes,
            effect.target,
            "script",
            "loads",
            *[f"from-{label}" for label in labels & {"network"}],
        )
        return unknown(kind="object reflection.assembly")
    acting.run.unknown_code(
        "network" if "network" in thing.labels else thing.why or "argument", "native"
    )
    return unknown(kind="object native")


def _native(acting: MethodCall) -> PsValue:
    acting.run.unknown_code("argument", "native")
    return unknown(kind="object native")


def _kill(acting: MethodCall) -> PsValue:
    own = "own-process" in acting.target.labels
    acting.run.effect(KillsProcess, acting.target.text, "own" if own else "by-pid")
    return NULL


# -- the machine -----------------------------------------------------------------------------------


def _variable_set(acting: MethodCall) -> PsValue:
    """``[Environment]::SetEnvironmentVariable(name, value, 'User')``: for good, for this user or
    for all.
    """
    scope = acting.argument(2).text.lower()
    name = acting.argument(0).text.lower()
    if scope in ("user", "machine", "1", "2") or not acting.argument(2).known:
        acting.run.effect(Persists, name, "startup")
    elif acting.argument(0).known:
        acting.session.assign(f"env:{name}", acting.argument(1))
    return NULL


def _get_variable(acting: MethodCall) -> PsValue:
    return (
        acting.session.lookup(f"env:{acting.argument(0).text.lower()}")
        if acting.argument(0).known
        else unknown("environment")
    )


def _folder_of(acting: MethodCall) -> PsValue:
    """``[Environment]::GetFolderPath('Desktop')``."""
    name = acting.argument(0).text.lower()
    home = acting.session.context.home or HOLE
    found = {"userprofile": "", "desktop": "/Desktop", "mydocuments": "/Documents",
        "personal": "/Documents", "applicationdata": "/AppData/Roaming",
        "localapplicationdata": "/AppData/Local", "startup": "/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup"}.get(name)  # fmt: skip
    if found is not None:
        return PsValue(home + found)
    return PsValue({"system": "C:/Windows/System32", "windows": "C:/Windows", "programfiles": "C:/Program Files", "commonapplicationdata": "C:/ProgramData",
        "commonstartup": "C:/ProgramData/Microsoft/Windows/Start Menu/Programs/Startup"}.get(name,
        HOLE))  # fmt: skip


def _registry(acting: MethodCall) -> PsValue:
    """``[Microsoft.Win32.Registry]::SetValue(key, name, value)``, ``RegWrite(key, value)``."""
    from interlock.effects.programs.windows import starts

    key = acting.argument(0).text
    startup = starts(
        key.lower(), acting.argument(1).text.lower() if acting.argument(1).known else ""
    )
    acting.run.effect(
        Persists if startup else ControlsSystem, key, "startup" if startup else "defaults"
    )
    return NULL


def _shortcut(acting: MethodCall) -> PsValue:
    acting.run.path(Writes, acting.path(), "create")
    return unknown(kind="object shortcut")


def _screen(acting: MethodCall) -> PsValue:
    acting.run.effect(Reads, "screen", "screen", detail="the screen may show secrets")
    return unknown("secret")


def _clipboard(acting: MethodCall) -> PsValue:
    acting.run.effect(Reads, "clipboard", "clipboard", detail="the clipboard may hold a password")
    return unknown("secret", "clipboard")


def _new(acting: MethodCall) -> PsValue:
    """An object of a type: what it is made with stays in its fields."""
    kind = acting.kind
    for end in ("sockets.tcpclient", "sockets.udpclient", "sockets.socket"):
        if kind.endswith(end):
            return connect_socket(acting)
    if kind.endswith("tcplistener"):
        return listening(acting)
    thing = derive(HOLE, *acting.arguments, kind=f"object {kind}")
    if kind.endswith("processstartinfo"):
        thing.fields = (
            {"filename": acting.argument(0), "arguments": acting.argument(1)}
            if acting.arguments
            else {}
        )
    elif kind.endswith(("fileinfo", "directoryinfo")):
        thing.paths = [acting.path()]
    elif kind.endswith(("uri", "string")) and acting.arguments:
        thing.text, thing.kind = acting.argument(0).text, ""
    elif (
        kind.endswith("streamwriter")
        and acting.arguments
        and "network" not in acting.argument(0).labels
    ):
        acting.run.path(
            Writes,
            acting.path(),
            "append" if acting.argument(1).text.lower() == "true" else "redirect",
        )
    elif (
        kind.endswith(("streamreader", "filestream"))
        and acting.arguments
        and "network" not in acting.argument(0).labels
        and not acting.argument(0).kind
    ):
        acting.run.path(Reads, acting.path())
        thing.labels |= acting.run.contents(acting.path()).labels
    elif kind.endswith(("pscredential", "networkcredential")):
        thing.labels |= (
            {"secret"} if not all(one.known for one in acting.arguments) else frozenset()
        )
    elif kind.endswith(("deflatestream", "gzipstream", "brotlistream", "cryptostream")):
        thing.labels |= {"decoded"}
    return thing


def _pass_on(acting: MethodCall) -> PsValue:
    return derive(HOLE, acting.target, *acting.arguments, kind=acting.target.kind)


def _clear_log(acting: MethodCall) -> PsValue:
    acting.run.effect(ErasesTraces, acting.kind, "log" if "log" in acting.kind else "history")
    return NULL


# -- tables ----------------------------------------------------------------------------------------


def _reverse(acting: MethodCall) -> PsValue:
    thing = acting.argument(0)
    set_items(
        thing, thing.items[::-1] if thing.items is not None and len(acting.arguments) == 1 else None
    )
    return NULL


def _rearrange(acting: MethodCall) -> PsValue:
    for thing in acting.arguments:
        if thing.items is not None:
            set_items(thing, None)
    return unknown("output")


def _expand_string(acting: MethodCall) -> PsValue:
    """``$ExecutionContext.InvokeCommand.ExpandString(text)``: what stands in ``$( )`` runs."""
    thing = acting.argument(0)
    text = thing.text.replace("`", "``").replace('"', '`"')
    return acting.session.run_code(acting.node, derive(f'"{text}"', thing))


def _files_of(acting: MethodCall) -> PsValue:
    thing = unknown("file")
    value = acting.path()
    acting.run.path(Reads, value, "listed")
    mark = acting.argument(1).text if len(acting.arguments) > 1 else "*"
    thing.paths = [
        Value(f"{value.text.rstrip('/')}/{mark}", value.start, value.end, value.why, pattern=True)
    ]
    return thing


def _environment(acting: MethodCall) -> PsValue:
    del acting
    return unknown("environment")


_MODULES = {
    "objects": SimpleNamespace(**globals()),
    **name_modules((objects_files, objects_web)),
}
_LIBRARY = tables("languages/powershell", "library")
_STATIC: dict[str, Act] = find_functions(_LIBRARY["static"], _MODULES)
_METHODS: dict[str, Act] = find_functions(_LIBRARY["methods"], _MODULES)
_ACTING_KINDS: dict[str, tuple[str, ...]] = {
    "load": ("assembly", "appdomain"), "open": ("xmlhttp", "winhttp"),
    "run": ("wscript.shell", "wshshell"), "exec": ("wscript.shell", "wshshell"),
    "create": ("wmiclass", "win32_process"), "connect": ("socket", "tcpclient"),
    "connectasync": ("socket", "tcpclient"), "start": ("process",), "kill": ("process", ""),
    "openread": ("webclient",),
}  # fmt: skip


def call(
    session: PowerShellInterpreter,
    node: PsNode,
    target: PsValue,
    name: str,
    arguments: list[PsValue],
) -> PsValue:
    """Return what a method gives; add what it does."""
    acting = MethodCall(session, node, target, arguments)
    if any("amsi" in one.text.lower() for one in arguments):
        acting.run.effect(
            ControlsSystem,
            "AMSI",
            "security-off",
            detail="the scanner of scripts is switched off or patched",
        )
        return unknown(kind="object native")
    if target.kind.startswith("type "):
        return _static(acting, name)
    if name in _NATIVE or target.kind == "object native":
        return _native(acting) if name in _NATIVE or name == "invoke" else target
    act = _METHODS.get(name)
    if target.items is not None and name in (
        "setvalue",
        "reverse",
        "sort",
        "clear",
        "insert",
        "removeat",
        "set",
        "copyto",
        "fill",
    ):
        set_items(target, None)
    if act is None or not _fits(acting, name):
        one = derive(HOLE, target, *arguments)
        one.paths, one.kind = target.paths, target.kind if target.kind.startswith("object ") else ""
        return one
    return act(acting)


def _fits(acting: MethodCall, name: str) -> bool:
    if name == "delete":
        return bool(acting.target.paths)
    kinds = _ACTING_KINDS.get(name)
    return kinds is None or any(kind in acting.kind for kind in kinds)


def _static(acting: MethodCall, name: str) -> PsValue:
    if name == "new":
        return _new(acting)
    if any(
        word in acting.kind for word in ("win32native", "marshal", "unsafenativemethods")
    ) and name in (
        *_NATIVE,
        "copy",
        "writebyte",
        "writeint32",
        "getdelegateforfunctionpointer",
    ):
        return _native(acting)
    act = _STATIC.get(f"{acting.kind}.{name}")
    if act is not None:
        return act(acting)
    if name in _NATIVE:
        return _native(acting)
    if acting.kind == "ref" and acting.arguments:
        return unknown()
    if acting.kind.endswith("powershell") and name == "create":
        return unknown(kind="object powershell")
    return derive(
        HOLE,
        *acting.arguments,
        kind=f"object {acting.kind}"
        if name in ("getmethod", "gettype", "create", "open", "getprocessbyid")
        else "",
    )


def put(session: PowerShellInterpreter, member: PsNode, thing: PsValue) -> None:
    """``$x.Name = value``: kept where it decides later what is started or written."""
    target = session.value(member.parts[0])
    name = (
        member.parts[1].name.lower()
        if member.parts[1].kind == "text"
        else session.value(member.parts[1]).text.lower()
    )
    if name == "value" and target.kind == "object ref":
        return
    if len(target.fields) < 256 and target is not NULL:
        target.fields[name] = thing
