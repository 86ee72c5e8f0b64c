"""Methods of .NET and COM objects that act: files, processes, the network, the registry, native
code.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.powershell.acting import Acting
from interlock.effects.powershell.following import Following
from interlock.effects.powershell.objects_files import (
    copied,
    deleted,
    moved,
    own_deleted,
    packed,
    read,
    unpacked,
    written,
)
from interlock.effects.powershell.objects_web import (
    connected,
    downloaded,
    listening,
    opened,
    requested,
    to_file,
    uploaded,
)
from interlock.effects.powershell.things import NULL, Thing, changed, derived, unknown
from interlock.effects.powershell.tree import Node
from interlock.model.effect import (
    ControlsSystem,
    ErasesTraces,
    KillsProcess,
    Persists,
    Reads,
    Writes,
)
from interlock.shell.value import HOLE, Value

Act = Callable[["Acting"], Thing]

_NATIVE = (
    "virtualalloc",
    "virtualprotect",
    "createthread",
    "writeprocessmemory",
    "getdelegateforfunctionpointer",
    "getprocaddress",
    "createremotethread",
    "openprocess",
    "definedynamicassembly",
)
"""Methods that call into native code, or make it."""


# -- the network -----------------------------------------------------------------------------------


# -- files -----------------------------------------------------------------------------------------


# -- running ---------------------------------------------------------------------------------------


def _process(acting: Acting) -> Thing:
    """``[Diagnostics.Process]::Start(program, arguments)``; also of a start information that was
    filled before.
    """
    from interlock.effects.powershell.cmdlets_run import split

    thing = acting.argument(0)
    fields = thing.fields or acting.target.fields
    program = fields.get("filename", thing)
    rest = fields.get("arguments", acting.argument(1))
    if not program.known and not fields:
        acting.run.unknown_code(program.why)
        return unknown("own-process")
    shell_started(acting.session, program.text)
    words = [Value(word, why=rest.why) for word in split(rest.text)]
    return acting.session.run_program(acting.node, [Value(program.text, why=program.why), *words])


def shell_started(session: Following, program: str) -> None:
    """Note that a shell was started: joined to a socket of the same text, it obeys whoever holds
    the other end.
    """
    name = program.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    if name in ("cmd", "powershell", "pwsh", "sh", "bash"):
        session.joins_sockets()


def _com_run(acting: Acting) -> Thing:
    """``WScript.Shell``'s Run and Exec: a command line."""
    line = acting.argument(0)
    acting.run.code(Value(line.text, line.start, line.end, line.why), "cmd")
    return unknown("output")


def _shell_execute(acting: Acting) -> Thing:
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


def _invoked(acting: Acting) -> Thing:
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


def _assembly(acting: Acting) -> Thing:
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


def _native(acting: Acting) -> Thing:
    acting.run.unknown_code("argument", "native")
    return unknown(kind="object native")


def _killed(acting: Acting) -> Thing:
    own = "own-process" in acting.target.labels
    acting.run.effect(KillsProcess, acting.target.text, "own" if own else "by-pid")
    return NULL


# -- the machine -----------------------------------------------------------------------------------


def _variable_set(acting: Acting) -> Thing:
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


def _variable_got(acting: Acting) -> Thing:
    return (
        acting.session.lookup(f"env:{acting.argument(0).text.lower()}")
        if acting.argument(0).known
        else unknown("environment")
    )


def _folder_of(acting: Acting) -> Thing:
    """``[Environment]::GetFolderPath('Desktop')``."""
    name = acting.argument(0).text.lower()
    home = acting.session.context.home or HOLE
    found = {"userprofile": "", "desktop": "/Desktop", "mydocuments": "/Documents",
        "personal": "/Documents", "applicationdata": "/AppData/Roaming",
        "localapplicationdata": "/AppData/Local", "startup": "/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup"}.get(name)  # fmt: skip
    if found is not None:
        return Thing(home + found)
    return Thing({"system": "C:/Windows/System32", "windows": "C:/Windows", "programfiles": "C:/Program Files", "commonapplicationdata": "C:/ProgramData",
        "commonstartup": "C:/ProgramData/Microsoft/Windows/Start Menu/Programs/Startup"}.get(name,
        HOLE))  # fmt: skip


def _registry(acting: Acting) -> Thing:
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


def _shortcut(acting: Acting) -> Thing:
    acting.run.path(Writes, acting.path(), "create")
    return unknown(kind="object shortcut")


def _screen(acting: Acting) -> Thing:
    acting.run.effect(Reads, "screen", "screen", detail="the screen may show secrets")
    return unknown("secret")


def _clipboard(acting: Acting) -> Thing:
    acting.run.effect(Reads, "clipboard", "clipboard", detail="the clipboard may hold a password")
    return unknown("secret", "clipboard")


def _new(acting: Acting) -> Thing:
    """An object of a type: what it is made with stays in its fields."""
    kind = acting.kind
    for end in ("sockets.tcpclient", "sockets.udpclient", "sockets.socket"):
        if kind.endswith(end):
            return connected(acting)
    if kind.endswith("tcplistener"):
        return listening(acting)
    thing = derived(HOLE, *acting.arguments, kind=f"object {kind}")
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


def _passed(acting: Acting) -> Thing:
    return derived(HOLE, acting.target, *acting.arguments, kind=acting.target.kind)


def _cleared(acting: Acting) -> Thing:
    acting.run.effect(ErasesTraces, acting.kind, "log" if "log" in acting.kind else "history")
    return NULL


# -- tables ----------------------------------------------------------------------------------------


def _reversed(acting: Acting) -> Thing:
    thing = acting.argument(0)
    changed(
        thing, thing.items[::-1] if thing.items is not None and len(acting.arguments) == 1 else None
    )
    return NULL


def _rearranged(acting: Acting) -> Thing:
    for thing in acting.arguments:
        if thing.items is not None:
            changed(thing, None)
    return unknown("output")


def _expanded(acting: Acting) -> Thing:
    """``$ExecutionContext.InvokeCommand.ExpandString(text)``: what stands in ``$( )`` runs."""
    thing = acting.argument(0)
    text = thing.text.replace("`", "``").replace('"', '`"')
    return acting.session.run_code(acting.node, derived(f'"{text}"', thing))


def _files_of(acting: Acting) -> Thing:
    thing = unknown("file")
    value = acting.path()
    acting.run.path(Reads, value, "listed")
    mark = acting.argument(1).text if len(acting.arguments) > 1 else "*"
    thing.paths = [
        Value(f"{value.text.rstrip('/')}/{mark}", value.start, value.end, value.why, pattern=True)
    ]
    return thing


_STATIC: dict[str, Act] = {
    "array.reverse": _reversed, "array.sort": _rearranged, "array.copy": _rearranged,
    "array.clear": _rearranged, "array.resize": _rearranged,
    **{f"io.directory.{name}": _files_of for name in "getfiles getdirectories enumeratefiles enumeratedirectories getfilesystementries".split()},
    "io.file.delete": deleted, "io.directory.delete": deleted, "io.file.writealltext": written,
    "io.file.writeallbytes": written,
    "io.file.writealllines": written, "io.file.appendalltext": written,
    "io.file.appendalllines": written, "io.file.create": written,
    "io.file.createtext": written, "io.file.openwrite": written,
    "io.directory.createdirectory": written, "io.file.readalltext": read,
    "io.file.readallbytes": read, "io.file.readalllines": read, "io.file.readlines": read,
    "io.file.openread": read, "io.file.opentext": read,
    "io.file.copy": copied, "io.file.move": moved, "io.directory.move": moved,
    "io.file.replace": moved, "io.compression.zipfile.createfromdirectory": packed,
    "io.compression.zipfile.extracttodirectory": unpacked, "diagnostics.process.start": _process,
    "reflection.assembly.load": _assembly,
    "reflection.assembly.loadfile": _assembly, "reflection.assembly.loadfrom": _assembly,
    "reflection.assembly.unsafeloadfrom": _assembly,
    "reflection.assembly.loadwithpartialname": _assembly, "assembly.load": _assembly,
    "appdomain.load": _assembly,
    "environment.setenvironmentvariable": _variable_set,
    "environment.getenvironmentvariable": _variable_got, "environment.getfolderpath": _folder_of,
    "environment.getenvironmentvariables": lambda _: unknown("environment"),
    "net.webrequest.create": requested, "net.httpwebrequest.create": requested,
    "webrequest.create": requested, "microsoft.win32.registry.setvalue": _registry,
    "windows.forms.clipboard.gettext": _clipboard,
    "windows.clipboard.gettext": _clipboard, "net.dns.gethostaddresses": downloaded,
    "net.dns.gethostentry": downloaded, "net.dns.resolve": downloaded,
    "io.file.encrypt": written, "diagnostics.eventlog.delete": _cleared,
    "diagnostics.eventlog.deleteeventsource": _cleared,
    "microsoft.powershell.psconsolereadline.clearhistory": _cleared,
    "psconsolereadline.clearhistory": _cleared,
    "runtime.interopservices.marshal.copy": _native,
    "runtime.interopservices.marshal.writebyte": _native,
    "runtime.interopservices.marshal.writeint32": _native,
    "activator.createinstance": _passed,
}  # fmt: skip
_METHODS: dict[str, Act] = {
    "downloadstring": downloaded, "downloaddata": downloaded,
    "downloadstringtaskasync": downloaded, "getstringasync": downloaded, "getasync": downloaded,
    "getbytearrayasync": downloaded, "getstreamasync": downloaded, "openread": downloaded,
    "getresponse": _passed, "getresponsestream": _passed,
    "downloadfile": to_file, "downloadfileasync": to_file, "downloadfiletaskasync": to_file,
    "uploadstring": uploaded, "uploaddata": uploaded,
    "uploadfile": uploaded, "uploadvalues": uploaded, "postasync": uploaded,
    "putasync": uploaded, "patchasync": uploaded, "uploadstringasync": uploaded,
    "expandstring": _expanded, "load": _assembly, "createshortcut": _shortcut, "open": opened,
    "connect": connected, "connectasync": connected, "navigate": downloaded, "invoke": _invoked,
    "invokereturnasis": _invoked, "invokescript": _invoked,
    "addscript": _invoked, "begininvoke": _invoked, "run": _com_run, "exec": _com_run,
    "shellexecute": _shell_execute, "sendkeys": _native, "sendwait": _native, "regwrite": _registry,
    "kill": _killed, "delete": own_deleted, "deletefile": deleted, "deletefolder": deleted,
    "copyfromscreen": _screen, "start": _process,
    "create": _com_run, "clear": _passed, "clearhistory": _cleared, "executeexcel4macro": _native,
    "registertaskdefinition": _registry, "setvalue": _passed,
}  # fmt: skip
_ACTING_KINDS: dict[str, tuple[str, ...]] = {
    "load": ("assembly", "appdomain"), "open": ("xmlhttp", "winhttp"),
    "run": ("wscript.shell", "wshshell"), "exec": ("wscript.shell", "wshshell"),
    "create": ("wmiclass", "win32_process"), "connect": ("socket", "tcpclient"),
    "connectasync": ("socket", "tcpclient"), "start": ("process",), "kill": ("process", ""),
    "openread": ("webclient",),
}  # fmt: skip


def call(session: Following, node: Node, target: Thing, name: str, arguments: list[Thing]) -> Thing:
    """Return what a method gives; add what it does."""
    acting = Acting(session, node, target, arguments)
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
        changed(target, None)
    if act is None or not _fits(acting, name):
        one = derived(HOLE, target, *arguments)
        one.paths, one.kind = target.paths, target.kind if target.kind.startswith("object ") else ""
        return one
    return act(acting)


def _fits(acting: Acting, name: str) -> bool:
    if name == "delete":
        return bool(acting.target.paths)
    kinds = _ACTING_KINDS.get(name)
    return kinds is None or any(kind in acting.kind for kind in kinds)


def _static(acting: Acting, name: str) -> Thing:
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
    return derived(
        HOLE,
        *acting.arguments,
        kind=f"object {acting.kind}"
        if name in ("getmethod", "gettype", "create", "open", "getprocessbyid")
        else "",
    )


def put(session: Following, member: Node, thing: Thing) -> None:
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
