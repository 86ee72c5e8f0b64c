"""Cmdlets that run code, programs and jobs, or load code into the session."""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.connecting import to_url
from interlock.effects.powershell.cmdlet import Cmdlet
from interlock.effects.powershell.values import NULL, PsValue, derive, unknown
from interlock.model.effect import (
    Connects,
    ControlsSystem,
    EscalatesPrivilege,
    Executes,
    Installs,
    KillsProcess,
    Persists,
    Publishes,
    Reads,
    RunsCode,
    Writes,
)  # fmt: skip
from interlock.shell.value import HOLE, Value

_WHERE_ELSE = tuple(
    "computername session hostname vmname containerid connectionuri sshconnection".split()
)


def _code(run: Cmdlet) -> PsValue:
    """``Invoke-Expression``: every text of what is given, in this very session."""
    found = run.thing("command") or run.input
    if run.node is None:
        return NULL
    joined = (
        found
        if found.items is None
        else derive("\n".join([one.text for one in found.items]), found)
    )
    return run.session.run_code(run.node, joined)


def _block(run: Cmdlet) -> PsValue:
    """``Invoke-Command``, ``Start-Job``: a block or a script, here or on another machine."""
    context = run.context
    host = next((run.text(name) or "?" for name in _WHERE_ELSE if _is_host(run, name)), "")
    held = context.where
    if host:
        run.effect(Connects, host, "get", host=hosts.classify(host))
        context.where = f"remote {host}"
    try:
        arguments = (run.thing("argumentlist") or NULL).each()
        for name in ("scriptblock", "computername", "initializationscript", "expression", "action"):
            thing = run.thing(name)
            if name == "computername" and _is_host(run, name):
                continue
            if thing is not None and thing.block is not None:
                run.session.run_in_scope(thing.block, arguments)
            elif thing is not None and run.node is not None:
                run.session.run_code(run.node, thing)
        for value in run.paths("filepath") if "filepath" in run.named else []:
            run.script(value, "powershell")
    finally:
        context.where = held
    return unknown("output") if not host else unknown("network")


def _is_host(run: Cmdlet, name: str) -> bool:
    """Whether a machine is named so. ``Invoke-Command { .. }`` and ``Invoke-Command $block`` have
    what they run in the place of the machine, where no other word says what runs.
    """
    if name not in run.named or name != "computername":
        return name in run.named
    thing = run.thing(name)
    block = thing is not None and thing.block is not None
    return not block and ("scriptblock" in run.named or "filepath" in run.named)


def _start(run: Cmdlet) -> PsValue:
    """``Start-Process PROGRAM -ArgumentList ..``; ``-Verb RunAs`` starts it elevated."""
    program = run.thing("filepath") or unknown("output")
    if run.text("verb").lower() == "runas":
        run.effect(EscalatesPrivilege, program.text, "runas")
    for name in ("redirectstandardoutput", "redirectstandarderror"):
        for value in run.paths(name) if name in run.named else []:
            run.path(Writes, value, "redirect")
    if program.text.lower().startswith(("http://", "https://")):
        to_url(run.context, program.text, run.span(), frozenset({"get"}), run.name)
        return unknown("own-process", kind="object process")
    words = [
        Value(word, program.start, program.end, one.why)
        for one in (run.thing("argumentlist", "args") or NULL).each()
        for word in split(one.text)
    ]
    cwd = run.paths("workingdirectory") if "workingdirectory" in run.named else []
    state = run.walker.state
    held = state.cwd
    if cwd:
        state.cwd = run.context.normal(cwd[0].text, held) if cwd[0].known else None
    try:
        if run.node is not None:
            run.session.run_program(run.node, [*program.values(literal=True)[:1], *words], NULL)
    finally:
        state.cwd = held
    return unknown("own-process", kind="object process")


def split(text: str) -> list[str]:
    """Split a command line into words, as Windows programs do: at blanks outside double quotes."""
    words: list[str] = []
    word: list[str] = []
    inside = started = False
    for char in text:
        if char == '"':
            inside, started = not inside, True
        elif char in " \t\n" and not inside:
            if word or started:
                words.append("".join(word))
            word, started = [], False
        else:
            word.append(char)
    return [*words, *(["".join(word)] if word or started else [])]


def _add_type(run: Cmdlet) -> None:
    """``Add-Type``: an assembly of the system is loaded, or C# compiled and loaded, unread."""
    for name in ("typedefinition", "memberdefinition"):
        thing = run.thing(name)
        if thing is not None:
            run.effect(
                RunsCode,
                "c#",
                "unread",
                "inline",
                "from-argument",
                detail="code of another language is compiled and loaded",
            )
            run.context.misses()
            if "network" in thing.labels:
                run.unknown_code("network")
    for value in (
        run.paths("path", "literalpath") if run.thing("path", "literalpath") is not None else []
    ):
        _load(run, value)


def _load(run: Cmdlet, value: Value) -> None:
    path = run.context.normal(value.text, run.cwd) if HOLE not in value.text else None
    labels = run.contents(value).labels
    traits = [f"from-{label}" for label in labels & {"network"}]
    run.effect(Executes, path or value.text, "script", "loads", *traits, value=value)


def _import(run: Cmdlet) -> None:
    """``Import-Module NAME`` or ``FILE``."""
    for value in run.paths("name", "path"):
        low = value.text.lower()
        if value.hollow:
            run.effect(Executes, value.text, "script", "unknown-target", certain=False)
        elif low.endswith((".psm1", ".ps1", ".psd1")):
            run.script(value, "powershell") if not low.endswith(".psd1") else run.path(Reads, value)
        elif low.endswith(".dll") or low.startswith("//"):
            _load(run, value)
        elif any(
            word in low
            for word in ("powersploit", "powerview", "mimikatz", "nishang", "empire", "powercat")
        ):
            run.effect(Executes, value.text, "security-tool")


def _open(run: Cmdlet) -> None:
    """``Invoke-Item``: opens a file with what belongs to it; a program or script is run."""
    for value in run.paths("path", "literalpath"):
        low = value.text.lower()
        if low.endswith(".ps1"):
            run.script(value, "powershell")
        elif (
            low.endswith(
                (".exe", ".bat", ".cmd", ".vbs", ".js", ".msi", ".lnk", ".hta", ".scr", ".com")
            )
            and run.node is not None
        ):
            run.session.run_program(
                run.node, [Value(value.text, value.start, value.end, value.why)]
            )


def _object(run: Cmdlet) -> PsValue:
    """``New-Object TYPE ARGUMENTS``, ``New-Object -ComObject NAME``."""
    name = (run.text("comobject") or run.text("typename")).lower().removeprefix("system.")
    arguments = (run.thing("argumentlist") or NULL).each()
    if run.thing("comobject") is not None:
        run.context.doubt(f"what the object {name} does is not known")
    if run.node is None:
        return unknown("output")
    return run.session.call(run.node, PsValue(name, kind=f"type {name}"), "new", arguments)


def _stop(run: Cmdlet) -> None:
    """``Stop-Process``: by name, by number, or what comes through the pipe."""
    named = run.thing("name", "processname")
    thing = named or run.thing("id", "inputobject") or run.input
    if "own-process" in thing.labels:
        run.effect(KillsProcess, thing.text, "own")
        return
    for one in thing.each() or [unknown("output")]:
        security = one.text.lower().removesuffix(".exe") in _DEFENDERS
        run.effect(
            KillsProcess,
            one.text,
            "by-name" if named is not None else "by-pid",
            *(["force"] if run.on("force") else []),
        )
        if security:
            run.effect(ControlsSystem, one.text, "security-off")
        if one.text.lower() in ("wininit", "csrss", "lsass", "smss", "services", "winlogon", "*"):
            run.effect(KillsProcess, one.text, "all")


_DEFENDERS = frozenset(
    "msmpeng mssense securityhealthservice windefend nissrv mpcmdrun sense savservice csfalconservice cylancesvc sentinelagent".split()
)


def _method(run: Cmdlet) -> PsValue:
    """``Invoke-WmiMethod``, ``Invoke-CimMethod``: Win32_Process Create starts a command."""
    kind, method = run.text("class", "classname").lower(), run.text("name", "methodname").lower()
    arguments = run.thing("argumentlist", "arguments") or NULL
    line = arguments.fields.get("commandline") or (arguments.each() or [NULL])[0]
    if kind == "win32_process" and method == "create":
        run.code(Value(line.text, line.start, line.end, line.why), "cmd")
    elif method.startswith(
        (
            "delete",
            "uninstall",
            "terminate",
            "stop",
            "win32shutdown",
            "reboot",
            "shutdown",
            "change",
            "set",
            "create",
        )
    ):
        run.effect(
            ControlsSystem,
            f"{kind} {method}",
            "format" if "shadow" in kind and method == "delete" else "service",
        )
    return unknown("output")


def _schedule(run: Cmdlet) -> None:
    run.effect(Persists, run.text("taskname") or run.name, "cron")


def _register(run: Cmdlet) -> None:
    """``Register-ObjectEvent -Action { .. }``: the block runs later."""
    thing = run.thing("action")
    if thing is not None and thing.block is not None:
        run.session.run_in_scope(thing.block)
    if "wmi" in run.name or "cim" in run.name:
        run.effect(Persists, run.text("query", "classname"), "startup")


def _module(run: Cmdlet) -> None:
    """``Install-Module NAME``: for this user, or with ``-Scope AllUsers`` for all."""
    scope = run.text("scope").lower()
    for thing in (run.thing("name") or unknown("output")).each():
        if run.name.startswith("install"):
            run.effect(
                Installs,
                thing.text,
                "system" if scope == "allusers" or "feature" in run.name else "user",
            )
        elif run.name.startswith(("uninstall", "remove")):
            run.effect(Installs, thing.text, "remove", "user")
        elif run.name.startswith("publish"):
            run.effect(Publishes, thing.text, "package")
        else:
            run.effect(Installs, thing.text, "update")


def _policy(run: Cmdlet) -> None:
    """``Set-ExecutionPolicy``: what is set for this process alone ends with it."""
    policy, scope = run.text("executionpolicy").lower(), run.text("scope").lower()
    if policy in ("restricted", "allsigned", "default", "undefined") or (
        policy == "remotesigned" and scope == "process"
    ):
        return
    run.effect(
        ControlsSystem,
        "execution policy",
        "security-off" if policy in ("bypass", "unrestricted") else "defaults",
        value=None,
    )


def _history(run: Cmdlet) -> None:
    """``Set-PSReadLineOption -HistorySaveStyle SaveNothing``: the shell keeps no history."""
    from interlock.model.effect import ErasesTraces

    if run.text("historysavestyle").lower() == "savenothing" or run.text(
        "historysavepath"
    ).lower() in ("nul", "$null"):
        run.effect(ErasesTraces, "history", "history")
